"""The message `course`: the map, tables of where cards lead, the settings, and the limits (docs/protocol.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np

from rr_gym.courses.text.grammar import ALL_PHASES, Cell, SquarePart
from rr_gym.players.messages import course_facts, squares_by_row
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.cards import CARD_TYPE, priority
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, DIRECTION_NAMES, NUM_REGISTERS
from rr_gym.solo.distances import DAMAGE_BITS, lone_steps
from rr_gym.solo.turn_tables import expected_turns
from rr_gym.solo.value_iteration import TURN

# What the digit of an element says; of others it is called `number`.
_DIGITS = {
    "open_floor": "start",
    "checkpoint": "flag",
    "repair_site": "wrenches",
    "board_laser": "beams",
    "ventilator": "strength",
}
# What each card does by itself: squares ahead, and quarter turns to the right
_MOVES = {
    "move_1": (1, 0), "move_2": (2, 0), "move_3": (3, 0), "back_up": (-1, 0), "rotate_right": (0, 1), "u_turn": (0, 2),
    "rotate_left": (0, 3),
}  # fmt: skip
_STEP_CARDS = ("none", *CARD_TYPE_NAMES[1:])  # `none` stands for a register without a card


def course_message(number: int, arena: Arena, index: int, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the message that describes a course with its settings, under the number that games refer to.

    Args:
        number: The number of the course in this conversation.
        arena: The arena.
        index: Which of its courses.
        facts: The times and the limits, as the message has them.
    """
    course = arena.courses[index]
    return {
        **course_facts(number, course),
        "squares": [
            [square and _square(square.cell, square.level) for square in row] for row in squares_by_row(course)
        ],
        "groups": [
            {"kind": group.kind, "squares": group.squares, "letters": group.letters, "capacity": group.capacity}
            for placed in course.placements
            for group in placed.turned.groups
        ],
        "text": course.to_yaml(),
        "settings": asdict(arena.settings[index]),
        "tables": {"cards": _cards(), **_tables(arena, index)},
        **facts,
    }


def _square(cell: Cell, level: int) -> dict[str, Any]:
    items = [_part(part) for part in cell.items if part.kind != "floor"]
    sides = [{"side": DIRECTION_NAMES[part.side], **_part(part)} for part in cell.sides]
    return {"items": items, "sides": sides, "level": level}


def _part(part: SquarePart) -> dict[str, Any]:
    """Return an element on a square or on one of its sides; only what its token says."""
    found: dict[str, Any] = {"element": part.element, "token": part.text}
    if part.direction >= 0:
        found["direction"] = DIRECTION_NAMES[part.direction]
    if part.turns:
        found["turns_from"] = [name for side, name in enumerate(DIRECTION_NAMES) if part.turns >> side & 1]
    if part.phases != ALL_PHASES:
        found["phases"] = [p for p in range(1, NUM_REGISTERS + 1) if part.phases >> (p - 1) & 1]
    if part.number:
        found[_DIGITS.get(part.element, "number")] = part.number
    if part.colour:
        found["colour"] = part.colour
    return found


@lru_cache(maxsize=1)
def _cards() -> dict[str, Any]:
    """Return the deck: what each kind of card does, and the priorities of its cards."""
    kinds = {name: np.flatnonzero(kind == CARD_TYPE) for kind, name in enumerate(CARD_TYPE_NAMES) if name in _MOVES}
    return {
        name: {
            "moves": _MOVES[name][0],
            "quarter_turns": _MOVES[name][1],
            "priorities": [priority(int(card)) for card in cards],
        }
        for name, cards in kinds.items()
    }


def _tables(arena: Arena, index: int) -> dict[str, Any]:
    """Return where every card leads a lone robot from everywhere, and how long it then takes to the last flag."""
    steps, turns = lone_steps(arena.tables[index]), expected_turns(arena, index).turns
    phases = [steps[:, phase] >> DAMAGE_BITS for phase in range(NUM_REGISTERS)]
    different: list[Any] = []
    of_phase = []
    for table in phases:
        same = next((k for k, other in enumerate(different) if np.array_equal(table, other)), len(different))
        if same == len(different):
            different.append(table)
        of_phase.append(same)
    return {
        "steps": [dict(zip(_STEP_CARDS, table.T.tolist(), strict=True)) for table in different],
        "steps_of_phase": of_phase,
        "turns_to_go": np.round(turns[0, :-1] / TURN, 2).tolist(),
    }
