"""Games from a user are checked before kernels use their numbers as indices."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from combinations import for_each
from conftest import ROOT, Python

from rr_gym import Arena, clone, determinize, make_player, no_orders
from rr_gym.compilation.kernels import COMPILED
from rr_gym.encoding import action_layout, all_seats, decode_actions, make_observer, write_masks
from rr_gym.encoding.act.random_orders import random_option_orders
from rr_gym.envs.core import Core
from rr_gym.errors import RoboRallyError
from rr_gym.players.protocol import SeatView
from rr_gym.rewards import Rewards, reward_spec
from rr_gym.rules.arena.arena import ArenaError
from rr_gym.rules.arena.game_checks import IN_BASE_GAMES, MASKS
from rr_gym.rules.arena.ranges import PLACE, RANGES, SQUARE, course_limits, fields_of
from rr_gym.rules.state.constants import BIG_ONE_BODY, MINE_TOKEN
from rr_gym.rules.state.records import ROBOT

Array = np.ndarray[Any, Any]
WRONG = r"games: game 1: num_bodies: 100: expected a whole number from 1 to 10"


@cache
def arena() -> Arena:
    return Arena("risky_exchange", {"option_cards": "on"}, full=True)


def games() -> Array:
    """Return three games, each with a device on the board."""
    found = arena().new_games(3, 4, seed=2)
    found["num_devices"] = 1
    found["devices"]["kind"][:, 0] = MINE_TOKEN
    found["discards_left"] = 2
    found["discards"][:, :2] = [5, 6]
    return found


def indices() -> Iterator[str]:
    """Yield the fields that become indices, by path.

    Left out are blasts, which do not exist between turns, and priorities, which are computed again.
    """
    for path, dtype in fields_of().items():
        if "orders." in path or path.startswith(("blasts.", "order", "padding")):
            continue
        if dtype.base.itemsize == 1 or RANGES[path] in (SQUARE, PLACE) or path in MASKS or path == "course":
            yield path


def limits_of(path: str) -> tuple[int, int]:
    """Return the lowest and the highest value that a field may hold on this arena."""
    limits, last = RANGES[path], int(course_limits(arena().tables)[0, 0])
    if isinstance(limits, str):
        return {SQUARE: (0, last), PLACE: (-1, last)}.get(limits, (0, 0))
    return limits


def first_of(batch: Array, path: str, game: int) -> tuple[Array, tuple[int, ...]]:
    """Return the numbers of a field, and the index of the first one of a game."""
    values = batch
    for name in path.split("."):
        values = values[name]
    return values, (game,) + (0,) * (values.ndim - 1)


@for_each(list(indices()))
def test_every_index_is_looked_at(path: str) -> None:
    """The kernel that is generated from the table of ranges enforces each range."""
    batch = games()
    arena().check(batch)
    values, place = first_of(batch, path, 2)
    bits, (low, high) = np.iinfo(values.dtype), limits_of(path)
    wrong = [number for number in (low - 1, high + 1, bits.min, bits.max) if not low <= number <= high]
    for number in wrong:
        if bits.min <= number <= bits.max:
            values[place] = number
            name = re.escape(path).replace(r"\.", r"(\[0\])?\.")
            with pytest.raises(ArenaError, match=rf"games: game 2: {name}(\[0\])*: {number}: expected a whole number"):
                arena().check(batch)


def test_base_games_are_looked_through_as_far_as_they_use_fields() -> None:
    base = Arena("risky_exchange")
    batch = base.new_games(2, 4)
    for path in ("deck_left", "robots.square", "robots.archive", "robots.hand", "robots.damage", "flag_squares"):
        before = clone(batch)
        values, place = first_of(batch, path, 1)
        values[place] = -100
        with pytest.raises(ArenaError, match=f"game 1: {path.partition('.')[0]}"):
            base.check(batch)
        batch = before
    batch["num_bodies"][1] = BIG_ONE_BODY + 1  # would make kernels read bodies that were not checked
    with pytest.raises(ArenaError, match="game 1: num_bodies: 9: expected 4"):
        base.check(batch)
    assert all(ROBOT.fields[name][1] < IN_BASE_GAMES for name in ("square", "archive", "hand", "flag", "carries"))  # type: ignore[index]


RELATED: dict[str, tuple[Callable[[Array], None], str]] = {
    "bodies": (lambda g: g.__setitem__("num_bodies", 6), r"num_bodies: 6: expected 4, or 9 with The Big One"),
    "alive": (lambda g: g["robots"]["alive"].__setitem__((1, 5), 1), r"robots\[5\].alive: 1: expected 0"),
    "body": (lambda g: g["robots"]["alive"].__setitem__((1, BIG_ONE_BODY), 1), r"robots\[8\].alive: 1: expected 0"),
    "square": (lambda g: g["robots"]["square"].__setitem__((1, 2), -1), r"robots\[2\].square: -1: expected a square"),
    "flag": (lambda g: g["robots"]["flag"].__setitem__((1, 2), 8), r"robots\[2\].flag: 8: .* 0 to 3, the flags"),
    "carries": (lambda g: g["robots"]["carries"].__setitem__((1, 3), 7), r"robots\[3\].carries: 7: .* 0 to 3"),
    "flags": (lambda g: g["flag_squares"].__setitem__((1, 2), -1), r"flag_squares\[2\]: -1: expected a square"),
    "pile": (lambda g: g["pile_of"].__setitem__((1, 50), 6), r"pile_of\[50\]: 6: expected a whole number from 0 to 3"),
    "device": (lambda g: g["devices"]["square"].__setitem__((1, 0), -1), r"devices\[0\].square: -1: expected a square"),
    "copy": (
        lambda g: (g["robots"]["has_copy"].__setitem__((1, 0), 1), g["robots"]["copy_square"].__setitem__((1, 0), -1)),
        r"robots\[0\].copy_square: -1: expected a square",
    ),
}


@pytest.mark.parametrize("name", list(RELATED))
def test_numbers_fit_each_other(name: str) -> None:
    change, message = RELATED[name]
    batch = games()
    change(batch)
    with pytest.raises(ArenaError, match=rf"games: game {0 if name == 'bodies' else 1}: {message}"):
        arena().check(batch)


def test_games_of_all_kinds_pass() -> None:
    for course, settings in (("everything", {"option_cards": "on"}), ("risky_exchange", {})):
        played = Arena(course, settings)
        batch = played.new_games(40 if COMPILED else 2, 4, seed=3)
        orders, words = no_orders(len(batch), 8, full=True), np.arange(len(batch), dtype=np.uint64)
        for _ in range(15 if COMPILED else 2):
            played.random_orders(batch, orders, words)
            played.play(batch, orders)


@pytest.mark.parametrize("threads", [1, 2])
def test_no_game_is_played_where_one_cannot_be(threads: int) -> None:
    batch = np.tile(games(), 4)
    batch["num_bodies"][11] = 100
    before = clone(batch)
    with pytest.raises(ArenaError, match="games: game 11: num_bodies: 100"):
        arena().play(batch, no_orders(12, 8, full=True), threads=threads)
    assert batch.tobytes() == before.tobytes()


def test_games_that_do_not_lie_together_are_played_as_others() -> None:
    together, apart = np.tile(games(), 2), np.tile(games(), 4)
    apart[::2] = together
    arena().play(together, no_orders(6, 8, full=True))
    arena().play(apart[::2], no_orders(6, 8, full=True))
    assert apart[::2].tobytes() == together.tobytes()
    apart["num_bodies"][4] = 100
    with pytest.raises(ArenaError, match="games: game 2: num_bodies: 100"):
        arena().play(apart[::2], no_orders(6, 8, full=True))


def _masks(batch: Array) -> None:
    layout = action_layout("slots", arena().settings)
    write_masks(batch, arena().tables, layout.code, all_seats(3, 4), np.zeros((3, 4, *layout.shape), np.int8))


def _decode(batch: Array) -> None:
    layout = action_layout("slots", arena().settings)
    actions, orders = np.zeros((3, 4, len(layout.components)), np.int64), no_orders(3, 8, full=True)
    decode_actions(batch, arena().tables, layout.code, all_seats(3, 4), actions, orders, np.zeros((3, 4), np.int32))


def _rewards() -> Rewards:
    return Rewards(arena(), reward_spec("sparse"))


def _earn(batch: Array) -> None:
    rewards = _rewards()
    rewards.after_turn(batch, rewards.start(games()), np.zeros(3, np.bool_), np.zeros((3, 4)))


WORDS = np.zeros(3, np.uint64)
PUBLIC: dict[str, Callable[[Array], object]] = {
    "play": lambda batch: arena().play(batch, no_orders(3, 8)),
    "placements": lambda batch: arena().placements(batch),
    "random_orders": lambda batch: arena().random_orders(batch, no_orders(3, 8), WORDS),
    "random_option_orders": lambda batch: random_option_orders(arena(), batch, no_orders(3, 8, full=True), WORDS),
    "equip": lambda batch: arena().equip(batch, 2),
    "give": lambda batch: arena().give(batch, 0, "brakes"),
    "determinize": lambda batch: determinize(batch, 0, 1),
    "observe": lambda batch: make_observer("flat", arena(), 4).observe(batch),
    "masks": _masks,
    "decode": _decode,
    "rewards": lambda batch: _rewards().start(batch),
    "after_turn": _earn,
    "view": lambda batch: SeatView.of(arena(), batch[1], 0),
    "random": lambda batch: make_player("random").act(arena(), batch, 0),
    "greedy": lambda batch: make_player("greedy").act(arena(), batch, 0),
    "racer": lambda batch: make_player("racer").act(arena(), batch, 0),
    "planner": lambda batch: make_player("planner:100").act(arena(), batch, 0),
}


@pytest.mark.parametrize("name", list(PUBLIC))
def test_whatever_takes_games_refuses_them(name: str) -> None:
    batch = games()
    batch["num_bodies"][1] = 100
    with pytest.raises(RoboRallyError, match=WRONG if name not in ("view", "planner") else WRONG.replace("1", "0", 1)):
        PUBLIC[name](batch)


@pytest.mark.parametrize(("field", "value", "expected"), [
    ("course", 7, "from 0 to"), ("num_robots", 9, "from 1 to 8"), ("num_robots", 0, "from 1 to 8"),
    ("start_lives", -9, "from -1 to"),
])  # fmt: skip
def test_restarts_look_at_what_a_new_episode_keeps(field: str, value: int, expected: str) -> None:
    batch = games()
    batch[field][1] = value
    before = batch.tobytes()
    with pytest.raises(RoboRallyError, match=rf"^games: game 1: {field}: {value}: expected a whole number {expected}"):
        arena().restart(batch)
    assert batch.tobytes() == before


def test_what_a_restart_replaces_may_be_anything() -> None:
    batch, whole = games(), games()
    batch["num_bodies"], batch["deck"] = 100, -1
    arena().restart(batch)
    arena().restart(whole)
    assert batch.tobytes() == whole.tobytes()


def test_seats_of_masks_are_checked() -> None:
    layout = action_layout("slots", arena().settings)
    out = np.zeros((3, 1, *layout.shape), np.int8)
    with pytest.raises(RoboRallyError, match="seats: game 2: 7: expected a whole number from 0 to 3"):
        write_masks(games(), arena().tables, layout.code, np.array([[0], [1], [7]], np.int8), out)


def test_the_environment_plays_its_own_games_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    core = Core("risky_exchange", 2, 2)
    core.reset(seed=1)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("the environment's own games were checked")

    monkeypatch.setattr(Arena, "check", never)
    core.step(np.zeros((core.num_rows, len(core.layout.components)), np.int64))
    core.observe()
    core.masks()


@pytest.mark.parametrize(
    ("count", "variables"),
    [
        ("40", {"NUMBA_DISABLE_JIT": "1"}),
        pytest.param("20000", {"NUMBA_BOUNDSCHECK": "1"}, marks=pytest.mark.long),
    ],
    ids=["interpreted", "checked"],
)
def test_mutated_records_stay_within_arrays(count: str, variables: dict[str, str], python: Python) -> None:
    """Each record is refused, or no use of it indexes beyond an array."""
    forms = ["base"] if "NUMBA_DISABLE_JIT" in variables else []
    path = f"{ROOT / 'tests' / 'helpers'}{os.pathsep}{ROOT}"
    done = python("tests/helpers/mutated_records.py", count, *forms, PYTHONPATH=path, **variables)
    assert "out of bounds: 0\n" in done.stdout
    assert int(re.findall(r"refused: (\d+)", done.stdout)[0]) > int(count) // 10
