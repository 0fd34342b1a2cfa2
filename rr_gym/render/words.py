"""Turn events into words, line by line, as replays show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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
from rr_gym.rules.state.records import Event as EventRecord
from rr_gym.rules.state.records import Log

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


def _points(number: int) -> str:
    return f"{number} point{'s' * (number != 1)}"


def _cards(number: int) -> str:
    return f"{number} card{'s' * (number != 1)}"


def _an(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


class Narrator:
    """Put events into words, one after another; whose explosion it was is remembered until the next explosion.

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
        """Return a device or option with its owner's name, such as ``"Twonky's mine"``, or ``"a mine"`` without an
        owner.
        """
        return f"{self.names[owner]}'s {noun}" if owner >= 0 else _an(noun)

    def clause(self, event: Event) -> str:
        """Return one event as a clause in words; events have to come in the order in which they happened."""
        if event.kind == "exploded":
            self.blast = self.thing(say.BLAST_WORDS[BLAST_NAMES[event.value]], event.robot)
        for told in (self._base, self._board, self._options, self._devices, self._teams):
            if words := told(event):
                return words
        return f"{self.robot(event.robot)}: {event.kind} {event.value}"

    def _filled(self, phrase: str, event: Event, **more: str) -> str:
        """Fill the names of an event's robots, options and explosion into a phrase."""
        explosion = self.blast or self.thing("explosion", event.other)
        return phrase.format(
            robot=self.robot(event.robot),
            other=self.robot(event.other, "nobody" if event.kind == "weapon" else "somebody"),
            value=event.value,
            blast=explosion,
            option=option_words(event.value),
            lost=option_words(event.target),
            **more,
        )

    def _base(self, event: Event) -> str:
        robot, value, target = self.robot(event.robot), event.value, event.target
        match event.kind:
            case "dealt":
                return f"{robot} gets {_cards(value)}"
            case "programmed" if event.step != "T4":  # in the middle of a turn another card replaces it
                return f"register {value} of {robot} now holds {card_words(target)}"
            case "programmed":
                return f"{robot} puts {card_words(target)} into register {value}"
            case "announced" if value == CIRCUIT_BREAKER:
                return f"{robot}'s Circuit Breaker will power it down"
            case "announced":
                return f"{robot} announces a power-down"
            case "powered_down":
                return f"{robot} is powered down"
            case "powered_up":
                return f"{robot} powers up"
            case "faced":
                return f"{robot} chooses to face {FACING_WORDS[value]}"
            case "card":
                return f"{robot} plays {card_words(value)}"
            case "moved":
                return self._moved(event)
            case "blocked":
                return f"{robot} cannot move {FACING_WORDS[value]}"
            case "turned" if event.step in say.TURNED_BY:
                return f"{say.TURNED_BY[event.step]} turns {robot} {FACING_WORDS[value]}"
            case "turned":
                return f"{robot} turns {FACING_WORDS[value]}"
            case "shot":
                flight = f"{FACING_WORDS[value]} from {self.at(event.square)}"
                return f"{robot} fires {flight} and hits {self.robot(event.other, 'somebody')} at {self.at(target)}"
            case "damaged":
                clause = self._filled(say.HARMED.get(_harm(target), say.HARMED["damage"]), event)
                return f"{clause}: {_points(value)} of damage"
            case "locked":
                return f"register {value} of {robot} locks on {card_words(target)}"
            case "unlocked":
                return f"register {value} of {robot} is free again"
            case "repaired":
                return f"{robot} is repaired by {_points(value)}"
            case "destroyed":
                return self._filled(say.DESTROYED.get(_harm(value), "{robot} is destroyed"), event)
            case "flag":
                return f"{robot} touches flag {value}"
            case "archived":
                return f"{robot} archives at {self.at(event.square)}"
            case "became_real":
                return f"{robot} is real again"
            case "reentered":
                virtual = " as a virtual robot" if target == 1 else ""
                return f"{robot} returns{virtual} at {self.at(event.square)}, facing {FACING_WORDS[value]}"
            case "out":
                return f"{robot} is out of the game"
            case "won":
                return f"{robot} wins"
            case "over":
                return "the game is over"
        return ""

    def _moved(self, event: Event) -> str:
        cause = CAUSE_NAMES[event.value]
        if event.other >= 0:
            clause = f"{self.robot(event.other)} pushes {self.robot(event.robot)}"
        else:
            clause = self._filled(say.CARRIED.get(cause, "{robot} moves"), event)
        return f"{clause} {'to ' + self.at(event.square) if event.square >= 0 else 'off the board'}"

    def _board(self, event: Event) -> str:
        robot, value = self.robot(event.robot), event.value
        match event.kind:
            case "gun":
                return f"the turret gun at {self.at(event.square)} turns {FACING_WORDS[value]}"
            case "flipped":
                return "flip belts and flip gears change their direction"
            case "pistons":
                return f"the pistons of colour {'ab'[value]} rise"
            case "crumbled":
                return f"the ground at {self.at(event.square)} crumbles"
            case "room_turned" if event.step == "E1":
                return "a board turns under its flag"
            case "room_turned":
                return f"rotating room {value + 1} turns"
            case "level":
                return f"{robot} is on level {value}"
            case "flying":
                return f"{robot} {'takes off' if value else 'lands'}"
            case "burning":
                return f"{robot} {f'burns for {_points(value)} in each phase' if value else 'is extinguished'}"
            case "asleep":
                return f"{robot} {'falls asleep' if value else 'wakes up'}"
            case "energized":
                return f"{robot} {'is energized' if value else 'loses its energy'}"
            case "copy":
                square = self.at(event.square)
                return f"{robot} has a copy at {square}" if event.square >= 0 else f"{robot} loses its copy"
        return ""

    def _options(self, event: Event) -> str:
        robot, value, target = self.robot(event.robot), event.value, event.target
        other = self.robot(event.other, "nobody")
        match event.kind:
            case "option":
                return f"{robot} gets the option {option_words(value)}"
            case "option_lost":
                return f"{robot} loses the option {option_words(value)}"
            case "taken":
                return f"{robot} takes the option {option_words(value)} from {other}"
            case "used":
                return self._filled(say.USED.get(value, "{robot} uses its {option}"), event)
            case "counter":
                return self._counter(event)
            case "absorbed":
                given_up = "{robot} gives up its {option} instead of a point of damage"
                return self._filled(say.ABSORBED.get(value, given_up), event)
            case "revealed" if event.other >= 0:
                return f"register {value} of {robot} copies {other}'s {card_words(target)}"
            case "revealed":
                return f"register {value} of {robot} is changed to {card_words(target)}"
            case "second":
                return f"{robot} adds {card_words(target)} to register {value}"
            case "gadget":
                return f"{robot} puts {_laid(GADGET_NAMES[target])} on register {value}"
            case "movement_option":
                return self._filled(say.MOVEMENT_OPTION_PHRASES[MOVEMENT_OPTION_NAMES[target]], event)
            case "weapon":
                return self._filled(say.WEAPON_PHRASES[WEAPON_NAMES[value]], event)
            case "token":
                token = say.TOKEN_WORDS.get(value, "token")
                return f"{robot} takes its {token} back" if event.other < 0 else f"{robot}'s {token} lies on {other}"
            case "hands":
                return f"{robot} swaps hands with {other}"
            case "dealt_anew":
                return f"{robot} recompiles: {_cards(value)} anew"
            case "damping":
                return f"{robot}'s Option Damping Field is {'on' if value else 'off'}"
            case "side" if target == 0:
                return f"{robot}'s {option_words(value)} is off"
            case "side":
                phrase = say.SIDE_PHRASES.get(value, "{robot}'s {option} covers {side}")
                return self._filled(phrase, event, side=say.SIDE_WORDS[target])
        return ""

    def _counter(self, event: Event) -> str:
        name, left = self.thing(option_words(event.value), event.robot), event.target
        if event.value == CONVERTER:
            return f"{name} holds {left} counter{'s' * (left != 1)}"
        if event.value == ABLATIVE_COAT:
            return f"{name} absorbs {left} more"
        return f"{name} has {left} left"

    def _devices(self, event: Event) -> str:
        robot, value, square = self.robot(event.robot), event.value, self.at(event.square)
        match event.kind:
            case "stuck":
                more = f"{value} more square{'s' * (value != 1)}"
                return f"{robot} sticks in goo for {more}" if value else f"{robot} is free of the goo"
            case "bombed":
                return f"a scrambler bomb catches {robot}"
            case "exploded":
                only = f" for {self.robot(event.other)} alone" if event.other >= 0 else ""
                return f"{self.blast} explodes at {square} with power {event.target}{only}"
        if not event.kind.startswith(("device", "drone")):
            return ""
        noun = DEVICE_WORDS[DEVICE_NAMES[value]]
        thing, flies = self.thing(noun, event.robot), DEVICE_NAMES[value] in say.FLYING
        match event.kind:
            case "device":
                return f"{robot} {'launches' if flies else 'lays'} {_laid(DEVICE_NAMES[value])} at {square}"
            case "device_moved" if event.square < 0:
                return f"{thing} leaves the board"
            case "device_moved":
                return f"{thing} {'flies' if flies else 'moves'} to {square}"
            case "device_gone":
                return f"{thing} is gone" + (f" from {square}" if event.square >= 0 else "")
            case "device_turned":
                return f"{thing} turns {FACING_WORDS[event.target]}"
            case "drone_aimed":
                return f"{thing} aims for {self.at(event.target)}"
        return ""

    def _teams(self, event: Event) -> str:
        match event.kind:
            case "flag_moved":
                return f"flag {event.value} moves to {self.at(event.square)}"
            case "team_flag":
                return f"flag {event.value} belongs to team {event.target}"
            case "superbot":
                return f"{self.robot(event.robot)} is the SuperBot"
        return ""


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
