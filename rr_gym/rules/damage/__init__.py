"""Damage, the options that absorb it, explosions."""
