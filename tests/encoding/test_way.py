"""`entities+way`: the path distance of each square of the window from the next flag."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rr_gym import arena_of, path_distances
from rr_gym.courses.text.grammar import STEPS
from rr_gym.encoding import make_observer
from rr_gym.envs.core import Core
from rr_gym.errors import RoboRallyError

FARTHEST = 255


@pytest.mark.parametrize("action", ["draw", "cards"])
def test_squares_have_the_registers_to_the_next_flag(action: str) -> None:
    core = Core(
        course=["risky_exchange", "death_trap"], num_games=6, num_robots=2, observation="entities+way", action=action,
        window=9, preview=action == "cards",
    )  # fmt: skip
    core.reset(1)
    rng, compared = np.random.default_rng(0), 0
    for _ in range(12 * core.stages):
        seen = core.observe()
        assert seen["way"].shape == (12, 9, 9, 1)
        assert seen["planes"].shape == (12, 9, 9, 18)
        games = core.steps.games if core.steps else np.repeat(core.games, 2)
        seats = core.steps.seats[:, 0] if core.steps else core.seats.ravel()
        for row, (game, seat) in enumerate(zip(games, seats, strict=True)):
            robot, table = game["robots"][seat], core.arena.tables[game["course"]]
            distances = path_distances(table)
            if robot["square"] < 0 or robot["flag"] >= len(distances):
                continue
            width, height = int(table["course"]["width"]), int(table["course"]["height"])
            nearest = distances[robot["flag"]].min(-1).clip(0, FARTHEST)
            forward, right = STEPS[int(robot["facing"])], STEPS[(int(robot["facing"]) + 1) % 4]
            for ahead, aside in ((0, 0), (1, 0), (0, 1), (-3, 2), (4, -4)):
                x = robot["square"] % width + ahead * forward[0] + aside * right[0]
                y = robot["square"] // width + ahead * forward[1] + aside * right[1]
                inside = 0 <= x < width and 0 <= y < height
                expected = nearest[y * width + x] if inside else FARTHEST
                assert seen["way"][row, 4 - ahead, 4 + aside, 0] == expected
                compared += 1
        core.step(core.sample_actions(rng))
        core.restart(core.ended.copy())
    assert compared > 300


def test_no_distance_is_left_after_the_last_flag() -> None:
    arena = arena_of("risky_exchange", None)
    games = arena.new_games(1, num_robots=1, seed=1)
    games["robots"]["flag"][:, 0] = arena.tables["course"]["num_flags"][0]
    observer = make_observer("entities+way", arena, num_robots=1)
    out: Any = observer.buffer(1, 1)
    observer.write_own(games, np.zeros((1, 1), np.int8), out)
    assert not out["way"].any()
    assert observer.space()["way"].high.max() == FARTHEST


def test_unknown_observations_with_plus_are_refused() -> None:
    with pytest.raises(RoboRallyError, match=r"observation: 'entities\+paths': .*"):
        make_observer("entities+paths", arena_of("risky_exchange", None), num_robots=1)
