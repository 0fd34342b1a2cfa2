"""What a register makes a robot do: cards, movement options, repeaters, ice, flight."""
