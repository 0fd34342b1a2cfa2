"""The records of a game, and what they need: cards, constants, settings, events, random numbers."""
