"""Orders in words, as people, programs and scenarios write them, and checks whether they are legal."""
