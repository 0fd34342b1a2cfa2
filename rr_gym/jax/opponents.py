"""Scripted opponents, as kernels that JAX calls.

They decide exactly like the players of the same names whose seed is the game's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.xla_arguments import CHANGED, WRITTEN, Cache, Rows
from rr_gym.encoding.act.actions import NO_ORDERS
from rr_gym.errors import EnvError, short_repr
from rr_gym.jax.calls import Call
from rr_gym.players.greedy import GreedyPlayer, head_for_flags
from rr_gym.players.racer import race_on
from rr_gym.players.random_player import choose_at_random, choose_options_at_random
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import FULL_ORDERS, GAME, new_log
from rr_gym.solo.distances import phase_distances
from rr_gym.solo.known_phases import KnownPhases, empty_cache
from rr_gym.solo.turn_tables import ExpectedTurns, expected_turns

Array = np.ndarray[Any, Any]


@kernel
def greedy_orders(
    games: Array, seats: Array, tables: Array, first: Array, known: KnownPhases, log: Any, distances: Array,
    power_down_at: int, decided: Array, orders: Array,
) -> None:  # fmt: skip
    """Write the orders of `greedy` for seats, int8, (n, k).

    `first` is an array with a 0, the index of the only game that `head_for_flags` gets; `decided` is for its orders.
    """
    for g in range(games.shape[0]):
        for k in range(seats.shape[1]):
            seat = seats[g, k]
            decided[g] = NO_ORDERS[0]
            head_for_flags(
                games[g : g + 1], first, tables[games[g].course], known, log, distances, power_down_at, seat,
                np.uint64(games[g].seed), decided[g : g + 1], 0, 1,
            )  # fmt: skip
            orders[g, seat] = decided[g]


@kernel
def racer_orders(
    games: Array, seats: Array, tables: Array, first: Array, known: KnownPhases, log: Any, turns: ExpectedTurns,
    decided: Array, orders: Array,
) -> None:  # fmt: skip
    """Write the orders of `racer` for seats, like `greedy_orders`."""
    for g in range(games.shape[0]):
        for k in range(seats.shape[1]):
            seat = seats[g, k]
            decided[g] = NO_ORDERS[0]
            race_on(
                games[g : g + 1], first, tables[games[g].course], known, log, turns, seat,
                np.uint64(games[g].seed), decided[g : g + 1], 0, 1,
            )  # fmt: skip
            orders[g, seat] = decided[g]


@kernel
def random_orders(
    games: Array, seats: Array, tables: Array, chooses_options: bool, decided: Array, orders: Array
) -> None:
    """Write the orders of `random` for seats, int8, (n, k); `decided` is for the orders of one seat."""
    for g in range(games.shape[0]):
        for k in range(seats.shape[1]):
            seat = seats[g, k]
            seed = np.uint64(games[g].seed)
            decided[g] = NO_ORDERS[0]
            choose_at_random(games[g : g + 1], seat, seed, decided[g : g + 1])
            if chooses_options:
                choose_options_at_random(games[g : g + 1], tables, seat, seed, decided[g : g + 1])
            orders[g, seat] = decided[g]


OPPONENTS = ("random", "greedy", "racer")


def check_opponents(opponents: Any, num_robots: int) -> tuple[str, ...]:
    """Return the names of the opponents, one for each of their seats.

    Raises:
        EnvError: They are not some of `OPPONENTS`, or leave no seat for a learner.
    """
    names = (opponents,) * (num_robots - 1) if isinstance(opponents, str) else opponents
    known = f"expected None, one of {', '.join(OPPONENTS)}, or a list of these"
    if not isinstance(names, list | tuple):
        raise EnvError(f"opponents: {short_repr(opponents)}: {known}")
    for name in names:
        if not isinstance(name, str) or name not in OPPONENTS:
            raise EnvError(f"opponents: {short_repr(name)}: {known}")
    if len(names) >= num_robots:
        raise EnvError(f"opponents: {len(names)}: expected at most {num_robots - 1}, leaving a seat for a learner")
    return tuple(names)


def call_of(name: str, arena: Arena, seats: int) -> Call:
    """Return the call that writes the orders of an opponent: of games, (seats,) and orders to orders.

    Its results are working memory and the orders.
    """
    rows = (Rows("games", GAME), Rows("seats", np.dtype(np.int8), (seats,)), arena.tables)
    written = (
        Rows("decided", FULL_ORDERS, (), WRITTEN),
        Rows("orders", FULL_ORDERS, (MAX_ROBOTS,), CHANGED),
    )
    if name == "random":
        return Call(random_orders, *rows, any(one.option_cards == "on" for one in arena.settings), *written)
    known = (np.zeros(1, np.int64), Cache(empty_cache()), new_log(on=False)[0])
    if name == "racer":
        return Call(racer_orders, *rows, *known, expected_turns(arena, 0), *written)
    distances = phase_distances(arena.tables[0])
    return Call(greedy_orders, *rows, *known, distances, GreedyPlayer().power_down_at, *written)
