"""The small network that predicts which of two robots finishes ahead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rr_gym.players.pair_network import (
    FACTS,
    WEIGHTS_FILE,
    network_of,
    network_value,
    no_network,
    predicted_lead,
    shipped_network,
    write_pairs,
)
from rr_gym.players.race_values import WIN, turns_to_go, value_of
from rr_gym.rules.arena.arena import Arena
from rr_gym.solo.turn_tables import expected_turns

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena("risky_exchange")


@pytest.fixture
def weights() -> dict[str, Array]:
    with np.load(WEIGHTS_FILE) as file:
        return {name: file[name] for name in file.files}


def worth(arena: Arena, game: Any, seat: int, shipped: bool = True) -> int:
    network = shipped_network() if shipped else no_network()
    return int(network_value(network, game, arena.tables[0], expected_turns(arena), 0, seat, 0))


def test_a_robot_is_worth_more_near_its_flag_undamaged_and_with_lives(arena: Arena) -> None:
    game = arena.new_games(1, 2, seed=1)[0]
    known = expected_turns(arena)
    order = np.argsort(known.turns[0, 0, :-1])
    robot = game.robots[0]
    robot.may_face = 0
    values = []
    for state in (order[0], order[len(order) // 2], order[-1]):
        robot.square, robot.facing = int(state) // 4, int(state) % 4
        values.append(worth(arena, game, 0))
    assert WIN > values[0] > values[1] > values[2] > 0
    robot.square, robot.facing = int(order[0]) // 4, int(order[0]) % 4
    robot.damage = 6
    assert worth(arena, game, 0) < values[0]
    robot.damage, robot.lives = 0, 1
    assert worth(arena, game, 0) < values[0]


def test_the_values_of_two_rivals_add_up_to_about_a_win(arena: Arena) -> None:
    """Nothing in the network enforces that, but it has learned from both sides of each pair."""
    for game in arena.new_games(20, 2, seed=5):
        assert abs(worth(arena, game, 0) + worth(arena, game, 1) - WIN) < 0.1 * WIN


@pytest.mark.parametrize("settings", [{}, {"teams": 2}])
def test_expected_turns_value_games_without_a_network_and_games_of_teams(settings: dict[str, int]) -> None:
    arena = Arena("risky_exchange", settings)
    game = arena.new_games(1, 4, seed=2)[0]
    expected = int(value_of(game, arena.tables[0], expected_turns(arena), 0, 1, 0))
    assert worth(arena, game, 1, shipped=False) == expected
    assert (worth(arena, game, 1) == expected) == bool(settings)


def test_finished_games_and_eliminated_robots_need_no_prediction(arena: Arena) -> None:
    game = arena.new_games(1, 3, seed=2)[0]
    game.robots[2].out = 1
    assert worth(arena, game, 2) == 0
    game.over, game.winners = 1, 2
    assert [worth(arena, game, seat) for seat in range(3)] == [0, WIN, 0]


def test_predictions_are_those_of_the_weights(arena: Arena, weights: dict[str, Array]) -> None:
    games = arena.new_games(3, 3, seed=3)
    known = expected_turns(arena)
    facts = np.full((3, 3, 3, len(FACTS)), np.float32(np.nan))
    write_pairs(games, arena.tables, known, 0, facts)
    assert np.isnan(facts[:, range(3), range(3)]).all()
    for g, i, j in ((0, 0, 1), (1, 2, 0), (2, 1, 2)):
        row = facts[g, i, j]
        hidden = np.maximum(row @ weights["first"] + weights["bias"], 0)
        lead = hidden @ weights["last"] + row @ weights["direct"] + weights["rest"][0]
        need, rival_need = (int(turns_to_go(games[g], arena.tables[0], known, 0, seat, False)) for seat in (i, j))
        found = predicted_lead(shipped_network(), games[g], arena.tables[0], i, j, need, rival_need)
        assert abs(int(found) / 256 - lead) < 0.01


def test_facts_say_how_two_robots_stand_to_each_other(arena: Arena) -> None:
    game = arena.new_games(1, 2, seed=3)[0]
    for seat, square in enumerate((5 + 12 * 5, 5 + 12 * 3)):  # the second robot is two squares north of the first
        robot = game.robots[seat]
        robot.square, robot.facing, robot.virtual, robot.damage, robot.may_face = square, 0, 0, 6 * seat, 0
    facts = np.zeros((1, 2, 2, len(FACTS)), np.float32)
    write_pairs(arena.new_games(1, 2, seed=3)[:0], arena.tables, expected_turns(arena), 0, facts)
    assert not facts.any()
    games = arena.new_games(1, 2, seed=3)
    games[0] = game
    write_pairs(games, arena.tables, expected_turns(arena), 0, facts)
    first = dict(zip(FACTS, facts[0, 0, 1].tolist(), strict=True))
    assert (first["near"], first["adjacent"], first["same_flag"]) == (0.75, 1, 1)
    assert (first["forward"], first["aside"], first["straight_ahead"]) == (0.25, 0, 1)
    assert (first["rival_forward"], first["rival_straight_ahead"]) == (-0.25, 0)
    assert (first["damage"], first["rival_damage"], first["rival_locked_registers"]) == (0, 1.5, 1)
    second = dict(zip(FACTS, facts[0, 1, 0].tolist(), strict=True))
    assert second["lead"] == -first["lead"]
    assert second["damage"] == 1.5


def test_weights_for_other_facts_are_refused(weights: dict[str, Array]) -> None:
    weights["first"] = weights["first"][1:]
    with pytest.raises(ValueError, match=r"first: shape \(\d+, 16\): expected \(\d+, 16\)"):
        network_of(weights)
