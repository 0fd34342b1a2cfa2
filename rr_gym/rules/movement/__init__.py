"""Movement square by square: displacing, pushing, entering, settling, turning."""
