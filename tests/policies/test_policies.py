"""Policies: specs, networks, and folders with their errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from policy_examples import KINDS, WINDOW, new_policy, observations_and_masks, spec_of, torch
from random_play import FLOOR

from rr_gym.courses.course import Course
from rr_gym.encoding.observe.observations import make_observer
from rr_gym.envs.core import Core
from rr_gym.policies import NetworkSpec, Policy, PolicyError, PolicySpec, load_policy, save_policy
from rr_gym.policies.networks import PointerHead
from rr_gym.policies.spec import policy_facts
from rr_gym.rules.arena.arena import Arena


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(FLOOR)


# Specs


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"window": 8}, r"policy: window: 8: expected an odd whole number from 1 to 127"),
        ({"window": True}, r"policy: window: True: expected an odd whole number from 1 to 127"),
        ({"windw": 9}, r"policy: windw: unknown key: did you mean 'window'\?"),
        ({"observation": "flatt"}, r"policy: observation: 'flatt': expected .*; did you mean 'flat'\?"),
        ({"observation": "planes"}, r"policy: observation: 'planes': expected flat with a network of the kind flat"),
        ({"action": "card"}, r"policy: action: 'card': expected .*; did you mean 'cards'\?"),
        ({"num_robots": 9}, r"policy: num_robots: 9: expected a whole number from 1 to 8"),
        ({"num_robots": True}, r"policy: num_robots: True: expected a whole number"),
        ({"decisions": ["facing", "power_down"]}, r"policy: decisions: .*each once in this order: power_down, facing"),
        ({"decisions": ["powr_down"]}, r"policy: decisions\[0\]: 'powr_down': did you mean 'power_down'\?"),
        ({"preview": True}, r"policy: preview: True: expected False with the action 'draw'"),
        ({"elements": ["oli"]}, r"policy: elements\[0\]: 'oli': did you mean 'oil'\?"),
        ({"elements": ["ice", "oil"]}, r"policy: elements: .*expected each once in this order: oil, ice"),
        ({"network": {"kind": "flat", "hiden": [3]}}, r"policy: network\.hiden: unknown key: did you mean 'hidden'\?"),
        ({"network": {"kind": "flat", "hidden": [3, 0]}}, r"policy: network\.hidden\[1\]: 0: expected .* 1 to 4096"),
        ({"network": {"hidden": [3]}}, r"policy: network: missing: kind"),
        ({"network": {"kind": "mlp", "head": "pointer"}}, r"network: head: 'pointer': expected linear with"),
        ({"network": 3}, r"policy: network: 3: expected keys with values: kind, "),
    ],
)
def test_wrong_specs_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        PolicySpec.from_json({**spec_of().to_json(), **changes})


def test_specs_survive_json() -> None:
    spec = spec_of("planes", "planes", "cards", "pointer", preview=True, elements=("oil",), training={"steps": 3})
    assert PolicySpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec
    assert NetworkSpec("mlp", hidden=[3]).hidden == (3,)  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match=r"kind: 'flt': expected flat \| planes \| .*; did you mean 'flat'\?"):
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
        FLOOR, 2, 3, observation=observation, action=action, window=5, decisions=["facing"],
        preview=action == "cards", settings={"power_down": "off"},
    )  # fmt: skip
    facts = json.loads(json.dumps(policy_facts(core, steps=5)))
    spec = PolicySpec.from_json({**facts, "network": {"kind": observation.partition("+")[0]}})
    assert (spec.observation, spec.window, spec.num_robots) == (observation, 5, 3)
    assert (spec.action, spec.decisions, spec.preview) == (action, ("facing",), action == "cards")
    assert spec.mask_shape == core.mask_shape
    assert spec.trained_on[0]["settings"]["power_down"] == "off"
    assert spec.training == {"steps": 5}
    assert spec.elements == ()


def test_facts_name_the_elements_that_are_seen() -> None:
    course = Course.from_board("@1 @2 Y O #1", "small")
    facts = policy_facts(Core(course, 1, 2, observation="planes"))
    assert facts["elements"] == ["oil", "crumbly"]
    assert PolicySpec.from_json({**facts, "network": {"kind": "planes"}}).elements == ("oil", "crumbly")


# Networks


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
    rows, masks = observations_and_masks(arena, policy.spec)
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
    with_boards, _ = cut.evaluate(observations_and_masks(arena, cut.spec)[0])
    with_planes, _ = given.evaluate(observations_and_masks(arena, given.spec)[0])
    np.testing.assert_allclose(with_boards, with_planes, atol=1e-5)
    with pytest.raises(PolicyError, match="no boards: set_boards"):
        new_policy(cut.spec).evaluate(observations_and_masks(arena, cut.spec)[0])


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
    rows, masks = (array[:1] for array in observations_and_masks(arena, policy.spec))
    masks[0, 1] = 0
    count = 4000
    uniforms = (np.arange(count) + 0.5) / count
    drawn = policy.act(np.repeat(rows, count, axis=0), np.repeat(masks, count, axis=0), uniforms)
    logits = policy.evaluate(rows)[0][0].astype(float)
    weights = np.exp(logits) * (masks[0] > 0)
    np.testing.assert_allclose(np.bincount(drawn, minlength=11) / count, weights / weights.sum(), atol=1e-3)


# Files


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
    "a list": (_bytes("policy.json", lambda b: b"[1]"), r"policy\.json: \[1\]: expected an object"),
    "nan": (_json(_put("training", {"x": float("nan")})), r"policy\.json: NaN is not JSON"),
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
    with pytest.raises(PolicyError, match=r"policy: training: .*expected values that JSON can represent"):
        save_policy(new_policy(spec_of(training={"x": {1, 2}})), tmp_path / "x")
    assert not (tmp_path / "x").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(PolicyError, match="file: cannot be written: File exists"):
        save_policy(new_policy(spec_of()), tmp_path / "file")


def test_what_is_neither_a_policy_nor_a_folder(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="load_policy: folder: None: expected a path"):
        load_policy(None)  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="save_policy: policy: 5: expected a Policy"):
        save_policy(5, tmp_path)  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="save_policy: folder: 5: expected a path"):
        save_policy(new_policy(spec_of()), 5)  # type: ignore[arg-type]
