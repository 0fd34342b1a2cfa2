"""Rewards: places, potential-based progress, and the single terms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rr_gym import roborally_v0
from rr_gym.rewards.lead import leads
from rr_gym.rewards.terms import RewardError, Rewards, closeness, reward_spec
from rr_gym.rules.arena.arena import Arena
from rr_gym.solo.distances import path_distances

COURSE = "risky_exchange"
GAMMA = 0.9


def play_episode(seed: int, **arguments: Any) -> tuple[Any, list[dict[str, float]], dict[str, str]]:
    """Play an episode of random legal actions; return the environment, all rewards, and how each agent ended."""
    env = roborally_v0.parallel_env(course=COURSE, **arguments)
    seen, _ = env.reset(seed=seed)
    for agent in env.possible_agents:
        env.action_space(agent).seed(seed + env.possible_agents.index(agent))
    earned, ends = [], {}
    while env.agents:
        actions = {agent: env.action_space(agent).sample(seen[agent]["action_mask"]) for agent in env.agents}
        seen, rewards, terminations, truncations, _ = env.step(actions)
        earned.append(rewards)
        ends |= {agent: "terminated" for agent, ended in terminations.items() if ended}
        ends |= {agent: "truncated" for agent, ended in truncations.items() if ended}
    return env, earned, ends


def totals(earned: list[dict[str, float]], gamma: float = 1.0) -> dict[str, float]:
    agents = earned[0]
    return {agent: sum(gamma**t * step.get(agent, 0.0) for t, step in enumerate(earned)) for agent in agents}


@pytest.mark.parametrize("max_cycles", [3, 100])
def test_sparse_rewards_are_paid_once_and_add_up_to_zero(max_cycles: int) -> None:
    for seed in range(8):
        _, earned, _ = play_episode(seed, max_cycles=max_cycles)
        for agent in earned[0]:
            paid = [step[agent] for step in earned if agent in step]
            assert not any(paid[:-1])
            assert -1 <= paid[-1] <= 1
        assert sum(totals(earned).values()) == pytest.approx(0)


def test_truncated_games_are_ranked() -> None:
    env, earned, ends = play_episode(4, max_cycles=2)
    assert set(ends.values()) == {"truncated"}
    places = env.core.arena.placements(env.core.games)[0, :4]
    assert len(set(places.tolist())) > 1
    mean = [np.mean([1 - 2 * k / 3 for k in range(4) if places[np.argsort(places)[k]] == place]) for place in places]
    assert list(totals(earned).values()) == pytest.approx(mean)


def test_eliminated_robots_get_the_worst_places_left() -> None:
    arena = Arena(COURSE)
    games = arena.new_games(1, 4, seed=1)
    rewards = Rewards(arena, reward_spec("sparse"))
    memory, out = rewards.start(games), np.zeros((1, 4))
    robots = games["robots"][0]
    no = np.array([False])

    def turn(*eliminated: int) -> list[float]:
        for seat in eliminated:
            robots["out"][seat], robots["alive"][seat], robots["square"][seat] = 1, 0, -1
            robots["out_turn"][seat] = games["turn"][0]
        rewards.after_turn(games, memory, no, out)
        games["turn"] += 1
        return out[0].tolist()

    robots["flag"][2] = 1
    assert turn(2) == [0, 0, -1, 0]  # although it has touched a flag, since earlier places are final
    assert turn() == [0, 0, 0, 0]
    robots["out_phase"][[0, 1]] = 3
    games["over"], games["winners"] = 1, 0b1000
    assert turn(0, 1) == pytest.approx([-1 / 3 + 1 / 3, 0, 0, 1], abs=1e-12)  # places 2 and 3 are shared


def test_winners_share_the_first_place() -> None:
    arena = Arena(COURSE)
    games = arena.new_games(1, 4, seed=1)
    rewards = Rewards(arena, reward_spec({"place": 1.0, "win": 10.0}))
    memory, out = rewards.start(games), np.zeros((1, 4))
    games["robots"]["flag"][0, :4] = [3, 1, 3, 0]
    games["over"], games["winners"] = 1, 0b0101
    rewards.after_turn(games, memory, np.array([False]), out)
    assert out[0].tolist() == pytest.approx([10 + 2 / 3, -1 / 3, 10 + 2 / 3, -1])


@pytest.mark.parametrize(("winners", "out", "value"), [(1, 0, 1.0), (0, 1, -1.0), (0, 0, 0.0)])
def test_a_lone_robot_is_paid_for_winning(winners: int, out: int, value: float) -> None:
    arena = Arena(COURSE)
    games = arena.new_games(1, 1, seed=1)
    rewards = Rewards(arena, reward_spec("sparse"))
    memory, earned = rewards.start(games), np.zeros((1, 1))
    games["winners"], games["robots"]["out"][0, 0] = winners, out
    games["over"] = winners or out
    rewards.after_turn(games, memory, np.array([not games["over"][0]]), earned)
    assert earned[0, 0] == value


@pytest.mark.parametrize("max_cycles", [6, 100])
def test_discounted_progress_telescopes(max_cycles: int) -> None:
    """The sum of gamma**t * F_t is gamma**T * potential(end) - potential(start); potential(end) is 0 if terminated."""
    for seed in range(6):
        env, earned, ends = play_episode(seed, reward={"progress": 1.0}, gamma=GAMMA, max_cycles=max_cycles)
        start = env.core.arena.new_games(1, 4, seed=seed)
        spec = env.core.rewards
        first = spec.start(start)["potential"][0]
        last = spec.start(env.core.games)["potential"][0]
        assert (first[:4] > 0).all()
        for agent, total in totals(earned, GAMMA).items():
            seat = int(agent[-1])
            steps = sum(agent in step for step in earned)
            end = 0.0 if ends[agent] == "terminated" else last[seat]
            assert total == pytest.approx(GAMMA**steps * end - first[seat])


def test_potential_follows_flags_and_the_path() -> None:
    arena = Arena(COURSE)
    games = arena.new_games(1, 2, seed=1)
    rewards = Rewards(arena, reward_spec("shaped"))
    near = closeness(arena.tables)
    distances = path_distances(arena.tables[0])
    robot = games["robots"][0, 0]
    robot["may_face"] = 0
    values = []
    for distance in (9, 4, 1):
        square, facing = np.argwhere(distances[0] == distance)[0]
        robot["square"], robot["facing"] = square, facing
        values.append(rewards.start(games)["potential"][0, 0])
        assert 0 < near[0, 0, square, facing] < 1
    robot["flag"] = 1
    values.append(rewards.start(games)["potential"][0, 0])
    assert values == sorted(values)
    assert len(set(values)) == 4
    games["over"] = 1
    assert rewards.start(games)["potential"][0, 0] == 0


def test_a_robot_that_may_turn_is_as_near_as_its_best_facing() -> None:
    arena = Arena(COURSE)
    games = arena.new_games(1, 1, seed=1)
    rewards = Rewards(arena, reward_spec("shaped"))
    robot = games["robots"][0, 0]
    potentials = []
    for facing in range(4):
        robot["facing"], robot["may_face"] = facing, 0
        potentials.append(rewards.start(games)["potential"][0, 0])
    robot["may_face"] = 1
    assert len(set(potentials)) > 1
    assert rewards.start(games)["potential"][0, 0] == max(potentials)


def test_single_terms() -> None:
    arena = Arena(COURSE)
    games = arena.new_games(1, 3, seed=1)
    weights = {"flag": 1.0, "damage": -0.1, "destroyed": -5.0, "turn": -0.01}
    rewards = Rewards(arena, reward_spec(weights))
    memory, out = rewards.start(games), np.zeros((1, 3))
    robots = games["robots"][0]
    robots["flag"][0], robots["damage"][0] = 2, 3
    robots["lives"][1], robots["damage"][1] = 2, 2  # damage at re-entry does not count as new damage
    rewards.after_turn(games, memory, np.array([False]), out)
    assert out[0].tolist() == pytest.approx([2 - 0.3 - 0.01, -5.01, -0.01])
    robots["damage"][0] = 1  # repaired
    rewards.after_turn(games, memory, np.array([False]), out)
    assert out[0].tolist() == pytest.approx([-0.01] * 3)


def test_zero_sum_on_request() -> None:
    for seed in range(3):
        _, earned, _ = play_episode(seed, reward={"destroyed": -1.0, "damage": -0.1, "zero_sum": True}, max_cycles=30)
        for step in earned:
            assert sum(step.values()) == pytest.approx(0)
        assert any(any(step.values()) for step in earned)


@pytest.mark.parametrize(
    ("reward", "gamma", "message"),
    [
        ("dense", 0.9, "'dense': expected sparse | shaped"),
        ({"speed": 1}, 0.9, "unknown term 'speed': expected place"),
        ({"plce": 1}, 0.9, "unknown term 'plce': did you mean 'place'?"),
        ({"win": 10**400}, 0.9, "term 'win': a whole number of 1,329 bits: expected a finite number"),
        ("sparse", 10**400, "gamma: a whole number of 1,329 bits: expected a number from 0 to 1"),
        ({"win": "much"}, 0.9, "term 'win': 'much': expected a finite number"),
        ({"win": float("nan")}, 0.9, "finite"),
        ({"zero_sum": 1}, 0.9, "zero_sum: 1: expected True or False"),
        (None, 0.9, "reward: None"),
        ("sparse", 1.5, "gamma: 1.5: expected a number from 0 to 1"),
    ],
)
def test_wrong_rewards(reward: Any, gamma: float, message: str) -> None:
    with pytest.raises(RewardError, match=message.replace("|", r"\|")):
        reward_spec(reward, gamma)


def test_destroyed_needs_counted_lives() -> None:
    with pytest.raises(RewardError, match="destroyed"):
        Rewards(Arena(COURSE, {"lives": "unlimited"}), reward_spec({"destroyed": -1}))


# Terms by name

MANY = {"place": 1.0, "win": 0.5, "flag": 2.0, "progress": 3.0, "damage": -0.1, "destroyed": -0.2, "turn": -0.01}


@pytest.mark.parametrize("zero_sum", [False, True])
@pytest.mark.parametrize("action", ["draw", "cards"])
def test_terms_add_up_to_the_reward(action: str, zero_sum: bool) -> None:
    env = roborally_v0.parallel_env(
        action=action, num_robots=5, settings={"lives": 2}, max_cycles=30, reward=MANY | {"zero_sum": zero_sum}
    )
    names = [f"reward_{name}" for name in MANY]
    seen = dict.fromkeys(names, 0)
    for seed in range(3):
        _, infos = env.reset(seed=seed)
        assert not any(info[name] for info in infos.values() for name in names)
        while env.agents:
            _, rewards, _, _, infos = env.step(env.sample_actions())
            for agent, reward in rewards.items():
                terms = [infos[agent][name] for name in names]
                assert sum(terms) == pytest.approx(reward, abs=1e-12)
                for name, term in zip(names, terms, strict=True):
                    seen[name] += term != 0
            if zero_sum:
                totals = [sum(info[name] for info in infos.values()) for name in names]
                assert totals == pytest.approx([0] * len(names), abs=1e-12)
    unseen = {name for name, count in seen.items() if count == 0}
    assert unseen == ({"reward_turn"} if zero_sum else set()) | {"reward_win", "reward_flag"} & unseen


def test_terms_say_what_they_are_named_for() -> None:
    arena = Arena(COURSE)
    games = arena.new_games(2, 2, seed=1)
    rewards = Rewards(arena, reward_spec({"flag": 2.0, "damage": -0.5, "turn": -0.25}))
    assert rewards.terms == ("flag", "damage", "turn")
    memory, out, terms = rewards.start(games), np.zeros((2, 2)), np.full((2, 2, 3), 9.0)
    games["robots"]["flag"][0, 0] = 1
    games["robots"]["damage"][0, 1] = 4
    rewards.after_turn(games, memory, np.zeros(2, bool), out, np.array([True, False]), terms)
    assert terms.tolist() == [[[2.0, 0.0, -0.25], [0.0, -2.0, -0.25]], [[0.0] * 3] * 2]
    assert out.tolist() == [[1.75, -2.25], [0.0, 0.0]]


def test_leads_sum_to_what_is_left_of_them_and_add_up_to_zero() -> None:
    for seed in range(3):
        env, earned, ends = play_episode(seed, reward={"lead": 1.0}, gamma=1.0, num_robots=2, max_cycles=6)
        start = leads(env.core.arena, env.core.arena.new_games(1, 2, seed=seed), np.array([True]))[0]
        assert abs(start[0]) < 1
        after = leads(env.core.arena, env.core.games, np.array([True]))[0]
        if set(ends.values()) == {"truncated"}:
            assert list(totals(earned).values()) == pytest.approx((after - start)[:2])
        for step in earned:
            assert sum(step.values()) == pytest.approx(0, abs=1e-5)


def test_the_lead_is_with_the_robot_that_needs_fewer_turns() -> None:
    arena = Arena(COURSE)
    games = arena.new_games(3, 3, seed=1)
    robots = games["robots"]
    robots["flag"][0, 1] = 2
    robots["out"][1, 2], robots["alive"][1, 2], robots["square"][1, 2] = 1, 0, -1
    games["over"][2] = 1
    found = leads(arena, games, np.array([True, True, True]))
    assert found[0, 1] > 0.9
    assert found[0, 0] < 0.3
    assert found[0, 2] < 0.3
    assert found[0, :3].sum() == pytest.approx(0, abs=1e-5)
    assert found[1, 2] == 0
    assert found[1, 0] + found[1, 1] == pytest.approx(1, abs=1e-5)
    assert not found[2].any()
    assert not found[:, 3:].any()
    assert not leads(arena, games, np.zeros(3, np.bool_)).any()


def test_a_lone_robot_has_no_lead() -> None:
    arena = Arena(COURSE)
    assert not leads(arena, arena.new_games(2, 1, seed=1), np.ones(2, np.bool_)).any()
