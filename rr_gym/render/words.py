"""Turn events into words, line by line, as replays show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rr_gym.option_facts import OPTION_CARDS
from rr_gym.render import phrases as say
from rr_gym.render.phrases import CARD_WORDS, DEVICE_WORDS, FACING_WORDS, STEP_WORDS
from rr_gym.rules.state.cards import CARD_TYPE, priority
from rr_gym.rules.state.constants import (
    BLAST_NAMES,
    CAUSE_NAMES,
    DEVICE_NAMES,
    GADGET_NAMES,
    HARM_NAMES,
    MOVEMENT_OPTION_NAMES,
    STEP_NAMES,
    WEAPON_NAMES,
)
from rr_gym.rules.state.events import EVENT_NAMES
from rr_gym.rules.state.option_cards import ABLATIVE_COAT, CIRCUIT_BREAKER, CONVERTER
from rr_gym.rules.state.records import EventRecord, Log

__all__ = ["CARD_WORDS", "STEP_WORDS", "Event", "Narrator", "card_words", "events_of", "explain"]


class Event(NamedTuple):
    """One event of a log, with its step and kind by name; the other fields are the numbers of the dtype `EVENT`."""

    turn: int
    phase: int
    step: str
    kind: str
    robot: int
    other: int
    value: int
    square: int
    target: int


def events_of(log: Log) -> list[Event]:
    """Return the events in a log.

    Args:
        log: One element of an array of dtype `LOG`.
    """
    events = log["events"][list(EventRecord.fields)][: int(log["count"])].tolist()
    return [
        Event(turn, phase, STEP_NAMES[step], EVENT_NAMES[kind], robot, other, value, square, target)
        for turn, phase, step, kind, robot, other, value, square, target in events
    ]


def card_words(card: int) -> str:
    """Return a card's name and priority as players say it, such as ``"Move 2 (680)"``; "no card" for 0."""
    if card <= 0:
        return "no card"
    return f"{CARD_WORDS[CARD_TYPE[card]]} ({priority(card)})"


def option_words(option: int) -> str:
    """Return the name of an option card by its number, such as ``"Rear Laser"``; "no option" if there is none."""
    return OPTION_CARDS[option].name if 0 <= option < len(OPTION_CARDS) else "no option"


def _an(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


class Narrator:
    """Put events into words, one after another. The source of an explosion is remembered until the next explosion.

    Args:
        names: A name for each robot, in seat order.
        width: Width of the course in squares, from which squares get their coordinates.
    """

    def __init__(self, names: Sequence[str], width: int) -> None:
        self.names, self.width = names, width
        self.blast = ""

    def at(self, square: int) -> str:
        """Return the coordinates of a square as ``(x, y)``, or "nowhere" for a negative square number."""
        return f"({square % self.width}, {square // self.width})" if square >= 0 else "nowhere"

    def robot(self, seat: int, nobody: str = "the board") -> str:
        """Return the name of the robot in a seat, or `nobody` for a negative seat."""
        return self.names[seat] if seat >= 0 else nobody

    def thing(self, noun: str, owner: int) -> str:
        """Return a device or option with its owner's name, such as ``"Twonky's mine"``.

        Without an owner, return ``"a mine"``.
        """
        return f"{self.names[owner]}'s {noun}" if owner >= 0 else _an(noun)

    def clause(self, event: Event) -> str:
        """Return one event as a clause in words; events have to come in the order in which they happened."""
        if event.kind == "exploded":
            self.blast = self.thing(say.BLAST_WORDS[BLAST_NAMES[event.value]], event.robot)
        phrase = _phrase(event)
        return phrase.format_map({name: fill(self, event) for name, fill in FILLS.items() if f"{{{name}}}" in phrase})


def _phrase(event: Event) -> str:
    """Return the phrase for an event, with names of `FILLS` in braces."""
    value, target, on_board = event.value, event.target, event.square >= 0
    match event.kind:
        case "programmed" if event.step != "T4":  # in the middle of a turn another card replaces it
            return "register {value} of {robot} now holds {card}"
        case "announced" if value == CIRCUIT_BREAKER:
            return "{robot}'s Circuit Breaker will power it down"
        case "moved":
            carried = say.CARRIED.get(CAUSE_NAMES[value], "{robot} moves")
            moves = "{other} pushes {robot}" if event.other >= 0 else carried
            return f"{moves} {'to {at}' if on_board else 'off the board'}"
        case "turned" if event.step in say.TURNED_BY:
            return f"{say.TURNED_BY[event.step]} turns {{robot}} {{facing}}"
        case "damaged":
            return f"{say.HARMED.get(_harm(target), say.HARMED['damage'])}: {{points}} of damage"
        case "destroyed":
            return say.DESTROYED.get(_harm(value), "{robot} is destroyed")
        case "reentered" if target == 1:
            return "{robot} returns as a virtual robot at {at}, facing {facing}"
        case "room_turned" if event.step == "E1":
            return "a board turns under its flag"
        case "used" if value in say.USED:
            return say.USED[value]
        case "counter" if value == CONVERTER:
            return f"{{own_option}} holds {{target}} counter{'s' * (target != 1)}"
        case "counter" if value == ABLATIVE_COAT:
            return "{own_option} absorbs {target} more"
        case "absorbed" if value in say.ABSORBED:
            return say.ABSORBED[value]
        case "revealed" if event.other >= 0:
            return "register {value} of {robot} copies {other}'s {card}"
        case "movement_option":
            return say.MOVEMENT_OPTION_PHRASES[MOVEMENT_OPTION_NAMES[target]]
        case "weapon":
            return say.WEAPON_PHRASES[WEAPON_NAMES[value]]
        case "token" if event.other < 0:
            return "{robot} takes its {token} back"
        case "side" if target == 0:
            return "{robot}'s {option} is off"
        case "side" if value in say.SIDE_PHRASES:
            return say.SIDE_PHRASES[value]
        case "exploded" if event.other >= 0:
            return "{blast} explodes at {at} with power {target} for {other} alone"
        case "device" if DEVICE_NAMES[value] in say.FLYING:
            return "{robot} launches {device} at {at}"
        case "device_moved" if on_board and DEVICE_NAMES[value] in say.FLYING:
            return "{thing} flies to {at}"
    if not value and event.kind in say.ENDED:
        return say.ENDED[event.kind]
    return say.NOWHERE.get(event.kind, "") * (not on_board) or say.EVENTS.get(event.kind, "{robot}: {kind} {value}")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


# Functions that fill the placeholders in phrases, by name
FILLS: dict[str, Callable[[Narrator, Event], Any]] = {
    "robot": lambda narrator, event: narrator.robot(event.robot),
    "other": lambda narrator, event: narrator.robot(event.other, say.NO_OTHER.get(event.kind, "somebody")),
    "kind": lambda narrator, event: event.kind,
    "value": lambda narrator, event: event.value,
    "target": lambda narrator, event: event.target,
    "points": lambda narrator, event: _counted(event.value, "point"),
    "cards": lambda narrator, event: _counted(event.value, "card"),
    "squares": lambda narrator, event: _counted(event.value, "more square"),
    "at": lambda narrator, event: narrator.at(event.square),
    "target_at": lambda narrator, event: narrator.at(event.target),
    "facing": lambda narrator, event: FACING_WORDS[event.value],
    "target_facing": lambda narrator, event: FACING_WORDS[event.target],
    "card": lambda narrator, event: card_words(event.target),
    "played": lambda narrator, event: card_words(event.value),
    "colour": lambda narrator, event: "ab"[event.value],
    "room": lambda narrator, event: event.value + 1,
    "option": lambda narrator, event: option_words(event.value),
    "lost": lambda narrator, event: option_words(event.target),
    "own_option": lambda narrator, event: narrator.thing(option_words(event.value), event.robot),
    "token": lambda narrator, event: say.TOKEN_WORDS.get(event.value, "token"),
    "side": lambda narrator, event: say.SIDE_WORDS[event.target],
    "gadget": lambda narrator, event: _laid(GADGET_NAMES[event.target]),
    "device": lambda narrator, event: _laid(DEVICE_NAMES[event.value]),
    "thing": lambda narrator, event: narrator.thing(DEVICE_WORDS[DEVICE_NAMES[event.value]], event.robot),
    "blast": lambda narrator, event: narrator.blast or narrator.thing("explosion", event.other),
}


def _harm(number: int) -> str:
    return HARM_NAMES[number] if 0 <= number < len(HARM_NAMES) else "damage"


def _laid(device: str) -> str:
    """Return a laid device with its article: "the" for the Big One, which is unique, and none for goo."""
    noun = DEVICE_WORDS[device]
    return f"the {noun}" if device == "big_one" else noun if device == "goo" else _an(noun)


def explain(event: Event, names: Sequence[str], width: int) -> str:
    """Return one event as a clause in words, without knowledge of the events before it.

    Args:
        event: What happened.
        names: A name for each robot, in seat order.
        width: Width of the course in squares, from which squares get their coordinates.
    """
    return Narrator(names, width).clause(event)
