"""Load scenario files, and define the results of running them. No rules are imported, so that listing is fast."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rr_gym import yaml12
from rr_gym.errors import RoboRallyError
from rr_gym.scenarios.node import Node, ScenarioSource

NO_ERROR = "no error"  # what a scenario that names no error expects


@dataclass(frozen=True, slots=True)
class Difference:
    """A field whose value is not what a scenario expects; both values are plain data."""

    field: str
    expected: Any
    actual: Any

    def __str__(self) -> str:
        if (self.field, self.expected) == ("error", NO_ERROR):
            return f"error: {_text(self.actual)}"
        return f"{self.field}: expected {_text(self.expected)}, got {_text(self.actual)}"


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """The result of a scenario: the fields that differ from what it expects."""

    name: str
    passed: bool
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario of a file, or the reason why a file cannot be read.

    Attributes:
        name: Its name; without one, its number in the file; for a file that cannot be read, the path.
        file: The path of the file.
        node: The scenario's data as parsed from the file, unchecked.
        error: The text that an expected error must contain; None if no error is expected.
        problem: Why it cannot be run, "" if it can.
    """

    name: str
    file: str
    node: Node
    error: str | None = None
    problem: str = ""

    @property
    def source(self) -> str:
        """Return the source of the rule, as stated by the scenario; "" if it states none."""
        return str(self.node.value.get("source", "")) if isinstance(self.node.value, dict) else ""


def scenario_files(path: str | Path) -> list[Path]:
    """Return the scenario files of a path: the file itself, or all ``.yaml`` and ``.yml`` files below a folder."""
    path = Path(path)
    if not path.is_dir():
        return [path]
    return sorted(file for suffix in ("*.yaml", "*.yml") for file in path.rglob(suffix))


def load_scenarios(path: str | Path) -> list[Scenario]:
    """Load the scenarios of a file, or of all ``.yaml`` and ``.yml`` files below a folder.

    No error is raised. A file that cannot be read, or an entry that is not a scenario, results in a scenario that fails
    with the reason, so that all others can still be run.
    """
    path = Path(path)
    if path.is_dir():
        scenarios = [scenario for file in scenario_files(path) for scenario in load_scenarios(file)]
        return scenarios or [_broken(path, "no scenario file in this folder")]
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        return [_broken(path, "is not UTF-8 text: expected a list of scenarios")]
    except OSError as error:
        return [_broken(path, error.strerror or str(error))]
    try:
        entries, lines = yaml12.load_lines(text, str(path))
    except RoboRallyError as error:
        return [_broken(path, f"{error}; expected a list of scenarios")]
    if not isinstance(entries, list) or not entries:
        return [_broken(path, "expected a list of scenarios")]
    return list(_scenarios(path, entries, lines))


def _scenarios(path: Path, entries: list[Any], lines: dict[yaml12.Path, int]) -> Iterator[Scenario]:
    """Yield the entries of a file as scenarios, with their names and the errors that they expect."""
    for number, entry in enumerate(entries):
        name, error = f"scenario {number + 1}", None
        if isinstance(entry, dict):
            if isinstance(entry.get("name"), str) and entry["name"].strip():
                name = entry["name"]
            if isinstance(entry.get("error"), str) and entry["error"].strip():
                error = entry["error"]
        yield Scenario(name, str(path), Node(entry, (), ScenarioSource(str(path), name, lines, (number,))), error)


def _broken(path: Path, problem: str) -> Scenario:
    """Return a scenario that stands for a file without readable scenarios and fails with the given problem."""
    if not problem.startswith(str(path)):
        problem = f"{path}: {problem}"
    return Scenario(str(path), str(path), Node(None, (), ScenarioSource(str(path), str(path))), None, problem)


def _text(value: Any) -> str:
    """Return a value roughly as scenario files write it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).replace("'", "") if isinstance(value, list | dict) else str(value)
