"""Where bodies are: the setters through which every body comes to a square, takes off and leaves the board.

Rules that displace a body call them, and so do those that place or destroy one. Looks ahead, which put a body somewhere
and back, set its square themselves.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.state.records import Game
from rr_gym.rules.state.table import Table


@kernel
def come_to(game: Game, table: Table, body: int, square: int) -> None:
    """A body comes to a square, -1 for the outside of the board, where it is destroyed."""
    game.robots[body].square = square


@kernel
def take_off(game: Game, robot: int, lifted: int) -> None:
    """A robot flies from now on: `BY_ANTIGRAV`, `BY_COPTER` or `BY_OPTION`."""
    game.robots[robot].flying = lifted


@kernel
def leave_board(game: Game, body: int) -> None:
    """A body is on the board no longer: destroyed, vanished, or in the air from which it comes back."""
    game.robots[body].alive = 0
    game.robots[body].square = -1
