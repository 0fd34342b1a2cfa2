"""`RaceNetwork`: by its name in Stable-Baselines3, and as a plain module in loops of any kind."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from combinations import quick
from conftest import Python
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from rr_gym import arena_of, roborally_v0
from rr_gym.envs import RoboRallyEnv, RoboRallyVectorEnv
from rr_gym.policies import PolicyError, PolicyPlayer, load_policy, policy_from_sb3, save_policy

torch = pytest.importorskip("torch")
sb3_contrib = pytest.importorskip("sb3_contrib")
torch.set_num_threads(1)

from sb3_contrib import MaskablePPO  # noqa: E402
from stable_baselines3 import A2C, PPO  # noqa: E402
from stable_baselines3.common.vec_env import VecFrameStack  # noqa: E402

import rr_gym.sb3  # noqa: E402
from rr_gym.networks import RaceNetwork, as_tensors, masked  # noqa: E402

FORMS = [
    ("flat", "draw", "flat", "linear"), ("flat", "slots", "flat", "pointer"), ("planes", "cards", "planes", "pointer"),
    ("entities", "cards", "entities", "pointer"), ("entities+planes", "draw", "entities", "linear"),
    ("entities+way", "cards", "entities", "pointer"), ("choices", "cards", "choices", "linear"),
]  # fmt: skip
forms = pytest.mark.parametrize(("observation", "action", "kind", "head"), FORMS)
SHORT: dict[str, Any] = {"num_robots": 2, "max_cycles": 4, "window": 9}
LEARNING: dict[str, Any] = {"n_steps": 16, "batch_size": 64, "n_epochs": 1, "seed": 1, "device": "cpu"}


@pytest.mark.parametrize("form", quick(FORMS, *(FORMS[k] for k in (0, 2, 3, 6))))  # each kind of network
def test_stable_baselines_knows_the_race_network_by_name(
    form: tuple[str, str, str, str], tmp_path: Path
) -> None:
    observation, action, kind, head = form
    env = rr_gym.sb3.make_vec_env(num_games=4, seed=1, observation=observation, action=action, **SHORT)
    model = MaskablePPO("RaceNetwork", env, **LEARNING)
    assert (model.policy.spec.network.kind, model.policy.spec.network.head) == (kind, head)
    model.learn(128)
    model.save(tmp_path / "model")
    again = MaskablePPO.load(tmp_path / "model", env=env)
    seen, masks, state = env.reset(), env.action_masks(), env.get_state()
    expected, _ = model.predict(seen, action_masks=masks, deterministic=True)
    assert np.array_equal(again.predict(seen, action_masks=masks, deterministic=True)[0], expected)
    again.learn(128)
    # As a policy it reads whole numbers, and decides in the same way
    whole = rr_gym.sb3.make_vec_env(
        num_games=4, seed=1, observation=observation, action=action, observation_dtype="native", **SHORT
    )
    whole.set_state(state)
    policy = policy_from_sb3(model.policy)
    if observation == "entities":
        policy.network.set_boards(whole.core.observer.boards)
    acts = policy.act(whole.observe(), masks.reshape(-1, *policy.spec.mask_shape))
    assert np.array_equal(acts, expected)
    player = PolicyPlayer(load_policy(save_policy(policy, tmp_path / "policy")))
    arena = arena_of("risky_exchange", None)
    player.act(arena, arena.new_games(2, num_robots=2, seed=1), 0)


def test_all_its_algorithms_and_sizes() -> None:
    env = rr_gym.sb3.make_vec_env(num_games=2, seed=1, **SHORT)
    sizes = {"network": {"hidden": [8], "features": 16}}
    for algorithm, options in ((PPO, {"batch_size": 16}), (A2C, {})):
        model = algorithm("RaceNetwork", env, n_steps=4, policy_kwargs=sizes, **options)
        assert model.policy.spec.network.hidden == (8,)
        model.learn(16)
    single = MaskablePPO("RaceNetwork", RoboRallyEnv(**SHORT), **{**LEARNING, "batch_size": 16})
    single.learn(16)
    with pytest.raises(PolicyError, match="hidden: 'wide': expected a list"):
        MaskablePPO("RaceNetwork", env, policy_kwargs={"network": {"hidden": "wide"}})


def test_environments_it_has_no_network_for() -> None:
    env = rr_gym.sb3.make_vec_env(num_games=2, observation="flat+choices", action="cards", **SHORT)
    with pytest.raises(PolicyError, match=r"observation: 'flat\+choices': expected one that networks read: flat, "):
        MaskablePPO("RaceNetwork", env)
    stacked = VecFrameStack(rr_gym.sb3.make_vec_env(num_games=2, **SHORT), 2)
    with pytest.raises(PolicyError, match=r"observation space: .*: expected that of an environment of rr_gym"):
        MaskablePPO("RaceNetwork", stacked)
    with pytest.raises(PolicyError, match="env: 'mine': expected an environment of"):
        RaceNetwork("mine")


def test_stock_models_on_scaled_observations_become_policies(tmp_path: Path) -> None:
    """No facts about the training need to be given, since the spaces contain them."""
    from rr_gym.cli.main import main

    env = rr_gym.sb3.make_vec_env(num_games=4, seed=1, **SHORT)
    model = MaskablePPO("MlpPolicy", env, policy_kwargs={"net_arch": [16]}, **LEARNING).learn(128)
    model.save(tmp_path / "model.zip")
    assert main(["export", str(tmp_path / "model.zip"), "--out", str(tmp_path / "policy")]) == 0
    policy = load_policy(tmp_path / "policy")
    assert policy.spec.network.kind == "scaled_mlp"
    whole = rr_gym.sb3.make_vec_env(num_games=4, observation_dtype="native", **SHORT)
    whole.set_state(env.get_state())
    masks = env.action_masks()
    expected, _ = model.predict(env.observe(), action_masks=masks, deterministic=True)
    assert np.array_equal(policy.act(whole.observe(), masks.reshape(-1, *policy.spec.mask_shape)), expected)


@forms
@pytest.mark.parametrize("observation_dtype", ["scaled", "native"])
def test_a_loop_of_ones_own(observation: str, action: str, kind: str, head: str, observation_dtype: str) -> None:
    """Every weight gets a gradient in one step, and only legal choices are sampled."""
    options = {**SHORT, "observation": observation, "action": action, "observation_dtype": observation_dtype}
    envs = RecordEpisodeStatistics(gymnasium.make_vec("rr_gym/RoboRally-v0", num_envs=6, **options))
    torch.manual_seed(1)
    network = RaceNetwork(envs)
    assert (network.spec.network.kind, network.scaled) == (kind, observation_dtype == "scaled")
    seen, infos = envs.reset(seed=1)
    for _ in range(3):
        mask = infos["action_mask"]
        acts, log_prob, entropy, values = network.action_and_value(seen, mask)
        assert log_prob.shape == entropy.shape == values.shape == (6,)
        flat = mask.reshape(-1, mask.shape[-1])
        assert flat[np.arange(len(flat)), acts.numpy().ravel()].all()
        again = network.action_and_value(as_tensors(seen), torch.as_tensor(mask), acts)
        assert torch.equal(again[1], log_prob)
        last, last_mask = copy.deepcopy(seen), mask
        seen, _, _, _, infos = envs.step(acts.numpy())
    _, log_prob, entropy, values = network.action_and_value(last, last_mask, acts)
    (log_prob.sum() + entropy.sum() + values.square().sum()).backward()
    assert all(weight.grad is not None for weight in network.parameters())


def test_from_spaces_and_as_a_policy() -> None:
    env = RoboRallyEnv(**SHORT, observation="entities", action="cards", observation_dtype="native")
    spaces = copy.deepcopy((env.observation_space, env.action_space))
    torch.manual_seed(1)
    one = RaceNetwork(env)
    torch.manual_seed(1)
    other = RaceNetwork.from_spaces(*spaces, boards=env.core.observer.boards)
    seen, info = env.reset(seed=1)
    batch, mask = {name: table[None] for name, table in seen.items()}, info["action_mask"][None]
    with torch.no_grad():
        assert torch.equal(one.distribution(batch, mask)[0].probs, other.distribution(batch, mask)[0].probs)
    policy = other.policy(steps=5)
    assert policy.spec.training == {"steps": 5}
    arena = arena_of("risky_exchange", None)
    PolicyPlayer(policy).act(arena, arena.new_games(2, num_robots=2, seed=1), 0)
    with pytest.raises(PolicyError, match=r"action space: .*: expected Discrete with masks"):
        RaceNetwork.from_spaces(env.observation_space, gymnasium.spaces.Discrete(3))


def test_pettingzoo_and_vector_environments() -> None:
    agents = roborally_v0.parallel_env(num_robots=2)
    network = RaceNetwork(agents)
    seen, _ = agents.reset(seed=1)
    rows = np.stack([seen[agent]["observation"] for agent in agents.agents])
    masks = np.stack([seen[agent]["action_mask"] for agent in agents.agents])
    acts, *_ = network.action_and_value(rows, masks)
    agents.step(dict(zip(agents.agents, acts.numpy(), strict=True)))
    assert RaceNetwork(RoboRallyVectorEnv(4, num_robots=2)).spec.observation == "flat"


def test_illegal_choices_have_no_probability() -> None:
    logits = torch.tensor([[5.0, 1.0, 1.0, -2.0]])
    probabilities = masked(logits, np.array([[0, 1, 1, 0]])).softmax(-1)
    assert torch.allclose(probabilities, torch.tensor([[0.0, 0.5, 0.5, 0.0]]))


def test_the_module_imports_no_learning_library(python: Python) -> None:
    code = "import sys, rr_gym.networks; print({'stable_baselines3', 'sb3_contrib', 'ray'} & set(sys.modules))"
    assert python("-c", code).stdout == "set()\n"
