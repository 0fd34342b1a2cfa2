"""Which events of a turn a seat may know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rr_gym.render.words import Event

# The cards, tokens and counters that others put on their registers; they are revealed when they act.
_FACE_DOWN = frozenset({"programmed", "second", "movement_option", "gadget", "counter"})


def seen_by(events: Iterable[Event], seat: int) -> Iterator[Event]:
    """Yield the events that a seat may know, without cards of others that were never revealed.

    Args:
        events: The events of one turn, in the order of its log.
        seat: The seat that sees them.
    """
    for event in events:
        own = event.robot == seat
        face_down = event.step == "T4" and event.kind in _FACE_DOWN
        ordered = event.step == "E2" and event.kind == "programmed"  # at a reset site
        copied = event.kind == "revealed" and event.other >= 0  # the rest of a program under Radio Control
        if event.kind != "dealt" and not copied and (own or not (face_down or ordered)):
            yield event
