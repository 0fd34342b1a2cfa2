"""Batches of games: start, play, check and rank them, and redeal what a seat cannot see."""
