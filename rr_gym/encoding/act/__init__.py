"""Actions of seats: components, masks, previews, and turns that are decided step by step."""
