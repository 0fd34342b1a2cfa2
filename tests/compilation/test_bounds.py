"""Bounds checks: checked code stops before it leaves an array, and no kernel uses negative indices."""

from __future__ import annotations

import pytest
from conftest import Python

from rr_gym.compilation.kernels import COMPILED

# Machine code handles negative indices only when it checks bounds.
# This plays games with all kinds of players, observations, choices and rewards, in which robots are destroyed.
PLAY = """
import sys
import numpy as np
from rr_gym import arena_of, list_players, make_player, no_orders
from rr_gym.compilation.cache import compile_all
from rr_gym.choices.columns import LOOKAHEADS
from rr_gym.encoding.act.sampling import random_actions
from rr_gym.encoding.observe.observations import OBSERVATIONS
from rr_gym.envs.core import Core
from rr_gym.rewards.terms import TERMS
_, form, course, options = sys.argv
compile_all(form)  # takes less time than its groups one after another, which share most kernels
compile_all("any")
settings = {"option_cards": options, "lives": 3}
arena = arena_of(course, settings)
games, orders = arena.new_games(3, 4, seed=7), no_orders(3, 8, full=True)
searching = ("equilibrium", "planner", "strategist")
players = [make_player(f"{p.name}:100" if p.name in searching else p.name) for p in list_players()]
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


@pytest.mark.skipif(not COMPILED, reason="NumPy accepts negative indices")
@pytest.mark.parametrize(
    ("form", "course", "options"),
    [
        ("base", "pilgrimage", "off"),
        pytest.param("options", "pilgrimage", "on", marks=pytest.mark.long),
        pytest.param("full", "everything", "on", marks=pytest.mark.long),
    ],
)
def test_no_kernel_uses_negative_indices(form: str, course: str, options: str, python: Python) -> None:
    assert python("-c", PLAY, form, course, options, NUMBA_BOUNDSCHECK="1").stdout == "played\n"


# Memory before and after an array, or at the first item of an empty one, stays as it was; threads whose indices are
# valid are not affected by one whose index is not.
OUTSIDE = """
import threading
import numpy as np
from rr_gym.compilation.kernels import kernel

@kernel
def put(numbers, place: int) -> int:
    numbers[place] = 7
    return 1

@kernel
def look(numbers, place: int) -> int:
    return numbers[place]

@kernel
def put_then_look(numbers, place: int, other: int) -> int:
    return put(numbers, place) + look(numbers, other)

@kernel
def look_long(numbers, place: int, times: int) -> int:
    found = 0
    for _ in range(times):
        found = (found + look(numbers, place)) % 1000003
    return found

def attempt(called, *arguments):
    try:
        return called(*arguments)
    except IndexError as error:
        return str(error)

around = np.arange(5)
empty, two = around[2:2], around[1:3]
print(attempt(look, empty, 0), attempt(put, empty, 0), sep="; ")
print(attempt(put, two, 2), attempt(put, two, 1 << 40), attempt(look, two, -(1 << 63)), sep="; ")
print(attempt(put_then_look, two, 2, 0), attempt(put_then_look, around[:0], 0, 0), sep="; ")
print(around.tolist())
print(attempt(put_then_look, two, 0, 2), attempt(put_then_look, two, 0, 0), around.tolist(), sep="; ")

found = {place: [] for place in (1, 2)}
def work(place):
    for _ in range(50):
        found[place].append(attempt(look_long, two, place, 100_000))
threads = [threading.Thread(target=work, args=(place,)) for place in found]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print({place: set(said) for place, said in found.items()})
"""


@pytest.mark.skipif(not COMPILED, reason="NumPy checks indices itself")
def test_checked_code_touches_nothing_outside_and_names_the_kernel(python: Python) -> None:
    look, put = (f"index is out of bounds in __main__.{name}" for name in ("look", "put"))
    assert python("-c", OUTSIDE, NUMBA_BOUNDSCHECK="1").stdout.splitlines() == [
        f"{look}; {put}",
        f"{put}; {put}; {look}",
        f"{put}; {put}",
        "[0, 1, 2, 3, 4]",
        f"{look}; 8; [0, 7, 2, 3, 4]",
        f"{{1: {{{2 * 100_000 % 1000003}}}, 2: {{'{look}'}}}}",
    ]
