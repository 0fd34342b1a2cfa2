"""Boards that may turn when one of their flags is touched (R-G3.11): rotating rooms that carry no robots."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import destroy
from rr_gym.rules.elements.rotating_rooms import carried, turn_ground
from rr_gym.rules.floor.copies import has_copies, swap_copies
from rr_gym.rules.floor.ground import flies, is_pit_for
from rr_gym.rules.movement.settling import settle
from rr_gym.rules.state.chance import below
from rr_gym.rules.state.constants import BY_PIT, COINS
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def turn_board(game: GameRecord, table: Table, log: Log, board: int) -> None:
    """Turn a board by a quarter turn clockwise; everything on it stays where it is.

    Copies stay too; only the recorded places of the machines that made them turn.
    """
    turn_ground(game, log, board)
    for i in range(game.num_robots):
        body = game.robots[i]
        if body.has_copy and table.room_of[body.copy_birth] == board:
            body.copy_birth = carried(table, body.copy_birth, board)
            body.copy_side = (body.copy_side + 1) & 3


@kernel
def robots_on_pits_fall(game: GameRecord, table: Table, log: Log) -> None:
    """Destroy the robots that are on a pit after the board has turned (*ruling*)."""
    for i in range(game.num_bodies):
        body = game.robots[i]
        if body.alive and is_pit_for(game, table, i, body.square) and not flies(game, table, i):
            destroy(game, table, log, i, BY_PIT)


@with_elements(None)
def boards_turn(game: GameRecord, table: Table, log: Log) -> None:
    """Toss a coin after E1 for each board on which a flag was touched; on heads it turns.

    Pits also destroy copies and remove devices at once. A wall that has turned away no longer shields a robot from a
    proximity mine.
    """
    if game.boards_touched == 0:  # mutants (never): only an optimisation
        return
    for board in range(table.extras.num_rooms, table.extras.num_rooms + table.extras.num_turning):
        if game.boards_touched >> board & 1 and below(game, COINS, 2):
            turn_board(game, table, log, board)
    game.boards_touched = 0
    robots_on_pits_fall(game, table, log)
    if has_copies(game, table):
        swap_copies(game, table)
        robots_on_pits_fall(game, table, log)
        swap_copies(game, table)
    settle(game, table, log)
