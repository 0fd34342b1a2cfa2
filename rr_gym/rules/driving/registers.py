"""Step A2 of a turn: options change the cards of registers before they are revealed (U3)."""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.options.options import note_use, works
from rr_gym.rules.robot.current_cards import current_register
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.cards import discard, draw_card
from rr_gym.rules.state.constants import ABORTED, DECK, NO_MOVEMENT_OPTION, OVERLOAD_EMPTY, REPROGRAMMED, SCRAMBLED
from rr_gym.rules.state.events import OPTION_USED, REVEALED, note_at
from rr_gym.rules.state.option_cards import ABORT_SWITCH, CONDITIONAL_PROGRAM
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def only_primary_card(game: GameRecord, robot: int, register: int) -> None:
    """Discard the second card of a register.

    Tokens and counters on the register stay.
    """
    body = game.robots[robot]
    discard(game, body.second[register])
    body.second[register] = 0
    if body.orders.movement_option[register] <= OVERLOAD_EMPTY:
        body.orders.movement_option[register] = NO_MOVEMENT_OPTION


@kernel
def replace_cards(game: GameRecord, robot: int, register: int, card: int) -> None:
    """Replace all cards of a register, also locked ones and copies, by one card (R-O0.22)."""
    body = game.robots[robot]
    only_primary_card(game, robot, register)
    discard(game, body.registers[register])
    body.registers[register] = card
    body.copied[register] = 0


@kernel
def reveal_another(game: GameRecord, log: Log, robot: int, register: int, card: int) -> None:
    """Replace the cards of a register by a card that an option reveals, and log the card."""
    replace_cards(game, robot, register, card)
    body = game.robots[robot]
    if body.orders.homing:
        body.rewired |= REPROGRAMMED  # R-O39.6
    note_at(game, log, REVEALED, robot, -1, register + 1, body.square, card)


@kernel
def reveal_drawn(game: GameRecord, log: Log, robot: int, register: int) -> None:
    """Replace the cards of a register by the top card of the draw pile, if there is one."""
    card = draw_card(game, DECK)
    if card:
        reveal_another(game, log, robot, register, card)


@kernel
def change_register(game: GameRecord, table: Table, log: Log, robot: int, register: int) -> None:
    """Make all changes of one register, in the order of ruling U3 (R-O2)."""
    body = game.robots[robot]
    if body.copied[register]:
        only_primary_card(game, robot, register)  # R-O17.4: the copy stands for all cards of the register
    elif game.bombed >> robot & 1 and body.registers[register] == 0 and not body.locked >> register & 1:
        reveal_drawn(game, log, robot, register)  # U7
    if body.rewired & SCRAMBLED:
        reveal_drawn(game, log, robot, register)
    if works(game, table, robot, ABORT_SWITCH) and 0 < body.orders.abort <= game.phase:
        if not body.rewired & ABORTED:
            note_use(game, log, OPTION_USED, robot, ABORT_SWITCH)
        body.rewired |= ABORTED
        reveal_drawn(game, log, robot, register)
    stored = int(body.conditional)
    if stored and body.orders.conditional_register == register + 1 and works(game, table, robot, CONDITIONAL_PROGRAM):
        body.conditional = 0
        note_use(game, log, OPTION_USED, robot, CONDITIONAL_PROGRAM)
        reveal_another(game, log, robot, register, stored)


@with_expansions(None)
def registers_change(game: GameRecord, table: Table, log: Log) -> None:
    """Let Radio Control, Scrambler, Abort Switch and Conditional Program change the registers of this phase.

    All changes of one robot are made before those of the next (U3). A robot hit by a scrambler bomb first draws a card
    for its open register (U7). If a robot is energized, only the first of its two registers is changed. The order for
    Abort Switch names a phase, the order for Conditional Program a register (*ruling*).
    """
    for i in range(game.num_robots):
        body = game.robots[i]
        idle = body.options == np.uint64(0) and body.rewired == 0
        if idle and not game.bombed >> i & 1 and game.radio_target != i:  # mutants (never): only an optimisation
            continue
        body.rewired &= ~REPROGRAMMED
        if body.alive and not body.down and not sleeping(game, table, i):
            change_register(game, table, log, i, current_register(game, table, i))
        if body.rewired & SCRAMBLED:  # it applies to this register, even if the robot could not reveal it (R-O22.1)
            body.rewired ^= SCRAMBLED
