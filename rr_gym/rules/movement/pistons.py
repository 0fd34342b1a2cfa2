"""Pistons that rise (R-E68); `touching_ground` notes that one was pressed."""

from __future__ import annotations

from rr_gym.compilation.kernels import with_elements
from rr_gym.rules.floor.ground import flies, row_at
from rr_gym.rules.movement.chains import move_chain
from rr_gym.rules.state.constants import SLIDE
from rr_gym.rules.state.events import PISTONS, note
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@with_elements(None)
def pistons_flip(game: Game, table: Table, log: Log) -> None:
    """The other colour rises, and robots on it slide off (R-E68)."""
    game.flips = 0
    game.piston_up ^= 1
    note(game, log, PISTONS, -1, game.piston_up)
    rising = 0
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if not robot.alive or flies(game, table, i):
            continue
        if table.ground[row_at(game, table, robot.square)].piston == game.piston_up + 1:
            robot.origin = robot.square  # so that it shows which ones have been moved before their turn
            rising |= 1 << i
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if rising >> i & 1 and robot.alive and robot.origin == robot.square:
            move_chain(game, table, log, i, table.ground[row_at(game, table, robot.square)].piston_direction, SLIDE)
