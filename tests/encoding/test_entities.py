"""The observation `entities`: its tables contain what `flat` does, and the place of the window on the board."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_play import play_random

from rr_gym.encoding.observe.board import NUM_FEATURES, SQUARE_FEATURES
from rr_gym.encoding.observe.entities import CARD_FEATURES, FLAG_FEATURES, board_window, entity_columns
from rr_gym.encoding.observe.features import GAME_FEATURES, ROBOT_FEATURES
from rr_gym.encoding.observe.flat import flat_feature_names
from rr_gym.encoding.observe.observations import EntitiesObserver, EntitiesPlanesObserver, FlatObserver
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, DECK_SIZE

COURSES = ["risky_exchange", "death_trap"]


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(COURSES)


def positions(arena: Arena, num_robots: int, turns: int, phase: int = 0) -> np.ndarray:
    """Return games after random turns, with cards in the first `phase` registers of the next one."""
    games = arena.new_games(30, num_robots, seed=4, course_index=np.arange(30) % len(COURSES))
    play_random(arena, games, turns, seed=num_robots, restart=False)
    if phase:
        games["phase"][games["over"] == 0] = phase
        free = games["robots"]["registers"] == 0
        games["robots"]["registers"][free] = np.random.default_rng(num_robots).integers(1, DECK_SIZE + 1, free.sum())
    return games


def names(features: Any) -> list[str]:
    return [name for name, _, _ in features]


def table(seen: dict[str, np.ndarray], name: str, column: str) -> np.ndarray:
    return seen[name][..., names(entity_columns()[name]).index(column)]


@pytest.mark.parametrize(("num_robots", "turns", "phase"), [(1, 3, 0), (4, 0, 0), (4, 9, 0), (4, 9, 3), (8, 5, 5)])
def test_tables_agree_with_flat(arena: Arena, num_robots: int, turns: int, phase: int) -> None:
    games = positions(arena, num_robots, turns, phase)
    flat = FlatObserver(arena, num_robots, 5).observe(games)
    place = {name: i for i, name in enumerate(flat_feature_names(num_robots, 5))}
    seen = EntitiesPlanesObserver(arena, num_robots, 5).observe(games)
    compared = 0

    def check(values: np.ndarray, name: str) -> None:
        nonlocal compared
        assert np.array_equal(values, flat[..., place[name]]), name
        compared += 1

    for name in names(GAME_FEATURES):
        check(table(seen, "game", name), name)
    for f in range(8):
        for name in ("forward", "right"):
            check(table(seen, "flags", name)[..., f], f"flag_{f + 1}_{name}")
    for name in names(ROBOT_FEATURES):
        for k in range(num_robots):
            check(table(seen, "robots", name)[..., k], f"robot_{k}_{name}")
    for name in ("type", "priority"):
        for slot in range(11):
            check(table(seen, "cards", name)[..., slot], f"hand_{slot}_{name}")
    for i, forward in enumerate(range(2, -3, -1)):
        for j, right in enumerate(range(-2, 3)):
            for name in names(SQUARE_FEATURES):
                check(table(seen, "planes", name)[..., i, j], f"{name}@{forward:+d},{right:+d}")
    assert compared == len(place)
    # `flat` contains one's own registers twice
    for r in range(5):
        for name in ("locked", "locked_type", "locked_priority"):
            column = name.removeprefix("locked_")
            expected = flat[..., place[f"robot_0_locked_{r + 1}{name.removeprefix('locked')}"]]
            assert np.array_equal(table(seen, "cards", column)[..., 11 + r], expected)


def test_cards_say_what_they_do(arena: Arena) -> None:
    does = {
        "none": (0, 0), "u_turn": (0, 2), "rotate_left": (0, -1), "rotate_right": (0, 1),
        "back_up": (-1, 0), "move_1": (1, 0), "move_2": (2, 0), "move_3": (3, 0),
    }  # fmt: skip
    games = arena.new_games(1, 2, seed=1)
    robot = games["robots"][0, 0]
    robot["hand"] = [84, 78, 66, 48, 42, 41, 6, 0, 0, 0, 0]
    robot["registers"] = [1, 7, 50, 8, 43]
    robot["locked"] = 0b11000
    games["phase"] = 2
    seen = EntitiesObserver(arena, 2).observe(games)["cards"][0, 0]
    for row, card in zip(seen, [84, 78, 66, 48, 42, 41, 6, 0, 0, 0, 0, 1, 7, 0, 8, 43], strict=True):
        facts = dict(zip(names(CARD_FEATURES), row.tolist(), strict=True))
        assert (facts["steps"], facts["turn"]) == does[CARD_TYPE_NAMES[CARD_TYPE[card]]]
        assert (facts["present"], facts["type"], facts["priority"]) == (card > 0, CARD_TYPE[card], 10 * card)
    assert seen[:, names(CARD_FEATURES).index("locked")].tolist() == [0] * 14 + [1, 1]


def test_flags_are_touched_in_turn(arena: Arena) -> None:
    games = arena.new_games(1, 2, seed=1)
    num_flags = int(arena.tables["course"]["num_flags"][0])
    for touched in range(num_flags + 1):
        games["robots"]["flag"][0, 1] = touched
        seen = EntitiesObserver(arena, 2).observe(games)
        assert table(seen, "flags", "present")[0, 1].tolist() == [int(f < num_flags) for f in range(8)]
        assert table(seen, "flags", "touched")[0, 1].tolist() == [int(f < touched) for f in range(8)]
        assert table(seen, "flags", "next")[0, 1].tolist() == [int(f == touched < num_flags) for f in range(8)]
    assert names(FLAG_FEATURES) == ["present", "forward", "right", "touched", "next"]


@pytest.mark.parametrize("window", [1, 5, 15])
def test_the_board_table_gives_the_place_of_the_window(arena: Arena, window: int) -> None:
    games = positions(arena, 4, 6)
    observer = EntitiesPlanesObserver(arena, 4, window)
    seen = observer.observe(games)
    cut = board_window(observer.boards, seen["board"], window)
    assert cut.shape == (30, 4, window, window, NUM_FEATURES)
    assert cut.dtype == np.int8
    assert np.array_equal(cut, seen["planes"])
    course, facing, row, column = seen["board"][1, 2]
    slices = observer.boards[course, facing, row : row + window, column : column + window]
    assert np.array_equal(slices, seen["planes"][1, 2])
    assert np.array_equal(seen["board"][..., 0], np.repeat(games["course"][:, None], 4, axis=1))
    assert np.array_equal(seen["board"][..., 1], games["robots"]["facing"][:, :4])


@pytest.mark.parametrize("make", [EntitiesObserver, EntitiesPlanesObserver])
@pytest.mark.parametrize("num_robots", [1, 8])
def test_observations_lie_within_the_space(arena: Arena, make: type[EntitiesObserver], num_robots: int) -> None:
    observer = make(arena, num_robots, 7)
    space = observer.space()
    for turns, phase in ((0, 0), (2, 1), (12, 4), (25, 0)):
        seen = observer.observe(positions(arena, num_robots, turns, phase))
        for g in range(30):
            for seat in range(num_robots):
                assert space.contains({name: array[g, seat] for name, array in seen.items()})
    assert sorted(space.spaces) == sorted(seen)


def test_bounds_are_those_of_the_columns(arena: Arena) -> None:
    space = EntitiesPlanesObserver(arena, 3, 7).space()
    for name, features in entity_columns().items():
        box = space[name]
        assert box.dtype == (np.int8 if name == "planes" else np.int16)
        for i, (_, low, high) in enumerate(features):
            assert (box.low[..., i] == low).all()
            assert (box.high[..., i] == high).all()
    size = max(int(arena.tables["course"][side].max()) for side in ("width", "height"))
    assert space["board"].high.tolist() == [1, 3, size - 1, size - 1]
    shapes = {name: box.shape for name, box in space.spaces.items()}
    assert shapes == {
        "game": (7,), "robots": (3, 29), "cards": (16, 6), "flags": (8, 5), "board": (4,), "planes": (7, 7, 18),
    }  # fmt: skip


def test_a_buffer_is_filled_in_place(arena: Arena) -> None:
    games = positions(arena, 4, 2)
    observer = EntitiesObserver(arena, 4)
    out = observer.buffer(30, 1)
    seats = np.full((30, 1), 2, np.int8)
    observer.write(games, seats, out)
    expected = observer.observe(games)
    assert all(np.array_equal(out[name], expected[name][:, 2:3]) for name in out)
    none = observer.observe(games[:0])
    assert none["robots"].shape == (0, 4, 4, 29)
