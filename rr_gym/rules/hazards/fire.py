"""Flamers, napalm and burning robots (R-E25, R-E64).

The mark FLAMED tells that flames have caught a robot in segment B on the square where it stands.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_FLAMERS
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.floor.ground import features_of, phase_bit, row_at
from rr_gym.rules.state.constants import BY_BURNING, BY_FIRE, FLAMED
from rr_gym.rules.state.records import Game, Log, Robot
from rr_gym.rules.state.table import Table

MAX_BURNING = 99  # far more than any robot survives


@kernel
def on_flames(game: Game, table: Table, robot: int) -> bool:
    """The flamer of its square is active; the flames fill the square, flyers are in them too (R-E25)."""
    body = game.robots[robot]
    return body.alive != 0 and table.ground[row_at(game, table, body.square)].flamer & phase_bit(game) != 0


@kernel
def catch_fire(robot: Robot) -> None:
    """Napalm sets a robot on fire, each square of it once per phase (R-E64.2). A record has room for two of them."""
    place = robot.square + 1
    if place == robot.lit_on[0] or place == robot.lit_on[1]:
        return
    robot.lit_on[1] = robot.lit_on[0]
    robot.lit_on[0] = place
    robot.burning = min(robot.burning + 1, MAX_BURNING)


@kernel
def nobody_is_lit(game: Game, table: Table) -> None:
    """A phase begins: every square of napalm may set every robot on fire."""
    if features_of(table) & HAS_FLAMERS:
        for i in range(game.num_robots):
            game.robots[i].lit_on[:] = 0


@kernel
def scorch(game: Game, table: Table, log: Log, robot: int) -> None:
    """One point by an active flamer; napalm sets the robot on fire (R-E64)."""
    body = game.robots[robot]
    hurt(game, table, log, robot, 1, BY_FIRE)
    if not body.alive:
        return
    if table.ground[row_at(game, table, body.square)].napalm & phase_bit(game):
        catch_fire(body)
    body.marks |= FLAMED


@kernel
def enter_flames(game: Game, table: Table, log: Log, robot: int) -> None:
    """Segment B: a robot comes onto a square, where flames may burn (R-E25)."""
    if on_flames(game, table, robot):
        scorch(game, table, log, robot)


@with_elements(None)
def flamers_scorch(game: Game, table: Table, log: Log) -> None:
    """B4: robots that have not left an active flamer in segment B take a point, whatever kept them (R-E25, U11)."""
    for i in range(game.num_robots):
        if on_flames(game, table, i) and not game.robots[i].marks & FLAMED:
            scorch(game, table, log, i)


@with_elements(None)
def flamers_burn(game: Game, table: Table, log: Log) -> None:
    """D3: a robot on an active flamer takes a point (R-E25, K7)."""
    for i in range(game.num_robots):
        if on_flames(game, table, i):
            scorch(game, table, log, i)


@with_elements(None)
def fires_burn(game: Game, table: Table, log: Log) -> None:
    """A1: burning robots take as many points as they have caught fires (R-E64)."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and robot.burning:
            hurt(game, table, log, i, int(robot.burning), BY_BURNING)
