"""Variants of the game: goals, teams, moving flags, the SuperBot, and destroyed robots that miss turns."""
