"""Overwrite the static features in windows with the current state of the board.

On base courses nothing changes, and none of this is compiled for them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import FLIP_BELT, HAS_ROOMS, LAVA_PIT
from rr_gym.courses.text.grammar import ALL_PHASES
from rr_gym.encoding.observe.board import NUM_FEATURES, row_features, square_features
from rr_gym.encoding.observe.elements import (
    CHANGES,
    CHANGING,
    FACTS,
    MORE_CARDS,
    OF_FLAGS,
    STATES,
    TURNING,
    extra_card_places,
    extra_flag_features,
    extra_game_features,
    extra_robot_features,
)
from rr_gym.encoding.observe.frame import Frame, place_of
from rr_gym.encoding.observe.game_groups import DEVICES
from rr_gym.encoding.observe.game_states import AHEAD, ASIDE, OWNED_BY, device_strength, flag_place, flies, owner_of
from rr_gym.encoding.observe.lines import GUSTS, MELTED, NUM_LINES, WIND, draw_lines, laser_points
from rr_gym.forms import with_expansions
from rr_gym.rules.elements.turrets import turret_direction
from rr_gym.rules.floor.elevator_state import elevator_up, goes_up
from rr_gym.rules.floor.grid import place_at
from rr_gym.rules.floor.ground import cover_now, has_crumbled, row_at, wall_now
from rr_gym.rules.state.constants import A1, LAVA_LIST, NO_DEVICE, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

_FIRST_NAMES = (
    "pit", "crumbly", "flip_belt_forward", "flip_belt_next_forward", "flip_gear", "turret_forward", "piston",
    "elevator_up", "wall_forward", "cover_forward", "laser", "melting_beam", "wind_forward", "wind_phases",
)  # fmt: skip
(
    PIT, CRUMBLY, FLIP_EXIT, FLIP_NEXT, FLIP_GEAR, TURRET, PISTON,
    ELEVATOR, WALL, COVER, LASER, MELTING, GUST, PHASES,
) = map(CHANGES.index, _FIRST_NAMES)  # fmt: skip


class ExtraFeatures(NamedTuple):
    """The features beyond those of the base game, in the form that kernels take.

    Attributes:
        columns: int16, (features,): the column of each feature of a square in the cells of a window.
        facts: int16: indices of `FACTS`.
        states: int16: indices of `STATES`.
        changing: int16, (n, 2): pairs of an index of `CHANGES` and the index of that feature of a square, for the
          squares in `spots`.
        turning: int16, (n, 2): the same pairs for squares in or beside turned rooms.
        spots: int16, (courses, n): the squares of each course whose features can change, padded with -1.
        turned: int8, (courses, 4, rows, features): by facing, the features of the rows that describe turned rooms.
        cards: int16: indices of `MORE_CARDS`.
        flags: int16: indices of `OF_FLAGS`.
        devices: int16: the columns of the features of devices; empty if they are not observed.
        moving: int16: the column of the feature `flag` if flags move, else empty.
    """

    columns: Array
    facts: Array
    states: Array
    changing: Array
    turning: Array
    spots: Array
    turned: Array
    cards: Array
    flags: Array
    devices: Array
    moving: Array


def extra_features(tables: Array, elements: tuple[str, ...], shift: int = 0) -> ExtraFeatures:
    """Return the features beyond those of the base game.

    Args:
        tables: Tables of the arena.
        elements: Groups of elements that are observed.
        shift: How many columns lie between the last base feature of a square and the first feature of elements.
    """
    names = [name for name, _, _ in square_features(elements)]
    full = "ground" in (tables.dtype.names or ())
    columns = np.arange(len(names)) + shift * (np.arange(len(names)) >= NUM_FEATURES)
    spots = [_spots(table) for table in tables] if full else []
    most = max((len(found) for found in spots), default=0)
    padded = [np.pad(found, (0, most - len(found)), constant_values=-1) for found in spots]
    return ExtraFeatures(
        columns=columns.astype(np.int16),
        facts=np.array([FACTS.index(name) for name, _, _ in extra_game_features(elements)], np.int16),
        states=np.array([STATES.index(name) for name, _, _ in extra_robot_features(elements)], np.int16),
        changing=_features(names, [name for name in CHANGING if name != "pit" or "crumbly" in elements]),
        turning=_features(names, TURNING if "rooms" in elements else ()),
        spots=np.array(padded, np.int16).reshape(len(spots), most),
        turned=_turned(tables, elements) if "rooms" in elements and full else np.zeros((0, 4, 0, 0), np.int8),
        cards=np.array([MORE_CARDS.index(name) for name in extra_card_places(elements)], np.int16),
        flags=np.array([OF_FLAGS.index(name) for name, _, _ in extra_flag_features(elements)], np.int16),
        devices=_columns(columns, names, [name for name, _, _ in DEVICES] if "devices" in elements else []),
        moving=_columns(columns, names, ["flag"] if "moving_flags" in elements else []),
    )


def _features(names: list[str], wanted: Any) -> Array:
    pairs = [(CHANGES.index(name), names.index(name)) for name in wanted if name in names]
    return np.array(pairs, np.int16).reshape(-1, 2)


def _columns(columns: Array, names: list[str], wanted: list[str]) -> Array:
    return np.array([columns[names.index(name)] for name in wanted], np.int16)


def _spots(table: Table) -> Array:
    """Return the squares where features of `CHANGING` occur, and all squares of a room that contains such a square."""
    ground = table["ground"][: int(table["extras"]["num_visible"])]
    changing = (ground["crumbly"] >= 0) | (ground["mover"] == FLIP_BELT) | (ground["flip_gear"] != 0)
    changing |= (ground["turret"] >= 0) | (ground["piston"] > 0) | (ground["has_elevator"] > 0)
    in_room = ground["room"] >= 0
    if (changing & in_room).any():
        changing |= in_room
    return np.flatnonzero(changing)


def _turned(tables: Array, elements: tuple[str, ...]) -> Array:
    firsts = [int(table["extras"]["num_standing"]) for table in tables]
    most = max(int(table["extras"]["num_rows"]) - first for table, first in zip(tables, firsts, strict=True))
    turned = np.zeros((len(tables), 4, most, len(square_features(elements))), np.int8)
    for k, (table, first) in enumerate(zip(tables, firsts, strict=True)):
        for facing in range(4):
            rows = row_features(table, facing, elements)[first:]
            turned[k, facing, : len(rows)] = rows
    return turned


@kernel
def part_of(direction: int, facing: int, sideways: int) -> int:
    """Return the component of a direction ahead (`sideways` 0) or to the right (1): -1, 0 or 1; 0 for direction -1."""
    if direction < 0:
        return 0
    turn = (direction - facing - sideways) & 3
    return 1 if turn == 0 else -1 if turn == 2 else 0


@kernel
def pit_of(game: GameRecord, table: Table, row: int) -> int:
    """Return the mask of phases in which the square of a row is a pit in the current game."""
    ground = table.ground[row]
    if ground.crumbly >= 0:
        return ALL_PHASES if has_crumbled(game, ground.crumbly) else 0
    if ground.surface == LAVA_PIT and table.settings.lava_mode != LAVA_LIST:  # K12
        return ALL_PHASES
    return int(table.squares[row].pit)


@kernel
def elevator_seen(game: GameRecord, table: Table, row: int) -> bool:
    """Tell whether the elevator of a row is up. Before phase 1 `game.phase` counts programmed registers instead."""
    if game.step < A1:
        return bool(goes_up(table, row, NUM_REGISTERS if game.turn > 0 else 0))
    return bool(elevator_up(game, table, row))


@kernel
def changing_now(game: GameRecord, table: Table, row: int, facing: int, what: int) -> int:
    """Return the current value of a feature of `CHANGING` for a row, as seen by a robot with a facing."""
    ground = table.ground[row]
    if what == PIT:
        return int(pit_of(game, table, row))
    if what == CRUMBLY:
        return 1 if ground.crumbly >= 0 and not has_crumbled(game, ground.crumbly) else 0
    if what < FLIP_NEXT:
        return int(part_of(int(ground.flip_exits[game.flip]), facing, what - FLIP_EXIT))
    if what < FLIP_GEAR:
        return int(part_of(int(ground.flip_exits[1 - game.flip]), facing, what - FLIP_NEXT))
    if what == FLIP_GEAR:
        return int(-ground.flip_gear if game.flip else ground.flip_gear)
    if what < PISTON:
        gun = ground.turret
        direction = turret_direction(game, table, gun) if gun >= 0 else -1
        return int(part_of(direction, facing, what - TURRET))
    if what == PISTON:
        return 0 if ground.piston == 0 else 1 if ground.piston == game.piston_up + 1 else -1
    return 1 if ground.has_elevator and elevator_seen(game, table, row) else 0


@kernel
def turning_now(game: GameRecord, table: Table, place: int, facing: int, what: int, lines: Array) -> int:
    """Return the current value of a feature of `TURNING` for a place, as seen by a robot with a facing."""
    if what < COVER:
        return int(wall_now(game, table, place, (what - WALL + facing) & 3))
    if what < LASER:
        return int(cover_now(game, table, place, (what - COVER + facing) & 3))
    if what == LASER:
        return int(min(laser_points(lines, place), 127))
    if what == MELTING:
        return int(lines[place, MELTED])
    if what < PHASES:
        return int(lines[place, WIND + ((what - GUST + facing) & 3)])
    return int(lines[place, GUSTS])


@kernel
def has_turned(game: GameRecord, table: Table) -> bool:
    """Tell whether a rotating room or board is not in its original position."""
    if table.course.features & HAS_ROOMS:
        for room in range(table.extras.num_rooms + table.extras.num_turning):
            if game.rooms[room]:
                return True
    return False


@kernel
def beside_room(table: Table, place: int) -> bool:
    """Tell whether a place is in a room or next to one, so that its sides may have changed."""
    if table.ground[place].room >= 0:
        return True
    for direction in range(4):
        beyond = table.squares[place].neighbour[direction]
        if beyond >= 0 and table.ground[beyond].room >= 0:
            return True
    return False


@kernel
def show_rooms(
    game: GameRecord, table: Table, frame: Frame, facing: int, window: int, extra: ExtraFeatures, cells: Array
) -> None:
    """Write all features of turned rooms, and the walls and lines of fire that they change elsewhere."""
    lines = np.zeros((int(table.course.num_squares), NUM_LINES), np.int16)
    draw_lines(game, table, lines)
    reach = window // 2
    for at in range(window * window):
        forward, right = reach - at // window, at % window - reach
        x = frame[0] + forward * frame[2] - right * frame[3]
        y = frame[1] + forward * frame[3] + right * frame[2]
        place = place_at(table, x, y)
        if place < 0:
            continue
        row = row_at(game, table, place)
        if row != place:
            features = extra.turned[game.course, facing, row - table.extras.num_standing]
            for f in range(features.size):
                cells[at, extra.columns[f]] = features[f]
        sides_too = beside_room(table, place)
        for k in range(extra.turning.shape[0]):
            if sides_too or extra.turning[k, 0] >= LASER:
                column = extra.columns[extra.turning[k, 1]]
                cells[at, column] = turning_now(game, table, place, facing, extra.turning[k, 0], lines)


@kernel
def show_devices(
    game: GameRecord,
    table: Table,
    seat: int,
    frame: Frame,
    facing: int,
    window: int,
    extra: ExtraFeatures,
    cells: Array,
) -> None:
    """Write the devices in a window."""
    for k in range(game.num_devices if extra.devices.size else 0):
        device = game.devices[k]
        at = place_of(game, table, frame, int(device.square), window)
        if device.kind == NO_DEVICE or at < 0:
            continue
        kind = int(device.kind)
        cells[at, extra.devices[kind - 1]] = device_strength(kind, int(device.power), int(device.left))
        cells[at, extra.devices[OWNED_BY]] = owner_of(game, seat, int(device.owner))
        direction = int(device.facing) if flies(kind) else -1
        cells[at, extra.devices[AHEAD]] = part_of(direction, facing, 0)
        cells[at, extra.devices[ASIDE]] = part_of(direction, facing, 1)


@kernel
def show_flags(
    game: GameRecord, table: Table, frame: Frame, window: int, extra: ExtraFeatures, cells: Array
) -> None:
    """Write the flags where they are now."""
    if extra.moving.size:
        column = extra.moving[0]
        for at in range(window * window):
            cells[at, column] = 0
        for k in range(table.course.num_flags):
            at = place_of(game, table, frame, flag_place(game, table, k), window)
            if at >= 0:
                cells[at, column] = k + 1


@kernel
def show_changes(
    game: GameRecord,
    table: Table,
    seat: int,
    frame: Frame,
    facing: int,
    window: int,
    extra: ExtraFeatures,
    cells: Array,
) -> None:
    """Write all changes of the board into a window: (squares, columns), any integer type."""
    if has_turned(game, table):
        show_rooms(game, table, frame, facing, window, extra, cells)
    show_devices(game, table, seat, frame, facing, window, extra, cells)
    show_flags(game, table, frame, window, extra, cells)
    if extra.changing.shape[0] == 0:
        return
    for s in range(extra.spots.shape[1]):
        place = int(extra.spots[game.course, s])
        at = place_of(game, table, frame, place, window)
        if at < 0:
            continue
        row = row_at(game, table, place)
        for k in range(extra.changing.shape[0]):
            column = extra.columns[extra.changing[k, 1]]
            cells[at, column] = changing_now(game, table, row, facing, extra.changing[k, 0])


@with_expansions(None)
def change_row(
    game: GameRecord, table: Table, seat: int, frame: Frame, facing: int, window: int, extra: ExtraFeatures, out: Array,
    start: int,
) -> None:  # fmt: skip
    """Call `show_changes` for a window stored square by square in a one-dimensional array, from `start` on."""
    cells = out[start : start + window * window * extra.columns.size]
    show_changes(game, table, seat, frame, facing, window, extra, cells.reshape((window * window, extra.columns.size)))


@with_expansions(None)
def change_planes(
    game: GameRecord,
    table: Table,
    seat: int,
    frame: Frame,
    facing: int,
    window: int,
    extra: ExtraFeatures,
    planes: Array,
) -> None:
    """Call `show_changes` for a window of planes, (planes, squares)."""
    show_changes(game, table, seat, frame, facing, window, extra, planes.T)
