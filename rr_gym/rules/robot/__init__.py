"""The condition of one robot: damage, locked registers, sleep, energy and the cards that it executes."""
