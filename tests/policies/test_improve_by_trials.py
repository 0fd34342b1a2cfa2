"""The tool that improves a policy by its trials."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from marks import compiled_only
from tool_modules import load_tool

from rr_gym.choices.columns import CHANCE_BEHIND
from rr_gym.envs.core import Core
from rr_gym.policies import load_policy
from rr_gym.policies.inputs import LIMIT
from rr_gym.registry import SHIPPED


@pytest.fixture(scope="module")
def tool() -> Any:
    pytest.importorskip("torch")
    return load_tool("improve_by_trials")


@compiled_only
def test_logits_are_lower_by_what_their_chances_are_behind(tool: Any) -> None:
    """Units that are never active lose nothing else; the value stays as it is."""
    policy = load_policy(SHIPPED / "champion")
    units = tool.idle_units(policy, num_games=2, courses=("risky_exchange",))
    better = tool.improved(policy, 10.0, units)
    assert better.spec.training == {**policy.spec.training, "improved_by_trials": {"weight": 10.0}}
    core = Core(
        course="risky_exchange", num_games=2, num_robots=2, observation="choices", action="cards", lookahead="trials",
        preview=True, decisions=list(policy.spec.decisions),
    )  # fmt: skip
    core.reset(tool.SEED)
    for _ in range(core.stages):
        seen, legal = core.observe(), core.masks() > 0
        (before, value), (after, same) = (one.evaluate(seen) for one in (policy, better))
        behind = np.minimum(seen["choices"][..., CHANCE_BEHIND] / 400, LIMIT)
        assert np.allclose((after - before)[legal], -10 * behind[legal], atol=1e-3)
        assert np.allclose(value, same, atol=1e-5)
        core.step(np.where(legal, before, -np.inf).argmax(axis=-1))


def test_grandmaster_is_the_champion_improved(tool: Any) -> None:
    champion, grandmaster = (load_policy(SHIPPED / name) for name in ("champion", "grandmaster"))
    assert grandmaster.spec.lookahead == "trials+value"
    expected = tool.improved(champion, 10.0, (24, 12)).weights()
    assert {*expected} == {*grandmaster.weights()}
    assert all(np.array_equal(weights, expected[name]) for name, weights in grandmaster.weights().items())


def test_other_policies_are_refused(tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["improve_by_trials.py", "veteran", "--out", str(tmp_path / "policy")])
    with pytest.raises(SystemExit, match="veteran: lookahead: turns: expected trials or trials\\+value"):
        tool.main()
    assert not (tmp_path / "policy").exists()
