"""Flamers, napalm and burning robots (R-E25, R-E64).

The mark FLAMED means that flames scorched a robot in segment B and that it is still on the same square.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_FLAMERS
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.floor.ground import features_of, phase_bit, row_at
from rr_gym.rules.state.constants import BY_BURNING, BY_FIRE, FLAMED
from rr_gym.rules.state.records import GameRecord, Log, Robot
from rr_gym.rules.state.table import Table

MAX_BURNING = 99  # far more points than any robot survives


@kernel
def on_flames(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot is on a square with an active flamer; its flames reach flyers too (R-E25)."""
    body = game.robots[robot]
    return body.alive != 0 and table.ground[row_at(game, table, body.square)].flamer & phase_bit(game) != 0


@kernel
def catch_fire(robot: Robot) -> None:
    """Set a robot on fire by napalm, at most once per square and phase (R-E64.2).

    Only the last two squares are remembered.
    """
    place = robot.square + 1
    if place == robot.lit_on[0] or place == robot.lit_on[1]:
        return
    robot.lit_on[1] = robot.lit_on[0]
    robot.lit_on[0] = place
    robot.burning = min(robot.burning + 1, MAX_BURNING)


@kernel
def nobody_is_lit(game: GameRecord, table: Table) -> None:
    """Forget, at the start of a phase, where robots caught fire, so that napalm can set them on fire there again."""
    if features_of(table) & HAS_FLAMERS:
        for i in range(game.num_robots):
            game.robots[i].lit_on[:] = 0


@kernel
def scorch(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Give a robot one point of damage from an active flamer; a flamer with napalm also sets it on fire (R-E64)."""
    body = game.robots[robot]
    hurt(game, table, log, robot, 1, BY_FIRE)
    if not body.alive:  # mutants (never): nothing acts off the board
        return
    if table.ground[row_at(game, table, body.square)].napalm & phase_bit(game):
        catch_fire(body)
    body.marks |= FLAMED


@kernel
def enter_flames(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Scorch a robot that comes onto an active flamer in segment B (R-E25)."""
    if on_flames(game, table, robot):
        scorch(game, table, log, robot)


@with_elements(None)
def flamers_scorch(game: GameRecord, table: Table, log: Log) -> None:
    """Scorch robots on active flamers that have not been scorched there in segment B already (B4, R-E25, U11)."""
    for i in range(game.num_robots):
        if on_flames(game, table, i) and not game.robots[i].marks & FLAMED:
            scorch(game, table, log, i)


@with_elements(None)
def flamers_burn(game: GameRecord, table: Table, log: Log) -> None:
    """Scorch the robots on active flamers (D3, R-E25, K7)."""
    for i in range(game.num_robots):
        if on_flames(game, table, i):
            scorch(game, table, log, i)


@with_elements(None)
def fires_burn(game: GameRecord, table: Table, log: Log) -> None:
    """Give every burning robot one point of damage for each time that it caught fire (A1, R-E64)."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and robot.burning:
            hurt(game, table, log, i, int(robot.burning), BY_BURNING)
