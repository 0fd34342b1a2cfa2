"""Players, interfaces and rewards of games with option cards, devices and teams."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from option_games import as_json, deal_options, floor, give, play_random
from pettingzoo.test import api_test

from rr_gym import roborally_v0
from rr_gym.courses.course import Course
from rr_gym.encoding.observe.view import view_of
from rr_gym.encoding.orders.legal_orders import resolve_orders
from rr_gym.encoding.teams import side_is_out, sides_out
from rr_gym.envs.core import Core
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.envs.vector import RoboRallyVectorEnv
from rr_gym.players.protocol import SeatView
from rr_gym.registry import make_player
from rr_gym.rewards.terms import Rewards, reward_spec
from rr_gym.rules.devices.devices import lay_device
from rr_gym.rules.state.constants import BEST_CARD, LAY_MINE
from rr_gym.rules.state.records import new_log, no_orders

Array = np.ndarray[Any, Any]


def few_cards(games: Array) -> None:
    """Give every robot six cards in the first turn, so that there are few programs to try."""
    games["robots"]["damage"] = 3
    games["robots"]["locked"] = 0
    games["robots"]["hand"][..., 6:] = 0


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_players_order_what_their_options_allow(name: str) -> None:
    arena = floor()
    count = 3 if name == "random" else 1
    games = arena.new_games(count, 3, seed=1)
    rng = np.random.default_rng(2)
    player = make_player(name)
    used: set[str] = set()
    for _ in range(count):
        few_cards(games)
        deal_options(games, rng, each=6)
        orders = no_orders(len(games), 8, full=True)
        for seat in range(3):
            orders[:, seat] = player.act(arena, games, seat)
        assert player.orders(SeatView.of(arena, games[0], 1)) == orders[0, 1]
        for g, game in enumerate(games):
            given = {seat: as_json(orders[g, seat]) for seat in range(3) if not game["robots"][seat]["out"]}
            resolve_orders(given, game, arena.settings[0], arena.tables[0])
        for field in ("weapon", "gadget", "movement_option", "second", "abort"):
            if orders[field].any():
                used.add(field)
        arena.play(games, orders)
    assert (len(used) > 2) == (name == "random")


def test_greedy_stores_cards_and_sees_mines() -> None:
    arena = floor()
    games = arena.new_games(1, 1, seed=1)
    give(games, 0, "flywheel")
    robot = games["robots"][0, 0]
    robot["hand"] = [60, 55, 50, 46, 20, 8, 0, 0, 0, 0, 0]
    robot["damage"] = 3
    order = make_player("greedy").act(arena, games, 0)[0]
    assert order["flywheel"] == BEST_CARD
    before = order["program"].copy()
    ahead = int(robot["square"]) + (1, 1, -1, -8)[int(robot["facing"])]
    for square in range(64):
        if square != robot["square"]:
            lay_device(games[0], arena.tables[0], new_log(on=False)[0], LAY_MINE, -1, square, 0, 0, 4)
    assert ahead != robot["square"]
    order = make_player("greedy").act(arena, games, 0)[0]
    assert not np.array_equal(order["program"], before)


# Interfaces

GAMES: list[dict[str, Any]] = [
    {"option_cards": "on", "start_options": 4},
    {"option_cards": "on", "game": "tag_teams", "option_package": "deluxe"},
    {"option_cards": "on", "game": "flag_toggle", "sit_out": 1, "start_options": 2},
    {"game": "survival", "teams": 2, "lives": 1},
]


def floor_course() -> Course:
    return floor().courses[0]


@pytest.mark.parametrize("settings", GAMES)
@pytest.mark.parametrize("action", ["draw", "cards"])
def test_learners_play_games_with_options_and_teams(settings: dict[str, Any], action: str) -> None:
    options = {"observation": "entities", "reward": "shaped", "max_cycles": 4, "window": 5}
    core = Core(floor_course(), 2, 4, opponents=["random"], action=action, settings=settings, **options)
    core.reset(3)
    rng = np.random.default_rng(1)
    space = core.single_observation_space()
    for step in range(4 * core.stages):
        if step % 20 == 0:
            seen = core.observe()
            for row in range(core.num_rows):
                assert space.contains({name: array[row] for name, array in seen.items()})
        masks = core.masks()
        turn = core.step((rng.random(masks.shape) * masks).argmax(axis=-1))
        assert np.isfinite(turn.rewards).all()
        if action == "cards":
            assert not core.infos()["illegal_choices"].any()
    assert core.ended.any()


def test_a_saved_state_resumes_exactly_between_two_decisions() -> None:
    core, other = (
        Core(floor_course(), 1, 3, action="cards", preview=True, settings=GAMES[0], window=3) for _ in range(2)
    )
    core.reset(5)
    rng = np.random.default_rng(0)

    def step(one: Core, draws: Array) -> None:
        masks = one.masks()
        one.step((draws[: masks.size].reshape(masks.shape) * masks).argmax(axis=-1))

    for _ in range(core.stages // 2):
        step(core, rng.random(100))
    other.set_state(core.get_state())
    for _ in range(core.stages):
        draws = rng.random(100)
        step(core, draws)
        step(other, draws)
        assert np.array_equal(core.observe(), other.observe())


def test_an_eliminated_robot_stays_while_its_team_plays() -> None:
    env = roborally_v0.parallel_env(floor_course(), 4, reward={"win": 1.0}, settings={"game": "tag_teams", "lives": 1})
    env.reset(seed=1)
    robots = env.record["robots"]
    assert robots["team"][:4].tolist() == [1, 2, 1, 2]
    robots["lives"][1], robots["alive"][1], robots["out"][1], robots["square"][1] = 0, 0, 1, -1
    env.step({})
    assert "robot_1" in env.agents
    robots["lives"][3], robots["alive"][3], robots["out"][3], robots["square"][3] = 0, 0, 1, -1
    ended = env.step({})[2]
    assert ended["robot_1"]
    assert ended["robot_3"]


def test_sides_are_out_together() -> None:
    arena = floor(game="tag_teams")
    games = arena.new_games(3, 4, seed=1)
    games["robots"]["out"][0, [0, 2, 3]] = 1
    games["robots"]["out"][1, [0, 1]] = 1
    games["robots"]["team"][2] = 0
    games["robots"]["out"][2, 1] = 1
    found = sides_out(games)[:, :4]
    assert found.tolist() == [[True, False, True, False], [False] * 4, [False, True, False, False]]
    for g in range(3):
        assert [side_is_out(games[g], seat) for seat in range(4)] == found[g].tolist()


def test_teams_win_and_lose_together() -> None:
    arena = floor(game="tag_teams")
    games = arena.new_games(1, 4, seed=1)
    rewards = Rewards(arena, reward_spec({"place": 1.0, "win": 2.0, "flag": 0.5}))
    memory = rewards.start(games)
    games["over"], games["winners"] = 1, 0b0101
    games["robots"]["flag"][0, [0, 2]] = 1
    earned = np.empty((1, 4))
    rewards.after_turn(games, memory, np.zeros(1, bool), earned)
    assert earned[0, 0] == earned[0, 2]
    assert earned[0, 1] == earned[0, 3] < 0
    assert earned[0, [0, 2]].sum() == pytest.approx(2 * (2 + 0.5) - earned[0, [1, 3]].sum())


def test_rewards_add_up_to_zero_between_teams() -> None:
    arena = floor(game="flag_toggle")
    games = arena.new_games(2, 4, seed=1)
    spec = reward_spec({"place": 1.0, "win": 1.0, "flag": 1.0, "damage": -1.0, "zero_sum": True})
    rewards = Rewards(arena, spec)
    memory = rewards.start(games)
    earned = np.empty((2, 4))
    for _ in range(3):
        play_random(arena, games, 1)
        rewards.after_turn(games, memory, np.zeros(2, bool), earned)
        assert np.allclose(earned.sum(axis=1), 0)


@pytest.mark.filterwarnings("ignore::UserWarning")  # PettingZoo warns of Dict spaces
def test_all_faces_play_games_with_options() -> None:
    options: dict[str, Any] = {"settings": GAMES[1], "max_cycles": 2, "window": 3}
    single = RoboRallyEnv(floor_course(), 4, opponents="random", decisions="all", **options)
    observation, info = single.reset(seed=1)
    assert single.observation_space.contains(observation)
    assert single.step(single.action_space.sample(info["action_mask"]))[0].shape == observation.shape
    vector = RoboRallyVectorEnv(4, floor_course(), 4, decisions=["weapon", "gadget"], **options)
    vector.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(3):
        masks = vector.core.masks()
        vector.step((rng.random(masks.shape) * masks).argmax(axis=-1))
    api_test(roborally_v0.env(course=floor_course(), num_robots=2, decisions="all", **options), num_cycles=4)
    json.dumps(view_of(vector.core.games[0], 1, floor_course()).to_json())
