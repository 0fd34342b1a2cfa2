"""Align columns of words in plain text."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], gap: str = "  ") -> list[str]:
    """Return a line for each row of words, with the words of a column below each other and no blanks at the end."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [gap.join(map(str.ljust, row, widths)).rstrip() for row in rows]
