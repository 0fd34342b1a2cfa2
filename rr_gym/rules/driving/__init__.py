"""The execution of registers: cards, movement options, repeaters, ice, flight."""
