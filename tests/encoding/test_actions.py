"""Masks and the decoding of actions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_play import play_random

from rr_gym.encoding.act.actions import ActionError, action_layout, decode_actions, write_masks
from rr_gym.encoding.act.spaces import action_space
from rr_gym.encoding.observe.seats import all_seats
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import new_log, no_orders


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(["death_trap", "risky_exchange"])


def masks_of(arena: Arena, games: np.ndarray, mode: str) -> np.ndarray:
    layout = action_layout(mode, arena.settings)
    masks = np.empty((len(games), int(games["num_robots"].max()), *layout.shape), np.int8)
    write_masks(games, arena.tables, layout.code, all_seats(*masks.shape[:2]), masks)
    return masks


def decode(arena: Arena, games: np.ndarray, mode: str, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    orders, repaired = no_orders(len(games), 8, full=True), np.zeros(actions.shape[:2], np.int32)
    code = action_layout(mode, arena.settings).code
    seats = all_seats(*repaired.shape)
    decode_actions(games, arena.tables, code, seats, actions.astype(np.int64), orders, repaired)
    return orders, repaired


def one_action(arena: Arena, games: np.ndarray, mode: str, **choices: int) -> tuple[np.void, int]:
    """Return the orders of seat 0 of the first game for an action named by component; other components are 0."""
    layout = action_layout(mode, arena.settings)
    actions = np.zeros((1, int(games["num_robots"][0]), len(layout.components)), int)
    for name, choice in choices.items():
        actions[0, 0, layout.components.index(name)] = choice
    orders, repaired = decode(arena, games[:1], mode, actions)
    return orders[0, 0], int(repaired[0, 0])


def test_components_follow_the_settings() -> None:
    def names(**chosen: object) -> tuple[str, ...]:
        return action_layout("draw", Arena("risky_exchange", chosen).settings).components[5:]

    assert names() == ("power_down", "facing", "unlock")
    assert names(preset="ah2005") == ("power_down", "facing", "square")
    assert names(power_down="off", option_cards="on", unlock="lowest")[:3] == ("facing", "site", "homing")
    with pytest.raises(ActionError, match="draw"):
        action_layout("cards", ())


def test_decisions_limit_the_components(arena: Arena) -> None:
    def names(decisions: object) -> tuple[str, ...]:
        return action_layout("draw", arena.settings, decisions).components[5:]  # type: ignore[arg-type]

    assert names(None) == ("power_down", "facing", "unlock")
    assert names(()) == ()
    assert names(["facing", "power_down"]) == ("power_down", "facing")
    for decisions, message in [
        (["powr_down"], "did you mean 'power_down'"),
        (["square"], "'square': the settings and the course leave no such choice: expected power_down, facing, unlock"),
        ("power_down", "expected a list"),
        (3, "expected a list"),
        ([3], "expected power"),
    ]:
        with pytest.raises(ActionError, match=message):
            names(decisions)
    # Components that are left out have their defaults.
    games = arena.new_games(1, 2, seed=4)
    layout = action_layout("draw", arena.settings, ["unlock"])
    orders, repaired = no_orders(1, 8, full=True), np.empty((1, 2), np.int32)
    actions = np.array([[[0, 0, 0, 0, 0, 3]] * 2])
    decode_actions(games, arena.tables, layout.code, all_seats(1, 2), actions, orders, repaired)
    assert orders["unlock"][0, :2].tolist() == [3, 3]
    assert not orders["power_down"].any()
    assert (orders["facing"] == -1).all()


def test_draw_covers_every_legal_program_exactly_once(arena: Arena) -> None:
    games = arena.new_games(1, 2, seed=4)
    robot = games["robots"][0, 0]
    robot["hand"] = 0
    robot["hand"][:6] = [80, 70, 60, 50, 40, 30]
    robot["locked"] = 0b10000
    robot["registers"][4] = 1
    mask = masks_of(arena, games, "draw")[0, 0]
    assert mask[:5].sum(axis=1).tolist() == [6, 5, 4, 3, 1]
    games = np.repeat(games, 6 * 5 * 4 * 3)
    choices = list(itertools.product(*(np.flatnonzero(mask[r]) for r in range(5))))
    actions = np.zeros((len(games), 2, len(mask)), int)
    actions[:, 0, :5] = choices
    orders, repaired = decode(arena, games, "draw", actions)
    programs = [tuple(p.tolist()) for p in orders["program"][:, 0]]
    assert set(programs) == {(*p, 0) for p in itertools.permutations([80, 70, 60, 50, 40, 30], 4)}
    assert len(set(programs)) == len(programs)
    assert not repaired.any()


def test_slots_name_slots_and_repairs_take_the_lowest_unused_one(arena: Arena) -> None:
    games = arena.new_games(1, 2, seed=4)
    hand = games["robots"]["hand"][0, 0].tolist()
    registers = {f"register_{r + 1}": slot for r, slot in enumerate([3, 1, 8, 0, 2])}
    order, repaired = one_action(arena, games, "slots", **registers)
    assert order["program"].tolist() == [hand[k] for k in (3, 1, 8, 0, 2)]
    assert repaired == 0
    registers = {f"register_{r + 1}": slot for r, slot in enumerate([0, 0, 10, 0, 5])}
    order, repaired = one_action(arena, games, "slots", **registers)
    assert order["program"].tolist() == [hand[k] for k in (0, 1, 2, 3, 5)]
    assert repaired == 3


def test_illegal_choices_count_as_the_default(arena: Arena) -> None:
    games = arena.new_games(1, 2, seed=4)
    hand = games["robots"]["hand"][0, 0].tolist()
    games["robots"]["may_face"][0, 0] = 0
    order, repaired = one_action(arena, games, "draw", register_1=-3, register_5=5, power_down=2, facing=1, unlock=6)
    assert order["program"].tolist() == hand[:5]
    assert (order["power_down"], order["facing"], order["unlock"]) == (0, -1, 0)
    assert repaired == 5
    games["over"] = 1
    order, repaired = one_action(arena, games, "draw", register_1=1, power_down=1)
    assert order == no_orders(1, full=True)[0]
    assert repaired == 2


def test_choices_besides_the_program() -> None:
    arena = Arena("risky_exchange", {"reentry": "adjacent8", "option_cards": "on"})
    games = arena.new_games(1, 2, seed=4)
    robot = games["robots"][0, 0]
    robot["facing"], robot["may_face"] = 3, 1
    order, repaired = one_action(arena, games, "draw", power_down=1, facing=2, unlock=4, site=2, square=8)
    assert (order["power_down"], order["stay_down"], order["facing"]) == (1, 0, 1)
    assert (order["unlock"], order["site"], order["square"], repaired) == (4, 2, 7, 0)
    robot["down"] = 1
    robot["hand"] = 0
    order, repaired = one_action(arena, games, "draw", power_down=1)
    assert (order["power_down"], order["stay_down"], repaired) == (0, 1, 0)
    assert masks_of(arena, games, "draw")[0, 0, :5].sum() == 5  # a robot that is down has no program


def test_first_card_must_move_where_the_rules_say_so() -> None:
    arena = Arena("risky_exchange", {"first_card_moves": "on"})
    games = arena.new_games(60, 4, seed=4)
    for mode in ("draw", "slots"):
        legal = masks_of(arena, games, mode)[:, :, 0, :9].astype(bool)
        assert np.array_equal(legal, games["robots"]["hand"][:, :4, :9] >= 43)
    hand = games["robots"]["hand"][0, 0].tolist()
    order, repaired = one_action(arena, games, "draw", register_1=8)
    assert order["program"][0] == hand[0]
    assert repaired == 1
    play_random(arena, games, 1)
    assert masks_of(arena, games[:1], "draw")[0, 0, 0].sum() > 1


@pytest.mark.parametrize("mode", ["draw", "slots"])
def test_masked_samples_are_played_as_they_are(arena: Arena, mode: str) -> None:
    games = arena.new_games(16, 8, seed=11, course_index=1)
    space = action_space(action_layout(mode, arena.settings))
    space.seed(7)
    logs = np.repeat(new_log(), len(games))
    for _ in range(6):
        masks = masks_of(arena, games, mode)
        assert (masks.max(axis=-1) == 1).all()
        assert (masks[..., 0] == 1).all()
        actions = np.array([[space.sample(mask) for mask in row] for row in masks])
        orders, repaired = decode(arena, games, mode, actions)
        # Masks of independent components cannot exclude used slots, so only repeated slots are repaired there.
        if mode == "draw":
            assert not repaired.any()
        before = games["robots"].copy()
        arena.play(games, orders, logs=logs)
        for g, seat in itertools.product(range(len(games)), range(8)):
            robot, program = before[g, seat], orders[g, seat]["program"]
            if not robot["alive"] or games[g]["over"]:
                continue
            hand = set(robot["hand"].tolist()) - {0}
            chosen = [int(card) for card in program if card]
            expected = 0 if robot["down"] else 5 - int(robot["locked"]).bit_count()
            assert len(chosen) == len(set(chosen)) == expected
            assert set(chosen) <= hand
            events = logs[g]["events"][: logs[g]["count"]]
            played = events[(events["kind"] == 1) & (events["robot"] == seat)]["target"]
            assert [c for c, locked in zip(played, _bits(robot["locked"]), strict=False) if not locked] == chosen


def _bits(mask: int) -> list[bool]:
    return [bool(mask >> r & 1) for r in range(5)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-(2**40), 2**40), min_size=8, max_size=8), st.integers(0, 200))
def test_any_numbers_decode_into_legal_orders(choices: list[int], seed: int) -> None:
    arena = Arena("risky_exchange")
    games = arena.new_games(1, 1, seed=seed)
    for mode in ("draw", "slots"):
        orders, repaired = decode(arena, games, mode, np.array([[choices]]))
        program = orders[0, 0]["program"].tolist()
        assert len(set(program)) == 5
        assert set(program) <= set(games["robots"]["hand"][0, 0, :9].tolist())
        assert 0 <= repaired[0, 0] <= 8
        assert orders[0, 0]["facing"] in range(-1, 4)
        assert orders[0, 0]["unlock"] in range(6)
        assert orders[0, 0]["power_down"] == (choices[5] == 1)


def test_the_space_samples_with_one_array(arena: Arena) -> None:
    layout = action_layout("draw", arena.settings)
    space = action_space(layout)
    mask = np.zeros(layout.shape, np.int8)
    mask[np.arange(layout.shape[0]), np.arange(layout.shape[0])] = 1
    assert space.sample(mask).tolist() == list(range(layout.shape[0]))
    assert space.contains(space.sample())
    assert space.sample(probability=mask.astype(float)).tolist() == list(range(layout.shape[0]))


def test_masks_of_some_seats_are_those_among_all(arena: Arena) -> None:
    games = arena.new_games(20, 4, seed=6, course_index=np.arange(20) % 2)
    play_random(arena, games, 4)
    seats = np.random.default_rng(2).integers(0, 4, (20, 2)).astype(np.int8)
    layout = action_layout("draw", arena.settings)
    masks = np.empty((20, 2, *layout.shape), np.int8)
    write_masks(games, arena.tables, layout.code, seats, masks)
    assert np.array_equal(masks, masks_of(arena, games, "draw")[np.arange(20)[:, None], seats])


def test_orders_of_other_seats_are_left_alone(arena: Arena) -> None:
    games = arena.new_games(3, 4, seed=6)
    layout = action_layout("slots", arena.settings)
    orders, repaired = no_orders(3, 8, full=True), np.empty((3, 2), np.int32)
    orders["unlock"] = 7
    seats = np.array([[0, 1], [3, 2], [2, 0]], np.int8)
    actions = np.zeros((3, 2, len(layout.components)), np.int64)
    actions[..., :5] = [4, 3, 2, 1, 0]
    decode_actions(games, arena.tables, layout.code, seats, actions, orders, repaired)
    for g in range(3):
        for seat in range(8):
            if seat in seats[g]:
                assert np.array_equal(orders["program"][g, seat], games["robots"]["hand"][g, seat, 4::-1])
                assert orders["unlock"][g, seat] == 0
            else:
                assert not orders["program"][g, seat].any()
                assert orders["unlock"][g, seat] == 7
