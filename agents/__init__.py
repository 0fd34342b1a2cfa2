"""Training of policies with Stable-Baselines3 (docs/training.md)."""
