"""Group events into moments: lists of events that happen at the same time."""

from __future__ import annotations

from collections.abc import Iterable

from rr_gym.render.phrases import FLYING
from rr_gym.render.words import Event
from rr_gym.rules.state import option_cards as cards
from rr_gym.rules.state.constants import BLAST_NAMES, DEVICE_NAMES

# Options whose use starts a movement
_DEPARTURES = frozenset({cards.BIG_JET, cards.RETRO_ROCKETS, cards.HOMING_DEVICE})


def _begins(event: Event) -> bool:
    """Tell whether an event always starts a new moment."""
    return event.kind in ("card", "exploded") or (event.kind == "used" and event.value in _DEPARTURES)


def _moves_device(event: Event) -> bool:
    return event.kind == "device_moved"


def _together(group: list[Event], event: Event) -> bool:
    """Tell whether an event belongs to the same moment as those before it."""
    last = group[-1]
    if (event.turn, event.phase, event.step) != (last.turn, last.phase, last.step) or _begins(event):
        return False
    if event.kind == "moved":
        # A pushed robot is recorded before the robot that pushes it. If either has moved in this moment already, this
        # event begins the next square of their movement.
        moved = {e.robot for e in group if e.kind == "moved"}
        return event.robot not in moved and event.other not in moved
    if _moves_device(event):
        flying = DEVICE_NAMES[event.value] in FLYING and event.step == "B1"
        if flying and any(not e.kind.startswith(("device", "drone")) for e in group):
            return False
        return all((e.value, e.robot) != (event.value, event.robot) for e in group if _moves_device(e))
    if event.kind in ("turned", "blocked", "destroyed"):
        return all(e.robot != event.robot or e.kind != event.kind for e in group)
    return True


def _fuse(groups: list[list[Event]], explosion: Event) -> list[Event]:
    """Remove the event that takes the exploding device off the board from its moment, and return it in a list.

    The list is empty if there is no such event.
    """
    for group in reversed(groups):
        if (group[-1:] or [explosion])[0].step != explosion.step:
            break
        for event in group:
            same = (event.robot, event.square) == (explosion.robot, explosion.square)
            if event.kind == "device_gone" and same and DEVICE_NAMES[event.value] == BLAST_NAMES[explosion.value]:
                group.remove(event)
                return [event]
    return []


def moments(events: Iterable[Event]) -> list[list[Event]]:
    """Group events into moments, in order.

    An event may come later than it was recorded in one case: the removal of a device that explodes is moved to its
    explosion.
    """
    groups: list[list[Event]] = []
    for event in events:
        if groups and _together(groups[-1], event):
            groups[-1].append(event)
        elif groups and event.kind == "exploded":
            groups.append([*_fuse(groups, event), event])
        else:
            groups.append([event])
    return [group for group in groups if group]
