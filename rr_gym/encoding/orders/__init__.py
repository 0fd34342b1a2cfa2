"""Orders by name, as people, programs and scenarios give them, and whether they are legal."""
