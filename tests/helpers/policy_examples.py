"""Policies for tests, and observations for them. Importing it skips the tests if PyTorch is not installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_play import played

from rr_gym.encoding.act.actions import action_layout, write_masks
from rr_gym.encoding.observe.observations import make_observer
from rr_gym.policies import NetworkSpec, Policy, PolicySpec
from rr_gym.rules.arena.arena import Arena

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
torch.set_num_threads(1)  # faster for networks this small

DECISIONS = ("power_down", "facing")
SMALL: dict[str, Any] = {"hidden": (16,), "features": 24, "channels": (4, 4), "embed": 6}
WINDOW = 7
OBSERVATIONS = ("flat", "planes", "entities", "entities+planes")
KINDS = [("mlp", "flat"), *((name.partition("+")[0], name) for name in OBSERVATIONS)]


def spec_of(
    kind: str = "flat", observation: str = "flat", action: str = "draw", head: str = "linear", **changes: Any
) -> PolicySpec:
    options: dict[str, Any] = {"window": WINDOW, "num_robots": 4, "decisions": DECISIONS, **changes}
    return PolicySpec(NetworkSpec(kind, head=head, **SMALL), observation, action=action, **options)


def new_policy(spec: PolicySpec, seed: int = 0) -> Policy:
    """Create a policy with random weights, large enough for logits that differ clearly."""
    policy = Policy(spec)
    randomize(policy.network, seed)
    return policy


def randomize(network: Any, seed: int = 0) -> None:
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            spread = parameter[0].numel() ** -0.5 if parameter.dim() > 1 else 0.1
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * spread * 1.5)


def observations_and_masks(arena: Arena, spec: PolicySpec, num_games: int = 40) -> tuple[Any, np.ndarray]:
    """Return observations and masks of seats in some games, one row for each game."""
    games = played(arena, num_games, turns=3)
    seats = np.arange(num_games, dtype=np.int8)[:, None] % 4
    layout = action_layout("draw" if spec.action == "cards" else spec.action, arena.settings, spec.decisions)
    seen = make_observer(spec.observation, arena, 4, spec.window).observe(games, seats)
    rows = {name: array[:, 0] for name, array in seen.items()} if isinstance(seen, dict) else seen[:, 0]
    masks = np.empty((num_games, 1, *layout.shape), np.int8)
    write_masks(games, arena.tables, layout.code, seats, masks)
    return rows, masks[:, 0, 0] if spec.action == "cards" else masks[:, 0]
