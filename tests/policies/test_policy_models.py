"""Policies from models of Stable-Baselines3 act in the same way as the models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from policy_examples import DECISIONS, KINDS, WINDOW, observations_and_masks, randomize, spec_of, torch
from random_play import FLOOR

from rr_gym.cli.main import main
from rr_gym.encoding.act.actions import action_layout
from rr_gym.encoding.act.spaces import action_space
from rr_gym.encoding.observe.observations import make_observer
from rr_gym.policies import NetworkSpec, Policy, PolicyError, PolicySpec, load_policy
from rr_gym.rules.arena.arena import Arena


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(FLOOR)


class SpacesOnly(gymnasium.Env[Any, Any]):
    """An environment that has only spaces."""

    def __init__(self, arena: Arena, spec: PolicySpec) -> None:
        self.observation_space = make_observer(spec.observation, arena, 4, spec.window).space()
        layout = action_layout("draw", arena.settings, spec.decisions)
        cards = spec.action == "cards"
        self.action_space = gymnasium.spaces.Discrete(layout.width) if cards else action_space(layout)

    def action_masks(self) -> Any:
        raise NotImplementedError


def new_model(arena: Arena, spec: PolicySpec, masked: bool, stock: bool = False) -> Any:
    sb3 = pytest.importorskip("stable_baselines3")
    contrib = pytest.importorskip("sb3_contrib")
    from rr_gym.policies.sb3_adapter import MaskableNetworkPolicy, NetworkPolicy

    options: dict[str, Any] = {"n_steps": 8, "batch_size": 8, "device": "cpu"}
    if stock:
        kind: Any = "MlpPolicy"
        options["policy_kwargs"] = {"net_arch": {"pi": [12], "vf": [9, 8]}, "activation_fn": torch.nn.ReLU}
    else:
        kind = MaskableNetworkPolicy if masked else NetworkPolicy
        options["policy_kwargs"] = {"spec": spec.to_json()}
    model = (contrib.MaskablePPO if masked else sb3.PPO)(kind, SpacesOnly(arena, spec), **options)
    randomize(model.policy)
    if spec.observation == "entities":
        model.policy.set_boards(make_observer("entities", arena, 4, spec.window).boards)
    return model


def facts_of(spec: PolicySpec) -> dict[str, Any]:
    return {name: value for name, value in spec.to_json().items() if name != "network"}


def assert_same_acts(model: Any, policy: Policy, arena: Arena, masked: bool) -> None:
    """Check that the policy has the model's logits and values, and acts the same."""
    rows, masks = observations_and_masks(arena, policy.spec)
    if policy.spec.observation == "entities":
        policy.network.set_boards(make_observer("entities", arena, 4, policy.spec.window).boards)
    library = model.policy
    tensors, _ = library.obs_to_tensor(rows)
    with torch.no_grad():
        pi, vf = library.mlp_extractor(library.extract_features(tensors))
        expected = library.action_net(pi).numpy(), library.value_net(vf).numpy()[:, 0]
    logits, values = policy.evaluate(rows)
    np.testing.assert_allclose(logits.reshape(len(masks), -1), expected[0], atol=1e-6)
    np.testing.assert_allclose(values, expected[1], atol=1e-6)
    options = {"action_masks": masks} if masked else {}
    acts, _ = model.predict(rows, deterministic=True, **options)
    np.testing.assert_array_equal(policy.act(rows, masks if masked else np.ones_like(masks)), acts)


@pytest.mark.parametrize(("kind", "observation"), [pair for pair in KINDS if pair[0] != "mlp"])
@pytest.mark.parametrize(("action", "head"), [("draw", "linear"), ("cards", "pointer")])
@pytest.mark.parametrize("masked", [True, False])
def test_exported_networks_act_as_the_model(
    kind: str, observation: str, action: str, head: str, masked: bool, arena: Arena
) -> None:
    spec = spec_of(kind, observation, action, head)
    model = new_model(arena, spec, masked)
    from rr_gym.policies.sb3_adapter import policy_from_sb3

    policy = policy_from_sb3(model.policy)
    assert policy.spec == spec
    assert_same_acts(model, policy, arena, masked)
    randomize(model.policy, 1)  # the policy has copies
    with pytest.raises(AssertionError):
        assert_same_acts(model, policy, arena, masked)


@pytest.mark.parametrize("action", ["draw", "cards"])
@pytest.mark.parametrize("masked", [True, False])
def test_exported_library_networks_act_as_the_model(action: str, masked: bool, arena: Arena) -> None:
    spec = spec_of("mlp", "flat", action)
    model = new_model(arena, spec, masked, stock=True)
    from rr_gym.policies.sb3_adapter import policy_from_sb3

    policy = policy_from_sb3(model.policy, facts_of(spec))
    assert policy.spec.network == NetworkSpec("mlp", (12,), (9, 8), activation="relu")
    assert_same_acts(model, policy, arena, masked)
    with pytest.raises(PolicyError, match="facts: missing: observation, window"):
        policy_from_sb3(model.policy)
    with pytest.raises(PolicyError, match=r"weights: size mismatch.*expected those of the facts"):
        policy_from_sb3(model.policy, {**facts_of(spec), "num_robots": 3})
    with pytest.raises(PolicyError, match=r"action space: .*: expected .* with masks of shape"):
        policy_from_sb3(model.policy, {**facts_of(spec), "action": "draw" if action == "cards" else "cards"})


def test_models_of_rr_gym_learn(arena: Arena) -> None:
    """Every weight gets a gradient in one step."""
    spec = spec_of("flat", "flat", "cards", "pointer")
    model = new_model(arena, spec, masked=True)
    rows, masks = observations_and_masks(arena, spec)
    tensors, _ = model.policy.obs_to_tensor(rows)
    values, logs, _ = model.policy.evaluate_actions(tensors, torch.zeros(len(masks)), masks)
    (values.sum() + logs.sum()).backward()
    before = {name: p.detach().clone() for name, p in model.policy.named_parameters()}
    model.policy.optimizer.step()
    assert [name for name, p in model.policy.named_parameters() if torch.equal(p, before[name])] == []


@pytest.mark.parametrize("masked", [True, False])
def test_export_command(masked: bool, arena: Arena, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = spec_of(head="pointer", training={"steps": 12})
    model = new_model(arena, spec, masked)
    model.rr_gym = facts_of(spec)
    model.save(tmp_path / "model.zip")
    assert main(["export", str(tmp_path / "model.zip"), "--out", str(tmp_path / "policy")]) == 0
    out, err = capsys.readouterr()
    assert out == f"policy: {tmp_path / 'policy'}\n"
    assert "runs code that it contains" in err
    assert err.count("\n") == 1
    policy = load_policy(tmp_path / "policy")
    assert policy.spec == spec
    assert_same_acts(model, policy, arena, masked)


def test_export_command_asks_for_what_a_model_does_not_say(
    arena: Arena, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = spec_of("mlp")
    model = new_model(arena, spec, masked=True, stock=True)
    model.save(tmp_path / "model.zip")
    command = ["export", str(tmp_path / "model.zip"), "--out", str(tmp_path / "policy")]
    assert main(command) == 2
    assert "facts: missing: observation, window, num_robots, action, decisions" in capsys.readouterr().err
    command += ["--observation", "flat", "--window", str(WINDOW), "--num-robots", "4", "--action", "draw"]
    assert main([*command, "--decisions", ",".join(DECISIONS)]) == 0
    assert_same_acts(model, load_policy(tmp_path / "policy"), arena, masked=True)
    kept = (tmp_path / "policy" / "policy.json").read_bytes()
    assert main([*command, "--decisions", "none"]) == 2
    assert "it holds a policy: --force replaces it, --out names another folder" in capsys.readouterr().err
    assert (tmp_path / "policy" / "policy.json").read_bytes() == kept
    command += ["--force"]
    assert main([*command, "--decisions", ",".join(DECISIONS)]) == 0
    capsys.readouterr()
    (tmp_path / "model.zip").write_bytes(b"nothing")
    assert main(command) == 2
    assert "expected a model that Stable-Baselines3 saved" in capsys.readouterr().err
    assert main(["export", str(tmp_path / "no.zip"), "--out", str(tmp_path / "other")]) == 2
    assert "no.zip: no such file" in capsys.readouterr().err
