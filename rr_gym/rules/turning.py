"""Turning a robot where it stands."""

from __future__ import annotations

from rr_gym.jit import kernel
from rr_gym.rules.events import TURNED, note
from rr_gym.rules.records import GameRecord, LogRecord


@kernel
def turn(game: GameRecord, log: LogRecord, robot: int, quarters: int) -> None:
    """Turn a robot clockwise by quarter turns."""
    body = game.robots[robot]
    body.facing = (body.facing + quarters) & 3
    note(game, log, TURNED, robot, body.facing)
