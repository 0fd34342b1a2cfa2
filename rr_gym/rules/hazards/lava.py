"""Lava pits (R-E30, K12). The setting `lava_mode` chooses between the rules of two documents.

`list`: robots walk through the lava and are hurt by it, eruptions hurt around it. `page4` and `page8`: a lava pit is a
pit, and its eruptions hurt robots on the four or eight squares around it.
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
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@kernel
def erupts(game: Game, table: Table, place: int) -> bool:
    """A lava pit at the place erupts in this phase; -1 stands for no place."""
    return place >= 0 and table.ground[row_at(game, table, place)].eruption & phase_bit(game) != 0


@kernel
def eruptions_around(game: Game, table: Table, robot: int, corners: bool) -> int:
    """How many lava pits erupt on the four squares around a robot, with `corners` on all eight. No wall helps."""
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
def enter_lava(game: Game, table: Table, log: Log, robot: int) -> None:
    """Segment B: one point for coming or passing on the ground (R-E30)."""
    if table.settings.lava_mode == LAVA_LIST and surface_under(game, table, robot) == LAVA_PIT:
        hurt(game, table, log, robot, 1, BY_LAVA)


@with_elements(None)
def lava_erupts(game: Game, table: Table, log: Log) -> None:
    """B4 in the page modes: every eruption hurts the robots around it, flyers too (R-E30)."""
    mode = table.settings.lava_mode
    if mode == LAVA_LIST:
        return
    for i in range(game.num_robots):
        if game.robots[i].alive:
            points = eruptions_around(game, table, i, mode != LAVA_PAGE4)
            if points:
                hurt(game, table, log, i, points, BY_LAVA)


@with_elements(None)
def lava_burns(game: Game, table: Table, log: Log) -> None:
    """D3 in the mode `list`: one point in the lava, two in an eruption, one on each square around it (R-E30).

    Robots that fly over lava are hurt by its eruptions only.
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
