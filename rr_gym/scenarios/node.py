"""Check the parsed data of scenarios, with errors that name the file, the line and the field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rr_gym.errors import RoboRallyError, did_you_mean, sanitize, short_repr


class ScenarioError(RoboRallyError):
    """A scenario that cannot be read or run; the message names file, line, scenario and field.

    Attributes:
        place: File, line and scenario.
        reason: The rest of the message, from the field on. The `error` that a scenario expects is compared with it.
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place = place
        self.reason = reason

    def __str__(self) -> str:
        return sanitize(f"{self.place}: {self.reason}")


@dataclass(frozen=True, slots=True)
class ScenarioSource:
    """The origin of a scenario: its file, its name (or number), and the lines of its nodes."""

    file: str
    scenario: str
    lines: Mapping[tuple[Any, ...], int] = field(default_factory=dict)
    base: tuple[Any, ...] = ()

    def where(self, path: tuple[Any, ...]) -> str:
        """Return file, line and scenario of the node at a path, for error messages."""
        line = self.lines.get((*self.base, *path))
        place = f"{self.file}:{line}" if line else self.file
        return f"{place}: {self.scenario}"


def nearest(name: Any, names: Iterable[str]) -> str:
    """Return a hint with the most similar valid name or, if there are at most twelve, all valid names."""
    known = list(names)
    if hint := did_you_mean(name, known):
        return f"; {hint}"
    return f"; expected {' | '.join(known)}" if len(known) <= 12 else ""


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a scenario with its place. Methods such as `text` and `number` check the value and return it."""

    value: Any
    path: tuple[Any, ...]
    source: ScenarioSource

    def error(self, problem: str) -> ScenarioError:
        """Return an error at this place."""
        field = f"{'.'.join(map(str, self.path))}: " if self.path else ""
        return ScenarioError(self.source.where(self.path), f"{field}{problem}")

    def child(self, key: Any, value: Any) -> Node:
        """Return a value inside this one, under a key or an index."""
        return Node(value, (*self.path, key), self.source)

    def short_repr(self) -> str:
        """Return the value as errors quote it."""
        return "nothing" if self.value is None else short_repr(self.value)

    def named(self) -> Node:
        """Return this node with a whole number converted to text, since ids of robots may be written as numbers."""
        number = isinstance(self.value, int) and not isinstance(self.value, bool)
        return replace(self, value=str(self.value)) if number else self

    def mapping(self, what: str, known: Iterable[str] | None = None) -> dict[Any, Node]:
        """Return the entries of a mapping; raise a ScenarioError for a key that is not in `known`."""
        if not isinstance(self.value, dict):
            raise self.error(f"{self.short_repr()}: expected {what}")
        if known is not None:
            names = list(known)
            for key in self.value:
                if key not in names:
                    raise self.child(key, None).error(f"there is no such key here{nearest(key, names)}")
        return {key: self.child(key, value) for key, value in self.value.items()}

    def items(self, what: str) -> list[Node]:
        """Return the entries of a list."""
        if not isinstance(self.value, list):
            raise self.error(f"{self.short_repr()}: expected {what}")
        return [self.child(index, value) for index, value in enumerate(self.value)]

    def text(self, what: str) -> str:
        """Return the value, which must be a string that is not blank; `what` is what the error says was expected."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.error(f"{self.short_repr()}: expected {what}")
        return self.value

    def number(self, low: int, high: int) -> int:
        """Return the value, which must be a whole number from `low` to `high`, both included."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not low <= self.value <= high:
            raise self.error(f"{self.short_repr()}: expected a whole number from {low} to {high}")
        return self.value

    def flag(self) -> bool:
        """Return ``true`` or ``false``; 1 and 0 are accepted too."""
        if not isinstance(self.value, bool) and (not isinstance(self.value, int) or self.value not in (0, 1)):
            raise self.error(f"{self.short_repr()}: expected true or false")
        return bool(self.value)

    def choice(self, names: Iterable[str], what: str = "value") -> str:
        """Return the value, which must be one of the names; `what` is what the error calls such a thing."""
        known = list(names)
        if not isinstance(self.value, str) or self.value not in known:
            raise self.error(f"there is no {what} {self.short_repr()}{nearest(self.value, known)}")
        return self.value

    def pair(self) -> tuple[int, int]:
        """Return coordinates ``[x, y]`` as a tuple."""
        match self.value:
            case [int(x), int(y)] if not isinstance(x, bool) and not isinstance(y, bool):
                return x, y
        raise self.error(f"{self.short_repr()}: expected [x, y]")
