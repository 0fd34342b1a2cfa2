"""Read, set and compare the shared state of board elements; write it, and the state of robots, as scenarios do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from rr_gym.courses.tables.ground import (
    HAS_CRUMBLY,
    HAS_FLIP_BELTS,
    HAS_FLIP_GEARS,
    HAS_PISTONS,
    HAS_ROOMS,
    HAS_TURRETS,
)
from rr_gym.rules.elements.rotating_rooms import carried
from rr_gym.rules.elements.turrets import turret_direction, turret_place
from rr_gym.rules.floor.ground import has_crumbled, row_at
from rr_gym.rules.state.constants import DIRECTION_NAMES, UNLIMITED
from rr_gym.rules.state.records import GameRecord, Robot
from rr_gym.rules.state.table import Table
from rr_gym.scenarios.cards import agrees, card_texts, names, read_slots
from rr_gym.scenarios.node import Node
from rr_gym.scenarios.words import NONE, NOTHING, STATE_FIELDS

PISTONS = ("a", "b")
State = dict[str, Any]
Square = tuple[int, int]


def read_state(node: Node, known: Sequence[str] = STATE_FIELDS) -> State:
    """Read the entries of ``state`` or ``expect_state`` by name, without those left empty.

    Raises:
        ScenarioError: An entry is not among the known ones, or a value is of the wrong kind.
    """
    entries = node.mapping("shared state by name", known)
    return {name: _read(name, entry) for name, entry in entries.items() if entry.value is not None}


def _read(name: str, node: Node) -> Any:
    """Read the value of an entry."""
    match name:
        case "flip":
            return node.number(0, 1)
        case "piston_up":
            return 0 if node.value in NOTHING else PISTONS.index(node.choice(PISTONS, "colour of pistons"))
        case "turrets":
            entries = {} if node.value in NOTHING else node.mapping('facings by square, such as {"3,2": e}')
            return {
                _square_of(entry, key): DIRECTION_NAMES.index(entry.choice(DIRECTION_NAMES, "direction"))
                for key, entry in entries.items()
            }
        case "turret_cards":
            return {} if node.value in NOTHING else read_slots(node)
        case "crumbled":
            return [] if node.value in NOTHING else sorted({square.pair() for square in node.items("a list of [x, y]")})
    return [] if node.value in NOTHING else [room.number(0, 3) for room in node.items("a list of quarter turns")]


def _square_of(node: Node, key: Any) -> Square:
    """Read the square in a key such as ``'3,2'``."""
    place = re.fullmatch(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*", str(key))
    if not place:
        raise node.error(f"{key!r}: expected a square such as '3,2'")
    return int(place[1]), int(place[2])


def begin_state(game: GameRecord, table: Table, state: State, node: Node) -> None:
    """Set the given state. Everything else is set as at the start of a game, with 0 for `flip_state = random`.

    The cards of turret guns are not set here but by `lay_cards`.

    Args:
        game: The game; its `flag_squares` must be those of the course.
        table: The compiled course.
        state: The state, from `read_state`.
        node: Its place in the scenario.

    Raises:
        ScenarioError: A square does not have the element, or there are more rooms than on the board.
    """
    game.flip = state.get("flip", max(0, int(table.settings.flip_state)))
    game.piston_up = state.get("piston_up", 0)
    _turn_rooms(game, table, state.get("rooms", []), node.child("rooms", None))
    guns = _guns(game, table)
    for gun in guns.values():
        game.turret_facing[gun] = table.extras.turret_facings[gun]
    for square, facing in state.get("turrets", {}).items():
        if square not in guns:
            raise node.child("turrets", None).error(f"{list(square)} has no turret gun")
        gun = guns[square]
        game.turret_facing[gun] = game.turret_facing[gun] + facing - turret_direction(game, table, gun) & 3
    numbers = _crumbly_squares(game, table)
    for square in state.get("crumbled", []):
        if square not in numbers:
            raise node.child("crumbled", None).error(f"{list(square)} is not crumbly ground")
        game.crumbled[numbers[square] >> 6] |= np.uint64(1 << (numbers[square] & 63))


def _turn_rooms(game: GameRecord, table: Table, turns: list[int], node: Node) -> None:
    """Turn rooms, with the flags in them, by quarter turns from their printed orientation."""
    rooms = _count(table, "num_rooms")
    if any(turns[rooms:]):
        raise node.error(f"{turns}: the board has {rooms} rotating rooms")
    for room, quarters in enumerate(turns[:rooms]):
        game.rooms[room] = quarters
        for flag in range(table.course.num_flags):
            for _ in range(quarters):
                game.flag_squares[flag] = carried(table, int(game.flag_squares[flag]), room)


def compare_state(game: GameRecord, table: Table, expected: State) -> list[tuple[str, Any, Any]]:
    """Return the entries that differ, as (name, expected value, actual value) in the form of scenarios."""
    found = []
    for name, value in expected.items():
        wanted, actual = _compared(game, table, name, value)
        if wanted != actual:
            found.append((name, wanted, actual))
    return found


def _compared(game: GameRecord, table: Table, name: str, expected: Any) -> tuple[Any, Any]:
    """Return the expected and the actual value of an entry, as scenarios write them."""
    match name:
        case "flip":
            return expected, int(game.flip)
        case "piston_up":
            return PISTONS[expected], PISTONS[game.piston_up]
        case "turrets":
            guns = {f"{x},{y}": gun for (x, y), gun in _guns(game, table).items()}
            wanted = {f"{x},{y}": DIRECTION_NAMES[facing] for (x, y), facing in expected.items()}
            return wanted, {
                square: DIRECTION_NAMES[turret_direction(game, table, guns[square])] if square in guns else NONE
                for square in wanted
            }
        case "turret_cards":
            cards = [int(card) for card in game.turret_cards[: len(expected)]]
            actual = names(cards)
            return (actual if all(map(agrees, expected.values(), cards)) else card_texts(expected)), actual
        case "crumbled":
            gone = [square for square, k in _crumbly_squares(game, table).items() if has_crumbled(game, k)]
            return [list(square) for square in expected], sorted(map(list, gone))
    return expected, [int(quarters) for quarters in game.rooms[: max(_count(table, "num_rooms"), len(expected))]]


def state_of(game: GameRecord, table: Table) -> dict[str, Any]:
    """Return the shared state of the elements that a course has, as scenarios write it."""
    features = int(table.course.features)
    state: dict[str, Any] = {}
    if features & (HAS_FLIP_BELTS | HAS_FLIP_GEARS):
        state["flip"] = int(game.flip)
    if features & HAS_PISTONS:
        state["piston_up"] = PISTONS[game.piston_up]
    if features & HAS_TURRETS:
        guns = _guns(game, table)
        state["turrets"] = {f"{x},{y}": DIRECTION_NAMES[turret_direction(game, table, k)] for (x, y), k in guns.items()}
    if features & HAS_CRUMBLY:
        state["crumbled"] = [list(at) for at, k in _crumbly_squares(game, table).items() if has_crumbled(game, k)]
    if features & HAS_ROOMS:
        state["rooms"] = [int(quarters) for quarters in game.rooms[: _count(table, "num_rooms")]]
    return state


def _count(table: Table, name: str) -> int:
    """Return a count from `EXTRAS`; 0 for courses of the base game."""
    return int(table.extras[name]) if "extras" in (table.dtype.names or ()) else 0


def _guns(game: GameRecord, table: Table) -> dict[Square, int]:
    """Return the numbers of turret guns by their current squares."""
    return {
        coordinates(game, table, turret_place(game, table, gun)): gun for gun in range(_count(table, "num_turrets"))
    }


def _crumbly_squares(game: GameRecord, table: Table) -> dict[Square, int]:
    """Return the numbers of crumbly squares by their current place."""
    if not _count(table, "num_crumbly"):
        return {}
    rows = {place: row_at(game, table, place) for place in range(_count(table, "num_visible"))}
    numbers = {place: int(table.ground[row].crumbly) for place, row in rows.items()}
    return {coordinates(game, table, place): number for place, number in numbers.items() if number >= 0}


def coordinates(game: GameRecord, table: Table, square: int) -> Square:
    """Return the (x, y) of a square's number.

    The hidden square of a ramp has the coordinates of the current place of the ramp's foot (U17).
    """
    if "ground" in (table.dtype.names or ()):
        square = int(table.ground[row_at(game, table, square)].place)
    y, x = divmod(int(square), int(table.course.width))
    return x, y


def field_of(game: GameRecord, table: Table, robot: Robot, name: str) -> Any:
    """Return the value of a robot's field as scenarios write it."""
    match name:
        case "at":
            return list(coordinates(game, table, robot.square)) if robot.alive else NONE
        case "archive":
            return list(coordinates(game, table, robot.archive))
        case "facing":
            return DIRECTION_NAMES[robot.facing]
        case "lives":
            return "unlimited" if robot.lives == UNLIMITED else int(robot.lives)
        case "virtual" | "out" | "flying":
            return bool(robot[name])
        case "on_ramp":
            return ramp_side(game, table, robot.square)
        case "powered_down":
            return bool(robot.down)
    return int(robot[name])


def ramp_side(game: GameRecord, table: Table, square: int) -> str:
    """Return to which side the ramp of a hidden square rises, or ``none`` for other squares (U17)."""
    if square < 0 or "ground" not in (table.dtype.names or ()):
        return NONE
    up = int(table.ground[row_at(game, table, square)].up)
    return DIRECTION_NAMES[up] if up >= 0 else NONE
