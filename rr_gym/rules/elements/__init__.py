"""Board elements that act by themselves: belts, pushers, gears, crushers and others."""
