"""What a seat sees: observations as numbers, planes and tables, and views for people and programs."""
