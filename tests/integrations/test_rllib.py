"""RLlib: games in one batch are the same as in the core, masks are obeyed, and PPO learns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rr_gym
from rr_gym.encoding.act.components import ActionError
from rr_gym.envs.core import Core
from rr_gym.errors import RoboRallyError

ray = pytest.importorskip("ray")
pytest.importorskip("ray.rllib")
torch = pytest.importorskip("torch")

from ray.rllib.utils.pre_checks.env import check_multiagent_environments  # noqa: E402

from rr_gym.policies import Policy, PolicyPlayer, load_policy, save_policy  # noqa: E402
from rr_gym.rllib import (  # noqa: E402
    LEARNER,
    RoboRallyMultiAgentEnv,
    RoboRallyVectorMultiAgentEnv,
    Seating,
    policy_from_rllib,
    ppo_config,
    self_play_config,
)

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]

torch.set_num_threads(1)
SOLO: dict[str, Any] = {
    "num_robots": 1, "observation": "choices", "action": "cards", "decisions": (), "max_cycles": 40, "gamma": 0.98,
    "reward": {"win": 12, "flag": 3, "progress": 6},
}  # fmt: skip


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield
    ray.shutdown()


@pytest.mark.parametrize("action", ["draw", "cards"])
def test_agents_of_a_batch_get_the_results_of_the_core(action: str) -> None:
    """Agents get the results of their rows in the core; the step after the end of a game begins the next episode."""
    options: dict[str, Any] = {"num_robots": 3, "action": action, "max_cycles": 9, "reward": "shaped"}
    options["settings"] = {"lives": 1}
    env, core = RoboRallyVectorMultiAgentEnv(5, **options), Core(num_games=5, **options)
    seen, _ = env.reset(seed=4)
    core.reset(4)
    rng = np.random.default_rng(0)
    over = np.zeros(5, bool)
    left = begun = 0
    for _ in range(60 * core.stages):
        actions = rr_gym.random_actions(core.masks(), rng)
        alive = core.active().reshape(5, 3)
        assert [sorted(one) for one, end in zip(seen, over, strict=True) if not end] == [
            [f"robot_{k}" for k in np.flatnonzero(row)] for row, end in zip(alive, over, strict=True) if not end
        ]
        given = [{f"robot_{k}": actions[3 * g + k] for k in range(3) if alive[g, k]} for g in range(5)]
        seen, rewards, terminated, truncated, infos = env.step(given)
        turn, before = core.step(actions), over
        core.restart(before)
        now, masks, out = core.observe(), core.masks(), core.out()
        over = (turn.terminated | turn.truncated).reshape(5, 3)[:, 0]
        for g in range(5):
            ended = turn.terminated[3 * g], turn.truncated[3 * g]
            assert (terminated[g]["__all__"], truncated[g]["__all__"]) == ended
            for agent, one in seen[g].items():
                row = 3 * g + int(agent[-1])
                assert np.array_equal(one["observation"], now[row])
                assert np.array_equal(one["action_mask"], masks[row])
                assert rewards[g][agent] == (0 if before[g] else turn.rewards[row])
                ends = not before[g] and (over[g] or out[row])
                assert (terminated[g][agent] or truncated[g][agent]) == ends
                assert (infos[g][agent].keys() == {"place", "won", "finished", "flags"}) == ends
            begun += int(before[g])
        seen = [{a: one for a, one in s.items() if not terminated[g][a]} for g, s in enumerate(seen)]
        left += sum(len(s) < 3 for s in seen)
    assert begun > 5
    assert left  # robots were eliminated while others went on


def test_the_environment_passes_rllibs_checks() -> None:
    env = RoboRallyMultiAgentEnv({"num_robots": 2, "action": "cards", "opponents": ["random"]})
    assert env.possible_agents == ["robot_0"]
    check_multiagent_environments(env)
    check_multiagent_environments(RoboRallyMultiAgentEnv({"num_robots": 3, "settings": {"lives": 1}, "max_cycles": 5}))
    with pytest.raises(RoboRallyError, match="there is no argument 'num_robot'; did you mean 'num_robots'"):
        RoboRallyMultiAgentEnv({"num_robot": 2})
    env.reset(seed=1)
    with pytest.raises(ActionError, match="there is no agent 'robot_1': did you mean 'robot_0'"):
        env.step({"robot_1": 0})
    with pytest.raises(ActionError, match=r"action of robot_0: \w+ \(2,\): expected one whole number, shape \(\)"):
        env.step({"robot_0": [0, 0]})


def test_players_are_drawn_for_each_episode() -> None:
    class Episode:
        def __init__(self, number: int) -> None:
            self.id_ = f"{number:x}"

    seating = Seating(num_robots=3, past=2, share=0.6)
    drawn = [[seating(f"robot_{k}", Episode(n)) for k in range(3)] for n in range(3000)]
    assert all(LEARNER in names for names in drawn)
    others = [name for names in drawn for name in names]
    # past selves take two of three seats with share 0.6, and there are two of them
    assert others.count("past_0") / 9000 == pytest.approx(0.2, abs=0.02)
    assert others.count("past_1") / 9000 == pytest.approx(0.2, abs=0.02)
    assert drawn == [[seating(f"robot_{k}", Episode(n)) for k in range(3)] for n in range(3000)]
    assert {seating(f"robot_{k}", Episode(3)) for k in range(3)} >= {LEARNER}
    for wrong, message in (
        ({"num_robots": 1}, "num_robots: 1: expected a whole number from 2 to 8"),
        ({"share": 1.5}, "share: 1.5: expected a number from 0 to 1"),
        ({"opponents": ["greedy"]}, "opponents: .*: expected none"),
    ):
        with pytest.raises(RoboRallyError, match=message):
            self_play_config(**wrong)


def illegal(episodes: list[Any]) -> tuple[int, int]:
    """Return the number of illegal choices and of all choices in episodes of a runner."""
    wrong = total = 0
    for episode in episodes:
        for robot in episode.agent_episodes.values():
            actions = np.array(robot.get_actions())
            masks = robot.get_observations()["action_mask"][: len(actions)]
            legal = np.take_along_axis(masks, actions[..., None], -1)
            wrong, total = wrong + int((legal == 0).sum()), total + legal.size
    return wrong, total


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(
    ("action", "observation"), [("draw", "flat"), ("draw", "planes"), ("cards", "entities"), ("cards", "choices")]
)
def test_masks_are_obeyed_and_policies_can_be_saved(action: str, observation: str, tmp_path: Path) -> None:
    sizes = {"hidden": [16, 16], "features": 16, "embed": 8}
    config = self_play_config(
        num_robots=2, action=action, observation=observation, past=2, every=1, games_per_runner=8, max_cycles=6,
        network=sizes,
    ).training(train_batch_size_per_learner=200, minibatch_size=100, num_epochs=1)  # fmt: skip
    algorithm = config.build_algo()
    try:
        before = policy_from_rllib(algorithm.get_module(LEARNER)).weights()
        for _ in range(2):
            algorithm.train()
        wrong, total = illegal(algorithm.env_runner.sample(num_timesteps=100))
        assert wrong == 0 < total
        module = algorithm.get_module(LEARNER)
        policy = policy_from_rllib(module, steps=400)
        changed = {name for name, array in policy.weights().items() if not np.array_equal(array, before[name])}
        assert len(changed) > len(before) / 2
        for name in ("past_0", "past_1"):  # the learner of the first and of the second iteration
            past = policy_from_rllib(algorithm.get_module(name)).weights()
            same = [np.array_equal(past[key], array) for key, array in policy.weights().items()]
            assert all(same) == (name == "past_1")
    finally:
        algorithm.stop()
    kept = load_policy(save_policy(policy, tmp_path / "policy"))
    assert kept.spec.training["steps"] == 400
    assert all(np.array_equal(kept.weights()[name], array) for name, array in policy.weights().items())
    game = rr_gym.Game(num_robots=2, seed=1)
    game.play(dict.fromkeys(range(2), PolicyPlayer(Policy(kept.spec, weights=None, network=kept.network))))
    assert game.turn == 1


@pytest.mark.usefixtures("cluster")
def test_rllib_learns_with_a_runner_beside_the_learner() -> None:
    """After about a minute of training, a lone robot touches the last flag in most games, which it did not at first."""
    config = ppo_config(**SOLO).env_runners(num_env_runners=1).debugging(seed=1)
    algorithm = config.build_algo()
    try:
        results = [algorithm.train()["env_runners"] for _ in range(16)]
    finally:
        algorithm.stop()
    first, last = (one["flags"] for one in (results[2], results[-1]))
    assert first < 1 < 2 < last
    assert results[-1]["won"] > 0.5
