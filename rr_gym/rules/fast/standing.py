"""Collect the features of the squares under all bodies once, and use them in all sub-steps of the board.

Most sub-steps of the board act on few squares, and usually no robot is on any of them. The rules nevertheless look at
all bodies in each such sub-step (`rr_gym.rules.turn.sub_steps`). This file collects the features of the squares under
bodies once, and again after a body has entered a square or left one.

Assumes that bodies come to squares and leave the board only through their setters, and that during a register phase no
room or board turns before segment E. Outside of register phases the fields of this file are zero.

Without this file a whole turn on everything with 8 robots takes 9 % longer (`rr-gym bench --accelerators`).
"""

from __future__ import annotations

from rr_gym.compilation.accelerators import accelerates
from rr_gym.forms import FULL
from rr_gym.rules.floor.copies import swap_copies
from rr_gym.rules.floor.ground import row_at
from rr_gym.rules.floor.positions import come_to, leave_board
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.sub_steps import somebody_stands_on
from rr_gym.rules.turn.turn import cards_are_revealed, phase_ends

UNUSED, UNKNOWN, GATHERED = range(3)  # values of `bodies_known`: outside of a phase; to be collected; collected


@accelerates(somebody_stands_on, forms=(FULL,))
def somebody_is_known_to_stand_on(game: GameRecord, table: Table, features: int) -> bool:
    """Tell whether a robot is on a square with one of the features; collect the features on the first call."""
    caches = game.caches
    if caches.bodies_known == UNUSED:
        return bool(somebody_stands_on(game, table, features))
    if caches.bodies_known == UNKNOWN:
        caches.bodies_known = GATHERED
        caches.features_under_bodies = 0
        for i in range(game.num_bodies):
            robot = game.robots[i]
            if robot.alive:
                caches.features_under_bodies |= table.active_features[row_at(game, table, robot.square)]
    return bool(caches.features_under_bodies & features != 0)


@accelerates(come_to, forms=(FULL,))
def come_to_stand(game: GameRecord, table: Table, body: int, square: int) -> None:
    """Move a body to a square, and record that the features under bodies have changed."""
    come_to(game, table, body, square)
    if game.caches.bodies_known == GATHERED:
        game.caches.bodies_known = UNKNOWN


@accelerates(leave_board, forms=(FULL,))
def leave_and_note(game: GameRecord, body: int) -> None:
    """Take a body off the board, and record that the features under bodies have changed."""
    leave_board(game, body)
    if game.caches.bodies_known == GATHERED:
        game.caches.bodies_known = UNKNOWN


@accelerates(swap_copies, forms=(FULL,))
def swap_and_recollect(game: GameRecord, table: Table) -> None:
    """Swap robots with their copies, and record that the features under bodies have changed."""
    swap_copies(game, table)
    if game.caches.bodies_known == GATHERED:
        game.caches.bodies_known = UNKNOWN


@accelerates(cards_are_revealed, forms=(FULL,))
def begin_to_gather(game: GameRecord, table: Table, log: Log) -> None:
    """Begin to collect the features under bodies, at the start of a phase."""
    game.caches.bodies_known = UNKNOWN
    cards_are_revealed(game, table, log)


@accelerates(phase_ends, forms=(FULL,))
def forget(game: GameRecord, table: Table, log: Log) -> None:
    """Stop collecting, and clear what was collected."""
    game.caches.bodies_known = UNUSED
    game.caches.features_under_bodies = 0
    phase_ends(game, table, log)
