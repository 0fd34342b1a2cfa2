"""The words of the board format RRB1, collected from the table of elements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from rr_gym.courses.elements import ELEMENTS
from rr_gym.courses.elements.element import PHASES, SOME_PHASES

SIDE_LETTERS = "nesw"
ARROWS = "^>v<"  # in the order of the directions 0-3


@dataclass(frozen=True, slots=True)
class Word:
    """A row of the grammar.

    Attributes:
        pattern: Regular expression that matches the whole item or kind of side.
        kind: The kind of part, by which the code that reads boards distinguishes parts.
        element: Id of the board element that it stands for.
        group: Items of one group exclude each other on a square; "" never excludes.
    """

    pattern: str
    kind: str
    element: str
    group: str = ""

    @property
    def has_phases(self) -> bool:
        """Tell whether phases may be written in it."""
        return PHASES in self.pattern

    def matches_but_for_phases(self, text: str) -> bool:
        """Tell whether a string matches this word except that its phases are invalid or out of order."""
        loose = self.pattern.replace(SOME_PHASES, r"\d*").replace(PHASES, r"\d*")
        return self.has_phases and re.fullmatch(loose, text) is not None


# The words of all elements: those that are items of a square, and those that are kinds of a side.
ITEMS = tuple(Word(row.regex, row.kind, element.id, row.group) for element in ELEMENTS for row in element.items)
SIDE_KINDS = tuple(Word(row.regex, row.kind, element.id, row.group) for element in ELEMENTS for row in element.sides)


def exclude_each_other(first: Word, second: Word) -> bool:
    """Tell whether two different items cannot share a square."""
    same = first.group != "" and first.group == second.group
    return same or {first.group, second.group} == {"floor", "ground"}


@lru_cache(maxsize=4096)
def find_word(on_side: bool, text: str) -> tuple[Word, dict[str, str | None]] | None:
    """Return the item, or with `on_side` the kind of side, that matches a string, with the named groups of the match.

    The result is None if no word matches.
    """
    for word in SIDE_KINDS if on_side else ITEMS:
        if match := re.fullmatch(word.pattern, text):
            return word, match.groupdict()
    return None
