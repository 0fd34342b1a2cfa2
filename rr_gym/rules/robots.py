"""Segment B: robots execute the cards of the current register, highest priority first (R-A4.4, R-A8)."""

from __future__ import annotations

from rr_gym.jit import kernel
from rr_gym.rules.cards import CARD_TYPE
from rr_gym.rules.constants import BACK_UP, CARD, MOVE_1, ROTATE_LEFT, ROTATE_RIGHT, U_TURN
from rr_gym.rules.events import CARD_PLAYED, note
from rr_gym.rules.movement import step, turn
from rr_gym.rules.records import GameRecord, LogRecord, TableRecord


@kernel
def by_priority(game: GameRecord) -> int:
    """The robots in the order of their cards of this phase, the highest first: robot + 1 in four bits each.

    A robot without a card has priority 0; ties go to the lower index (U4). Every pair is compared without a branch,
    because chance decides it and a processor foresees nothing.
    """
    cards = 0  # eight bits each
    ranks = 0  # how many come before each robot, four bits each
    for i in range(game.num_robots):
        card = int(game.robots[i].registers[game.phase - 1])
        for j in range(i):
            later = i if (cards >> 8 * j & 127) >= card else j
            ranks += 1 << 4 * later
        cards |= card << 8 * i
    order = 0
    for i in range(game.num_robots):
        order |= i + 1 << 4 * (ranks >> 4 * i & 15)
    return order


@kernel
def execute_card(game: GameRecord, table: TableRecord, log: LogRecord, robot: int, card: int) -> None:
    """One card of one robot; a move goes square by square until something stops it (R-A8.1 to R-A8.3)."""
    body = game.robots[robot]
    kind = CARD_TYPE[card]
    note(game, log, CARD_PLAYED, robot, card)
    if kind == U_TURN:
        turn(game, log, robot, 2)
    elif kind == ROTATE_LEFT:
        turn(game, log, robot, 3)
    elif kind == ROTATE_RIGHT:
        turn(game, log, robot, 1)
    elif kind == BACK_UP:
        step(game, table, log, robot, (body.facing + 2) & 3, CARD)
    else:
        for _ in range(kind - MOVE_1 + 1):
            if not step(game, table, log, robot, body.facing, CARD) or not body.alive:
                break


@kernel
def robots_move(game: GameRecord, table: TableRecord, log: LogRecord, order: int) -> None:
    """B1: every robot on the board that is powered up executes its card. `order` is that of `by_priority`."""
    while order:
        robot = (order & 15) - 1
        order >>= 4
        body = game.robots[robot]
        card = body.registers[game.phase - 1]
        if card and body.alive and not body.down:
            execute_card(game, table, log, robot, card)
