"""Scaled observations: their bounds, networks that compute the same from them, and errors if types are mixed up."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from combinations import combinations

from rr_gym.choices.observers import CHOICE_OBSERVATIONS
from rr_gym.encoding.observe.observations import OBSERVERS
from rr_gym.envs.core import Core
from rr_gym.policies.scaling import DIRECTION, scaled_tables
from rr_gym.policies.spaces import facts_of
from rr_gym.policies.spec import PolicySpec, policy_facts

Array = np.ndarray[Any, Any]

FORMS = [(name, "draw") for name in OBSERVERS] + [(name, "cards") for name in CHOICE_OBSERVATIONS]
forms = pytest.mark.parametrize(("observation", "action"), FORMS)


def tables(observation: Any) -> dict[str, Any]:
    """Return the arrays or boxes of an observation or a space by name."""
    return dict(observation) if isinstance(observation, dict) or hasattr(observation, "spaces") else {"": observation}


def play_on(core: Core, rng: np.random.Generator) -> None:
    """Play a random legal step in all games, and restart the games that end."""
    turn = core.step(core.sample_actions(rng))
    core.restart((turn.terminated | turn.truncated).reshape(core.num_games, -1)[:, 0])


GAMES: dict[str, dict[str, Any]] = {
    "robots": {"num_robots": [1, 3]},
    "courses": {"course": ["risky_exchange", "death_trap"], "num_robots": 2, "opponents": {"self": 0.5, "random": 0.5}},
}


@pytest.mark.parametrize(("form", "games"), combinations(FORMS, list(GAMES), one_in=2))
def test_numbers_lie_in_their_bounds(form: tuple[str, str], games: str) -> None:
    check_bounds(*form, GAMES[games])


@pytest.mark.long
@pytest.mark.parametrize(
    ("observation", "action"), [("flat", "draw"), ("entities+choices", "cards"), ("planes", "draw")]
)
@pytest.mark.parametrize(
    "game",
    [
        {"course": "everything", "num_robots": 4},
        {"num_robots": 3, "settings": {"start_options": 3}},
        {"num_robots": 4, "settings": {"game": "tag_teams"}},
        {"num_robots": 2, "settings": {"game": "flag_toggle"}},
    ],
    ids=["elements", "options", "teams", "flag_toggle"],
)
def test_numbers_of_all_kinds_of_games_lie_in_their_bounds(observation: str, action: str, game: dict[str, Any]) -> None:
    check_bounds(observation, action, game)


def check_bounds(observation: str, action: str, game: dict[str, Any]) -> None:
    """Check that observations of random games lie in their space, whose bounds are tight, and lose no information."""
    options = {"num_games": 6, "observation": observation, "action": action, "max_cycles": 6, **game}
    core, whole = Core(**options, observation_dtype="scaled"), Core(**options)
    space = core.single_observation_space()
    assert {box.dtype for box in tables(space).values()} == {np.dtype(np.float32)}
    assert all(-4 <= box.low.min() <= 0 < box.high.max() <= 4 for box in tables(space).values())
    assert "board" not in tables(space)
    core.reset(1)
    whole.reset(1)
    rng, other = np.random.default_rng(1), np.random.default_rng(1)
    out = core.new_observations()
    for _ in range(10 * core.stages):  # games end and begin again
        seen = tables(core.observe(out))
        for name, array in seen.items():
            box = tables(space)[name]
            assert array.dtype == np.float32
            assert ((box.low <= array) & (array <= box.high)).all(), name
            assert not array[core.idle()].any()
        scale = scaled_tables(policy_facts(core))
        for name, array in tables(whole.observe()).items():
            if name != "board":
                table = scale[name]
                given = np.moveaxis(array, table.axis, -1)[..., : len(table.scale)] * table.scale
                shown = np.moveaxis(seen[name], table.axis, -1)[..., : len(table.scale)]
                assert np.array_equal(shown, np.clip(given, -4, 4))
        play_on(core, rng)
        play_on(whole, other)


def test_categories_and_directions_have_names() -> None:
    core = Core(observation="entities", num_games=3, num_robots=2, observation_dtype="scaled")
    core.reset(4)
    seen, scale = core.observe(), scaled_tables(policy_facts(core))
    game, robots, cards = (scale[name].names for name in ("game", "robots", "cards"))
    assert game[-3:] == DIRECTION
    forward, right = (seen["game"][:, game.index(f"next_flag_{side}")] * 8 for side in ("forward", "right"))
    assert np.allclose(seen["game"][:, -1], 1 / (1 + abs(forward) + abs(right)))
    assert np.array_equal(seen["game"][:, -3], np.sign(forward))
    facing = [robots.index(f"facing={k}") for k in range(4)]
    assert (seen["robots"][..., facing].sum(-1) == 1).all()
    hand = seen["cards"][:, :9]
    assert (hand[..., cards.index("type=0") :].argmax(-1) == np.rint(hand[..., cards.index("type")] * 7)).all()
    assert seen["planes"].shape == (6, 15, 15, 18)
    assert seen["planes"].std() > 0.1  # the board itself


@forms
def test_spaces_keep_what_they_are_of(observation: str, action: str) -> None:
    for observation_dtype in ("scaled", "native"):
        core = Core(observation=observation, action=action, observation_dtype=observation_dtype)
        space = core.single_observation_space()
        assert facts_of(space) == {"observation_dtype": observation_dtype, **policy_facts(core)}
        for copied in (copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
            assert facts_of(copied) == facts_of(space)
            assert copied == space


KINDS = [
    ("flat", "flat", "linear"), ("flat", "flat", "pointer"), ("planes", "planes", "pointer"),
    ("entities", "entities", "pointer"), ("entities", "entities+planes", "linear"),
    ("entities", "entities+way", "pointer"), ("choices", "choices", "linear"),
    ("afterstates", "entities", "linear"), ("afterstates", "entities+way", "linear"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "observation", "head"), KINDS)
@pytest.mark.parametrize("course", ["risky_exchange", pytest.param("everything", marks=pytest.mark.long)])
def test_networks_compute_the_same_from_both(kind: str, observation: str, head: str, course: str) -> None:
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    from rr_gym.networks import as_tensors
    from rr_gym.policies.networks import make_network

    options: dict[str, Any] = {
        "course": course, "num_games": 4, "num_robots": [1, 3], "observation": observation, "action": "cards",
    }  # fmt: skip
    cores = Core(**options), Core(**options, observation_dtype="scaled")
    spec = PolicySpec.from_json({**policy_facts(cores[0]), "network": {"kind": kind, "head": head}})
    whole, scaled = make_network(spec), make_network(spec, scaled=True)
    scaled.load_state_dict(whole.state_dict())
    if observation.startswith("entities"):
        whole.set_boards(cores[0].observer.boards)
    rngs = [np.random.default_rng(1) for _ in cores]
    for core in cores:
        core.reset(2)
    for _ in range(20):
        with torch.no_grad():
            (logits, values), (others, worth) = (
                net(as_tensors(core.observe())) for net, core in zip((whole, scaled), cores, strict=True)
            )
        legal = torch.from_numpy((cores[0].masks() > 0) & ~cores[0].idle()[:, None])
        assert torch.allclose(logits[legal], others[legal], atol=1e-5)
        assert torch.allclose(values[legal.any(1)], worth[legal.any(1)], atol=1e-5)
        for core, rng in zip(cores, rngs, strict=True):
            play_on(core, rng)


@pytest.mark.parametrize(("kind", "observation", "head"), KINDS)
def test_mixed_up_numbers_are_refused(kind: str, observation: str, head: str) -> None:
    pytest.importorskip("torch")
    from rr_gym.networks import RaceNetwork, as_tensors
    from rr_gym.policies import PolicyError
    from rr_gym.policies.networks import make_network

    options: dict[str, Any] = {"num_robots": 2, "observation": observation, "action": "cards"}
    cores = {name: Core(**options, observation_dtype=name) for name in ("native", "scaled", "float32")}
    spec = PolicySpec.from_json({**policy_facts(cores["native"]), "network": {"kind": kind, "head": head}})
    for wrong, expected in (("scaled", "native"), ("native", "scaled"), ("float32", "scaled")):
        cores[wrong].reset(1)
        found = rf"\(observation_dtype='(native|scaled)'.*\): expected \d+ \(observation_dtype='{expected}'"
        with pytest.raises(PolicyError, match=r"observation: (game: )?\d+ numbers " + found):
            make_network(spec, scaled=expected == "scaled")(as_tensors(cores[wrong].observe()))
    if kind == "choices":  # plays without PyTorch, and checks in another place
        from rr_gym.policies.policy import Policy

        policy = Policy(spec, weights=make_network(spec).state_dict())
        with pytest.raises(PolicyError, match="expected 7"):
            policy.evaluate(cores["scaled"].observe())
    space = cores["scaled"].single_observation_space()
    for box in tables(space).values():
        box.__dict__["_shape"] = (*box.shape[:-1], box.shape[-1] + 5)
    if observation != "planes":  # there columns are the first axis
        with pytest.raises(PolicyError, match=r"observation space: (game: )?\d+ numbers: expected .*native.*scaled"):
            RaceNetwork.from_spaces(space, cores["scaled"].single_action_space())


@forms
def test_functions_play_with_what_environments_show(observation: str, action: str) -> None:
    from rr_gym import arena_of
    from rr_gym.policies import FunctionPlayer, PolicyError

    seen = []

    def first(observations: Any, masks: Array) -> Array:
        seen.append(tables(observations))
        return np.asarray(masks.argmax(1))

    player = FunctionPlayer(first, observation, observation_dtype="scaled")
    arena = arena_of("risky_exchange", None)
    player.act(arena, arena.new_games(5, num_robots=2, seed=1), 1)
    core = Core(observation=observation, action="cards", num_robots=2, observation_dtype="scaled")
    for name, box in tables(core.single_observation_space()).items():
        array = seen[0][name]
        assert array.shape[1:] == box.shape
        assert ((box.low <= array) & (array <= box.high)).all()
    with pytest.raises(PolicyError, match=r"observation_dtype: 'float'"):
        FunctionPlayer(first, observation_dtype="float")
