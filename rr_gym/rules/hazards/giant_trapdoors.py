"""Giant trapdoors (R-E75), which open when one robot too many comes onto them."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import destroy
from rr_gym.rules.floor.ground import flies, row_at
from rr_gym.rules.hazards.passing import has_come_down
from rr_gym.rules.state.constants import BY_COPY, BY_TRAPDOOR, HALTED, MAX_ROBOTS
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def trapdoor_of(game: GameRecord, table: Table, square: int) -> int:
    """Return the number of the giant trapdoor that a place belongs to, -1 for none."""
    return int(table.ground[row_at(game, table, square)].trapdoor) if square >= 0 else -1


@with_elements(None)
def load_trapdoor(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Open a giant trapdoor under all others on it when one robot too many comes onto it (R-E75).

    The newcomer ends its move there. If its own copy is on the trapdoor, the newcomer is destroyed too, so check
    `alive` afterwards (R-E45.4).
    """
    body = game.robots[robot]
    door = trapdoor_of(game, table, body.square)
    if door < 0 or body.virtual or robot >= MAX_ROBOTS:
        return
    if not has_come_down(body) and trapdoor_of(game, table, body.origin) == door:
        return
    load = 0
    for i in range(game.num_bodies):
        other = game.robots[i]
        if i != robot and i < MAX_ROBOTS and other.alive and not other.virtual and not flies(game, table, i):
            load += trapdoor_of(game, table, other.square) == door
    if load < table.extras.capacities[door]:
        return
    body.marks |= HALTED
    for i in range(game.num_bodies):
        other = game.robots[i]
        if not other.alive:  # mutants (never): no robot off the board is on a trapdoor
            continue
        if i != robot and trapdoor_of(game, table, other.square) == door and not flies(game, table, i):
            destroy(game, table, log, i, BY_TRAPDOOR)
        elif other.has_copy and not other.copy_flying and trapdoor_of(game, table, other.copy_square) == door:
            destroy(game, table, log, i, BY_COPY)  # a robot is lost with its copy, even the newcomer
