"""Lava pits (R-E30, K12). The setting `lava_mode` chooses between the rules of two documents.

With `list`, robots may walk through lava, which hurts them, and eruptions hurt the robots around them too. With `page4`
and `page8`, a lava pit is a pit, and its eruptions hurt the robots on the four or eight squares around it.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import LAVA_PIT
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.floor.grid import place_at
from rr_gym.rules.floor.ground import phase_bit, row_at, surface_under
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.state.constants import BY_LAVA, LAVA_LIST, LAVA_PAGE4
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def erupts(game: GameRecord, table: Table, place: int) -> bool:
    """Tell whether a lava pit at a place erupts in this phase; False for the place -1."""
    return place >= 0 and table.ground[row_at(game, table, place)].eruption & phase_bit(game) != 0


@kernel
def eruptions_around(game: GameRecord, table: Table, robot: int, corners: bool) -> int:
    """Return how many lava pits erupt on the four squares around a robot, or with `corners` on all eight.

    Walls do not protect the robot.
    """
    here = table.squares[place_of_square(game, table, game.robots[robot].square)]
    found = 0
    for y in range(-1, 2):
        for x in range(-1, 2):
            beside = (x == 0) != (y == 0)
            corner = x != 0 and y != 0
            if (beside or (corner and corners)) and erupts(game, table, place_at(table, here.x + x, here.y + y)):
                found += 1
    return found


@kernel
def enter_lava(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """With `list`, give a robot that enters or crosses lava on the ground in segment B a point of damage (R-E30)."""
    if table.settings.lava_mode == LAVA_LIST and surface_under(game, table, robot) == LAVA_PIT:
        hurt(game, table, log, robot, 1, BY_LAVA)


@with_elements(None)
def lava_erupts(game: GameRecord, table: Table, log: Log) -> None:
    """With `page4` or `page8`, let every eruption hurt the robots around it, even flyers (B4, R-E30)."""
    mode = table.settings.lava_mode
    if mode == LAVA_LIST:
        return
    for i in range(game.num_robots):
        if game.robots[i].alive:
            points = eruptions_around(game, table, i, mode != LAVA_PAGE4)
            if points:
                hurt(game, table, log, i, points, BY_LAVA)


@with_elements(None)
def lava_burns(game: GameRecord, table: Table, log: Log) -> None:
    """With `list`, hurt the robots in lava and around eruptions (D3, R-E30).

    A robot takes one point in lava, or two in an eruption, and one for each eruption on the eight squares around it.
    Flyers are hurt only by eruptions.
    """
    if table.settings.lava_mode != LAVA_LIST:
        return
    for i in range(game.num_robots):
        robot = game.robots[i]
        if not robot.alive:
            continue
        points = eruptions_around(game, table, i, True)
        if erupts(game, table, robot.square):
            points += 2
        elif surface_under(game, table, i) == LAVA_PIT:
            points += 1
        if points:
            hurt(game, table, log, i, points, BY_LAVA)
