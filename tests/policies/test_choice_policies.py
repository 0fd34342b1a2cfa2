"""Networks that score choices: with PyTorch, as a kernel, as models of Stable-Baselines3 and as players."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from policy_examples import new_policy, randomize, torch

from rr_gym.choices import ChoicesObserver
from rr_gym.choices.columns import NUM_RELATIONS
from rr_gym.encoding.act.actions import action_layout, course_features
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.envs.core import Core
from rr_gym.policies import NetworkSpec, Policy, PolicyError, PolicyPlayer, PolicySpec, load_policy, save_policy
from rr_gym.policies.choice_inputs import weight_shapes
from rr_gym.policies.spec import policy_facts
from rr_gym.registry import make_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import no_orders

WITH_ALL = {"option_cards": "on", "start_options": 2}
CASES: list[tuple[Any, int, dict[str, Any], dict[str, Any]]] = [
    ("risky_exchange", 4, {}, {}),
    ("risky_exchange", 1, {"lookahead": "none"}, {"activation": "leaky_relu", "hidden": (9, 13), "embed": 5}),
    ("risky_exchange", 3, {"lookahead": "trials"}, {}),
    ("everything", 2, {"settings": WITH_ALL, "lookahead": "paths", "preview": False}, {"value_hidden": (7,)}),
]


def core_of(course: Any, num_robots: int, **options: Any) -> Core:
    core = Core(course, 5, num_robots, **{"action": "cards", "preview": True, "observation": "choices", **options})
    core.reset(3)
    return core


def policy_of(core: Core, **sizes: Any) -> Policy:
    return new_policy(PolicySpec.from_json({**policy_facts(core), "network": {"kind": "choices", **sizes}}))


def without_torch(policy: Policy) -> Policy:
    return Policy(policy.spec, weights={name: array.copy() for name, array in policy.weights().items()})


@pytest.mark.parametrize(("course", "num_robots", "options", "sizes"), CASES)
def test_the_kernel_is_the_network(
    course: Any, num_robots: int, options: dict[str, Any], sizes: dict[str, Any]
) -> None:
    core = core_of(course, num_robots, **options)
    policy = policy_of(core, **sizes)
    shapes = {name: tuple(tensor.shape) for name, tensor in policy.network.state_dict().items()}
    assert shapes == weight_shapes(policy.spec)
    plain, rng = without_torch(policy), np.random.default_rng(0)
    picks = set()
    for _ in range(2 * core.stages):
        seen, masks = core.observe(), core.masks()
        for found, expected, where in zip(plain.evaluate(seen), policy.evaluate(seen), (masks > 0, ...), strict=True):
            np.testing.assert_allclose(found[where], expected[where], atol=2e-5, rtol=1e-5)
        acts = plain.act(seen, masks)
        assert np.take_along_axis(masks, acts[:, None], axis=1).all()
        picks |= set(acts.tolist())
        core.step((masks * rng.random(masks.shape)).argmax(-1))
        core.restart(core.ended.copy())
    assert len(picks) > 3


def test_choices_share_their_weights() -> None:
    """A row gets the same logit at any index, and the order of other robots does not matter."""
    core = core_of("risky_exchange", 4)
    policy = without_torch(policy_of(core))
    core.step(np.zeros(20, np.int64))
    seen = core.observe()
    logits, values = policy.evaluate(seen)
    turned = {name: array.copy() for name, array in seen.items()}
    order = [0, 3, 1, 2]
    turned["choices"][:, :9] = turned["choices"][:, 8::-1]
    for name in ("robots", "prospects"):
        turned[name] = turned[name][:, order]
    others = [18 + NUM_RELATIONS * (k - 1) + j for k in order[1:] for j in range(NUM_RELATIONS)]
    turned["choices"][..., 18:] = turned["choices"][..., others]
    again, same = policy.evaluate(turned)
    np.testing.assert_allclose(again[:, :9], logits[:, 8::-1], atol=1e-5)
    np.testing.assert_allclose(same, values, atol=1e-5)


def test_about_20000_weights_by_default() -> None:
    spec = policy_of(core_of("risky_exchange", 4)).spec
    assert 15_000 < sum(int(np.prod(shape)) for shape in weight_shapes(spec).values()) < 25_000
    assert spec.network == NetworkSpec("choices")
    assert NetworkSpec("flat").hidden == (128, 128)


def stepwise(arena: Arena, games: np.ndarray, seat: int, policy: Policy) -> np.ndarray:
    """Return the actions of a policy, computed decision by decision."""
    spec = policy.spec
    layout = action_layout("draw", arena.settings, spec.decisions, course_features(arena.tables))
    steps = TurnSteps(arena, layout, spec.preview)
    steps.begin(games, np.full((len(games), 1), seat, np.int8))
    assert spec.lookahead
    observer = ChoicesObserver(
        "choices", steps, int(games["num_robots"][0]), spec.window, spec.elements, spec.lookahead
    )
    for _ in range(steps.count):
        steps.choose(policy.act(observer.observe(), steps.masks()))
    return steps.actions


@pytest.mark.parametrize(("course", "num_robots", "options", "sizes"), CASES)
def test_players_decide_whole_turns_as_decision_by_decision(
    course: Any, num_robots: int, options: dict[str, Any], sizes: dict[str, Any]
) -> None:
    core = core_of(course, num_robots, **options)
    policy = without_torch(policy_of(core, **sizes))
    player, games, arena = PolicyPlayer(policy), core.games, core.arena
    for _ in range(3):
        table = player._table(arena, num_robots)
        assert table.turns
        seats = np.full((len(games), 1), num_robots - 1, np.int8)
        expected = stepwise(arena, games, num_robots - 1, policy)
        assert np.array_equal(table.turns.decide(games, seats), expected)
        orders = no_orders(len(games), 8, full=True)
        for seat in range(num_robots):
            orders[:, seat] = player.act(arena, games, seat)
        one = player.act(arena, games[2:3], 0)
        assert one[0] == orders[2, 0]
        arena.play(games, orders)


def test_batches_of_several_courses_and_numbers_of_robots() -> None:
    arena = Arena(["risky_exchange", "death_trap"])
    policy = without_torch(policy_of(core_of("risky_exchange", 4)))
    games = arena.new_games(6, np.array([4, 4, 4, 2, 2, 2]), seed=2, course_index=np.arange(6) % 2)
    player = PolicyPlayer(policy)
    together = player.act(arena, games, 1)
    for i in range(6):
        assert player.act(arena, games[i : i + 1], 1)[0] == together[i]


def test_sampled_choices_have_the_probabilities_of_the_policy() -> None:
    core = core_of("risky_exchange", 2, decisions=())
    policy = without_torch(policy_of(core))
    games = np.repeat(core.games[:1], 4000)
    games["turn"] = 0
    player = PolicyPlayer(policy, sample=True)
    table = player._table(core.arena, 2)
    assert table.turns
    rng = np.random.default_rng(1)
    actions = table.turns.decide(games, np.zeros((4000, 1), np.int8), rng.random((4000, 5)))
    steps = TurnSteps(core.arena, core.layout, True)
    steps.begin(games[:1], np.zeros((1, 1), np.int8))
    logits = policy.evaluate(ChoicesObserver("choices", steps, 2).observe())[0][0]
    legal = steps.masks()[0] > 0
    chances = np.where(legal, np.exp(logits - logits[legal].max()), 0)
    expected = 4000 * chances / chances.sum()
    found = np.bincount(actions[:, 0, 0], minlength=len(expected))
    assert (np.abs(found - expected) < 6 * np.sqrt(expected + 1) + 1).all()


def test_models_learn_and_are_exported(tmp_path: Path) -> None:
    contrib = pytest.importorskip("sb3_contrib")
    from rr_gym.policies.sb3_adapter import MaskableNetworkPolicy, policy_from_sb3
    from rr_gym.sb3 import make_vec_env

    env = make_vec_env(
        num_games=4, num_robots=2, observation="choices", action="cards", preview=True, seed=1,
        observation_dtype="native",
    )  # fmt: skip
    spec = PolicySpec.from_json({**policy_facts(env.core), "network": {"kind": "choices"}})
    model = contrib.MaskablePPO(
        MaskableNetworkPolicy, env, n_steps=16, batch_size=32, n_epochs=1, seed=1,
        policy_kwargs={"spec": spec.to_json()},
    )  # fmt: skip
    before = {name: weight.clone() for name, weight in model.policy.named_parameters()}
    model.learn(256)
    assert all(not torch.equal(weight, before[name]) for name, weight in model.policy.named_parameters())
    randomize(model.policy)
    loaded = load_policy(save_policy(policy_from_sb3(model.policy), tmp_path / "policy"))
    seen, masks = env.observe(), env.action_masks()
    acts, _ = model.predict(seen, deterministic=True, action_masks=masks)
    assert np.array_equal(loaded.act(seen, masks), acts)


def test_a_race_without_pytorch(tmp_path: Path) -> None:
    save_policy(policy_of(core_of("risky_exchange", 2)), tmp_path / "mine")
    code = (
        "import sys; sys.modules['torch'] = sys.modules['safetensors'] = None\n"
        "import numpy as np\nfrom rr_gym import arena_of, make_player\n"
        f"player = make_player({str(tmp_path / 'mine')!r})\n"
        "arena = arena_of('risky_exchange')\ngames = arena.new_games(3, 2, seed=1)\n"
        "print(player.act(arena, games, 0)['program'].tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    arena = Arena("risky_exchange")
    expected = make_player(str(tmp_path / "mine")).act(arena, arena.new_games(3, 2, seed=1), 0)["program"]
    assert json.loads(done.stdout) == expected.tolist()


@pytest.mark.parametrize(
    ("changes", "network", "message"),
    [
        ({"action": "draw", "preview": False}, {}, "action: 'draw': expected cards with a network of the kind choices"),
        ({"lookahead": "far"}, {}, "lookahead: 'far': expected none"),
        ({"observation": "flat"}, {}, "observation: 'flat': expected choices with a network of the kind choices"),
        ({}, {"hidden": [8]}, r"network: hidden: \(8,\): expected 2 with the kind choices"),
        ({}, {"value_hidden": []}, r"network: value_hidden: \(\): expected 1 with the kind choices"),
        ({}, {"activation": "tanh"}, r"network: activation: 'tanh': expected relu \| leaky_relu with the kind"),
        ({}, {"head": "pointer"}, "network: head: 'pointer': expected linear with the kind choices"),
        ({"observation": "flat"}, {"kind": "flat"}, "lookahead: 'turns': only with the observation choices"),
    ],
)
def test_wrong_specs(changes: dict[str, Any], network: dict[str, Any], message: str) -> None:
    facts = policy_facts(core_of("risky_exchange", 2))
    with pytest.raises(PolicyError, match=message):
        PolicySpec.from_json({**facts, **changes, "network": {"kind": "choices", **network}})


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: content[:5], r"5 bytes: expected a file of safetensors"),
        (lambda content: content[:200], r"200 bytes: expected a file of safetensors"),
        (lambda content: content[:-8], r"bytes \d+ to \d+: expected a file of safetensors with \d+ numbers"),
        (lambda content: content.replace(b'"F32"', b'"F31"', 1), "expected dtype, shape and data_offsets"),
        (lambda content: content.replace(b'"shape":[', b'"shape":"', 1), r"policy\.safetensors"),
        (lambda content: content.replace(b"value_net.bias", b"value_net.bios", 1), "missing: value_net.bias"),
        (lambda content: content.replace(b'"data_offsets":[0', b'"data_offsets":[4', 1), "numbers there"),
    ],
)
def test_damaged_weights_are_refused(damage: Any, message: str, tmp_path: Path) -> None:
    folder = save_policy(policy_of(core_of("risky_exchange", 2)), tmp_path / "mine")
    file = folder / "policy.safetensors"
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(PolicyError, match=message):
        load_policy(folder)
