"""Actions of a seat: their components, masks, previews, and turns decided step by step."""
