"""Boards and layouts as text: the grammar of words, boards, layouts, and reading them."""
