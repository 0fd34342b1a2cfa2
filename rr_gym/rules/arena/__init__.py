"""Batches of games: starting, playing and cloning them, what a seat cannot see, distances, places."""
