"""Execute registers: cards, movement options, repeaters, ice, flight."""
