"""The tool that breaks rules: what it changes, and that scenarios notice."""

from __future__ import annotations

import ast
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from conftest import ROOT

TOOLS = Path(__file__).parents[2] / "tools"

SOURCE = """
@kernel
def rule(game, log, robot):
    if robot.alive and robot.damage < 10:
        turn(game, log, robot, 1)
        note(game, log, TURNED, robot, 0)
    while robot.lives:
        destroy(game, robot)
    if log.on:
        note(game, log, SHOT, robot, 0)
    robot.facing = (robot.facing + 2) & 3

@with_expansions(rule)
def full_rule(game, table):
    return game.step < 5

@kernel
def separate_rule(game):
    return game.phase <= 5

def helper(a, b):
    return a < b
"""

CHANGES = {
    ("negate", "robot.alive and robot.damage < 10"): "if not (robot.alive and robot.damage < 10):",
    ("never", "robot.alive and robot.damage < 10"): "if False:",
    ("boundary 0", "robot.damage < 10"): "if robot.alive and robot.damage <= 10:",
    ("remove", "turn(game, log, robot, 1)"): "        pass",
    ("turn +1", "turn(game, log, robot, 1)"): "turn(game, log, robot, 1 + 1)",
    ("turn -1", "turn(game, log, robot, 1)"): "turn(game, log, robot, 1 + -1)",
    ("negate", "robot.lives"): "while not robot.lives:",
    ("never", "robot.lives"): "while False:",
    ("remove", "destroy(game, robot)"): "        pass",
    ("direction +1", "robot.facing + 2 & 3"): "robot.facing = robot.facing + 2 + 1 & 3",
    ("direction -1", "robot.facing + 2 & 3"): "robot.facing = robot.facing + 2 + -1 & 3",
    ("boundary 0", "game.step < 5"): "return game.step <= 5",
    ("boundary 0", "game.phase <= 5"): "return game.phase < 5",
}


@pytest.fixture
def mutations(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(TOOLS))
    yield importlib.import_module("mutations")
    sys.modules.pop("mutations", None)


def test_every_guard_call_comparison_and_direction_is_changed_once(mutations: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "rule.py"
    path.write_text(SOURCE)
    mutants = list(mutations.mutants_of(path, path.parent))
    assert sorted((mutant.kind, mutant.part) for mutant in mutants) == sorted(CHANGES)
    for mutant in mutants:
        text = ast.unparse(mutations.mutated(SOURCE, mutant.index, mutant.kind))
        original = ast.unparse(ast.parse(SOURCE)).splitlines()
        changed = [line for line, before in zip(text.splitlines(), original, strict=True) if line != before]
        assert len(changed) == 1
        assert CHANGES[mutant.kind, mutant.part] in changed[0]
        assert mutant.text == SOURCE.splitlines()[mutant.line - 1].strip()
        assert mutant.line == mutant.last


@pytest.mark.long
def test_scenarios_notice_broken_gears(python: Callable[..., Any], tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    arguments = ("tools/mutants.py", "--only", "flip_gears_turn", "--results", str(results))
    done = python(*arguments)
    assert "gears.py" in done.stdout
    assert "100.0% of" in done.stdout
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    assert {row["kind"] for row in rows} == {"negate", "never", "remove", "turn +1", "turn -1"}
    assert all(row["scenario"] and row["why"] for row in rows)
    python(*arguments, "--resume")
    assert len(results.read_text().splitlines()) == len(rows)


def test_what_is_not_there_is_an_error(python: Callable[..., Any]) -> None:
    done = python("tools/mutants.py", "--only", "no_such_kernel", check=False)
    assert done.returncode == 2
    assert "there is no such file or kernel" in done.stderr


def test_every_explained_mutant_is_there(mutations: ModuleType) -> None:
    rules = ROOT / "rr_gym" / "rules"
    unknown = []
    mutants: dict[str, set[tuple[str, ...]]] = {}
    for entry in yaml.safe_load((TOOLS / "mutants_expected.yaml").read_text("utf-8")):
        if entry["file"] not in mutants:
            found = list(mutations.mutants_of(rules / entry["file"], rules))
            mutants[entry["file"]] = {
                key
                for m in found
                for key in ((m.function,), (m.function, m.part), (m.function, m.part, m.kind))
            }
        if tuple(entry[name] for name in ("function", "part", "kind") if name in entry) not in mutants[entry["file"]]:
            unknown.append(entry)
    assert unknown == []
