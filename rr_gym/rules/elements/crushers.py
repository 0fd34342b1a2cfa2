"""Crushers and mega crushers (R-A10, R-E11, R-E61)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import BY_MEGA
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import destroy
from rr_gym.rules.floor.ground import grid_next, phase_bit, row_at, walled
from rr_gym.rules.floor.standing import on_floor
from rr_gym.rules.movement.movement import step
from rr_gym.rules.movement.together import brought_together
from rr_gym.rules.state.constants import BY_CRUSHER, PUSHER
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def crusher_over(game: GameRecord, table: Table, robot: int) -> int:
    """Return the phases, as a mask, of the crusher or mega crusher above a robot; 0 for none."""
    phases = int(table.squares[row_at(game, table, game.robots[robot].square)].crusher)
    return phases if phases and on_floor(game, table, robot) else 0


@kernel
def push_aside(game: GameRecord, table: Table, log: Log, square: int) -> None:
    """Let a mega crusher push the robots on the four squares beside it away: north, east, south, then west.

    Walls shield them (R-E61, U63).
    """
    level = table.squares[row_at(game, table, square)].level
    for direction in range(4):
        beside = grid_next(game, table, square, direction)
        if beside < 0 or walled(game, table, square, direction):
            continue
        pushed = 0
        for i in range(game.num_bodies):
            if game.robots[i].square == beside and game.robots[i].level == level:
                pushed |= 1 << i
        pushed ^= brought_together(game, table, pushed, direction, PUSHER)
        for i in range(game.num_bodies):
            if pushed >> i & 1 and game.robots[i].square == beside:
                step(game, table, log, i, direction, PUSHER)


@kernel
def next_mega_crusher(game: GameRecord, table: Table, last: int) -> int:
    """Return the first mega crusher of this phase after square `last` with a robot beside it, -1 for none."""
    found = -1
    for i in range(game.num_bodies):
        if not game.robots[i].alive or not table.special[game.robots[i].square] & BY_MEGA:
            continue
        for direction in range(4):
            square = grid_next(game, table, game.robots[i].square, direction)
            # mutants (boundary 3): square is never found again
            earlier = square > last and (found < 0 or square < found)
            if earlier and table.ground[row_at(game, table, square)].mega & phase_bit(game):
                found = square
    return found


@with_elements(None)
def mega_crushers_push(game: GameRecord, table: Table, log: Log) -> None:
    """Let the mega crushers of this phase push, in reading order of their squares (R-E61).

    This happens in C12, after all crushers have crushed.
    """
    last = -1
    while True:
        square = next_mega_crusher(game, table, last)
        if square < 0:
            return
        push_aside(game, table, log, square)
        last = square


@kernel
def crushers_crush(game: GameRecord, table: Table, log: Log) -> None:
    """Destroy the robots under the crushers that are active in this phase (C12, R-A10.7, R-E11.1)."""
    bit = phase_bit(game)
    for i in range(game.num_bodies):
        if game.robots[i].alive and crusher_over(game, table, i) & bit:
            destroy(game, table, log, i, BY_CRUSHER)
