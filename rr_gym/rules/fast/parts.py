"""Play a turn of many games together: one part of the turn for all games, then the next part, and so on.

So only the machine code of one part of the rules is in use at a time. All code for option cards and expansions does not
fit into the instruction cache, while the code of the base game does. Assumes nothing about the games. Without this file
a whole turn of eight robots takes 8 % longer on everything (`rr-gym bench --accelerators`), and 8 % longer on
risky_exchange with five options each (`tools/compare_turns.py`); on death_trap it makes no difference.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.accelerators import accelerates
from rr_gym.compilation.kernels import kernel
from rr_gym.forms import FULL, OPTIONS
from rr_gym.rules.arena.batch import begin_log, begin_next_episode, is_in, log_of, play_range
from rr_gym.rules.turn.turn import PARTS, play_part

Array = np.ndarray[Any, Any]

BLOCK = 64  # games that play a turn together


@kernel
def play_block(games: Array, tables: Array, orders: Array, logs: Array, mask: Array, first: int, last: int) -> None:
    """Play one turn, part by part, of the games `first` to `last` - 1 that are in the mask and not over."""
    for part in range(PARTS):
        for g in range(first, last):
            if is_in(mask, g) and not games[g].over:
                play_part(games[g], tables[games[g].course], orders[g], log_of(logs, g), part)


@accelerates(play_range, forms=(OPTIONS, FULL))
def play_blocks(
    games: Array,
    tables: Array,
    orders: Array,
    logs: Array,
    mask: Array,
    blank: Array,
    restart: bool,
    first: int,
    last: int,
) -> None:
    """Play a range of games in blocks; games are independent, so the order of their parts does not matter."""
    for begin in range(first, last, BLOCK):
        end = min(begin + BLOCK, last)
        for g in range(begin, end):
            if is_in(mask, g):
                begin_log(log_of(logs, g))
        play_block(games, tables, orders, logs, mask, begin, end)
        for g in range(begin, end):
            if restart and games[g].over and is_in(mask, g):
                begin_next_episode(games, tables, blank, g, log_of(logs, g))
