"""Events in words: what a replay says line by line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rr_gym.rules.cards import CARD_TYPE, priority
from rr_gym.rules.constants import CAUSE_NAMES, HARM_NAMES, STEP_NAMES
from rr_gym.rules.events import EVENT_NAMES
from rr_gym.rules.options import OPTION_NAMES
from rr_gym.rules.records import LogRecord

CARD_WORDS = ("no card", "U-turn", "Rotate left", "Rotate right", "Back up", "Move 1", "Move 2", "Move 3")  # by type
FACING_WORDS = ("north", "east", "south", "west")

STEP_WORDS = {
    "setup": "Setup",
    "T1": "Upkeep",
    "T2": "Start of the turn",
    "T3": "Deal",
    "T4": "Programming",
    "T5": "Announcements",
    "A1": "Start of the phase",
    "A2": "Cards are revealed",
    "A3": "Randomizers",
    "A4": "Crumbly ground",
    "A5": "Gadgets",
    "A6": "Drawbridges",
    "B1": "Robots move",
    "B2": "Repeaters",
    "B3": "Platforms",
    "B4": "Robots have moved",
    "C1": "Particle accelerators",
    "C2": "Ventilators",
    "C3": "Rotating belts",
    "C4": "Gold belts",
    "C5": "Express belts",
    "C6": "All belts",
    "C7": "Flip belts",
    "C8": "Currents",
    "C9": "Jacks-in-the-box",
    "C10": "Pushers",
    "C10b": "Magnets and black holes",
    "C11": "Gears",
    "C12": "Crushers",
    "C13": "Elevators",
    "D0": "Arming",
    "D1": "Lasers",
    "D2": "Weapons push",
    "D3": "Hazards",
    "D4": "Devices",
    "E1": "Checkpoints",
    "E2": "Sites",
    "E3": "Virtual robots",
    "F1": "Landings",
    "F2": "Repairs",
    "F3": "Rotating rooms",
    "F4": "Virtual robots",
    "F5": "Re-entry",
    "F6": "Clean-up",
}

_CARRIED = {
    "belt": "the belt carries {robot}",
    "current": "the current carries {robot}",
    "pusher": "a pusher pushes {robot}",
    "repulse": "a repulsor field throws {robot} back",
    "fan": "a ventilator blows {robot}",
    "pull": "{robot} is pulled",
    "ring": "the particle accelerator carries {robot}",
    "oil": "{robot} slides on oil",
    "ice": "{robot} slides on ice",
    "slide": "{robot} slides",
    "ramp_back": "{robot} rolls back down the ramp",
    "bounce": "{robot} bounces",
    "fall": "{robot} comes down",
    "jump": "{robot} jumps",
    "carry": "{robot} is carried",
    "place": "{robot} is placed",
}
_HARMED = {
    "laser": "a board laser hits {robot}",
    "robot_laser": "{other}'s laser hits {robot}",
    "damage": "{robot} is damaged",
    "fall": "{robot} falls",
    "spikes": "{robot} runs into spikes",
    "fire": "a flamer scorches {robot}",
    "burning": "{robot} burns",
    "lava": "lava scorches {robot}",
    "river": "molten metal scorches {robot}",
    "melting_beam": "a melting beam hits {robot}",
    "deep_water": "deep water gets into {robot}",
    "grave": "a grave haunts {robot}",
    "radiation": "radiation harms {robot}",
    "waste": "radioactive waste harms {robot}",
    "accelerator": "the particle accelerator wears {robot} out",
    "jack": "{robot} lands hard",
    "mirror": "{robot} shoots itself in a mirror",
    "turret": "a turret gun hits {robot}",
}
_DESTROYED = {
    "laser": "{robot} is destroyed by lasers",
    "robot_laser": "{robot} is destroyed by lasers",
    "damage": "{robot} is destroyed by too much damage",
    "pit": "{robot} is lost in a pit",
    "edge": "{robot} falls off the board",
    "crusher": "{robot} is crushed",
    "fall": "{robot} is destroyed by its fall",
    "spikes": "{robot} is destroyed by spikes",
    "fire": "{robot} is destroyed by a flamer",
    "burning": "{robot} burns out",
    "lava": "{robot} is destroyed by lava",
    "river": "{robot} is destroyed by molten metal",
    "melting_beam": "{robot} melts",
    "deep_water": "{robot} drowns",
    "grave": "{robot} is destroyed on a grave",
    "radiation": "{robot} is destroyed by radiation",
    "waste": "{robot} is destroyed by radioactive waste",
    "accelerator": "{robot} is worn out by a particle accelerator",
    "jack": "{robot} is destroyed by its landing",
    "trapdoor": "{robot} falls through a giant trapdoor",
    "elevator": "{robot} is crushed by an elevator",
    "crumbled": "{robot} sinks into crumbly ground",
    "copy": "{robot} perishes with its copy",
    "mirror": "{robot} destroys itself in a mirror",
    "turret": "{robot} is destroyed by a turret gun",
}


class Event(NamedTuple):
    """One event of a log with its step and kind by name; the numbers are those of the dtype `EVENT`."""

    turn: int
    phase: int
    step: str
    kind: str
    robot: int
    other: int
    value: int
    square: int
    target: int


def events_of(log: LogRecord) -> list[Event]:
    """The events that a log holds.

    Args:
        log: One element of an array of dtype `LOG`.
    """
    return [
        Event(turn, phase, STEP_NAMES[step], EVENT_NAMES[kind], robot, other, value, square, target)
        for turn, phase, step, kind, robot, other, value, square, target in log["events"][: int(log["count"])].tolist()
    ]


def card_words(card: int) -> str:
    """A card as people say it: ``"Move 2 (680)"``."""
    if card <= 0:
        return "no card"
    return f"{CARD_WORDS[CARD_TYPE[card]]} ({priority(card)})"


def option_words(option: int) -> str:
    """An option card as people say it: ``"Rear Laser"``."""
    return OPTION_NAMES[option].replace("_", " ").title()


def explain(event: Event, names: Sequence[str], width: int) -> str:
    """One event as a clause in words.

    Args:
        event: What happened.
        names: A name for each robot, in seat order.
        width: Of the course, in squares; gives squares their coordinates.
    """

    def at(square: int) -> str:
        return f"({square % width}, {square // width})" if square >= 0 else "nowhere"

    def points(number: int) -> str:
        return f"{number} point{'s' * (number != 1)}"

    robot = names[event.robot] if event.robot >= 0 else "the board"
    who = {"robot": robot, "other": names[event.other] if event.other >= 0 else "somebody"}
    value = event.value
    match event.kind:
        case "dealt":
            return f"{robot} gets {value} card{'s' * (value != 1)}"
        case "programmed" if event.step != "T4":  # in the middle of a turn something else replaces the card
            return f"register {value} of {robot} now holds {card_words(event.target)}"
        case "programmed":
            return f"{robot} puts {card_words(event.target)} into register {value}"
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
            cause = CAUSE_NAMES[value]
            if event.other >= 0:
                clause = f"{who['other']} pushes {robot}"
            elif cause in _CARRIED:
                clause = _CARRIED[cause].format(**who)
            else:
                clause = f"{robot} moves"
            return f"{clause} {'to ' + at(event.square) if event.square >= 0 else 'off the board'}"
        case "blocked":
            return f"{robot} cannot move {FACING_WORDS[value]}"
        case "turned":
            return f"{robot} turns {FACING_WORDS[value]}"
        case "shot":
            flight = f"{FACING_WORDS[value]} from {at(event.square)}"
            return f"{robot} fires {flight} and hits {who['other']} at {at(event.target)}"
        case "damaged":
            clause = _HARMED.get(_harm(event.target), _HARMED["damage"])
            return f"{clause.format(**who)}: {points(value)} of damage"
        case "locked":
            return f"register {value} of {robot} locks on {card_words(event.target)}"
        case "unlocked":
            return f"register {value} of {robot} is free again"
        case "repaired":
            return f"{robot} is repaired by {points(value)}"
        case "destroyed":
            return _DESTROYED.get(_harm(value), "{robot} is destroyed").format(**who)
        case "flag":
            return f"{robot} touches flag {value}"
        case "archived":
            return f"{robot} archives at {at(event.square)}"
        case "became_real":
            return f"{robot} is real again"
        case "reentered":
            virtual = " as a virtual robot" if event.target == 1 else ""
            return f"{robot} returns{virtual} at {at(event.square)}, facing {FACING_WORDS[value]}"
        case "out":
            return f"{robot} is out of the game"
        case "won":
            return f"{robot} wins"
        case "over":
            return "the game is over"
        case "option":
            return f"{robot} gets the option {option_words(value)}"
        case "option_lost":
            return f"{robot} gives the option {option_words(value)} away"
        case "gun":
            return f"the turret gun at {at(event.square)} turns {FACING_WORDS[value]}"
        case "flipped":
            return "flip belts and flip gears change their direction"
        case "pistons":
            return f"the pistons of colour {'ab'[value]} rise"
        case "crumbled":
            return f"the ground at {at(event.square)} crumbles"
        case "level":
            return f"{robot} is on level {value}"
        case "flying":
            return f"{robot} {'takes off' if value else 'lands'}"
        case "burning":
            return f"{robot} {f'burns for {points(value)} in each phase' if value else 'is extinguished'}"
        case "asleep":
            return f"{robot} {'falls asleep' if value else 'wakes up'}"
        case "energized":
            return f"{robot} {'is energized' if value else 'loses its energy'}"
        case "copy":
            return f"{robot} has a copy at {at(event.square)}" if event.square >= 0 else f"{robot} loses its copy"
        case "room_turned":
            return f"rotating room {value + 1} turns"
        case _:
            return f"{robot}: {event.kind} {value}"


def _harm(number: int) -> str:
    return HARM_NAMES[number] if 0 <= number < len(HARM_NAMES) else "damage"


def sentences(events: Sequence[Event], names: Sequence[str], width: int) -> list[str]:
    """What happened together, in words: one sentence for the cards of a program, one for a shot and its hit."""
    lines: list[str] = []
    programs: dict[int, list[str]] = {}
    for event in events:
        if event.kind == "programmed" and event.step == "T4":
            programs.setdefault(event.robot, []).append(CARD_WORDS[CARD_TYPE[event.target]])
        elif event.kind != "shot":
            lines.append(explain(event, names, width))
    return [*lines, *(f"{names[robot]} programs {', '.join(cards)}" for robot, cards in programs.items())]
