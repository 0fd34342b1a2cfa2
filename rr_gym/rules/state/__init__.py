"""The records of a game and what they are made of: cards, constants, settings, events, chance."""
