"""What a seat may choose: components of actions, masks, previews, and a turn decided step by step."""
