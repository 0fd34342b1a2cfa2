"""Constructors for the events that show that an element acted, used in its row (read by `rr_gym.bench.firing`)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from rr_gym.courses.elements.observed import Bound


class Sort(Enum):
    """The sort of event that is looked for; each constructor below documents its own."""

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
        sort: The sort of event.
        what: The name of the event, cause or harm in `rr_gym.rules.state`; for executed cards, the names of their
          types.
        on_element: Count only events on a square with the element; a move counts if it starts there.
        on: Count only events on a square with this other element, given by its id.
        steps: Count only events in these sub-steps.
        value: Count only events with this value; None for any.
    """

    sort: Sort
    what: tuple[str, ...] = ()
    on_element: bool = False
    on: str = ""
    steps: tuple[str, ...] = ()
    value: int | Bound | None = None


PULLED = Trace(Sort.PULLED)  # a robot was pulled along the row or column of the element
CLIMBED = Trace(Sort.CLIMBED)  # a robot moved onto or off a slow ramp
CLIMBED_FAST = Trace(Sort.CLIMBED_FAST)  # a robot moved onto or off a fast ramp
THROUGH_GATE = Trace(Sort.THROUGH_GATE)
MOUNTED = Trace(Sort.MOUNTED)  # a beam whose mount is a side with the element hit a robot
MET = Trace(Sort.MET)  # a side with the element stopped a robot


def event(name: str, *steps: str, on_element: bool = False, value: int | Bound | None = None) -> Trace:
    """Look for an event by name, in any sub-step or only in those given."""
    return Trace(Sort.EVENT, (name,), on_element, steps=steps, value=value)


def moved(cause: str, *steps: str, on_element: bool = False) -> Trace:
    """Look for a robot that was moved by a cause, in any sub-step or only in those given."""
    return Trace(Sort.MOVED, (cause,), on_element, steps=steps)


def harmed(harm: str, *, on_element: bool = False) -> Trace:
    """Look for a robot that was damaged."""
    return Trace(Sort.HARMED, (harm,), on_element)


def destroyed(harm: str, *, on_element: bool = False) -> Trace:
    """Look for a robot that was destroyed."""
    return Trace(Sort.DESTROYED, (harm,), on_element)


def began(*types: str) -> Trace:
    """Look for a robot on the element that executed a card, of any type or only of those given."""
    return Trace(Sort.BEGAN, types, on_element=True)


def met_face(*steps: str, on: str = "") -> Trace:
    """Look for a robot that was stopped at the face that carries the element; `on` names an element on its square."""
    return Trace(Sort.MET_FACE, on=on, steps=steps)
