"""Balancing platforms (R-E41)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import CENTRE, NORTH_AREA, WEST_AREA
from rr_gym.forms import with_elements
from rr_gym.rules.floor.copies import has_copies, swap_copies
from rr_gym.rules.floor.ground import flies, held, row_at
from rr_gym.rules.movement.settling import settle
from rr_gym.rules.movement.together import move_together
from rr_gym.rules.state.constants import MAX_ROBOTS, SLIDE
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def platform_under(game: GameRecord, table: Table, robot: int) -> int:
    """Return the number of the platform that a robot touches, -1 for none."""
    body = game.robots[robot]
    if not body.alive or flies(game, table, robot):
        return -1
    return int(table.ground[row_at(game, table, body.square)].platform)


@kernel
def heaviest_area(game: GameRecord, table: Table, platform: int) -> int:
    """Return the outer area with the most real robots; the centre if areas tie or all are empty."""
    heaviest, most = CENTRE, 0
    for area in range(NORTH_AREA, WEST_AREA + 1):
        load = 0
        for i in range(game.num_bodies):
            if i < MAX_ROBOTS and not game.robots[i].virtual and platform_under(game, table, i) == platform:
                load += table.ground[row_at(game, table, game.robots[i].square)].area == area
        if load > most:
            heaviest, most = area, load
        elif load == most:
            heaviest = CENTRE
    return heaviest


@kernel
def slide_down(game: GameRecord, table: Table, log: Log) -> None:
    """Slide all bodies on a tilted platform one square towards its heaviest area."""
    going = 0
    for i in range(game.num_bodies):
        platform = platform_under(game, table, i)
        if platform >= 0 and game.heaviest[platform] != CENTRE and not held(game, table, i):
            game.robots[i].leaving = game.heaviest[platform] - NORTH_AREA
            going |= 1 << i
    if going:
        move_together(game, table, log, going, SLIDE, False)


@with_elements(None)
def platforms_tilt(game: GameRecord, table: Table, log: Log) -> None:
    """Tilt each platform towards its heaviest side (B3, R-E41).

    Virtual robots and copies weigh nothing, but slide too.
    """
    for platform in range(table.extras.num_platforms):
        game.heaviest[platform] = heaviest_area(game, table, platform)
    slide_down(game, table, log)
    if has_copies(game, table):
        swap_copies(game, table)
        slide_down(game, table, log)
        settle(game, table, log)  # mutants: copies settle once more below
        swap_copies(game, table)
    game.heaviest[:] = CENTRE
