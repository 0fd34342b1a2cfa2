"""Turning a robot where it stands."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.floor.ground import phase_of
from rr_gym.rules.options.options import note_use, works
from rr_gym.rules.state.events import OPTION_USED, TURNED, note
from rr_gym.rules.state.option_cards import GYROSCOPIC_STABILIZER
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def turn(game: GameRecord, log: Log, robot: int, quarters: int) -> None:
    """Turn a robot clockwise by quarter turns."""
    body = game.robots[robot]
    body.facing = (body.facing + quarters) & 3
    note(game, log, TURNED, robot, body.facing)


@with_expansions(False)
def is_stabilized(game: GameRecord, table: Table, log: Log, robot: int) -> bool:
    """Tell whether a Gyroscopic Stabilizer keeps gears and belts from turning a robot in this phase (R-O11)."""
    stable = works(game, table, robot, GYROSCOPIC_STABILIZER) and game.robots[robot].orders.gyro[phase_of(game)] != 0
    if stable:
        note_use(game, log, OPTION_USED, robot, GYROSCOPIC_STABILIZER)
    return stable
