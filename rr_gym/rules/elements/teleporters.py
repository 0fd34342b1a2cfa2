"""Teleporters and freak teleporters (R-E16, R-E37), on which movement cards make robots leap."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import FREAK_TELEPORTER, TELEPORTER
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.devices.devices import is_obstructed, on_portable_teleporter
from rr_gym.rules.floor.grid import STEP_X, STEP_Y, place_at
from rr_gym.rules.floor.ground import flies, level_of, stands_on
from rr_gym.rules.floor.landing import body_at
from rr_gym.rules.movement.movement import relocate
from rr_gym.rules.movement.turning import turn
from rr_gym.rules.state.cards import CARD_TYPE, discard, draw_card
from rr_gym.rules.state.constants import BACK_UP, DECK, JUMP, MOVE_1
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

ORDERS_OF_THREE = np.array(list(permutations(range(3))), np.int8)
#                 none, u-turn, left, right, back up, moves 1 to 3
QUARTERS = np.array([0, 2, 3, 1, 0, 0, 0, 0], np.int64)  # quarter turns clockwise that a card makes, by type
SQUARES = np.array([0, 0, 0, 0, -1, 1, 2, 3], np.int64)  # squares that a card moves forward, by type


@with_expansions(False)
def touches_teleporter(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot touches a teleporter, on the board or portable (R-E16, R-O45)."""
    if game.num_devices and on_portable_teleporter(game, table, robot):
        return True
    return stands_on(game, table, robot, TELEPORTER) and not flies(game, table, robot)


@kernel
def is_taken(game: GameRecord, table: Table, robot: int, square: int) -> bool:
    """Tell whether the square where a robot would appear is taken (K8).

    Another real robot takes it, or a device that is not flat.
    """
    if square < 0 or square == game.robots[robot].square or game.robots[robot].virtual:
        return False
    level = level_of(game, table, square)
    return body_at(game, robot, square, level) or is_obstructed(game, table, robot, square, level)


@kernel
def appear(game: GameRecord, table: Table, log: Log, robot: int, square: int, direction: int) -> None:
    """Put a robot on the floor of a square, whatever is in between; destroy it if there is no floor."""
    body = game.robots[robot]
    body.heading = direction
    level = level_of(game, table, square) if square >= 0 else int(body.level)
    relocate(game, table, log, robot, square, level, JUMP)


@with_expansions(False)
def teleport(game: GameRecord, table: Table, log: Log, robot: int, kind: int, direction: int) -> bool:
    """Execute a movement card on a teleporter: two squares more than it says, but Back-Up two in all (R-E16).

    Return False, without doing anything, if there is no teleporter, the robot flies, or the square of arrival is taken.
    """
    if not touches_teleporter(game, table, robot):
        return False
    reach = 2 if kind == BACK_UP else kind - MOVE_1 + 3  # mutants (never): a Back-Up is the type before Move 1
    here = table.squares[game.robots[robot].square]
    square = place_at(table, here.x + reach * STEP_X[direction], here.y + reach * STEP_Y[direction])
    if is_taken(game, table, robot, square):
        return False
    appear(game, table, log, robot, square, direction)
    return True


@kernel
def draw_three(game: GameRecord, order: int) -> tuple[int, int, int]:
    """Draw and discard three cards of the draw pile; return them in the given order (0-5)."""
    drawn = int(draw_card(game, DECK)), int(draw_card(game, DECK)), int(draw_card(game, DECK))
    places = ORDERS_OF_THREE[order]
    cards = drawn[places[0]], drawn[places[1]], drawn[places[2]]
    for card in cards:
        discard(game, card)
    return cards


@with_elements(None)
def leap_by_chance(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Move a robot on a freak teleporter to the square and facing given by three random cards (R-E37).

    This happens before its movement card is executed. The player has chosen in which order the cards are used. Nothing
    happens if the square of arrival is taken.
    """
    if not stands_on(game, table, robot, FREAK_TELEPORTER) or flies(game, table, robot):
        return
    body = game.robots[robot]
    cards = draw_three(game, body.orders.freak_order)
    x = int(table.squares[body.square].x)
    y = int(table.squares[body.square].y)
    facing = int(body.facing)
    for card in cards:
        kind = CARD_TYPE[card]
        facing = (facing + QUARTERS[kind]) & 3
        x += SQUARES[kind] * STEP_X[facing]
        y += SQUARES[kind] * STEP_Y[facing]
    square = place_at(table, x, y)
    if is_taken(game, table, robot, square):
        return
    if facing != body.facing:
        turn(game, log, robot, facing - body.facing)
    if square != body.square:
        appear(game, table, log, robot, square, facing)
