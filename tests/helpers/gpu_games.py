"""The same games on a device and on this computer."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.bench.golden import digest, random_turn_orders
from rr_gym.cuda.arena import DeviceArena
from rr_gym.cuda.device import Gpu
from rr_gym.forms import form_of
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders

ARENAS: dict[str, tuple[str, dict[str, Any]]] = {
    "base": ("risky_exchange", {"lives": 1}),
    "options": ("oddest_sea", {"start_options": 5, "lives": 2}),
    "full": ("everything", {"option_cards": "on", "start_options": 2, "lives": 2}),
}


def arena_on(device: Gpu, form: str, in_parts: bool | None = None) -> DeviceArena:
    """Return an arena of a form of the rules on a device."""
    arena = DeviceArena(*ARENAS[form], on=device, in_parts=in_parts)
    assert arena.form == form == form_of(arena.host.tables.dtype.names or ())
    return arena


def play_both(arena: DeviceArena, turns: int, num_games: int = 100) -> None:
    """Play the same turns on the device and on this computer, and compare all games and places."""
    host = arena.host
    games, theirs = arena.new_games(num_games, 4, seed=7), host.new_games(num_games, 4, seed=7)
    assert digest(games.read()) == digest(theirs)
    orders, given = arena.new_orders(num_games), no_orders(num_games, MAX_ROBOTS, full=host.full)
    for turn in range(turns):
        words = np.arange(num_games, dtype=np.uint64) + np.uint64(1000 * turn)
        arena.random_orders(games, orders, arena.copy(words))
        host.random_orders(theirs, given, words)
        if host.full and turn % 2:
            given = random_turn_orders(host, theirs, turn)
            orders.write(given)
        arena.play(games, orders, restart=True)
        host.play(theirs, given, restart=True)
        if turn % 20 == 0:
            assert np.array_equal(orders.read()["program"], given["program"])
            assert digest(games.read()) == digest(theirs)
    assert digest(games.read()) == digest(theirs)
    assert np.array_equal(arena.placements(games).read(), host.placements(theirs))
    assert theirs["episode"].max() > 0, "no game ended"
    arena.check()
