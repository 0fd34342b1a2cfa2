"""The payoffs of a turn: programs of one robot against programs of another; end positions are valued by a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rr_gym.equilibrium.bayesian_game import BayesianGame
from rr_gym.players.playouts import play_candidates
from rr_gym.policies.same_games import same_games
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import GAME, new_log, take_games

Array = np.ndarray[Any, Any]

# Returns the value for a seat of games after the turn (and the next deal, or over): float64, (n,), from 0 to 1.
Worth = Callable[[Arena, Array, int], Array]

_CHANCE = ("seed", "salt", "index", "episode", "key", "salted_key", "draws")
_AT_ONCE = 4096  # maximum number of games in memory at a time; each takes 4 KiB


class Hands(NamedTuple):
    """Hands that a robot may hold at the start of a turn, and its programs with each.

    Attributes:
        games: (hands,), dtype `GAME`: games in which it holds them, between the deal and the orders.
        programs: For each hand the orders to consider, (n,), dtype `FULL_ORDERS`, at least one.
    """

    games: Array
    programs: Sequence[Array]


def share_chance(games: Array, groups: int) -> None:
    """Give games the same future random events, in place, so that equal positions also get equal next hands.

    Args:
        games: (n,), dtype `GAME`.
        groups: The number of groups: game k shares its chance with game k modulo this number.
    """
    for name in _CHANCE:
        for first in range(min(groups, len(games))):
            games[name][first::groups] = games[name][first]


def turn_values(arena: Arena, games: Array, orders: Array, seat: int, programs: Array, worth: Worth) -> Array:
    """Return the value for a seat of each of its programs in each game.

    Args:
        arena: The arena of the games.
        games: (n,), dtype `GAME`, between the deal and the orders, all on one course with the same number of robots.
        orders: (n, 8), dtype `FULL_ORDERS`: the orders of all seats; those of the seat are overwritten.
        seat: The seat.
        programs: (m,), dtype `FULL_ORDERS`: its orders.
        worth: Returns the values of the games after the turn, with the next hands dealt. Equal positions are valued
          once.

    Returns:
        float64, (m, n).
    """
    ends, which = _distinct_ends(arena, games, orders, seat, programs)
    return worth(arena, ends, seat)[which]


def turn_game(
    arena: Arena, own: Hands, rival: Hands, seat: int, rival_seat: int, orders: Array, worth: Worth,
    prior: Array | None = None,
) -> BayesianGame:  # fmt: skip
    """Return the Bayesian game of a turn: types are hands, actions are programs.

    Args:
        arena: The arena of the game.
        own: The hands and programs of the seat, player 0.
        rival: The same for its rival, player 1. The games of the rival also determine chance and the hands of further
          robots.
        seat: The seat.
        rival_seat: The seat of its rival.
        orders: (rival's hands, 8), dtype `FULL_ORDERS`: the orders of further robots.
        worth: See `turn_values`.
        prior: float64, (own hands, rival's hands); None for a uniform prior. The hands of a pair may have cards in
          common.
    """
    owner = np.repeat(np.arange(len(rival.games)), [len(p) for p in rival.programs])
    action = np.concatenate([np.arange(len(p)) for p in rival.programs])
    games, all_orders = take_games(rival.games, owner), orders[owner].copy()
    all_orders[:, rival_seat] = np.concatenate(rival.programs)
    legal = tuple(_legal(hands.programs) for hands in (own, rival))
    ends: list[Array] = []
    rows: list[Array] = []
    for game, programs in zip(own.games, own.programs, strict=True):
        games["robots"]["hand"][:, seat] = game["robots"]["hand"][seat]
        distinct, which = _distinct_ends(arena, games, all_orders, seat, programs)
        rows.append(which + sum(len(e) for e in ends))
        ends.append(distinct)
    distinct, which = same_games(np.concatenate(ends), seat)
    values = worth(arena, distinct, seat)[which]
    payoffs = np.zeros((*legal[0].shape, *legal[1].shape))
    for number, row in enumerate(rows):
        payoffs[number, : len(row), owner, action] = values[row].T
    if prior is None:
        prior = np.full((len(own.games), len(rival.games)), 1 / (len(own.games) * len(rival.games)))
    return BayesianGame(prior, payoffs, (legal[0], legal[1]))


def _legal(programs: Sequence[Array]) -> Array:
    """Return which actions each type has: bool, (types, actions)."""
    counts = np.array([len(p) for p in programs])
    return np.asarray(np.arange(counts.max()) < counts[:, None])


def _distinct_ends(arena: Arena, games: Array, orders: Array, seat: int, programs: Array) -> tuple[Array, Array]:
    """Play a turn of each game with each program.

    Returns:
        The distinct games after the turn, and for each program and game the index of its result: int64, (programs,
        games).
    """
    log = new_log(on=False)[0]
    table = arena.tables[int(games["course"][0])]
    step = max(1, _AT_ONCE // len(games))
    found, rows, count = [], [], 0
    for first in range(0, len(programs), step):
        left = np.arange(first, min(first + step, len(programs)))
        ends = np.empty(len(left) * len(games), GAME)
        play_candidates(games, orders, table, log, seat, programs, left, ends)
        distinct, which = same_games(ends, seat)
        found.append(distinct)
        rows.append(which.reshape(len(left), len(games)) + count)
        count += len(distinct)
    return np.concatenate(found), np.concatenate(rows)
