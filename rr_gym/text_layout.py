"""Monospaced text: aligned columns, visible lengths, and lines no wider than the terminal."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import zip_longest
from textwrap import wrap

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_GAP = re.compile(r"\S  +(?=\S)")


def visible(text: str) -> int:
    """Return the number of visible characters in a string, which may contain colour codes."""
    return len(_ESCAPE.sub("", text))


def padded(text: str, width: int, right: bool = False) -> str:
    """Return a string padded with spaces to a visible width; with `right`, on the left, so that it is right-aligned."""
    spaces = " " * max(0, width - visible(text))
    return spaces + text if right else text + spaces


def columns(rows: Sequence[Sequence[str]], gap: str = "  ", right: Collection[int] = ()) -> list[str]:
    """Return rows of cells as lines with aligned columns.

    Args:
        rows: The cells of each row; the last ones may be missing.
        gap: The text between two columns.
        right: The indices of right-aligned columns, such as those of numbers; the others are left-aligned.
    """
    widths = [max(map(visible, cells)) for cells in zip_longest(*rows, fillvalue="")]
    return [
        gap.join(padded(cell, widths[k], k in right) for k, cell in enumerate(row)).rstrip() for row in rows
    ]


def wrapped(text: str, width: int) -> str:
    """Break lines longer than `width`; the continuation of a line is indented to its last column."""
    return "\n".join("\n".join(_wrapped(line, width)) for line in text.split("\n"))


def _wrapped(line: str, width: int) -> list[str]:
    if visible(line) <= width:
        return [line]
    escapes = list(dict.fromkeys(_ESCAPE.findall(line)))
    # Replace each escape by one private-use letter, so that `wrap` counts it as a single character.
    for number, escape in enumerate(escapes):
        line = line.replace(escape, chr(0xE000 + number))
    start = len(line) - len(line.lstrip())
    gaps = [gap.end() for gap in _GAP.finditer(line) if gap.end() <= width // 2]
    indent = gaps[-1] if gaps else start + 2
    lines = wrap(
        line, width, subsequent_indent=" " * indent, break_on_hyphens=False, drop_whitespace=True,
        replace_whitespace=False,
    )  # fmt: skip
    for number, escape in enumerate(escapes):
        lines = [part.replace(chr(0xE000 + number), escape) for part in lines]
    return lines
