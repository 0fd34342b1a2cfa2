"""Move a robot directly to a free square, as in most steps, without collecting pushed robots.

Assumes that only bodies on the next square, on any level, can be pushed.

Without this file a whole turn of eight robots takes 9 % longer on death_trap with five options each, and 17 % longer on
everything (`rr-gym bench --accelerators`). The base game gains nothing from it.
"""

from __future__ import annotations

from rr_gym.compilation.accelerators import accelerates
from rr_gym.compilation.kernels import kernel
from rr_gym.forms import EXPANSIONS
from rr_gym.rules.movement.displacing import arrive, displace
from rr_gym.rules.movement.edges import OPEN, edge_from, target_from
from rr_gym.rules.movement.pushing import end_of_step, move_chain, push_stops_copter
from rr_gym.rules.state.constants import NOBODY
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def is_free(game: GameRecord, square: int) -> bool:
    """Tell whether no robot stands on a square."""
    for i in range(game.num_bodies):
        if game.robots[i].square == square:
            return False
    return True


@accelerates(move_chain, forms=EXPANSIONS)
def move_alone(game: GameRecord, table: Table, log: Log, mover: int, direction: int, cause: int) -> int:
    """Move a robot by one step; if nothing and nobody is in its way, move it directly."""
    body = game.robots[mover]
    square = int(body.square)
    if edge_from(game, table, mover, square, direction, cause) != OPEN:
        return move_chain(game, table, log, mover, direction, cause)
    target = int(target_from(game, table, mover, square, direction))
    if target >= 0 and not is_free(game, target):
        return move_chain(game, table, log, mover, direction, cause)
    body.leaving = direction
    body.target = target
    displace(game, table, log, mover, target, cause, NOBODY)
    arrive(game, table, log, mover, cause)
    push_stops_copter(game, table, mover, cause)
    return int(end_of_step(game, table, mover))
