"""F1: robots that fly by antigrav or Robo-Copter come down at the end of the turn (R-E40, R-O50.2)."""

from __future__ import annotations

from rr_gym.compilation.jit import kernel, with_expansions
from rr_gym.rules.floor.copies import has_copies, swap_copies
from rr_gym.rules.movement.movement import land
from rr_gym.rules.movement.settling import settle
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@kernel
def land_all(game: Game, table: Table, log: Log) -> None:
    """Every robot that flies lands in the direction of its last movement, by index; then all settle."""
    landed = False
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and robot.flying:
            land(game, table, log, i, robot.heading)
            landed = True
    if landed:
        settle(game, table, log)


@with_expansions(None)
def flyers_land(game: Game, table: Table, log: Log) -> None:
    """F1: robots, then copies."""
    land_all(game, table, log)
    if has_copies(game, table):
        swap_copies(game, table)
        land_all(game, table, log)
        swap_copies(game, table)
