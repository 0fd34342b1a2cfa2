"""Hazards, which hurt robots that enter a square or stay there."""
