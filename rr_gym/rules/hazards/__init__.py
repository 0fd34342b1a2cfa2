"""Hazards that hurt robots that enter a square or stay there."""
