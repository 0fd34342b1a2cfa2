"""Step D1 of a phase: lasers of the board and of robots fire (R-A11, R-E12).

All fire at the same time: robots are destroyed only after the last shot (U6).
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.damage.damage import destroy_damaged
from rr_gym.rules.options.options import owns
from rr_gym.rules.state.constants import BY_DAMAGE, DAMPENING, ON
from rr_gym.rules.state.option_cards import OPTION_DAMPING_FIELD
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.weapons.aiming import take_aim
from rr_gym.rules.weapons.board_lasers import guns_fire, mounts_fire
from rr_gym.rules.weapons.weapons import mirrors_reflect, robots_fire


@with_expansions(None)
def field_fades(game: GameRecord, table: Table) -> None:
    """End the damping field after the last shot if its owner has lost that option to one of the shots."""
    if game.damping >= 0:
        body = game.robots[game.damping]
        body.modified ^= DAMPENING
        if not owns(body, OPTION_DAMPING_FIELD):
            game.damping = -1


@kernel
def lasers_fire(game: GameRecord, table: Table, log: Log) -> None:
    """Play D1: all robots aim, the board fires, robots fire, and robots with ten points of damage are destroyed."""
    take_aim(game, table, log)
    mounts_fire(game, table, log)
    guns_fire(game, table, log)
    if table.settings.robot_lasers == ON:
        mirrors_reflect(game, table, log)
        robots_fire(game, table, log)
    field_fades(game, table)
    destroy_damaged(game, table, log, BY_DAMAGE)
