"""The current state of squares, through which all rules look up squares.

A place is the number of a square of the layout, or of a ramp's hidden square. A row of the tables describes it: usually
the row with the same number, but another row if a rotating room has turned.

Courses of the base game have no `ground`, `extras` and `room_of`. So before reading one of these, check that the course
has the feature in question, such as `features_of(table) & HAS_ROOMS`.
"""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import (
    HAS_CRUMBLY,
    HAS_DRAWBRIDGES,
    HAS_ELEVATORS,
    HAS_LAVA,
    HAS_RAMPS,
    HAS_ROOMS,
    LAVA_PIT,
    NO_SURFACE,
)
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.floor.elevator_state import elevator_up
from rr_gym.rules.state.constants import A1, A6, BRIDGE_TOKEN, LANDS, LAVA_LIST
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table

NO_FLOOR = -100  # instead of a level: all floors of the place are above the given level


@kernel
def features_of(table: Table) -> int:
    """Return the features of the course: HAS_BELTS | HAS_ROOMS | ..."""
    return int(table.course.features)


@kernel
def phase_of(game: GameRecord) -> int:
    """Return the index of the current phase, 0-4.

    After the last phase it stays 4 until the next turn.
    """
    return game.phase - 1 if game.phase else 4


@kernel
def phase_bit(game: GameRecord) -> int:
    """Return the bit of the current phase in phase masks."""
    return 1 << phase_of(game)


@kernel
def row_at(game: GameRecord, table: Table, square: int) -> int:
    """Return the row of the tables that currently describes a place."""
    if features_of(table) & HAS_ROOMS and square >= 0:
        room = table.room_of[square]
        if room >= 0:
            return int(table.ground[square].room_rows[game.rooms[room]])
    return square


@kernel
def device_acts_on(game: GameRecord, slot: int, robot: int) -> bool:
    """Tell whether a device exists for a robot; a virtual robot's device exists only for its owner (R-X1.15)."""
    device = game.devices[slot]
    return not device.virtual or device.owner == robot


@with_expansions(False)
def is_bridged(game: GameRecord, table: Table, square: int, robot: int) -> bool:
    """Tell whether there is a bridge over a place for a robot.

    The bridge of a virtual robot exists only for its owner (R-O31).
    """
    for k in range(game.num_devices):
        device = game.devices[k]
        if device.kind == BRIDGE_TOKEN and device.square == square and device_acts_on(game, k, robot):
            return True
    return False


@kernel
def is_open_pit(game: GameRecord, table: Table, square: int) -> bool:
    """Tell whether a place is a pit now, bridged or not."""
    row = row_at(game, table, square)
    features = features_of(table)
    if features & HAS_CRUMBLY and table.ground[row].crumbly >= 0:
        return has_crumbled(game, table.ground[row].crumbly)
    if features & HAS_LAVA and table.ground[row].surface == LAVA_PIT and table.settings.lava_mode != LAVA_LIST:  # K12
        return True
    bit = phase_bit(game)
    if features & HAS_DRAWBRIDGES and table.ground[row].drawbridge and A1 <= game.step < A6:
        bit = 16 if bit == 1 else bit >> 1  # a drawbridge switches in A6, not in A1
    return table.squares[row].pit & bit != 0


@kernel
def is_pit(game: GameRecord, table: Table, square: int) -> bool:
    """Tell whether a place is a pit now that no real robot's bridge covers.

    A place may be a pit always, in some phases, while its drawbridge is open, or once it has crumbled.
    """
    return is_open_pit(game, table, square) and not is_bridged(game, table, square, -1)


@kernel
def is_pit_for(game: GameRecord, table: Table, robot: int, square: int) -> bool:
    """Tell whether a place is a pit now for one robot, which may have its own bridge there."""
    return is_open_pit(game, table, square) and not is_bridged(game, table, square, robot)


@kernel
def has_crumbled(game: GameRecord, number: int) -> bool:
    """Tell whether crumbly square `number` of the course has become a pit (R-E47.3)."""
    return bool(game.crumbled[number >> 6] >> np.uint64(number & 63) & np.uint64(1) != 0)


@kernel
def wall_now(game: GameRecord, table: Table, square: int, direction: int) -> int:
    """Return the phases, as a mask, in which no body can leave a place in a direction, in the current state.

    Elements on both faces of the side count.
    """
    if not features_of(table) & HAS_ROOMS:
        return int(table.squares[square].wall[direction])
    row = row_at(game, table, square)
    mask = int(table.ground[row].out_wall[direction])
    beyond = table.squares[row].neighbour[direction]
    # mutants (boundary 2): a ramp's hidden square never has number 0
    if beyond >= 0 and table.ground[row].ramp[direction] < 0:  # walls at the top do not close the ramp
        mask |= int(table.ground[row_at(game, table, beyond)].in_wall[direction ^ 2])
    return mask


@kernel
def walled(game: GameRecord, table: Table, square: int, direction: int) -> bool:
    """Tell whether no body can cross a side of a place now (R-E4, R-E21, R-E28, R-E51).

    Walls, closed doors and energy walls count; ledges do not.
    """
    return wall_now(game, table, square, direction) & phase_bit(game) != 0


@kernel
def cover_now(game: GameRecord, table: Table, square: int, direction: int) -> int:
    """Return the phases, as a mask, in which no shot, beam or line of sight can leave a place in a direction."""
    if not features_of(table) & HAS_ROOMS:
        return int(table.squares[square].cover[direction])
    row = row_at(game, table, int(table.ground[row_at(game, table, square)].place))
    mask = int(table.ground[row].out_cover[direction])
    beyond = table.squares[row].neighbour[direction]
    if beyond >= 0:
        mask |= int(table.ground[row_at(game, table, beyond)].in_cover[direction ^ 2])
    return mask


@kernel
def covered(game: GameRecord, table: Table, square: int, direction: int) -> bool:
    """Tell whether no shot, beam or line of sight can leave a place in a direction now (R-E51, R-E59)."""
    return cover_now(game, table, square, direction) & phase_bit(game) != 0


@kernel
def is_ramp(table: Table, square: int) -> bool:
    """Tell whether a square is a ramp's hidden square; these are numbered after the squares of the layout."""
    return features_of(table) & HAS_RAMPS != 0 and square >= table.extras.num_visible


@kernel
def grid_next(game: GameRecord, table: Table, square: int, direction: int) -> int:
    """Return the place beside a square on the plain grid, -1 for none (U16).

    From a ramp's hidden square this counts from the foot of the ramp.
    """
    place = square
    if is_ramp(table, square):  # mutants (never): nothing beside a ramp acts on a robot on it
        place = int(table.ground[row_at(game, table, square)].place)
    return int(table.squares[place].neighbour[direction])


@with_elements(0)
def floor_at(game: GameRecord, table: Table, square: int, level: int) -> int:
    """Return the highest floor of a place that is not above `level`, `NO_FLOOR` if all are (R-E13.1, R-E49)."""
    row = row_at(game, table, square)
    low = int(table.squares[row].level)
    if low + 1 <= level and table.ground[row].has_elevator and elevator_up(game, table, row):
        return low + 1
    return low if low <= level else NO_FLOOR


@with_elements(0)
def level_of(game: GameRecord, table: Table, square: int) -> int:
    """Return the level at which a robot is placed on a square: that of its floor, not of a raised elevator."""
    return int(table.squares[row_at(game, table, square)].level)


@with_elements(False)
def is_locked(game: GameRecord, table: Table, square: int) -> bool:
    """Tell whether an active mag-lock holds the bodies on a square (R-E29)."""
    return table.ground[row_at(game, table, square)].mag_lock & phase_bit(game) != 0


@with_elements(False)
def held(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot stands on an active mag-lock: nothing moves it, and it does not fly (R-E29)."""
    square = game.robots[robot].square
    return square >= 0 and is_locked(game, table, square)


@with_expansions(False)
def flies(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot flies now.

    It no longer flies once damage has ended its flight (R-E40.3), and it does not while a mag-lock holds it (R-E29.3).
    """
    body = game.robots[robot]
    return body.flying != 0 and not body.marks & LANDS and not held(game, table, robot)


@with_elements(False)
def stands_on(game: GameRecord, table: Table, robot: int, overlay: int) -> bool:
    """Tell whether a robot's square has one of the given overlays (TELEPORTER ...)."""
    return table.ground[row_at(game, table, game.robots[robot].square)].overlays & overlay != 0


@with_elements(NO_SURFACE)
def surface_under(game: GameRecord, table: Table, robot: int) -> int:
    """Return the surface that a robot touches, `NO_SURFACE` if it touches none.

    Flyers touch none, and neither do robots on a raised elevator or a ramp.
    """
    if flies(game, table, robot):
        return NO_SURFACE
    return int(table.ground[row_at(game, table, game.robots[robot].square)].surface)


@kernel
def next_place(game: GameRecord, table: Table, square: int, direction: int, level: int) -> int:
    """Return the place to which a body on `level` walks in a direction, -1 off the board.

    A body that goes up a ramp comes to the ramp's hidden square.
    """
    row = row_at(game, table, square)
    beyond = int(table.squares[row].neighbour[direction])
    if not features_of(table) & HAS_RAMPS:
        return beyond
    hidden = int(table.ground[row].ramp[direction])
    # mutants (boundary 1): a ramp's hidden square never has number 0
    if hidden >= 0 and level < table.squares[row_at(game, table, beyond)].level:
        return hidden
    return beyond


# mutants: only distances and players call it: tests/solo/test_distances.py
@kernel
def standing_place(game: GameRecord, table: Table, robot: int) -> int:
    """Return the index, in tables of distances, of the place where a robot stands.

    It is its square, or the number of the raised floor that it is on.
    """
    body = game.robots[robot]
    if features_of(table) & HAS_ELEVATORS and body.square >= 0:
        row = row_at(game, table, body.square)
        if table.ground[row].has_elevator and body.level > table.squares[row].level:
            return int(table.ground[row].top)
    return int(body.square)


@kernel
def num_places(table: Table) -> int:
    """Return how many places there are to stand on: squares, ramps and raised floors of elevators."""
    if features_of(table) & (HAS_RAMPS | HAS_ELEVATORS):
        return int(table.extras.num_places)
    return int(table.course.num_squares)


# mutants: only distances and players call it: tests/solo/test_distances.py
@kernel
def stand_on(game: GameRecord, table: Table, robot: int, place: int) -> bool:
    """Put a robot on a standing place, on its level; return whether a robot can be there now."""
    body = game.robots[robot]
    if features_of(table) & HAS_ELEVATORS and place >= table.extras.num_standing:
        for square in range(table.extras.num_visible):
            if table.ground[square].top == place:
                body.square = square
                body.level = level_of(game, table, square) + 1
                return elevator_up(game, table, square)
        return False
    body.level = level_of(game, table, place)
    return True
