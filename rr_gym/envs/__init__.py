"""The environment's faces for reinforcement-learning libraries."""
