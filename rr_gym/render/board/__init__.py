"""Pictures of boards: shapes, glyphs, signs for terminals, the legend."""
