"""What hurts robots that enter a square or stay there."""
