"""One square at a time: displacing, chains of pushed robots, entering, settling, turning."""
