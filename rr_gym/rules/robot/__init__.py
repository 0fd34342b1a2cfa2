"""The condition of one robot: damage and locks, sleep, energy."""
