"""The SuperBot (R-G3.8, R-G3.9), and effects of a robot's destruction on the SuperBot and on flags."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.robot.health import repair
from rr_gym.rules.state.constants import B4, D2, MAX_ROBOTS, NOBODY, WEAPON
from rr_gym.rules.state.events import SUPERBOT, note
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.flags import drop_flag


@kernel
def heir_of(game: GameRecord, robot: int) -> int:
    """Return which robot is the SuperBot after the old one's destruction (R-G3.9).

    It is the destroyer, otherwise the old SuperBot itself. If that robot is eliminated, it is the next one by index
    that is not (*ruling*); `NOBODY` if all are.
    """
    heir = int(game.culprit)
    if heir < 0 or game.robots[heir].out:
        heir = robot
    for _ in range(game.num_robots):
        if not game.robots[heir].out:
            return heir
        heir = (heir + 1) % int(game.num_robots)
    return NOBODY


@with_expansions(None)
def robot_is_lost(game: GameRecord, table: Table, log: Log, robot: int, square: int, why: int) -> None:
    """Drop the flag of a robot that has been destroyed on a square, and pass on the role of the SuperBot."""
    if game.robots[robot].carries:
        drop_flag(game, table, log, robot, square, why)
    if game.superbot == robot:
        game.superbot = heir_of(game, robot)
        if game.superbot >= 0 and game.superbot != robot:  # mutants: only writes an event
            note(game, log, SUPERBOT, game.superbot, 0)


@kernel
def blame_shooter(game: GameRecord, victim: int, shooter: int) -> None:
    """Record which robot, or whose device, has damaged the SuperBot, because the damage may destroy it.

    Damage by no robot in segment B counts for the robot that has pushed the SuperBot in that segment.
    """
    if game.superbot == victim and (shooter >= 0 or game.step > B4):
        game.culprit = shooter


@with_expansions(None)
def blame_mover(game: GameRecord, table: Table, robot: int, cause: int, pusher: int) -> None:
    """Record which robot displaces the SuperBot, because that may destroy it: the pusher, unless it is The Big One.

    For weapons, the robot that fires has been recorded before.
    """
    if game.superbot == robot and cause != WEAPON and game.step != D2:
        game.culprit = pusher if pusher < MAX_ROBOTS else NOBODY


@with_expansions(None)
def superbot_recovers(game: GameRecord, table: Table, log: Log) -> None:
    """Remove all damage and all locks of the SuperBot (F2, R-G3.8)."""
    if game.superbot >= 0 and game.robots[game.superbot].alive:
        repair(game, log, int(game.superbot), int(game.robots[game.superbot].damage), 0)
