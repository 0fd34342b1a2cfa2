"""Option cards: owning, drawing, programming, combining and losing them."""
