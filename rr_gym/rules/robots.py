"""Segment B: robots execute the cards of the current register, highest priority first (R-A4.4, R-A8)."""

from __future__ import annotations

from rr_gym.jit import alone, expansion, kernel
from rr_gym.rules.cards import CARD_TYPE
from rr_gym.rules.constants import BACK_UP, CARD, MOVE_1, NUM_REGISTERS, ROTATE_LEFT, ROTATE_RIGHT, U_TURN
from rr_gym.rules.copies import swap_copies
from rr_gym.rules.driving import drive_card
from rr_gym.rules.energizers import current_card, first_card
from rr_gym.rules.events import CARD_PLAYED, note
from rr_gym.rules.movement import step
from rr_gym.rules.records import GameRecord, LogRecord, TableRecord
from rr_gym.rules.settling import settle
from rr_gym.rules.sleep import sleeping
from rr_gym.rules.turning import turn


@kernel
def by_priority(game: GameRecord, table: TableRecord) -> int:
    """The robots in the order of their cards of this phase, the highest first: robot + 1 in four bits each.

    A robot without a card has priority 0; ties go to the lower index (U4). Every pair is compared without a branch,
    because chance decides it and a processor foresees nothing.
    """
    cards = 0  # eight bits each
    ranks = 0  # how many come before each robot, four bits each
    for i in range(game.num_robots):
        card = first_card(game, table, i)
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


@expansion(execute_card, alone)
def perform(game: GameRecord, table: TableRecord, log: LogRecord, robot: int, card: int) -> None:
    """A whole execution of a card: by the robot, then by its copy if it had one before (R-E45), with what settles."""
    body = game.robots[robot]
    had_copy = body.has_copy
    drive_card(game, table, log, robot, card)
    settle(game, table, log)
    if had_copy and body.alive:
        swap_copies(game, table)
        if body.alive:
            drive_card(game, table, log, robot, card)
            settle(game, table, log)
        swap_copies(game, table)


@kernel
def act_once(game: GameRecord, table: TableRecord, log: LogRecord, robot: int) -> None:
    card = game.robots[robot].registers[game.phase - 1]
    if card:
        perform(game, table, log, robot, card)


@expansion(act_once)
def act(game: GameRecord, table: TableRecord, log: LogRecord, robot: int) -> None:
    """What a robot that is on the board and powered up does in its turn of B1: one card, two when energized (R-E50)."""
    body = game.robots[robot]
    if sleeping(game, table, robot):
        return
    card = current_card(game, table, robot)
    if card:
        perform(game, table, log, robot, card)
    if body.energized and body.alive:
        second = int(body.registers[(body.pointer + 1) % NUM_REGISTERS])
        if second:
            perform(game, table, log, robot, second)
        body.pointer = (body.pointer + 2) % NUM_REGISTERS


@kernel
def robots_move(game: GameRecord, table: TableRecord, log: LogRecord, order: int) -> None:
    """B1: every robot on the board that is powered up executes its card. `order` is that of `by_priority`."""
    while order:
        robot = (order & 15) - 1
        order >>= 4
        body = game.robots[robot]
        if body.alive and not body.down:
            act(game, table, log, robot)
