"""Reading plain data with errors that name the place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rr_gym.errors import RoboRallyError, did_you_mean, said, shown


class ScenarioError(RoboRallyError):
    """A scenario that cannot be read or run: the message names file, line, scenario and field.

    Attributes:
        reason: The message from the field on, which is what `error` of a scenario is compared with.
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place = place
        self.reason = reason

    def __str__(self) -> str:
        return said(f"{self.place}: {self.reason}")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a scenario stands: its file, its name (or number), and the lines of its nodes."""

    file: str
    scenario: str
    lines: Mapping[tuple[Any, ...], int] = field(default_factory=dict)
    base: tuple[Any, ...] = ()

    def where(self, path: tuple[Any, ...]) -> str:
        """File, line and scenario of a node."""
        line = self.lines.get((*self.base, *path))
        place = f"{self.file}:{line}" if line else self.file
        return f"{place}: {self.scenario}"


def nearest(name: Any, names: Iterable[str]) -> str:
    """A clause that offers the most similar of the valid names, or all of them where they are few."""
    known = list(names)
    if hint := did_you_mean(name, known):
        return f"; {hint}"
    return f"; expected {' | '.join(known)}" if len(known) <= 12 else ""


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the scenario together with its place. Every method checks one kind of value and returns it."""

    value: Any
    path: tuple[Any, ...]
    source: Source

    def error(self, problem: str) -> ScenarioError:
        """An error at this place."""
        field = f"{'.'.join(map(str, self.path))}: " if self.path else ""
        return ScenarioError(self.source.where(self.path), f"{field}{problem}")

    def child(self, key: Any, value: Any) -> Node:
        """A value inside this one, under a key or an index."""
        return Node(value, (*self.path, key), self.source)

    def shown(self) -> str:
        """The value as errors show it."""
        return "nothing" if self.value is None else shown(self.value)

    def named(self) -> Node:
        """The id of a robot, which may be written as a number."""
        return self if isinstance(self.value, bool) or not isinstance(self.value, int) else self._as(str(self.value))

    def _as(self, value: Any) -> Node:
        """Another value in the same place."""
        return Node(value, self.path, self.source)

    def mapping(self, what: str, known: Iterable[str] | None = None) -> dict[Any, Node]:
        """The entries of a mapping; keys outside `known` are errors, with the nearest valid name."""
        if not isinstance(self.value, dict):
            raise self.error(f"{self.shown()}: expected {what}")
        if known is not None:
            names = list(known)
            for key in self.value:
                if key not in names:
                    raise self.child(key, None).error(f"there is no such key here{nearest(key, names)}")
        return {key: self.child(key, value) for key, value in self.value.items()}

    def items(self, what: str) -> list[Node]:
        """The entries of a list."""
        if not isinstance(self.value, list):
            raise self.error(f"{self.shown()}: expected {what}")
        return [self.child(index, value) for index, value in enumerate(self.value)]

    def text(self, what: str) -> str:
        """Text that is not blank."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.error(f"{self.shown()}: expected {what}")
        return self.value

    def number(self, low: int, high: int) -> int:
        """A whole number in a range that includes its ends."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not low <= self.value <= high:
            raise self.error(f"{self.shown()}: expected a whole number from {low} to {high}")
        return self.value

    def flag(self) -> bool:
        """``true`` or ``false``; 1 and 0 are taken as well."""
        if not isinstance(self.value, bool) and (not isinstance(self.value, int) or self.value not in (0, 1)):
            raise self.error(f"{self.shown()}: expected true or false")
        return bool(self.value)

    def choice(self, names: Iterable[str], what: str = "value") -> str:
        """One of some names; `what` they name is told in the error."""
        known = list(names)
        if not isinstance(self.value, str) or self.value not in known:
            raise self.error(f"there is no {what} {self.shown()}{nearest(self.value, known)}")
        return self.value

    def pair(self) -> tuple[int, int]:
        """Coordinates ``[x, y]``."""
        match self.value:
            case [int(x), int(y)] if not isinstance(x, bool) and not isinstance(y, bool):
                return x, y
        raise self.error(f"{self.shown()}: expected [x, y]")
