"""The story of a turn in words for one seat, by register phases, without anything that the seat cannot know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rr_gym.render.event_sentences import sentences
from rr_gym.render.seen_events import seen_by
from rr_gym.render.words import Event
from rr_gym.replay.moments import moments

_NEXT_TURN = frozenset({"T1", "T2", "T3"})


def story(events: Iterable[Event], names: Sequence[str], seat: int, width: int) -> list[tuple[str, list[str]]]:
    """Return the story of a turn: headings, each with its lines.

    Args:
        events: The events of the turn; those that the seat may not know are left out.
        names: The name of each robot, in seat order.
        seat: The seat that reads it.
        width: The width of the course in squares.
    """
    chapters: dict[str, list[str]] = {}
    played = False
    for moment in moments(seen_by(events, seat)):
        played = played or moment[0].phase > 0
        lines = chapters.setdefault(_heading(moment[0], played), [])
        for line in lines_of(moment, names, seat, width):
            _append(lines, line, names)
    return [(heading, lines) for heading, lines in chapters.items() if lines]


def lines_of(moment: Sequence[Event], names: Sequence[str], seat: int, width: int) -> list[str]:
    """Describe in words, for a seat, what happens at one moment.

    When a register of another robot locks, its card is not named, because it may not have been revealed yet.

    Args:
        moment: Simultaneous events that the seat may know.
        names: The name of each robot, in seat order.
        seat: The seat that reads it.
        width: The width of the course in squares.
    """
    locked = [e for e in moment if e.kind == "locked" and e.robot != seat]
    lines = sentences([e for e in moment if e not in locked], names, width)
    return [*lines, *(f"register {e.value} of {names[e.robot]} locks" for e in locked)]


def _heading(event: Event, played: bool) -> str:
    if event.phase:
        return f"phase {event.phase}"
    if event.step in _NEXT_TURN:
        return "next turn"
    return "end of the turn" if played else "before phase 1"


def _append(lines: list[str], line: str, names: Sequence[str]) -> None:
    """Append a sentence, joined to the previous line if it continues with the same robot or movement."""
    last = lines[-1] if lines else ""
    begun = next((f"{name} " for name in names if line.startswith(f"{name} ")), "")
    clause = line.removeprefix(begun)
    phrase, to, place = clause.rpartition(" to (")
    same_card = bool(begun) and last.startswith(f"{begun}plays ") and not clause.startswith(("plays ", "programs "))
    if to and (same_card or last.startswith(begun + phrase)) and _last_clause(last, begun).startswith(f"{phrase} to ("):
        lines[-1] = f"{last}, ({place}"
    elif same_card:
        lines[-1] = f"{last}{';' if ': ' in last else ':'} {clause}"
    else:
        lines.append(line)


def _last_clause(line: str, begun: str) -> str:
    """Return the part of a line after its last semicolon or colon, without the robot with which it begins."""
    return line.replace(": ", "; ").rpartition("; ")[2].removeprefix(begun)
