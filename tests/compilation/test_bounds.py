"""Kernels count no index from the end of an array: machine code does not look for that, but as it checks bounds."""

from __future__ import annotations

import pytest
from conftest import Python

from rr_gym.compilation.kernels import COMPILED

# Players of all kinds, all observations, what is known of choices and rewards, in games in which robots are destroyed.
PLAY = """
import sys
import numpy as np
from rr_gym import arena_of, list_players, make_player, no_orders
from rr_gym.choices.columns import LOOKAHEADS
from rr_gym.encoding.act.sampling import random_actions
from rr_gym.encoding.observe.observations import OBSERVATIONS
from rr_gym.envs.core import Core
from rr_gym.rewards.terms import TERMS
_, course, options = sys.argv
settings = {"option_cards": options, "lives": 3}
arena = arena_of(course, settings)
games, orders = arena.new_games(3, 4, seed=7), no_orders(3, 8, full=True)
players = [make_player({"planner": "planner:100", "strategist": "strategist:100"}.get(p.name, p.name))
           for p in list_players()]
for turn in range(6):
    for seat in range(4):
        for player in players if not (seat or turn % 2) else players[:1]:
            orders[:, seat] = player.act(arena, games, seat)
    arena.play(games, orders, restart=True)
games["robots"]["damage"][:, 1] = 7  # few cards, locked registers
games["robots"]["lives"][:, 2] = 1  # destroyed is out
for player in players:
    for seat in (1, 2):
        player.act(arena, games, seat)
seen = [{"observation": name, "action": "cards"} for name in OBSERVATIONS]
seen += [{"observation": "choices", "action": "cards", "lookahead": name, "preview": True} for name in LOOKAHEADS]
random = np.random.default_rng(3)
for form in (*seen, {"action": "slots"}, {"action": "draw"}):
    core = Core(course, 4, settings=settings, decisions="all", reward={term: 1.0 for term in TERMS}, **form)
    core.reset(seed=5)
    for _ in range(12):
        core.observe()
        core.step(random_actions(core.masks(), random))
print("played")
"""


@pytest.mark.skipif(not COMPILED, reason="NumPy counts from the end too")
@pytest.mark.parametrize(
    ("course", "options"),
    [
        ("pilgrimage", "off"),
        pytest.param("pilgrimage", "on", marks=pytest.mark.long),
        pytest.param("everything", "on", marks=pytest.mark.long),
    ],
    ids=["base", "options", "full"],
)
def test_no_kernel_counts_from_the_end(course: str, options: str, python: Python) -> None:
    assert python("-c", PLAY, course, options, NUMBA_BOUNDSCHECK="1").stdout == "played\n"
