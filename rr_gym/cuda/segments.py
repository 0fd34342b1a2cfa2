"""A turn in several launches: its beginning, the five segments of each register phase, and its end.

The threads of a warp wait for one another wherever their games differ. Between two launches all games are at the same
place of the timing table again, and the code of each launch is a part of that of a whole turn, so that it needs fewer
registers. `rr_gym.cuda.arena` launches the parts in their order, and gets the games of `play_range`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel, named_kernel
from rr_gym.rules.arena.batch import begin_next_episode, is_in, log_of
from rr_gym.rules.turn.sub_steps import Rule
from rr_gym.rules.turn.turn import (
    board_acts,
    cards_are_revealed,
    phase_ends,
    robots_act,
    turn_begins,
    turn_ends,
    weapons_act,
)

Array = np.ndarray[Any, Any]


@kernel
def next_episodes_range(
    games: Array, tables: Array, blank: Array, logs: Array, mask: Array, first: int, last: int
) -> None:
    """Begin the next episode of every game of a mask that is over; an empty mask stands for all games."""
    for g in range(first, last):
        if is_in(mask, g) and games[g].over:
            begin_next_episode(games, tables, blank, g, log_of(logs, g))


@kernel
def shorten_range(orders: Array, short: Array, first: int, last: int) -> None:
    """Copy orders without the decisions about option cards, which follow the other fields; both arrays are bytes."""
    for g in range(first, last):
        for i in range(short.shape[1]):
            for k in range(short.shape[2]):
                short[g, i, k] = orders[g, i, k]


def _with_orders(name: str, act: Any) -> Any:
    """Make a kernel that begins or ends a turn of every game of a mask that is not over."""

    @named_kernel(f"{__name__}.{name}_range")
    def part_range(
        games: Array, tables: Array, orders: Array, logs: Array, mask: Array, first: int, last: int
    ) -> None:
        for g in range(first, last):
            if is_in(mask, g) and not games[g].over:
                act(games[g], tables[games[g].course], orders[g], log_of(logs, g))

    return part_range


turn_begins_range = _with_orders("turn_begins", turn_begins)
turn_ends_range = _with_orders("turn_ends", turn_ends)


def _segment(name: str, act: Rule) -> Any:
    """Make a kernel that plays a segment of a register phase of every game of a mask that is not over."""

    @named_kernel(f"{__name__}.{name}_range")
    def segment_range(
        games: Array, tables: Array, logs: Array, mask: Array, phase: int, first: int, last: int
    ) -> None:
        for g in range(first, last):
            if is_in(mask, g) and not games[g].over:
                games[g].phase = phase
                act(games[g], tables[games[g].course], log_of(logs, g))

    return segment_range


# In their order within a phase
SEGMENTS = {
    name: _segment(name, act)
    for name, act in {
        "cards_are_revealed": cards_are_revealed,
        "robots_act": robots_act,
        "board_acts": board_acts,
        "weapons_act": weapons_act,
        "phase_ends": phase_ends,
    }.items()
}
