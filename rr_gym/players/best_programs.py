"""The programs of a hand that are best for a lone robot, merged by where they end."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from rr_gym.players.pair_network import no_network
from rr_gym.players.playouts import try_orders
from rr_gym.players.race_values import FLAG_COST
from rr_gym.players.racer import FLAG_VALUE, flags_stay, write_costs
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import BEST_CARD, NUM_REGISTERS, ON
from rr_gym.rules.state.records import GameRecord, new_log, no_orders
from rr_gym.solo.search import lone_outcomes
from rr_gym.solo.turn_tables import expected_turns

Array = np.ndarray[Any, Any]


def end_keys(outcomes: Array) -> Array:
    """Return equal numbers for outcomes that are equivalent for later turns: int64, shape (n,)."""
    keys = outcomes["place"].astype(np.int64)
    for name, bits in (("facing", 2), ("damage", 4), ("goal", 4), ("alive", 1), ("won", 1)):
        keys = keys << bits | outcomes[name]
    return keys


def best_programs(
    arena: Arena, game: GameRecord, seat: int, most: int, alike: int, resting: int = 0
) -> tuple[Array, Array]:
    """Return orders with the programs of a hand that are best for a lone robot by expected turns, the best first.

    Args:
        arena: The arena of the game.
        game: Between the deal and the orders; only what the seat sees is read.
        seat: The seat.
        most: How many programs to return at most.
        alike: How many of these may end in the same state for a lone robot. They may differ in path and priority.
        resting: How many of them to return with a power-down too, those for which it is best, if there is power-down.

    Returns:
        The orders without a power-down, (n,), and those with one, (m,), dtype `FULL_ORDERS`. Both are empty if there
        are fewer cards than registers, since the rest is random.
    """
    table, robot = arena.tables[game.course], game.robots[seat]
    known = expected_turns(arena, int(game.course))
    outcomes, facings = lone_outcomes(arena, game, seat)
    flag = 0 if flags_stay(game, table) else FLAG_VALUE
    play, rest = np.empty((2, len(outcomes)), np.int64)
    write_costs(known, outcomes, robot.lives, flag, play, rest)
    ends = end_keys(outcomes)
    seen: Counter[int] = Counter()
    chosen = []
    for number in np.argsort(play, kind="stable").tolist():
        end = int(ends[number])
        seen[end] += 1
        if seen[end] <= alike:
            chosen.append(number)
            if len(chosen) == most:
                break
    orders = no_orders(len(chosen), full=True)
    opened = ~robot.locked >> np.arange(NUM_REGISTERS) & 1
    orders["program"] = outcomes["program"][chosen] * opened
    orders["facing"] = facings[chosen]
    if robot.options:
        orders["conditional"] = orders["flywheel"] = BEST_CARD
    rested = np.argsort(rest[chosen], kind="stable")[: resting if table.settings.power_down == ON else 0]
    down: Array = orders[rested].copy()
    down["power_down"] = 1
    return orders, down


def screened(arena: Arena, games: Array, orders: Array, seat: int, programs: Array, most: int) -> Array:
    """Return the programs that do best against given orders of the others, by the expected turns of all robots.

    Args:
        arena: Where the games are played.
        games: (n,), dtype `GAME`: games on one course that the seat cannot tell apart.
        orders: (n, 8), dtype `FULL_ORDERS`: the orders of the others; those of the seat are overwritten.
        seat: The seat.
        programs: (m,), dtype `FULL_ORDERS`: its orders.
        most: How many to return at most, the best first.
    """
    if len(programs) <= most:
        return programs
    course = int(games["course"][0])
    table, scores = arena.tables[course], np.zeros(len(programs), np.int64)
    flag = 0 if flags_stay(games[0], table) else FLAG_COST
    known, log = expected_turns(arena, course), new_log(on=False)[0]
    try_orders(games, orders, table, known, no_network(), flag, log, seat, programs, np.arange(len(programs)), scores)
    return np.asarray(programs[np.argsort(-scores, kind="stable")[:most]])
