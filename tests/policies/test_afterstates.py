"""The network that reads the board around the square to which each card would move the robot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rr_gym import Arena, Course
from rr_gym.encoding import make_observer
from rr_gym.encoding.observe.frame import SIDES
from rr_gym.envs.core import Core
from rr_gym.policies import NetworkSpec, PolicyError, PolicySpec
from rr_gym.policies.spec import policy_facts

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from rr_gym.networks import as_tensors, masked  # noqa: E402
from rr_gym.policies.afterstates import VIEWS, AfterstatesFeatures, turned  # noqa: E402
from rr_gym.policies.networks import make_network  # noqa: E402

Array = np.ndarray[Any, Any]
WINDOW = 13
TURNS = {view: turns % 4 for view, (_, turns) in enumerate(VIEWS) if turns}
STEPS = {view: steps for view, (steps, _) in enumerate(VIEWS) if steps}


def make_features(observation: str, window: int = WINDOW) -> AfterstatesFeatures:
    """Make the features of the network for two robots, with different weights for all numbers of a view."""
    spec = PolicySpec(NetworkSpec("afterstates"), observation, window, 2, "cards", ("power_down", "facing"))
    features = AfterstatesFeatures(spec)
    torch.nn.init.normal_(features.view.weight)
    return features


def views_of(features: AfterstatesFeatures, arena: Arena, games: Array, observation: str) -> Any:
    """Return the output of the first layer for all views of seat 0: (games, views, size)."""
    observer = make_observer(observation, arena, 2, WINDOW)
    tables = as_tensors({name: array[:, 0].copy() for name, array in observer.observe(games).items()})
    forward, right = (tables["game"][:, place].float() for place in features.game_at[:2])
    layers = features.layers(tables, tables["robots"][:, 1:].float(), tables["flags"].float())
    with torch.no_grad():
        return features._views(features._more_layers(layers)) + features.flag(features._to_flag(forward, right))


def without_kind(features: AfterstatesFeatures) -> AfterstatesFeatures:
    """Set to zero the weights of features that differ between views: the index and the gain in distance."""
    with torch.no_grad():
        features.flag.weight[:, 6:] = 0
    return features


@pytest.mark.parametrize("course", ["risky_exchange", "chop_shop_challenge"])
def test_a_view_after_a_turn_is_what_the_robot_sees_once_it_has_turned(course: str) -> None:
    arena = Arena(course)
    games = arena.new_games(8, num_robots=2, seed=3)
    games["robots"]["facing"][:, 0] = np.arange(8) % 4
    features = without_kind(make_features("entities+way"))
    before = views_of(features, arena, games, "entities+way")
    for view, turns in TURNS.items():
        after = games.copy()
        after["robots"]["facing"][:, 0] = (after["robots"]["facing"][:, 0] + turns) % 4
        there = views_of(features, arena, after, "entities+way")
        assert torch.allclose(before[:, view], there[:, 0], atol=1e-3)
        assert not torch.allclose(before[:, 0], there[:, 0], atol=1)


def test_a_view_after_a_move_is_what_the_robot_sees_once_it_has_moved() -> None:
    arena = Arena("risky_exchange")
    games = arena.new_games(4, num_robots=2, seed=3)
    course = arena.tables["course"][0]
    width, height = int(course["width"]), int(course["height"])
    games["robots"]["square"][:, 0] = height // 2 * width + width // 2
    games["robots"]["facing"][:, 0] = np.arange(4)
    features = without_kind(make_features("entities+planes"))
    before = views_of(features, arena, games, "entities+planes")
    ahead = np.array([-width, 1, width, -1])
    for view, steps in STEPS.items():
        after = games.copy()
        after["robots"]["square"][:, 0] += (steps * ahead[after["robots"]["facing"][:, 0]]).astype(np.int16)
        there = views_of(features, arena, after, "entities+planes")
        assert torch.allclose(before[:, view], there[:, 0], atol=1e-3)


def test_layers_are_turned_by_their_names() -> None:
    names = ["floor", *(f"wall_{side}" for side in SIDES), "belt_forward", "belt_right"]
    assert turned(names, 0) == (list(range(7)), [1.0] * 7)
    # After a turn to the right, a wall on the right is ahead, and a belt that runs forward runs to the left.
    assert turned(names, 1) == ([0, 2, 3, 4, 1, 6, 5], [1.0] * 6 + [-1.0])
    assert turned(names, 2) == ([0, 3, 4, 1, 2, 5, 6], [1.0] * 5 + [-1.0, -1.0])
    assert turned(names, -1) == turned(names, 3) == ([0, 4, 1, 2, 3, 6, 5], [1.0] * 5 + [-1.0, 1.0])


def test_two_cards_of_a_kind_differ_only_in_priority_and_any_window_will_do() -> None:
    for window in (3, 7):
        core = Core(num_games=3, num_robots=2, observation="entities+planes", window=window, action="cards")
        core.reset(1)
        spec = PolicySpec.from_json({**policy_facts(core), "network": {"kind": "afterstates"}})
        network = make_network(spec)
        seen = core.observe()
        seen["cards"][:, 1] = seen["cards"][:, 0]
        with torch.no_grad():
            logits, values = network(as_tensors(seen))
            network.features.choice.zero_()
            same, _ = network(as_tensors(seen))
        assert (logits.shape, values.shape) == ((6, 11), (6,))
        assert torch.allclose(same[:, 0], same[:, 1], atol=1e-6)
        assert masked(logits, core.masks()).isfinite().all()


def test_afterstates_need_decisions_card_by_card() -> None:
    with pytest.raises(PolicyError, match="action: 'draw': expected cards with a network of the kind afterstates"):
        PolicySpec(NetworkSpec("afterstates"), "entities", 9, 2, "draw", ())
    with pytest.raises(PolicyError, match=r"hidden: .*: expected 2 with the kind afterstates"):
        NetworkSpec("afterstates", hidden=(8,))
    with pytest.raises(PolicyError, match="observation: 'flat': expected entities"):
        PolicySpec(NetworkSpec("afterstates"), "flat", 9, 2, "cards", ())


def test_cards_beyond_the_hand_do_not_count() -> None:
    core = Core(num_games=4, num_robots=2, observation="entities+way", action="cards")
    core.reset(1)
    spec = PolicySpec.from_json({**policy_facts(core), "network": {"kind": "afterstates"}})
    network = make_network(spec)
    with torch.no_grad():
        network.features.choice.zero_()
        logits, _ = network(as_tensors(core.observe()))
    empty = core.observe()["cards"][:, :11, 0] == 0
    assert empty.any()
    for row in range(len(logits)):
        assert len(set(logits[row][torch.from_numpy(empty[row])].tolist())) <= 1


def test_course_of_one_square_wide() -> None:
    arena = Arena(Course.from_board("@1  #1"))
    games = arena.new_games(1, num_robots=1, seed=1)
    observer = make_observer("entities+way", arena, 1, WINDOW)
    spec = PolicySpec(NetworkSpec("afterstates"), "entities+way", WINDOW, 1, "cards", ())
    tables = as_tensors({name: array[:, 0].copy() for name, array in observer.observe(games).items()})
    logits, value = make_network(spec)(tables)
    assert logits.isfinite().all()
    assert value.isfinite().all()
