"""Board elements that act on their own: belts, pushers, gears, crushers and their like."""
