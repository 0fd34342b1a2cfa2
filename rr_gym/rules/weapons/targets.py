"""The targets of shots (R-A11.6): a shot flies straight ahead until it meets a wall, the edge or a real robot."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.floor.sight import beam_next, in_fog
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.state.constants import BIG_ONE_BODY
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table


@kernel
def reach(table: Table) -> int:
    """Return an upper bound on the range of shots on this course, in squares."""
    return max(table.course.width, table.course.height)


@kernel
def real_robot_at(game: GameRecord, table: Table, place: int, level: int) -> int:
    """Return the real robot that stands on a place and a level, -1 for none."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        real = robot.alive and not robot.virtual
        if real and robot.level == level and place_of_square(game, table, robot.square) == place:
            return i
    return -1


@with_expansions(False)
def big_one_at(game: GameRecord, table: Table, place: int, level: int) -> bool:
    """Tell whether The Big One lies on a place and a level: it stops beams and shields robots behind it (R-O29)."""
    body = game.robots[BIG_ONE_BODY]
    if not body.alive or body.virtual or body.level != level:
        return False
    return place_of_square(game, table, body.square) == place


@kernel
def first_in_sight(game: GameRecord, table: Table, place: int, direction: int, level: int, squares: int) -> int:
    """Return the first real robot on a level within `squares` squares of a place in a direction; -1 for none.

    Fog hides robots in it and behind it (R-E54); The Big One hides robots behind it.
    """
    for _ in range(squares):
        place = int(beam_next(game, table, place, direction, level))
        if place < 0 or in_fog(game, table, place):
            return -1
        robot = int(real_robot_at(game, table, place, level))
        if robot >= 0 or big_one_at(game, table, place, level):
            return robot
    return -1


@kernel
def in_sight(game: GameRecord, table: Table, robot: int, direction: int) -> int:
    """Return the first real robot that a robot's shot in a direction hits, -1 for none."""
    body = game.robots[robot]
    place = int(place_of_square(game, table, body.square))
    return int(first_in_sight(game, table, place, direction, int(body.level), reach(table)))
