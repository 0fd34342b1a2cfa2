"""Policies: specs, folders and their faults, the same acts as the models they come from, play as players."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from conftest import Python

from rr_gym.cli.main import main
from rr_gym.courses.course import Course
from rr_gym.encoding.actions import action_layout, write_masks
from rr_gym.encoding.observations import make_observer
from rr_gym.encoding.spaces import action_space
from rr_gym.encoding.steps import TurnSteps
from rr_gym.envs.core import Core
from rr_gym.jit import run
from rr_gym.players import Player, PlayerError, SeatView, make_player
from rr_gym.rules.arena import Arena
from rr_gym.rules.records import GAME, no_orders

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from rr_gym.policies import (  # noqa: E402
    NetworkSpec,
    Policy,
    PolicyError,
    PolicyPlayer,
    PolicySpec,
    load_policy,
    save_policy,
)
from rr_gym.policies.networks import PointerHead  # noqa: E402
from rr_gym.policies.spec import policy_facts  # noqa: E402

FLOOR = """
grid:
@1      @2      .       >:s     >>      >>      X
.       w1/n    ^       R       P<135/e .       .
./w*1   @3      ^       L       C24     w2      .
.       #1/s    ^:e     <       <:s     ./e     @4
#2      ./n     .       v       ^       X       #3
"""
DECISIONS = ("power", "facing")
SMALL: dict[str, Any] = {"hidden": (16,), "features": 24, "channels": (4, 4), "embed": 6}
WINDOW = 7
OBSERVATIONS = ("flat", "planes", "entities", "entities+planes")
KINDS = [("mlp", "flat"), *((name.partition("+")[0], name) for name in OBSERVATIONS)]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(Course.from_board(FLOOR))


def played(arena: Arena, num_games: int, turns: int, num_robots: int = 4) -> np.ndarray:
    games = arena.new_games(num_games, num_robots, seed=5)
    player = make_player("random")
    for _ in range(turns):
        orders = no_orders(num_games, 8)
        for seat in range(num_robots):
            orders[:, seat] = player.act(arena, games, seat)
        arena.play(games, orders)
    return games


def spec_of(
    kind: str = "flat", observation: str = "flat", action: str = "draw", head: str = "linear", **changes: Any
) -> PolicySpec:
    options: dict[str, Any] = {"window": WINDOW, "num_robots": 4, "decisions": DECISIONS, **changes}
    return PolicySpec(NetworkSpec(kind, head=head, **SMALL), observation, action=action, **options)


def new_policy(spec: PolicySpec, seed: int = 0) -> Policy:
    """With weights so large that logits differ clearly."""
    policy = Policy(spec)
    stir(policy.network, seed)
    return policy


def stir(network: Any, seed: int = 0) -> None:
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            spread = parameter[0].numel() ** -0.5 if parameter.dim() > 1 else 0.1
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * spread * 1.5)


def sights(arena: Arena, spec: PolicySpec, num_games: int = 40) -> tuple[Any, np.ndarray]:
    """Observations of the seats of some games, and their masks, as rows."""
    games = played(arena, num_games, turns=3)
    seats = np.arange(num_games, dtype=np.int8)[:, None] % 4
    layout = action_layout("draw" if spec.action == "cards" else spec.action, arena.settings, spec.decisions)
    seen = make_observer(spec.observation, arena, 4, spec.window).observe(games, seats)
    rows = {name: array[:, 0] for name, array in seen.items()} if isinstance(seen, dict) else seen[:, 0]
    masks = np.empty((num_games, 1, *layout.shape), np.int8)
    run(write_masks, games, arena.tables, layout.code, seats, masks)
    return rows, masks[:, 0, 0] if spec.action == "cards" else masks[:, 0]


# --- specs


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"window": 8}, r"policy: window: 8: expected an odd whole number from 1 to 127"),
        ({"windw": 9}, r"policy: unknown key 'windw': did you mean 'window'\?"),
        ({"observation": "flatt"}, r"policy: observation: 'flatt': did you mean 'flat'\?"),
        ({"observation": "planes"}, r"policy: observation: 'planes': expected flat with a network of the kind flat"),
        ({"action": "card"}, r"policy: action: 'card': did you mean 'cards'\?"),
        ({"num_robots": 9}, r"policy: num_robots: 9: expected a whole number from 1 to 8"),
        ({"num_robots": True}, r"policy: num_robots: True: expected a whole number"),
        ({"decisions": ["facing", "power"]}, r"policy: decisions: .*expected each once in this order: power, facing"),
        ({"decisions": ["pwer"]}, r"policy: decisions\[0\]: 'pwer': did you mean 'power'\?"),
        ({"preview": True}, r"policy: preview: True: expected False with the action 'draw'"),
        ({"network": {"kind": "flat", "hiden": [3]}}, r"policy: network: unknown key 'hiden': did you mean 'hidden'\?"),
        ({"network": {"kind": "flat", "hidden": [3, 0]}}, r"policy: network: hidden\[1\]: 0: expected .* 1 to 4096"),
        ({"network": {"hidden": [3]}}, r"policy: network: missing: kind"),
        ({"network": {"kind": "mlp", "head": "pointer"}}, r"network: head: 'pointer': expected linear with"),
        ({"network": 3}, r"policy: network: 3: expected keys with values: kind, "),
    ],
)
def test_wrong_specs_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        PolicySpec.from_json({**spec_of().to_json(), **changes})


def test_specs_survive_json() -> None:
    spec = spec_of("planes", "planes", "cards", "pointer", preview=True, training={"steps": 3})
    assert PolicySpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec
    assert NetworkSpec("mlp", hidden=[3]).hidden == (3,)  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="kind: 'flt': did you mean 'flat'"):
        NetworkSpec("flt")
    with pytest.raises(PolicyError, match="policy: missing: window, action"):
        PolicySpec.from_json({k: v for k, v in spec.to_json().items() if k not in ("window", "action")})


def test_a_network_too_large_to_be_true_is_not_made() -> None:
    with pytest.raises(PolicyError, match=r"network: \d+,[\d,]+ weights: expected at most"):
        Policy(PolicySpec(NetworkSpec("mlp", hidden=(4096,)), "flat", 127, 4, "draw", ()))


def test_making_a_network_leaves_chance_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    Policy(spec_of())
    assert torch.equal(torch.rand(4), expected)


@pytest.mark.parametrize(
    ("observation", "action"), [("flat", "slots"), ("planes", "cards"), ("entities+planes", "draw")]
)
def test_facts_are_those_of_the_training(observation: str, action: str) -> None:
    core = Core(
        Course.from_board(FLOOR), 2, 3, observation=observation, action=action, window=5, decisions=["facing"],
        preview=action == "cards", settings={"power_down": "off"},
    )  # fmt: skip
    facts = json.loads(json.dumps(policy_facts(core, steps=5)))
    spec = PolicySpec.from_json({**facts, "network": {"kind": observation.partition("+")[0]}})
    assert (spec.observation, spec.window, spec.num_robots) == (observation, 5, 3)
    assert (spec.action, spec.decisions, spec.preview) == (action, ("facing",), action == "cards")
    assert spec.mask_shape == core.mask_shape
    assert spec.trained_on[0]["settings"]["power_down"] == "off"
    assert spec.training == {"steps": 5}


# --- networks


@pytest.mark.parametrize(
    ("kind", "observation", "head"),
    [("mlp", "flat", "linear"), *((*pair, head) for pair in KINDS[1:] for head in ("linear", "pointer"))],
)
@pytest.mark.parametrize("action", ["draw", "cards"])
def test_round_trip(kind: str, observation: str, head: str, action: str, arena: Arena, tmp_path: Path) -> None:
    policy = new_policy(spec_of(kind, observation, action, head, training={"steps": 7}))
    if observation == "entities":
        policy.network.set_boards(make_observer(observation, arena, 4, WINDOW).boards)
    loaded = load_policy(save_policy(policy, tmp_path / "runs" / "one"))
    assert loaded.spec == policy.spec
    if observation == "entities":
        loaded.network.set_boards(make_observer(observation, arena, 4, WINDOW).boards)
    rows, masks = sights(arena, policy.spec)
    logits, values = policy.evaluate(rows)
    assert logits.shape == masks.shape
    assert values.shape == masks.shape[:1]
    assert len(np.unique(logits.argmax(-1))) > 1
    assert np.unique(values).size > 1
    for found, expected in zip(loaded.evaluate(rows), (logits, values), strict=True):
        np.testing.assert_array_equal(found, expected)
    actions = loaded.act(rows, masks)
    assert np.take_along_axis(masks, actions[..., None], axis=-1).all()


def test_windows_cut_by_the_network_are_those_of_the_observer(arena: Arena) -> None:
    cut, given = (new_policy(spec_of("entities", name)) for name in ("entities", "entities+planes"))
    cut.network.set_boards(make_observer("entities", arena, 4, WINDOW).boards)
    with_boards, _ = cut.evaluate(sights(arena, cut.spec)[0])
    with_planes, _ = given.evaluate(sights(arena, given.spec)[0])
    np.testing.assert_allclose(with_boards, with_planes, atol=1e-5)
    with pytest.raises(PolicyError, match="no boards: set_boards"):
        new_policy(cut.spec).evaluate(sights(arena, cut.spec)[0])


def test_pointer_logits_are_those_of_cards() -> None:
    head = PointerHead(latent=5 + 11 * 3, embed=3, components=2)
    latent = torch.randn(4, 5 + 11 * 3)
    logits = head(latent).detach().numpy().reshape(4, 2, 11)
    joint, cards = latent[:, :5], latent[:, 5:].reshape(4, 11, 3)
    query = head.query(joint).detach().reshape(4, 2, 3)
    plain = head.linear(joint).detach().reshape(4, 2, 11)
    for row in range(4):
        for component in range(2):
            for choice in range(11):
                expected = plain[row, component, choice] + query[row, component] @ cards[row, choice] / 3**0.5
                assert logits[row, component, choice] == pytest.approx(float(expected), abs=1e-5)


def test_choices_are_drawn_with_their_probabilities(arena: Arena) -> None:
    policy = new_policy(spec_of(action="cards"))
    rows, masks = (array[:1] for array in sights(arena, policy.spec))
    masks[0, 1] = 0
    count = 4000
    chances = (np.arange(count) + 0.5) / count
    drawn = policy.act(np.repeat(rows, count, axis=0), np.repeat(masks, count, axis=0), chances)
    logits = policy.evaluate(rows)[0][0].astype(float)
    weights = np.exp(logits) * (masks[0] > 0)
    np.testing.assert_allclose(np.bincount(drawn, minlength=11) / count, weights / weights.sum(), atol=1e-3)


# --- files


def _json(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        data = json.loads((folder / "policy.json").read_text())
        change(data)
        (folder / "policy.json").write_text(json.dumps(data))

    return spoil


def _weights(change: Callable[[dict[str, np.ndarray]], None]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        from safetensors.numpy import load_file, save_file

        weights = load_file(folder / "policy.safetensors")
        change(weights)
        save_file(weights, folder / "policy.safetensors")

    return spoil


def _bytes(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes())) and None


def _put(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data.update({name: value})


FAULTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "no folder": (lambda f: (f / "policy.json").unlink(), r"not a policy: expected a folder with policy\.json"),
    "no weights": (lambda f: (f / "policy.safetensors").unlink(), r"policy\.safetensors: cannot be read: No such file"),
    "not json": (_bytes("policy.json", lambda b: b[:-20]), r"policy\.json: .*: expected JSON"),
    "not text": (_bytes("policy.json", lambda b: b"\xff\xfe" + b), r"policy\.json: .*: expected JSON"),
    "nested": (_bytes("policy.json", lambda b: b"[" * 100_000), r"policy\.json: .*: expected JSON"),
    "huge": (_bytes("policy.json", lambda b: b" " * 2_000_000 + b), r"policy\.json: 2,.* bytes: expected at most"),
    "a list": (_bytes("policy.json", lambda b: b"[1]"), r"policy\.json: '\[1\]': expected an object"),
    "nan": (_json(_put("training", {"x": float("nan")})), r"policy\.json: NaN is not a number of JSON"),
    "format": (_json(_put("format", 2)), r"policy\.json: format: 2: expected 1"),
    "type": (_json(_put("window", "7")), r"policy\.json: window: '7': expected an odd whole number"),
    "window": (_json(_put("window", 9)), r"policy\.json: columns: '\w+': expected '\w+': the observation 'flat'"),
    "sizes": (_json(lambda d: d["network"].update(hidden=[17])), r"policy\.safetensors: .*: float32 .*: expected fl"),
    "layers": (_json(lambda d: d["network"].update(hidden=[16, 16])), r"policy\.safetensors: missing: trunks\.policy"),
    "truncated": (_bytes("policy.safetensors", lambda b: b[:-5]), r"policy\.safetensors: .*expected a file of safe"),
    "empty": (_bytes("policy.safetensors", lambda b: b""), r"policy\.safetensors: .*expected a file of safetensors"),
    "too long": (_bytes("policy.safetensors", lambda b: b * 9), r"policy\.safetensors: [\d,]+ bytes: expected at most"),
    "lost": (_weights(lambda w: w.pop("value_net.bias")), r"policy\.safetensors: missing: value_net\.bias"),
    "extra": (_weights(_put("more", np.zeros(3, np.float32))), r"policy\.safetensors: unknown: more"),
    "shape": (
        _weights(_put("value_net.bias", np.zeros(2, np.float32))),
        r"policy\.safetensors: value_net\.bias: float32 \(2,\): expected float32 \(1,\)",
    ),
    "dtype": (
        _weights(_put("value_net.bias", np.zeros(1, np.float64))),
        r"policy\.safetensors: value_net\.bias: float64 \(1,\): expected float32 \(1,\)",
    ),
    "infinite": (
        _weights(_put("value_net.bias", np.full(1, np.inf, np.float32))),
        r"policy\.safetensors: value_net\.bias: inf: expected finite numbers",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_wrong_files_give_one_clear_error(fault: str, tmp_path: Path) -> None:
    spoil, message = FAULTS[fault]
    spoil(save_policy(new_policy(spec_of(head="pointer")), tmp_path) and tmp_path)
    with pytest.raises(PolicyError, match=message) as caught:
        load_policy(tmp_path)
    assert str(caught.value).startswith(str(tmp_path))
    assert "\n" not in str(caught.value)


def test_no_value_of_a_field_is_more_than_an_error(tmp_path: Path) -> None:
    save_policy(new_policy(spec_of()), tmp_path)
    text = (tmp_path / "policy.json").read_text()
    header = json.loads(text)
    paths = [(key,) for key in header] + [("network", key) for key in header["network"]]
    for *outer, key in paths:
        for value in (None, True, -1, 1.5, 10**30, "x", [], [[]], {}, {"a": 1}, ["x"], [-1]):
            data = json.loads(text)
            (data[outer[0]] if outer else data)[key] = value
            (tmp_path / "policy.json").write_text(json.dumps(data))
            try:
                load_policy(tmp_path)
            except PolicyError as error:
                assert str(error).startswith(str(tmp_path))  # noqa: PT017


def test_a_policy_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    policy = new_policy(spec_of())
    with torch.no_grad():
        policy.network.value_net.bias.fill_(float("nan"))
    with pytest.raises(PolicyError, match=r"policy: value_net\.bias: nan: expected finite numbers"):
        save_policy(policy, tmp_path / "x")
    with pytest.raises(PolicyError, match=r"policy: training: .*expected what JSON can hold"):
        save_policy(new_policy(spec_of(training={"x": {1, 2}})), tmp_path / "x")
    assert not (tmp_path / "x").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(PolicyError, match="file: cannot be written: Not a directory"):
        save_policy(new_policy(spec_of()), tmp_path / "file")


# --- models of Stable-Baselines3


class Sights(gymnasium.Env[Any, Any]):
    """An environment that has spaces and nothing else."""

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
    model = (contrib.MaskablePPO if masked else sb3.PPO)(kind, Sights(arena, spec), **options)
    stir(model.policy)
    if spec.observation == "entities":
        model.policy.set_boards(make_observer("entities", arena, 4, spec.window).boards)
    return model


def facts_of(spec: PolicySpec) -> dict[str, Any]:
    return {name: value for name, value in spec.to_json().items() if name != "network"}


def same_acts(model: Any, policy: Policy, arena: Arena, masked: bool) -> None:
    """The policy has the model's logits and values, and acts the same."""
    rows, masks = sights(arena, policy.spec)
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
    same_acts(model, policy, arena, masked)
    stir(model.policy, 1)  # the policy has copies
    with pytest.raises(AssertionError):
        same_acts(model, policy, arena, masked)


@pytest.mark.parametrize("action", ["draw", "cards"])
@pytest.mark.parametrize("masked", [True, False])
def test_exported_library_networks_act_as_the_model(action: str, masked: bool, arena: Arena) -> None:
    spec = spec_of("mlp", "flat", action)
    model = new_model(arena, spec, masked, stock=True)
    from rr_gym.policies.sb3_adapter import policy_from_sb3

    policy = policy_from_sb3(model.policy, facts_of(spec))
    assert policy.spec.network == NetworkSpec("mlp", (12,), (9, 8), activation="relu")
    same_acts(model, policy, arena, masked)
    with pytest.raises(PolicyError, match="facts: missing: observation, window"):
        policy_from_sb3(model.policy)
    with pytest.raises(PolicyError, match=r"weights: size mismatch.*expected those of the facts"):
        policy_from_sb3(model.policy, {**facts_of(spec), "num_robots": 3})
    with pytest.raises(PolicyError, match=r"action space: .*: expected .* with masks of shape"):
        policy_from_sb3(model.policy, {**facts_of(spec), "action": "draw" if action == "cards" else "cards"})


def test_models_of_rr_gym_learn(arena: Arena) -> None:
    """One gradient reaches every weight."""
    spec = spec_of("flat", "flat", "cards", "pointer")
    model = new_model(arena, spec, masked=True)
    rows, masks = sights(arena, spec)
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
    assert main(["export", str(tmp_path / "model.zip"), str(tmp_path / "policy")]) == 0
    out, err = capsys.readouterr()
    assert out == f"policy: {tmp_path / 'policy'}\n"
    assert "runs code that it contains" in err
    assert err.count("\n") == 1
    policy = load_policy(tmp_path / "policy")
    assert policy.spec == spec
    same_acts(model, policy, arena, masked)


def test_export_command_asks_for_what_a_model_does_not_say(
    arena: Arena, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = spec_of("mlp")
    model = new_model(arena, spec, masked=True, stock=True)
    model.save(tmp_path / "model.zip")
    command = ["export", str(tmp_path / "model.zip"), str(tmp_path / "policy")]
    assert main(command) == 2
    assert "facts: missing: observation, window, num_robots, action, decisions" in capsys.readouterr().err
    command += ["--observation", "flat", "--window", str(WINDOW), "--num-robots", "4", "--action", "draw"]
    assert main([*command, "--decisions", *DECISIONS]) == 0
    same_acts(model, load_policy(tmp_path / "policy"), arena, masked=True)
    (tmp_path / "model.zip").write_bytes(b"nothing")
    assert main(command) == 2
    assert "expected a model that Stable-Baselines3 saved" in capsys.readouterr().err
    assert main(["export", str(tmp_path / "no.zip"), str(tmp_path / "policy")]) == 2
    assert "no.zip: no such file" in capsys.readouterr().err


# --- players


def check_legal(games: np.ndarray, seat: int, orders: np.ndarray) -> None:
    """Every open register of a robot in play has a card of its own hand, each card once."""
    for game, order in zip(games, orders, strict=True):
        robot = game["robots"][seat]
        hand = [int(card) for card in robot["hand"] if card]
        if game["over"] or not robot["alive"] or not hand:
            continue
        locked = [bool(robot["locked"] >> r & 1) for r in range(5)]
        cards = [int(card) for card, shut in zip(order["program"], locked, strict=True) if not shut]
        assert set(cards) <= set(hand)
        assert len(set(cards)) == len(cards)


@pytest.mark.parametrize(("kind", "observation"), KINDS)
@pytest.mark.parametrize("action", ["draw", "slots", "cards"])
def test_policies_play_whole_games(kind: str, observation: str, action: str, arena: Arena) -> None:
    player = PolicyPlayer(new_policy(spec_of(kind, observation, action, preview=action == "cards")), sample=True)
    player.reset(4)
    games = arena.new_games(6, 4, seed=2)
    for _ in range(60):
        orders = no_orders(len(games), 8)
        for seat in range(4):
            orders[:, seat] = player.act(arena, games, seat)
            check_legal(games, seat, orders[:, seat])
        arena.play(games, orders)
        if games["over"].all():
            break
    assert games["over"].any()


@pytest.mark.parametrize("action", ["draw", "cards"])
@pytest.mark.parametrize("sample", [True, False])
def test_a_decision_depends_on_view_and_seed_only(action: str, sample: bool, arena: Arena) -> None:
    games = played(arena, 24, turns=2)
    player = PolicyPlayer(new_policy(spec_of(action=action)), sample=sample)
    player.reset(9)
    together = player.act(arena, games, 1)
    player.act(arena, games, 2)
    np.testing.assert_array_equal(player.act(arena, games, 1), together)
    backwards = games[::-1].copy()
    np.testing.assert_array_equal(player.act(arena, backwards, 1)[::-1], together)
    alone = [player.orders(SeatView.of(arena, game, 1)) for game in games]
    np.testing.assert_array_equal(np.array([np.array(order) for order in alone], together.dtype), together)
    player.reset(10)
    assert (player.act(arena, games, 1) == together).all() != sample


def test_steps_of_the_player_are_those_of_the_policy(arena: Arena) -> None:
    """With `cards`, the player's orders are the choices that the policy makes one after the other."""
    policy = new_policy(spec_of(action="cards", preview=True))
    games = played(arena, 5, turns=1)
    orders = PolicyPlayer(policy).act(arena, games, 3)
    layout = action_layout("draw", arena.settings, DECISIONS)
    observer = make_observer("flat", arena, 4, WINDOW)
    for i in range(len(games)):
        game = np.zeros(1, GAME)
        game[0] = games[i]
        steps = TurnSteps(arena, layout, preview=True)
        steps.begin(game, np.full((1, 1), 3, np.int8))
        hand = [int(card) for card in game["robots"]["hand"][0, 3] if card]
        for name in ("facing", "register_1", "register_2"):
            row = observer.observe(steps.games, steps.seats)[:, 0]
            logits, _ = policy.evaluate(row)
            choice = int(np.where(steps.masks()[0], logits[0], -np.inf).argmax())
            steps.choose(np.array([choice]))
            if name != "facing" and hand and not game["robots"]["locked"][0, 3]:
                assert orders["program"][i, int(name[-1]) - 1] == hand.pop(choice)


def test_fewer_robots_than_trained_with(arena: Arena) -> None:
    """Robots that are not there look like eliminated ones; more robots have no room."""
    player = PolicyPlayer(new_policy(spec_of()))
    four, two = played(arena, 8, 1), played(arena, 8, 1, num_robots=2)
    mixed = np.zeros(16, GAME)
    mixed[:8], mixed[8:] = four, two
    orders = player.act(arena, mixed, 1)
    np.testing.assert_array_equal(orders, np.concatenate([player.act(arena, four, 1), player.act(arena, two, 1)]))
    check_legal(mixed, 1, orders)
    with pytest.raises(PolicyError, match=r"policy 'policy': 5 robots: it was trained for 4, and .* has no room"):
        player.act(arena, played(arena, 2, 0, num_robots=5), 0)
    PolicyPlayer(new_policy(spec_of("planes", "planes"))).act(arena, played(arena, 2, 0, num_robots=5), 0)


def test_decisions_that_do_not_exist_here_are_an_error() -> None:
    arena = Arena(Course.from_board(FLOOR), {"power_down": "off"})
    games = arena.new_games(2, 4)
    with pytest.raises(PolicyError, match=r"it was trained to decide .*power, facing, which .*decisions: 'power'"):
        PolicyPlayer(new_policy(spec_of())).act(arena, games, 0)
    PolicyPlayer(new_policy(spec_of(decisions=("facing",)))).act(arena, games, 0)


def test_policies_are_players_by_their_folder(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = new_policy(spec_of())
    save_policy(policy, tmp_path / "runner")
    games = played(arena, 4, turns=1)
    expected = PolicyPlayer(policy).act(arena, games, 0)
    player = make_player(str(tmp_path / "runner"))
    assert isinstance(player, Player)
    assert player.name == "runner"
    np.testing.assert_array_equal(player.act(arena, games, 0), expected)
    monkeypatch.chdir(tmp_path)
    assert make_player("runner", sample=True).sample  # type: ignore[attr-defined]
    with pytest.raises(PlayerError, match=r"player 'runner': .*; its options: sample"):
        make_player("runner", samples=True)
    with pytest.raises(PolicyError, match="sample: 1: expected True or False"):
        make_player("runner", sample=1)
    with pytest.raises(PolicyError, match=r"no/such: not a policy: expected a folder with policy\.json"):
        make_player("no/such")
    with pytest.raises(PlayerError, match=r"model\.zip FOLDER makes one"):
        make_player("model.zip")


def test_torch_is_not_loaded_without_need(python: Python) -> None:
    code = "import sys, rr_gym, rr_gym.players, rr_gym.policies; from rr_gym.cli.main import main; main(['players'])\n"
    python("-c", code + "assert not {'torch', 'safetensors', 'stable_baselines3'} & set(sys.modules)")
