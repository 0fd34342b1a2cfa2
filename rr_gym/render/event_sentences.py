"""Describe simultaneous events in as few sentences as possible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rr_gym.render.words import CARD_WORDS, Event, Narrator
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import BLAST_NAMES, BY_EXPLOSION, DEVICE_NAMES


def sentences(events: Sequence[Event], names: Sequence[str], width: int) -> list[str]:
    """Return sentences that describe simultaneous events, merging those that belong together.

    A program is one sentence, and so are a shot and its hit, all the damage that a robot takes from one source, and an
    explosion with all its victims.

    Args:
        events: Events of one moment, in their order.
        names: A name for each robot, in seat order.
        width: Width of the course in squares.
    """
    narrator = Narrator(names, width)
    lines: list[str] = []
    programs: dict[int, list[str]] = {}
    for event in _worth_telling(events):
        if event.kind == "programmed" and event.step == "T4":
            programs.setdefault(event.robot, []).append(CARD_WORDS[CARD_TYPE[event.target]])
        elif event.kind == "exploded":
            words = narrator.clause(event)
            hurt = _hurt_by_explosion(events, narrator)
            lines.append(f"{narrator.blast} explodes: {hurt}" if hurt else words)
        else:
            lines.append(narrator.clause(event))
    return [*lines, *(f"{names[robot]} programs {_program(cards)}" for robot, cards in programs.items())]


def _program(cards: list[str]) -> str:
    return ", ".join(cards) if set(cards) != {CARD_WORDS[0]} else "nothing"


def _in_explosion(event: Event) -> bool:
    return event.kind == "damaged" and event.target == BY_EXPLOSION


def _hurt_by_explosion(events: Sequence[Event], narrator: Narrator) -> str:
    points: dict[int, int] = {}
    for event in filter(_in_explosion, events):
        points[event.robot] = points.get(event.robot, 0) + event.value
    return ", ".join(f"{narrator.robot(robot)} takes {taken}" for robot, taken in points.items())


def _worth_telling(events: Sequence[Event]) -> Iterator[Event]:
    """Yield the events that no other event implies, after merging damage from one source (`total_damage`).

    Left out are shots (implied by their hits), counters (by their use), devices that explode (by the explosion) or have
    just been launched (by the launch), damage by an explosion (told with it), and options given up for damage.
    """
    exploded = any(event.kind == "exploded" for event in events)
    launched = {event.robot for event in events if event.kind == "weapon"}
    given_up = {(event.robot, event.value) for event in events if event.kind == "absorbed"}
    for event in total_damage(events):
        match event.kind:
            case "shot" | "counter":
                continue
            case "damaged" if exploded and _in_explosion(event):
                continue
            case "device_gone" if exploded and DEVICE_NAMES[event.value] in BLAST_NAMES:
                continue
            case "device" if event.robot in launched and event.step == "D1":
                continue
            case "option_lost" if (event.robot, event.value) in given_up:
                continue
        yield event


def total_damage(events: Iterable[Event]) -> list[Event]:
    """Merge the points of damage that a robot takes from one source into the first such event; keep other events."""
    found: list[Event] = []
    places: dict[tuple[int, ...], int] = {}
    for event in events:
        source = (event.robot, event.other, event.square, event.target)
        if event.kind != "damaged":
            found.append(event)
        elif source in places:
            first = found[places[source]]
            found[places[source]] = first._replace(value=first.value + event.value)
        else:
            places[source] = len(found)
            found.append(event)
    return found
