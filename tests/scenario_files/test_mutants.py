"""The mutation tool: its changes to rules, and that scenarios detect them."""

from __future__ import annotations

import ast
import importlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
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
    for name in ("mutations", "mutant_markers", "mutants_worker"):
        sys.modules.pop(name, None)


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


def marks_in(text: str, mutations: ModuleType, folder: Path) -> set[tuple[int, str]]:
    """Return the mutants, by line and kind, of which the comments in a text speak."""
    markers = importlib.import_module("mutant_markers")
    path = folder / "rule.py"
    path.write_text(text)
    mutants = list(mutations.mutants_of(path, folder))
    found = markers.marked(mutants, list(markers.markers_in(path, folder)))
    return {(mutant.line, mutant.kind) for hits in found.values() for mutant in hits}


@pytest.mark.parametrize(("text", "marked"), [
    ("    if a < b:  # mutants: why\n        rule(a, b)", {(3, "negate"), (3, "never"), (3, "boundary 0")}),
    ("    if a < b:  # mutants (never, boundary): why\n        rule(a, b)", {(3, "never"), (3, "boundary 0")}),
    ("    return 0 < a < b  # mutants (boundary 2): why", {(3, "boundary 1")}),
    ("    return b > 3 and 0 < a < b  # mutants (boundary 2): why", {(3, "boundary 0")}),
    ("    return a & 3  # mutants (direction -1): why", {(3, "direction -1")}),
    ("    # mutants (never, remove): why\n    if a:\n        rule(a, b)", {(4, "never"), (5, "remove")}),
    ("    if a:\n        b = 1\n    # mutants (never): why\n    elif b:\n        b = 2\n    elif a & b:\n        b = 3",
     {(6, "never")}),
])  # fmt: skip
def test_a_comment_speaks_of_its_line_or_of_the_statement_below(
    mutations: ModuleType, tmp_path: Path, text: str, marked: set[tuple[int, str]]
) -> None:
    assert marks_in(f"@kernel\ndef rule(a, b):\n{text}\n", mutations, tmp_path) == marked


def test_a_comment_speaks_of_a_kernel_with_its_calls_or_of_a_file(mutations: ModuleType, tmp_path: Path) -> None:
    kernels = "@kernel\ndef one(a):\n    return a < 1\n\n\n{}@kernel\ndef two(a):\n    one(a)\n    return a < 2\n"
    one, call, two = (3, "boundary 0"), (8, "remove"), (9, "boundary 0")
    above = "# mutants{}: why\n"

    def lower(found: set[tuple[int, str]]) -> set[tuple[int, str]]:
        return {(line - 1, kind) for line, kind in found}

    assert lower(marks_in(above.format("") + kernels.format(""), mutations, tmp_path)) == {one, call}
    assert lower(marks_in(above.format(" (boundary)") + kernels.format(""), mutations, tmp_path)) == {one}
    assert lower(marks_in(kernels.format(above.format("")), mutations, tmp_path)) == {call, two}
    assert lower(marks_in(above.format("") + "import os\n" + kernels.format(""), mutations, tmp_path)) == {
        (line + 1, kind) for line, kind in (one, call, two)
    }


@pytest.mark.parametrize("comment", ["# mutant: why", "# mutants:", "# mutants never: why", "# mutants (): why"])
def test_a_comment_of_another_form_is_an_error(mutations: ModuleType, tmp_path: Path, comment: str) -> None:
    with pytest.raises(ValueError, match=r"rule\.py:3: expected '# mutants \(KINDS\): REASON', found"):
        marks_in(f"@kernel\ndef rule(a, b):\n    return a < b  {comment}\n", mutations, tmp_path)


def test_every_comment_about_mutants_speaks_of_one(mutations: ModuleType) -> None:
    markers, worker = importlib.import_module("mutant_markers"), importlib.import_module("mutants_worker")
    rules = ROOT / "rr_gym" / "rules"
    mutants = [mutant for path in worker.rule_files() for mutant in mutations.mutants_of(path, rules)]
    found = [marker for path in sorted(rules.rglob("*.py")) for marker in markers.markers_in(path, rules)]
    assert [str(marker) for marker, hits in markers.marked(mutants, found).items() if not hits] == []
    named = {test for marker in found for test in re.findall(r"tests/\S+\.py", marker.reason)}
    assert [test for test in sorted(named) if not (ROOT / test).exists()] == []
