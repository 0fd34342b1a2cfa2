"""Random orders of option cards are legal, and use what robots own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rr_gym.compilation.kernels import COMPILED
from rr_gym.encoding.act.random_orders import random_option_orders
from rr_gym.encoding.orders.legal_orders import resolve_orders
from rr_gym.encoding.orders.orders import Orders
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.option_cards import CRAB_LEGS, DUAL_PROCESSOR, OVERLOAD_OVERRIDE
from rr_gym.rules.state.records import DEFAULT_DECISIONS, no_orders

NUM_GAMES = 16 if COMPILED else 2
TURNS = 10 if COMPILED else 3


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena("oddest_sea", {"lives": "unlimited", "option_cards": "on"})


def equipped(arena: Arena, each: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    games = arena.new_games(NUM_GAMES, 8, seed=4)
    arena.equip(games, each)
    return games, np.arange(NUM_GAMES, dtype=np.uint64)


def test_random_orders_are_legal(arena: Arena) -> None:
    (games, words), orders = equipped(arena, 6), no_orders(NUM_GAMES, 8, full=True)
    used: set[str] = set()
    for _ in range(TURNS):
        random_option_orders(arena, games, orders, words)
        for g, game in enumerate(games):
            for seat in np.flatnonzero(game["robots"]["alive"][:8]):
                order = Orders.from_record(orders[g, seat])
                resolve_orders({int(seat): order}, game, arena.settings[0], arena.tables[0])
                used |= {name for name in Orders.__slots__ if getattr(order, name) != getattr(Orders(), name)}
        arena.play(games, orders, restart=True)
        arena.equip(games, 6)
    assert {"program", "weapon", "gadget", "movement_option", "second"} <= used


def test_two_cards_in_a_register_always_come_with_their_option(arena: Arena) -> None:
    games, words = equipped(arena, 0)
    pairing = sum(1 << option for option in (CRAB_LEGS, DUAL_PROCESSOR, OVERLOAD_OVERRIDE))
    games["robots"]["options"][:, 0] = pairing
    orders = no_orders(NUM_GAMES, 8, full=True)
    paired = 0
    for _ in range(TURNS):
        random_option_orders(arena, games, orders, words)
        two = (orders["movement_option"] >= 1) & (orders["movement_option"] <= 4)
        assert ((orders["second"] != 0) == two).all()
        assert not two[:, 1:].any()
        paired += int(two.sum())
    assert paired > 0


def test_without_options_nothing_is_decided(arena: Arena) -> None:
    games, words = equipped(arena, 0)
    orders = no_orders(NUM_GAMES, 8, full=True)
    random_option_orders(arena, games, orders, words)
    assert (orders["program"] != 0).all()
    for name in DEFAULT_DECISIONS.dtype.names or ():
        assert (orders[name] == DEFAULT_DECISIONS[name]).all(), name


def test_random_orders_depend_only_on_the_words(arena: Arena) -> None:
    games, words = equipped(arena, 5)
    first, again, other = (no_orders(NUM_GAMES, 8, full=True) for _ in range(3))
    again["second"] = 9  # earlier contents must not matter
    random_option_orders(arena, games, first, words.copy())
    random_option_orders(arena, games, again, words.copy(), threads=2)
    random_option_orders(arena, games, other, words + np.uint64(77))
    assert (first == again).all()
    assert (first != other).any()
