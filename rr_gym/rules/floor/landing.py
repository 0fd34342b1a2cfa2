"""Landing: falls from ledges and ends of flights (R-P3.5)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import NO_FLOOR, floor_at, grid_next, level_of
from rr_gym.rules.floor.positions import come_to
from rr_gym.rules.state.constants import FALL
from rr_gym.rules.state.events import MOVED, note_at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def body_at(game: GameRecord, robot: int, square: int, level: int) -> bool:
    """Tell whether another real robot is on a square and level; a robot that is still falling is not (U13)."""
    for i in range(game.num_bodies):
        other = game.robots[i]
        there = other.alive and not other.virtual and other.square == square and other.level == level
        if there and i != robot and other.drop == 0:
            return True
    return False


@kernel
def floor_for(game: GameRecord, table: Table, square: int, altitude: int) -> int:
    """Return the floor on which a body at `altitude` above a place lands."""
    floor = floor_at(game, table, square, altitude)
    return level_of(game, table, square) if floor == NO_FLOOR else floor


@kernel
def find_landing(game: GameRecord, table: Table, robot: int, direction: int) -> int:
    """Return the first place in a direction, beginning with the robot's own, without another body on its floor.

    Walls are ignored. Return -1 if the board ends before such a place (R-E13.3, U16).
    """
    body = game.robots[robot]
    square = int(body.square)
    altitude = body.level + body.drop
    while square >= 0 and not body.virtual and body_at(game, robot, square, floor_for(game, table, square, altitude)):
        square = grid_next(game, table, square, direction)
    return square


@kernel
def come_down(game: GameRecord, table: Table, log: Log, robot: int, direction: int) -> None:
    """Put a robot that is in the air on its landing place, and set `drop` to the number of levels that it falls.

    The caller then lets the square act on it.
    """
    body = game.robots[robot]
    altitude = body.level + body.drop
    square = find_landing(game, table, robot, direction)
    if square != body.square:
        note_at(game, log, MOVED, robot, -1, FALL, square, body.square)
    come_to(game, table, robot, square)
    body.level = altitude
    body.drop = 0
    if square >= 0:
        body.level = floor_for(game, table, square, altitude)
        body.drop = max(altitude - body.level, 0)


@with_elements(None)
def fall(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Land a robot that went over a ledge on the next open square in its direction of travel (R-E13.3)."""
    body = game.robots[robot]
    if body.drop > 0 and body.square >= 0:
        come_down(game, table, log, robot, body.heading & 3)
