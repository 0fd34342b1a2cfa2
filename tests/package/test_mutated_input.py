"""Damaged input of every kind is accepted or refused; the tool that damages it reports anything else.

To try more of it: python tools/mutated_input.py
"""

from __future__ import annotations

import json
import os
import sys
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from combinations import quick
from conftest import Python

from rr_gym.errors import RoboRallyError

TOOLS = Path(__file__).parents[2] / "tools"
NEEDED = {"policies": ("torch", "safetensors"), "data sets": ("safetensors",)}
NAMES = ["boards", "courses", "configurations", "replays", "scenarios", "policies", "data sets", "protocol lines"]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(TOOLS))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # in the processes that it starts
    import mutated_input

    return mutated_input


# All kinds in one process, since each process would import and interpret the same code.
TRIED = """
import json, sys
sys.path.insert(0, sys.argv[1])
from mutated_input import attempt, mutated
for name in sys.argv[3:]:
    outcomes = [attempt(name, mutated(name, number, 1)) for number in range(int(sys.argv[2]))]
    print(json.dumps([(outcome.kind, outcome.text) for outcome in outcomes]))
"""


@pytest.mark.parametrize(
    ("count", "tried"),
    [(5, [name for name in NAMES if name != "policies"]), pytest.param(25, NAMES, marks=pytest.mark.long)],
    ids=["5 without PyTorch", "25"],  # importing it takes longer than all else; tests/policies damages policies too
)
def test_damaged_input_is_accepted_or_refused(count: int, tried: list[str], python: Python) -> None:
    names = [name for name in tried if all(find_spec(module) for module in NEEDED.get(name, ()))]
    lines = python("-c", TRIED, str(TOOLS), str(count), *names, NUMBA_DISABLE_JIT="1").stdout.splitlines()
    for name, line in zip(names, lines, strict=True):
        outcomes = json.loads(line)
        assert len(outcomes) == count
        assert [(name, *outcome) for outcome in outcomes if outcome[0] not in ("accepted", "refused")] == []
        assert any(kind == "refused" for kind, _ in outcomes), name


@pytest.mark.parametrize("name", quick(NAMES, "boards"))
def test_a_process_of_its_own_tries_each_class(tool: ModuleType, name: str, tmp_path: Path) -> None:
    for module in NEEDED.get(name, ()):
        pytest.importorskip(module)
    counts = tool.run(name, 25, seed=1, kept=tmp_path)
    kept = [outcome.read_text("utf-8") for outcome in tmp_path.glob("*/outcome.txt")]
    assert not kept, kept[0]
    assert counts.keys() <= {"accepted", "refused"}
    assert counts.total() == 25
    assert counts["refused"]


def test_every_class_is_tried(tool: ModuleType) -> None:
    from input_classes import CLASSES

    assert list(CLASSES) == NAMES


def test_an_input_depends_only_on_its_number(tool: ModuleType) -> None:
    few = [tool.mutated("configurations", n, 0) for n in range(20)]
    assert few == [tool.mutated("configurations", n, 0) for n in range(20)]
    assert len({str(files) for files in few}) == 20
    assert few[3] != tool.mutated("configurations", 3, 1)


@pytest.mark.parametrize(
    ("raises", "kind", "text"),
    [
        (None, "accepted", ""), (RoboRallyError("no"), "refused", "no"), (KeyError("x"), "traceback", "KeyError: 'x'"),
        (RecursionError(), "traceback", "RecursionError"),
    ],
)  # fmt: skip
def test_the_outcome_of_an_input(
    tool: ModuleType, raises: Exception | None, kind: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from input_classes import CLASSES, InputClass

    def take(folder: Path) -> None:
        assert (folder / "a").read_bytes() == b"b"
        if raises:
            raise raises

    monkeypatch.setitem(CLASSES, "mine", InputClass(lambda: [{"a": b"b"}], take))
    outcome = tool.attempt("mine", {"a": b"b"})
    assert outcome.kind == kind
    assert text in outcome.text
    monkeypatch.setattr(tool, "SECONDS", -1.0)
    assert tool.attempt("mine", {"a": b"b"}).kind == "over 5 s"


def test_unprintable_errors_count_as_tracebacks(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    from input_classes import CLASSES, InputClass

    class Loud(RoboRallyError):
        def __str__(self) -> str:
            return "\x1b[2J"

    def take(folder: Path) -> None:
        raise Loud()

    monkeypatch.setitem(CLASSES, "mine", InputClass(lambda: [], take))
    assert tool.attempt("mine", {}).kind == "traceback"


def _fails(name: str, seed: int, asked: Connection) -> None:
    """Crash for the input 1 and hang for the input 2."""
    asked.send(None)
    while (number := asked.recv()) is not None:
        if number == 1:
            os.abort()
        while number == 2:
            pass
        asked.send(number)


def test_crashes_and_hangs_are_counted_and_the_next_input_is_tried(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "TIMEOUT", 0.5)
    worker = tool.Worker("mine", 0, _fails)
    outcomes: list[Any] = [worker.attempt(number) for number in (0, 1, 2)]
    monkeypatch.setattr(tool, "TIMEOUT", 60.0)
    assert worker.attempt(3) == 3
    worker.close()
    assert outcomes[0] == 0
    assert [outcome.kind for outcome in outcomes[1:]] == ["crash", "over 5 s"]
    assert sys.platform == "win32" or outcomes[1].text == "exit status -6"
