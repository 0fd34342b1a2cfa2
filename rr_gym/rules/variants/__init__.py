"""Variants of the game: teams, moving flags, the SuperBot, sitting out."""
