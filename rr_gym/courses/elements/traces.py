"""Describe the events that show that an element acted, for the rows of elements (`rr_gym.bench.firing`)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from rr_gym.courses.elements.observed import Bound


class Sort(Enum):
    """What happened."""

    EVENT = auto()
    MOVED = auto()
    HARMED = auto()
    DESTROYED = auto()
    MET = auto()
    MET_FACE = auto()
    BEGAN = auto()
    PULLED = auto()
    CLIMBED = auto()
    CLIMBED_FAST = auto()
    THROUGH_GATE = auto()
    MOUNTED = auto()


@dataclass(frozen=True, slots=True)
class Trace:
    """Events that show that an element acted.

    Attributes:
        sort: What happened.
        what: The event, cause or harm by its name in `rr_gym.rules.state`; for executed cards, their types.
        on_element: Count only events where the element is; moves count if they start there.
        on: Count only events where this other element is.
        steps: Count only events in these sub-steps.
        value: Count only events with this value, or with one that a rule fixes.
    """

    sort: Sort
    what: tuple[str, ...] = ()
    on_element: bool = False
    on: str = ""
    steps: tuple[str, ...] = ()
    value: int | Bound | None = None


PULLED = Trace(Sort.PULLED)  # along the row or column of the element
CLIMBED = Trace(Sort.CLIMBED)  # onto a slow ramp, or off it
CLIMBED_FAST = Trace(Sort.CLIMBED_FAST)  # onto a fast ramp, or off it
THROUGH_GATE = Trace(Sort.THROUGH_GATE)
MOUNTED = Trace(Sort.MOUNTED)  # a beam hit a robot that is mounted on a side with the element
MET = Trace(Sort.MET)  # a side with the element stopped a robot


def event(name: str, *steps: str, on_element: bool = False, value: int | Bound | None = None) -> Trace:
    """Look for an event, of any sub-step or of these alone."""
    return Trace(Sort.EVENT, (name,), on_element, steps=steps, value=value)


def moved(cause: str, *steps: str, on_element: bool = False) -> Trace:
    """Look for a robot that was moved by a cause, in any sub-step or in these alone."""
    return Trace(Sort.MOVED, (cause,), on_element, steps=steps)


def harmed(harm: str, *, on_element: bool = False) -> Trace:
    """Look for a robot that was damaged."""
    return Trace(Sort.HARMED, (harm,), on_element)


def destroyed(harm: str, *, on_element: bool = False) -> Trace:
    """Look for a robot that was destroyed."""
    return Trace(Sort.DESTROYED, (harm,), on_element)


def began(*types: str) -> Trace:
    """Look for a robot on the element that executed a card, of any type or of these alone."""
    return Trace(Sort.BEGAN, types, on_element=True)


def met_face(*steps: str, on: str = "") -> Trace:
    """Look for a robot that was stopped at the element's own face of a side, from a square with another element."""
    return Trace(Sort.MET_FACE, on=on, steps=steps)
