"""Run scenarios that tests write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rr_gym import yaml12
from rr_gym.scenarios import ScenarioResult, load_scenarios, run_scenario

FLOOR = ". . .\n. . .\n"


def scenario(**changes: Any) -> dict[str, Any]:
    """Return a scenario that passes, in which a robot moves one square east, with changes; None removes a key."""
    value = {
        "name": "a robot moves",
        "board": FLOOR,
        "robots": {"a": {"at": [0, 0], "facing": "e"}},
        "programs": {"a": ["move_1"]},
        "expect": {"a": {"at": [1, 0]}},
    }
    return {key: entry for key, entry in (value | changes).items() if entry is not None}


def run_text(path: Path, text: str) -> list[ScenarioResult]:
    path.write_text(text, "utf-8")
    return [run_scenario(entry) for entry in load_scenarios(path)]


def run_one(file: Path, **changes: Any) -> ScenarioResult:
    (result,) = run_text(file, yaml12.dump([scenario(**changes)]))
    return result


def problem(file: Path, **changes: Any) -> str:
    """Return the error of a scenario that must not run."""
    result = run_one(file, **changes)
    assert not result.passed
    assert [d.field for d in result.differences] == ["error"]
    return str(result.differences[0].actual)
