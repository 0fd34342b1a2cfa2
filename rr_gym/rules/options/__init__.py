"""Option cards: owning, drawing, programming, pairing, losing them."""
