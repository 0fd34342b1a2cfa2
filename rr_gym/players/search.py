"""Tries every program of a hand, by playing it by the rules on copies of the game.

Programs with a common beginning share their first phases: the search goes depth first through the registers and keeps
one copy of the game per register.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array as RecordArray
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.cards import FIRST_MOVEMENT
from rr_gym.rules.state.constants import HAND_SLOTS, NUM_REGISTERS, ON
from rr_gym.rules.state.records import GAME, GameRecord, Log, OrdersRecord, new_log, no_orders
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.planning import program
from rr_gym.rules.turn.turn import register_phase
from rr_gym.solo.outcomes import OUTCOME, write_outcome

Array = np.ndarray[Any, Any]

_ALL_REGISTERS = (1 << NUM_REGISTERS) - 1


@kernel
def next_slot(hand: Array, used: int, last: int, only_moves: bool) -> int:
    """Return the next slot after `last` with a card to try that is not in the mask `used`; -1 if there is none."""
    for slot in range(last + 1, HAND_SLOTS):
        card = hand[slot]
        if card and not used >> slot & 1 and (card >= FIRST_MOVEMENT or not only_moves):
            return slot
    return -1


@kernel
def try_programs(
    games: Array,
    words: Array,
    table: Table,
    orders: RecordArray[OrdersRecord],
    log: Log,
    hand: Array,
    slots: Array,
    seat: int,
    kept: int,
    outcomes: Array,
) -> int:
    """Play all programs of `hand` from `games[0]`, where all other robots are programmed, to the end of the turn.

    `games[d]` is the game after phase d, `words` the same memory as words, `slots` the slot of each register. Registers
    in the mask `kept` already have their cards. Returns the number of outcomes written.
    """
    count = 0
    used = 0
    depth = 0
    first_moves = table.settings.first_card_moves == ON and games[0].turn == 0
    slots[:] = -1
    while depth >= 0:
        slot = slots[depth]
        if kept >> depth & 1:
            slot = 0 if slot < 0 else -1
        else:
            if slot >= 0:
                used ^= 1 << slot
            slot = next_slot(hand, used, slot, first_moves and depth == 0)
            if slot >= 0:
                used |= 1 << slot
        slots[depth] = slot
        if slot < 0:
            depth -= 1
            continue
        words[depth + 1] = words[depth]
        game = games[depth + 1]
        robot = game.robots[seat]
        if not kept >> depth & 1:
            robot.registers[depth] = hand[slot]
        if not game.over:
            game.phase = depth + 1
            register_phase(game, table, log)
        depth += 1
        if depth == NUM_REGISTERS:
            outcome = outcomes[count]
            for r in range(NUM_REGISTERS):  # the cards as ordered, since registers may change during the turn
                outcome.program[r] = games[0].robots[seat].registers[r] if kept >> r & 1 else hand[slots[r]]
            write_outcome(game, table, orders, log, seat, outcome)
            count += 1
            depth -= 1
    return count


def outcomes_of(table: Table, game: GameRecord, seat: int, orders: RecordArray[OrdersRecord]) -> Array:
    """Return the outcomes of all programs of a hand.

    Args:
        table: The course of the game, compiled with its settings.
        game: A game that may be searched, between the deal and the orders; not modified.
        seat: The seat whose programs are tried.
        orders: Shape (8,), dtype `FULL_ORDERS`: the orders of all seats; for `seat` all except its program.

    Returns:
        Shape (n,), dtype `OUTCOME`; one row for a robot without a choice.
    """
    games = np.zeros(NUM_REGISTERS + 1, GAME)
    games[0] = game
    log = new_log(on=False)[0]
    robot = games[0].robots[seat]
    hand = robot.hand.copy()
    programs = robot.alive and not robot.down and hand.any()
    kept = int(robot.locked) if programs else _ALL_REGISTERS
    # With some program ordered, no random card is drawn for the seat, as with every program that is tried.
    orders = orders.copy()
    chosen = [r for r in range(NUM_REGISTERS) if not kept >> r & 1]
    orders["program"][seat, chosen] = hand[: len(chosen)]
    program(games[0], table, orders, log)
    cards = int((hand > 0).sum())
    outcomes = np.zeros(max(1, math.perm(cards, min(cards, len(chosen)))), OUTCOME)
    words = games.view(np.uint64).reshape(len(games), -1)
    slots = np.empty(NUM_REGISTERS, np.int64)
    count = try_programs(games, words, table, orders, log, hand, slots, seat, kept, outcomes)
    return outcomes[:count]


def play_all_programs(arena: Arena, game: GameRecord, seat: int, others_orders: Array | None = None) -> Array:
    """Play all programs of one hand, each to the end of the turn against given programs of the others.

    Args:
        arena: The arena of the game.
        game: One `GAME` record that may be searched (`SeatView.determinize`), between the deal and the orders.
        seat: The seat whose programs are tried, from 0.
        others_orders: Shape (8,), dtype `FULL_ORDERS`; those of `seat` count except for the program. None: all
            defaults, with random programs drawn by this game.

    Returns:
        Shape (n,), dtype `OUTCOME`: n = 15,120 for nine cards and no locked register. Draws that programs can
        influence, from a deck that has run out in this turn, are those of one of them.
    """
    orders: Any = no_orders(8, full=True) if others_orders is None else others_orders
    return outcomes_of(arena.tables[game.course], game, seat, orders)
