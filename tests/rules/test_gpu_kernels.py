"""Kernels for GPUs: run on this computer by one thread for each game, they give the games of `Arena`."""

from __future__ import annotations

import re
import shutil
from typing import Any

import numpy as np
import pytest

from rr_gym.bench.golden import digest, random_turn_orders
from rr_gym.compilation.kernels import COMPILED
from rr_gym.compilation.launching import Launcher
from rr_gym.compilation.ptx import assemble, make_ptx
from rr_gym.encoding.act import actions
from rr_gym.encoding.observe import observations
from rr_gym.forms import FORMS, form_of
from rr_gym.gpu_kernels import NAMES, launches
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import GAME, new_log, no_orders

pytestmark = pytest.mark.skipif(not COMPILED, reason="compilation is switched off")

Array = np.ndarray[Any, Any]
BLANK, SILENT, EVERY_GAME = np.zeros(1, GAME), new_log(on=False), np.zeros(0, np.bool_)
KEPT = ("course", "num_robots", "start_lives", "seed", "salt", "index")  # what a game is started with
ARENAS: dict[str, tuple[str, dict[str, Any]]] = {
    "base": ("risky_exchange", {"lives": 1}),
    "options": ("oddest_sea", {"start_options": 5, "lives": 2}),
    "full": ("everything", {"option_cards": "on", "start_options": 2, "lives": 2}),
}
RULES = ("start", "play", "random_orders", "places")


def play_both(form: str, turns: int, num_games: int = 100) -> None:
    """Play the same turns with `Arena` and by launches, and compare everything."""
    arena = Arena(*ARENAS[form])
    assert form_of(arena.tables.dtype.names or ()) == form
    launcher, status = Launcher(form, launches(form, RULES)), np.zeros(num_games, np.int32)
    theirs, mine = arena.new_games(num_games, 4, seed=7), np.zeros(num_games, GAME)
    for name in KEPT:
        mine[name] = theirs[name]
    launcher("start", status, mine, arena.tables, BLANK, SILENT, np.ones(num_games, np.bool_), False)
    assert digest(mine) == digest(theirs)
    for turn in range(turns):
        given = no_orders(num_games, MAX_ROBOTS, full=arena.full)
        orders, words = given.copy(), np.arange(num_games, dtype=np.uint64) + np.uint64(1000 * turn)
        launcher("random_orders", status, mine, orders, words.copy())
        arena.random_orders(theirs, given, words)
        assert np.array_equal(orders, given)
        if arena.full and turn % 2:
            orders = random_turn_orders(arena, theirs, turn)
        launcher("play", status, mine, arena.tables, orders, SILENT, EVERY_GAME, BLANK, True)
        arena.play(theirs, orders, restart=True)
        if turn % 20 == 0:
            assert digest(mine) == digest(theirs)
    places = np.zeros((num_games, MAX_ROBOTS), np.int8)
    launcher("places", status, mine, arena.tables, places)
    assert digest(mine) == digest(theirs)
    assert np.array_equal(places, arena.placements(theirs))
    assert mine["episode"].max() > 0, "no game ended"
    assert not status.any()


@pytest.mark.parametrize(
    "form", [pytest.param(form, marks=[] if form == "base" else pytest.mark.long) for form in FORMS]
)
def test_ten_thousand_turns_are_those_of_the_arena(form: str) -> None:
    play_both(form, 100)


def copied(value: Any) -> Any:
    """Return copies of arrays in tuples, and everything else as it is."""
    if isinstance(value, tuple):
        parts = map(copied, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value.copy() if isinstance(value, np.ndarray) else value


def same(value: Any, other: Any) -> bool:
    """Tell whether two values, or the values in two tuples, are equal."""
    return all(map(same, value, other)) if isinstance(value, tuple) else np.array_equal(value, other)


def calls_of(arena: Arena, games: Array, monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Return calls of all kernels of `rr_gym.encoding` that GPUs launch, each with its arguments, by launch."""
    seats = np.tile(np.arange(4, dtype=np.int8), (len(games), 1))
    layout = actions.action_layout("draw", arena.settings, "all")
    codes, masks = layout.code, np.zeros((len(games), 4, len(layout.components), layout.width), np.int8)
    chosen = np.random.default_rng(5).integers(0, layout.width, masks.shape[:3])
    orders = no_orders(len(games), MAX_ROBOTS, full=True)
    calls: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "masks": (actions.write_masks, (games, arena.tables, codes, seats, masks)),
        "decode": (actions.repair_actions, (games, arena.tables, codes, seats, chosen, orders)),
    }
    for kind in ("flat", "planes", "entities"):
        name = f"observe_{kind}"
        kernel, taken = getattr(observations, name), []
        monkeypatch.setattr(observations, name, lambda *arguments, taken=taken: taken.append(arguments))
        observations.make_observer(kind, arena, 4).observe(games, seats)
        calls[name] = kernel, taken[0]
    return calls


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_masks_orders_and_observations_are_those_of_the_package(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arena = Arena(*ARENAS[form])
    games = arena.new_games(20, 4, seed=3)
    for turn in range(12):
        arena.play(games, random_turn_orders(arena, games, turn), restart=True)
    calls = calls_of(arena, games, monkeypatch)
    assert {*calls, *RULES} == {*NAMES}
    launcher, status = Launcher(form, launches(form, calls)), np.zeros(20, np.int32)
    for name, (kernel, arguments) in calls.items():
        mine, theirs = copied(arguments), copied(arguments)
        kernel(*theirs)
        launcher(name, status, *mine)
        assert same(mine, theirs), name
        assert not same(arguments, theirs), f"{name} has written nothing"
    assert not status.any()


def make(form: str, names: tuple[str, ...]) -> str:
    try:
        return make_ptx(form, launches(form, names))
    except RuntimeError as error:
        if "makes no code for GPUs" not in str(error):
            raise
        pytest.skip(str(error))


def check(form: str, names: tuple[str, ...]) -> None:
    text = make(form, names)
    assert sorted(re.findall(r"\.entry (\w+)\(", text)) == sorted(names)
    if shutil.which("ptxas") is None:
        pytest.skip("ptxas is not installed: the code is not assembled")
    found = {one.kernel: one for one in assemble(text)}
    assert found.keys() == set(names)
    assert all(one.registers for one in found.values())


def test_code_for_gpus_is_made_and_assembled() -> None:
    check("base", ("start", "random_orders", "places"))


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_every_kernel_is_made_and_assembled(form: str, name: str) -> None:
    check(form, (name,))


def test_unknown_launches_are_refused() -> None:
    with pytest.raises(ValueError, match="'fly': expected some of start, play"):
        launches("base", ["fly"])
