"""Facts about a game as integers. Infos report them for every row, for logs and learning curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.teams import flags_done, flags_to_do

Array = np.ndarray[Any, Any]

FACTS = (
    "turn",  # turns played
    "flags",  # flags touched, by the robot or its team
    "damage",
    "lives",  # left, -1 without limit
    "place",  # current rank, 1 is best (U32)
    "won",  # 1 for a winner
    "finished",  # 1 when all flags are touched
)


@kernel
def write_facts(games: Array, tables: Array, seats: Array, places: Array, out: Array) -> None:
    """Write the facts of given seats.

    Args:
        games: (n,), dtype `GAME`.
        tables: Tables of the arena.
        seats: (n, k), int8.
        places: (n, 8), int8: `Arena.placements`.
        out: (len(FACTS), n, k), int32: overwritten.
    """
    for g in range(games.shape[0]):
        game = games[g]
        table = tables[game.course]
        for k in range(seats.shape[1]):
            seat = seats[g, k]
            robot = game.robots[seat]
            out[0, g, k] = game.turn
            flags = flags_done(game, table, seat)
            out[1, g, k] = flags
            out[2, g, k] = robot.damage
            out[3, g, k] = robot.lives
            out[4, g, k] = places[g, seat]
            out[5, g, k] = game.winners >> seat & 1
            out[6, g, k] = flags >= flags_to_do(game, table, seat) > 0
