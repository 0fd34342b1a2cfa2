"""The setters of positions, through which every body comes to a square, takes off and leaves the board.

Rules that displace, place or destroy a body call them. Only rules that look ahead set the square of a body directly,
and restore it afterwards.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table


@kernel
def come_to(game: GameRecord, table: Table, body: int, square: int) -> None:
    """Put a body on a square; -1 is the outside of the board, where bodies are destroyed."""
    game.robots[body].square = square


@kernel
def take_off(game: GameRecord, robot: int, lifted: int) -> None:
    """Let a robot fly from now on, lifted by `BY_ANTIGRAV`, `BY_COPTER` or `BY_OPTION`."""
    game.robots[robot].flying = lifted


@kernel
def leave_board(game: GameRecord, body: int) -> None:
    """Take a body off the board: it is destroyed or has vanished, or it comes back out of the air later."""
    game.robots[body].alive = 0
    game.robots[body].square = -1
