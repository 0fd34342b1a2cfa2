"""Policies in games with option cards, devices and teams."""

from __future__ import annotations

import numpy as np
import pytest
from option_games import deal_options, floor, play_random
from policy_examples import KINDS, new_policy, spec_of, torch

from rr_gym.encoding.act.actions import action_layout, write_masks
from rr_gym.encoding.observe.elements import elements_of
from rr_gym.encoding.observe.observations import make_observer
from rr_gym.policies import PolicyPlayer
from rr_gym.rules.devices.devices import lay_device
from rr_gym.rules.state.constants import LAY_MINE
from rr_gym.rules.state.records import new_log

DECISIONS = ["facing", "weapon", "gadget", "conditional"]


def busy_floor() -> tuple:
    arena = floor(game="tag_teams")
    games = arena.new_games(3, 4, seed=1)
    play_random(arena, games, 1)
    deal_options(games, np.random.default_rng(1), each=4)
    for square in (17, 26, 35):
        lay_device(games[0], arena.tables[0], new_log(on=False)[0], LAY_MINE, 1, square, 0, 0, 4)
    return arena, games


@pytest.mark.parametrize("head", ["linear", "pointer"])
@pytest.mark.parametrize(("kind", "observation"), KINDS)
def test_policies_decide_about_options(kind: str, observation: str, head: str) -> None:
    if kind == "mlp" and head == "pointer":
        pytest.skip("it reads no cards")
    arena, games = busy_floor()
    layout = action_layout("draw", arena.settings, DECISIONS)
    spec = spec_of(kind, observation, head=head, decisions=layout.components[5:], elements=elements_of(arena.tables))
    assert spec.mask_shape == layout.shape == (17, 12)
    policy = new_policy(spec)
    orders = PolicyPlayer(policy).act(arena, games, 1)
    masks = np.empty((3, 1, *layout.shape), np.int8)
    seats = np.full((3, 1), 1, np.int8)
    write_masks(games, arena.tables, layout.code, seats, masks)
    seen = make_observer("entities+planes" if kind == "entities" else observation, arena, 4, spec.window).observe(
        games, seats
    )
    rows = {name: array[:, 0] for name, array in seen.items()} if isinstance(seen, dict) else seen[:, 0]
    actions = policy.act(rows, masks[:, 0])
    for name, field in (("weapon_1", "weapon"), ("gadget_1", "gadget")):
        place = layout.components.index(name)
        assert np.array_equal(orders[field][:, 0], actions[:, place])


def test_entities_read_the_same_with_planes_and_without() -> None:
    arena, games = busy_floor()
    groups = elements_of(arena.tables)
    policy = new_policy(spec_of("entities", "entities", decisions=("facing",), elements=groups))
    policy.network.set_boards(make_observer("entities", arena, 4, policy.spec.window).boards)
    logits = []
    for name in ("entities", "entities+planes"):
        seen = make_observer(name, arena, 4, policy.spec.window).observe(games)
        assert "devices" in seen
        rows = {key: torch.from_numpy(array[0]) for key, array in seen.items()}
        logits.append(policy.network(rows)[0])
    assert torch.allclose(*logits, atol=1e-6)
    rows["devices"] = torch.zeros_like(rows["devices"])
    assert not torch.allclose(policy.network(rows)[0], logits[0])


def test_a_policy_sees_what_it_is_asked_for() -> None:
    arena, games = busy_floor()
    layout = action_layout("draw", arena.settings, DECISIONS)
    spec = spec_of(
        "flat", action="cards", decisions=layout.components[5:], elements=elements_of(arena.tables), preview=True
    )
    orders = PolicyPlayer(new_policy(spec)).act(arena, games, 2)
    assert (orders["program"] > 0).any()
