"""Models of Stable-Baselines3 as players and opponents, without an export."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Python
from random_play import FLOOR

pytest.importorskip("sb3_contrib")

import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO

from rr_gym import make_player, roborally_v0
from rr_gym.cli.main import main
from rr_gym.envs import RoboRallyEnv, RoboRallyVectorEnv
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation import evaluate
from rr_gym.policies import FunctionPlayer, PolicyPlayer, load_policy
from rr_gym.policies.spaces import described, facts_of
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders
from rr_gym.sb3 import make_vec_env

SMALL = {"n_steps": 4, "batch_size": 8, "n_epochs": 1, "seed": 1, "device": "cpu"}


def env_of(**options: Any) -> Any:
    return make_vec_env(FLOOR, 2, 2, **{"observation": "flat", "seed": 1, "window": 5, **options})


@pytest.mark.parametrize(
    ("algorithm", "policy", "options", "kind"),
    [
        (MaskablePPO, "MlpPolicy", {"action": "draw"}, PolicyPlayer),
        (MaskablePPO, "RaceNetwork", {"action": "cards", "observation": "choices", "window": None}, PolicyPlayer),
        (
            MaskablePPO, "MultiInputPolicy", {"action": "cards", "observation": "choices", "window": None},
            FunctionPlayer,
        ),
        (MaskablePPO, "MultiInputPolicy", {"observation": "entities+planes", "action": "slots"}, FunctionPlayer),
        (PPO, "MultiInputPolicy", {"observation": "entities", "observation_dtype": "float32"}, FunctionPlayer),
    ],
)  # fmt: skip
def test_a_model_plays_as_it_predicts(algorithm: Any, policy: str, options: dict[str, Any], kind: type) -> None:
    env = env_of(**options)
    model = algorithm(policy, env, **SMALL)
    for weight in model.policy.action_net.parameters():
        torch.nn.init.normal_(weight)  # probabilities far from uniform
    player = make_player(model)
    assert isinstance(player, kind)
    assert player.name == algorithm.__name__
    seen, dealt = env.reset(), env.core.games.copy()
    masked = algorithm is MaskablePPO
    for _ in range(env.core.stages):
        more = {"action_masks": env.action_masks()} if masked else {}
        actions, _ = model.predict(seen, deterministic=True, **more)
        seen, _, _, _ = env.step(actions)
    orders = no_orders(len(dealt), MAX_ROBOTS, full=True)
    for seat in range(2):
        orders[:, seat] = player.act(env.core.arena, dealt, seat)
    env.core.arena.play(dealt, orders)
    assert (dealt["robots"] == env.core.games["robots"]).all()


def test_a_policy_makes_the_most_probable_legal_choices() -> None:
    """This also holds for a model without masks."""
    env = env_of(action="cards", decisions=(), observation_dtype="native")
    model = PPO("MlpPolicy", env, **SMALL)
    torch.nn.init.zeros_(model.policy.action_net.weight)
    model.policy.action_net.bias.data = torch.arange(env.action_space.n).flip(0).float()
    player = make_player(model)
    assert isinstance(player, PolicyPlayer)
    games = Arena(FLOOR).new_games(4, 2, seed=1)
    programs = player.act(env.core.arena, games, 0)["program"]
    assert (programs == games["robots"]["hand"][:, 0, :5]).all()


def test_a_model_may_learn_on() -> None:
    """When a model learns on, a player made before does not change."""
    env = env_of(action="cards", observation="choices", window=None)
    arena = Arena(FLOOR)
    games = arena.new_games(8, 2, seed=1)
    for policy in ("MultiInputPolicy", "RaceNetwork"):
        model = MaskablePPO(policy, env, **SMALL)
        player = make_player(model)
        before = player.act(arena, games, 0)
        for weight in model.policy.parameters():
            torch.nn.init.normal_(weight)
        assert (player.act(arena, games, 0) == before).all()
        assert (make_player(model).act(arena, games, 0) != before).any()


def test_models_are_opponents_everywhere() -> None:
    model = MaskablePPO("MlpPolicy", env_of(), **SMALL)
    vector = RoboRallyVectorEnv(2, FLOOR, num_robots=3, opponents=[model, model])
    assert vector.core.lineup.opponents[0] is vector.core.lineup.opponents[1]
    vector.reset(seed=1)
    with pytest.raises(RoboRallyError, match="3 robots"):
        vector.step(vector.sample_actions())
    duel = RoboRallyVectorEnv(2, FLOOR, num_robots=2, opponents=model)
    duel.reset(seed=1)
    duel.step(duel.sample_actions())
    duel.set_opponents({model: 0.5, "random": 0.5})
    duel.step(duel.sample_actions())
    single = RoboRallyEnv(FLOOR, num_robots=2, opponents=[model])
    single.reset(seed=1)
    single.step(single.sample_actions())
    agents = roborally_v0.parallel_env(course=FLOOR, num_robots=2, opponents=[model])
    agents.reset(seed=1)
    agents.step(agents.sample_actions())
    env = env_of(opponents=["random"])
    env.set_opponents([model])
    env.reset()
    env.step(env.sample_actions())
    assert env.core.seating(0).count("MaskablePPO") == 1
    played = evaluate(model, ["random"], course=FLOOR, games=4, max_cycles=3)
    assert [player.name for player in played.players] == ["MaskablePPO", "random"]
    assert len(evaluate("random", [model], course=FLOOR, games=4, max_cycles=3).players) == 2


@pytest.mark.parametrize(
    "options", [{"action": "draw", "decisions": ("facing",)}, {"action": "cards", "decisions": ()}]
)
def test_an_export_reads_what_the_model_decides(options: dict[str, Any], tmp_path: Path) -> None:
    model = MaskablePPO("MlpPolicy", env_of(**options), **SMALL)
    for weight in model.policy.action_net.parameters():
        torch.nn.init.normal_(weight)
    model.save(tmp_path / "model.zip")
    assert main(["export", str(tmp_path / "model.zip"), "--out", str(tmp_path / "policy")]) == 0
    spec = load_policy(tmp_path / "policy").spec
    assert (spec.action, spec.decisions) == tuple(options.values())
    arena = Arena(FLOOR)
    games = arena.new_games(8, 2, seed=1)
    exported = make_player(str(tmp_path / "policy"))
    assert (exported.act(arena, games, 1) == make_player(model).act(arena, games, 1)).all()


def test_other_algorithms_play_too() -> None:
    env = env_of(action="cards", opponents=["random"])
    model = DQN("MlpPolicy", env, learning_starts=10**6, buffer_size=10, device="cpu")
    assert isinstance(make_player(model), FunctionPlayer)
    assert evaluate(model, ["random"], course=FLOOR, games=2, max_cycles=2).players[0].name == "DQN"


def test_models_that_do_not_say_what_they_observe() -> None:
    env = env_of(action="cards", observation="choices", window=None)
    model = MaskablePPO("MultiInputPolicy", env, **SMALL)
    with pytest.raises(RoboRallyError, match="sample: True: expected False for MaskablePPO with MaskableMultiInput"):
        make_player(model, sample=True)
    with pytest.raises(RoboRallyError, match="its options: sample"):
        make_player(model, smaple=True)
    model.observation_space = spaces.Dict(dict(env.observation_space.spaces))
    with pytest.raises(RoboRallyError, match=r"MaskablePPO: observation space: .*: expected that of an env"):
        make_player(model)
    flat = MaskablePPO("MlpPolicy", env_of(), **SMALL)
    flat.policy.observation_space = flat.observation_space = spaces.Box(-1, 1, env_of().observation_space.shape)
    with pytest.raises(RoboRallyError, match=r"MaskablePPO: observation space: .*: expected that of an env"):
        make_player(flat)


def test_observations_that_were_others_are_named() -> None:
    """A model of an earlier version may have had other observations."""
    env = env_of(action="cards", opponents=["random"])
    model = DQN("MlpPolicy", env, learning_starts=10**6, buffer_size=10, device="cpu")
    space = model.observation_space
    model.observation_space = described(copy.deepcopy(space), {**facts_of(space), "window": 7})
    player = make_player(model)
    arena = Arena(FLOOR)
    with pytest.raises(RoboRallyError, match=rf"DQN: observation: \(\d+,\): expected \({space.shape[0]},\), as it was"):
        player.act(arena, arena.new_games(2, 2, seed=1), 0)


def test_without_the_library_nothing_is_imported(python: Python) -> None:
    code = (
        "import sys; from rr_gym.registry import is_model; print(is_model(object()), "
        "'stable_baselines3' in sys.modules, 'torch' in sys.modules)"
    )
    assert python("-c", code).stdout == "False False False\n"


def test_masks_reach_the_model() -> None:
    env = env_of(action="cards", observation="choices", window=None)
    model = MaskablePPO("MultiInputPolicy", env, **SMALL)
    player: Any = make_player(model)
    seen = {name: array[:1].repeat(16, axis=0) for name, array in env.reset().items()}
    masks = np.zeros((16, env.action_space.n), np.int8)
    masks[np.arange(16), np.arange(16) % 9] = 1
    assert (player.choose(seen, masks) == np.arange(16) % 9).all()
