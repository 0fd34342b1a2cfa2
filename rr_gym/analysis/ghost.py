"""Where better orders would have led in a turn of a recorded game."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rr_gym.render.words import events_of
from rr_gym.replay.replay import Replay
from rr_gym.replay.rerun import on_layout
from rr_gym.replay.scene import frames
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import new_log

Array = np.ndarray[Any, Any]


class GhostStop(NamedTuple):
    """Where a robot would have been from a moment of a turn on.

    Attributes:
        phase: The number of the phase; 0 before the first phase and after the last one.
        step: The code of the sub-step in the timing table; ``setup`` for the position before the turn.
        square: The square as (x, y); None while the robot is destroyed.
        facing: The direction that it faces, from 0 for north to 3 for west.
    """

    phase: int
    step: str
    square: tuple[int, int] | None
    facing: int


def ghost_path(
    replay: Replay, arena: Arena, games: Array, number: int, seat: int, orders: Any
) -> tuple[GhostStop, ...]:
    """Return the path of a robot if its orders had been others, and everything else as it was.

    The other robots have the orders that they had, and random board elements the same randomness.

    Args:
        replay: The recorded game.
        arena: Its arena.
        games: The game before the turn, shape (1,); it is not changed.
        number: The number of the turn, from 0.
        seat: The seat of the robot.
        orders: The orders that it has instead.
    """
    batch, logs = replay.turns[number].batch(), new_log()
    batch[0, seat] = orders
    arena.play(games.copy(), batch, logs=logs)
    scene = replay.before_turn(number + 1)
    events = on_layout(events_of(logs[0]), replay.course, list(scene.changes.rooms))
    width = replay.course.size[0]

    def stop(phase: int, step: str, piece: Any) -> GhostStop:
        square = (piece.square % width, piece.square // width) if piece.alive and piece.square >= 0 else None
        return GhostStop(phase, step, square, piece.facing)

    stops = [stop(0, "setup", scene.pieces[seat])]
    for frame in frames(scene, list(events)):
        now = stop(frame.phase, frame.step, frame.pieces[seat])
        if now[2:] != stops[-1][2:]:
            stops.append(now)
    return tuple(stops)
