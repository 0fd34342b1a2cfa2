"""Segment B: robots execute the cards of the current register, highest priority first (R-A4.4, R-A8)."""

from __future__ import annotations

from rr_gym.jit import kernel
from rr_gym.rules.cards import CARD_TYPE
from rr_gym.rules.constants import BACK_UP, CARD, MOVE_1, ROTATE_LEFT, ROTATE_RIGHT, U_TURN
from rr_gym.rules.events import CARD_PLAYED, note
from rr_gym.rules.movement import step, turn
from rr_gym.rules.records import GameRecord, LogRecord, TableRecord


@kernel
def next_by_priority(game: GameRecord, done: int) -> int:
    """The robot whose card of this phase is the highest of those not in the mask `done`.

    A robot without a card has priority 0; ties go to the lower index (U4).
    """
    first = -1
    highest = -1
    for i in range(game.num_robots):
        if not done >> i & 1:
            card = game.robots[i].registers[game.phase - 1]
            if card > highest:
                first = i
                highest = card
    return first


@kernel
def execute_card(game: GameRecord, table: TableRecord, log: LogRecord, robot: int, card: int) -> None:
    """One card of one robot; a move goes square by square until something stops it (R-A8.2, R-A8.7)."""
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
def robots_move(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """B1: every robot on the board that is powered up executes its card."""
    done = 0
    for _ in range(game.num_robots):
        robot = next_by_priority(game, done)
        done |= 1 << robot
        body = game.robots[robot]
        card = body.registers[game.phase - 1]
        if card and body.alive and not body.down:
            execute_card(game, table, log, robot, card)
