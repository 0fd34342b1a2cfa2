"""Light barriers (R-E33), which flip and stop flip belts and flip gears."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import row_at
from rr_gym.rules.state.events import FLIPPED, note
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def barrier_blocked(game: GameRecord, table: Table) -> bool:
    """Tell whether a robot stands in a beam; virtual robots never count."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and not robot.virtual and table.ground[row_at(game, table, robot.square)].barrier:
            return True
    return False


@with_elements(None)
def barriers_decide(game: GameRecord, table: Table, log: Log) -> None:
    """Decide whether flip belts (now) and flip gears (in C11) flip or are stopped (C7, R-E33, K11).

    A blocked beam stops them for this phase, and a flip stays pending. Otherwise a pending flip, or any passage since
    the last decision, flips them once, however many robots have passed.
    """
    if game.copies_act:
        return
    game.flip_pending |= game.barrier_broken
    game.barrier_broken = 0
    game.flip_blocked = 0
    if barrier_blocked(game, table):
        game.flip_blocked = 1
        game.flip_pending = 1
    elif game.flip_pending:
        game.flip_pending = 0
        game.flip = 1 - game.flip
        note(game, log, FLIPPED, -1, game.flip)
