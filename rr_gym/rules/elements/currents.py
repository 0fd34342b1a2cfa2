"""Currents and rivers of molten metal (R-E18, R-E35, R-E78)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import CURRENT, RIVER
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import damage, destroy_damaged
from rr_gym.rules.floor.ground import flies, held, phase_of, row_at
from rr_gym.rules.movement.movement import step_ends
from rr_gym.rules.movement.together import move_together
from rr_gym.rules.state.constants import BY_RIVER
from rr_gym.rules.state.constants import CURRENT as CARRIED_BY_CURRENT
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def rivers_burn(game: GameRecord, table: Table, log: Log) -> None:
    """Damage every robot that touches a molten river by one point, even if the river does not move it (R-E35, K13)."""
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if robot.alive and table.ground[row_at(game, table, robot.square)].mover == RIVER and not flies(game, table, i):
            damage(game, table, log, i, 1, BY_RIVER, -1)
    destroy_damaged(game, table, log, BY_RIVER)
    step_ends(game, table, log)  # explosions caused by these destructions come before any movement (R-X2.6)


@kernel
def current_under(game: GameRecord, table: Table, robot: int) -> int:
    """Return the direction in which the current or river under a robot carries it, -1 for none (R-E18, R-E35)."""
    ground = table.ground[row_at(game, table, game.robots[robot].square)]
    flowing = ground.mover == CURRENT or ground.mover == RIVER
    if not flowing or flies(game, table, robot) or held(game, table, robot):
        return -1
    return int(ground.directions[phase_of(game)])


@with_elements(None)
def currents_flow(game: GameRecord, table: Table, log: Log) -> None:
    """Let rivers burn, then let currents and rivers carry robots one square, over waterfalls too (C8).

    See R-E18, R-E35, R-E78.
    """
    rivers_burn(game, table, log)
    going = 0
    for i in range(game.num_bodies):
        if game.robots[i].alive:
            direction = current_under(game, table, i)
            if direction >= 0:
                game.robots[i].leaving = direction
                going |= 1 << i
    if going:
        move_together(game, table, log, going, CARRIED_BY_CURRENT, True)
