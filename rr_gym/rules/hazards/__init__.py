"""What hurts whoever enters a square or stays there."""
