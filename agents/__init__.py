"""Experiments with players: they use the public names of rr_gym and live in the checkout, not in the wheel."""
