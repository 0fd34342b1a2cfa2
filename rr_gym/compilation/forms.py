"""The forms of the tables, and of what is compiled for them."""

from __future__ import annotations

from collections.abc import Iterable

# A base course; one with option cards or variants; one with elements of expansions. A field of the tables tells them
# apart, and those after them.
BASE, OPTIONS, FULL = "base", "options", "full"
FORMS = (BASE, OPTIONS, FULL)
ANY = "any"  # what is entered without a table
MARKS = {OPTIONS: "ground", FULL: "elements"}


def form_of(fields: Iterable[str]) -> str:
    """The form of a table by the names of its fields; `BASE` for other records."""
    return FULL if MARKS[FULL] in fields else OPTIONS if MARKS[OPTIONS] in fields else BASE
