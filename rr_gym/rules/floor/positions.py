"""Where bodies are: the setters through which every body comes to a square and leaves the board.

Rules that displace a body call them, and so do those that place or destroy one; all that has to be noted of its coming
is noted here. Looks ahead, which put a body somewhere and back, set its square themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel, with_expansions
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.state.constants import BIG_ONE_BODY
from rr_gym.rules.state.records import Game
from rr_gym.rules.state.table import Table

PLACE_BITS = 64


@kernel
def place_number(square: int) -> int:
    """The number of the bit of a place in masks of places, which it shares with every 64th other."""
    return int(square) & PLACE_BITS - 1


@kernel
def place_bit(square: int) -> Any:
    """The bit of a place in masks of places."""
    return np.uint64(1) << np.uint64(place_number(square))


@kernel
def slot_bit(slot: int) -> Any:
    """The bit of a device in masks of devices."""
    return np.uint64(1) << np.uint64(slot)


@kernel
def places_of_body(game: Game, table: Table, body: int) -> Any:
    """The mask of where a body stands; on a ramp it is on its square too."""
    square = int(game.robots[body].square)
    return place_bit(square) | place_bit(place_of_square(game, table, square))


@with_expansions(None)
def mark_coming(game: Game, table: Table, body: int) -> None:
    """Devices look at a body that has come to its place (`rr_gym.rules.devices.watch`)."""
    if game.robots[body].square >= 0:
        game.stirred |= places_of_body(game, table, body)
    if body == BIG_ONE_BODY:
        game.shifted |= slot_bit(game.big_one)


@kernel
def come_to(game: Game, table: Table, body: int, square: int) -> None:
    """A body comes to a square, -1 for the outside of the board, where it is destroyed."""
    game.robots[body].square = square
    mark_coming(game, table, body)


@kernel
def leave_board(game: Game, body: int) -> None:
    """A body is on the board no longer: destroyed, vanished, or in the air from which it comes back."""
    game.robots[body].alive = 0
    game.robots[body].square = -1
