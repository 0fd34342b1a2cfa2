"""The tool that trains the network of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from marks import compiled_only
from tool_modules import load_tool

from rr_gym.players.pair_network import FACTS, LEAD, network_of


@pytest.fixture(scope="module")
def tool() -> Any:
    pytest.importorskip("torch")
    return load_tool("learn_pair_network")


@compiled_only
def test_pairs_are_of_robots_in_the_game_with_who_finished_ahead(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"BATCH": 1, "COURSES": ("risky_exchange",), "HELD_OUT": (), "MAX_CYCLES": 12}.items():
        monkeypatch.setattr(tool, name, value)
    pairs = tool.play(10, seed=1)
    assert pairs.facts.shape == (len(pairs.ahead), len(FACTS))
    assert pairs.facts.dtype == np.float32
    assert set(pairs.ahead.tolist()) <= {0, 0.5, 1}
    assert pairs.ahead.mean() == 0.5  # every pair is there from both sides
    assert not pairs.tests[0]
    assert pairs.tests[-1]
    assert not pairs.held_out.any()
    ahead = pairs.ahead == 1
    assert pairs.facts[ahead, LEAD].mean() > 0.2


def test_it_learns_what_the_lead_does_not_say(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "ROWS", 32)
    rng = np.random.default_rng(1)
    facts = rng.normal(size=(6000, len(FACTS))).astype(np.float32)
    ahead = (facts[:, LEAD] + 2 * np.abs(facts[:, 4]) > 1).astype(np.float32)
    held_out = np.arange(6000) % 3 == 0  # their results are wrong, and must not be learned from
    ahead[held_out] = 1 - ahead[held_out]
    network = tool.learn(tool.Pairs(facts, ahead, np.zeros(6000, bool), held_out), seed=1)
    weights = network.weights()
    assert network_of(weights).hidden.shape == (tool.UNITS,)
    hidden = np.maximum(facts @ weights["first"] + weights["bias"], 0)
    lead = hidden @ weights["last"] + facts @ weights["direct"] + weights["rest"]
    right = (lead > 0) == (ahead > 0.5)
    assert right[~held_out].mean() > 0.9
