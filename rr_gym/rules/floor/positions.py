"""Setters of positions: all bodies come to squares, take off and leave the board through them.

Rules that displace, place or destroy a body call them. Only rules that look ahead set the square of a body directly,
and they restore it afterwards.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table


@kernel
def come_to(game: GameRecord, table: Table, body: int, square: int) -> None:
    """Put a body on a square; -1 stands for the outside of the board, where bodies are destroyed."""
    game.robots[body].square = square


@kernel
def take_off(game: GameRecord, robot: int, lifted: int) -> None:
    """Let a robot take off; `lifted` is `BY_ANTIGRAV`, `BY_COPTER` or `BY_OPTION`."""
    game.robots[robot].flying = lifted


@kernel
def leave_board(game: GameRecord, body: int) -> None:
    """Take a body off the board, because it is destroyed, vanishes, or is in the air for a while."""
    game.robots[body].alive = 0
    game.robots[body].square = -1
