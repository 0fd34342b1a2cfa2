"""Flight by antigrav: robots take off when a card begins, and land in F1, as Robo-Copters do (R-E40, R-O50.2)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import ANTIGRAV_FIELD, HAS_ANTIGRAV
from rr_gym.forms import with_expansions
from rr_gym.rules.floor.ground import features_of, stands_on
from rr_gym.rules.floor.positions import take_off
from rr_gym.rules.movement.movement import land
from rr_gym.rules.movement.settling import settle
from rr_gym.rules.state.constants import BY_ANTIGRAV
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@with_expansions(None)
def flyers_land(game: GameRecord, table: Table, log: Log) -> None:
    """Land all flying robots, by index, in the direction of their last movement; then settle all robots (F1)."""
    landed = False
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and robot.flying:
            land(game, table, log, i, robot.heading)
            landed = True
    if landed:
        settle(game, table, log)


@kernel
def start_flying(game: GameRecord, table: Table, robot: int) -> None:
    """Let a robot that begins a card on an antigrav field take off (R-E40)."""
    body = game.robots[robot]
    if features_of(table) & HAS_ANTIGRAV and not body.flying and stands_on(game, table, robot, ANTIGRAV_FIELD):
        take_off(game, robot, BY_ANTIGRAV)
