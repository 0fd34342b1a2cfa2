"""Positions for those who write a simulator, and the check of simulators against them."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT

from rr_gym.bots.positions import (
    KINDS,
    POSITIONS,
    answer_of,
    differences,
    kind_of,
    load_positions,
    play_position,
    question_of,
)
from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.generate.courses import SETS

sys.path.insert(0, str(ROOT / "tools"))
from positions import line_of, make_position  # type: ignore[import-not-found]

SIMULATOR = """
import json, sys
truth = {}
for line in open(sys.argv[1]):
    position = json.loads(line)
    truth[position["name"]] = position
for line in sys.stdin:
    position = truth[json.loads(line)["name"]]
    answer = {"robots": position["expect"], "winner": position.get("winner", [])}
    CHANGE
    print(json.dumps(answer), flush=True)
"""
Simulator = Callable[[str], str]


@pytest.fixture
def simulator(tmp_path: Path) -> Simulator:
    """Return a function that writes a simulator which changes its true answers, and returns its command."""

    def write(change: str) -> str:
        file = tmp_path / "simulator.py"
        file.write_text(SIMULATOR.replace("CHANGE", change))
        return f"{sys.executable} {file} {POSITIONS}"

    return write


def made_again(numbers: range) -> list[str]:
    """Return positions as the tool makes them."""
    return [line_of(make_position(number)) for number in numbers]


def test_the_rules_play_them_as_the_file_says() -> None:
    for number, position in enumerate(load_positions()[::10]):
        result = play_position(position, seed=number)
        assert result.passed, (result.name, [str(difference) for difference in result.differences])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_the_rules_play_all_of_them_whatever_they_leave_open(seed: int) -> None:
    failed = [p["name"] for p in load_positions() if not play_position(p, seed=seed).passed]
    assert failed == []


def test_some_are_made_again() -> None:
    lines = POSITIONS.read_text("utf-8").splitlines()
    assert made_again(range(3, 5)) == lines[3:5]


@pytest.mark.long
def test_all_are_made_again() -> None:
    assert made_again(range(500)) == POSITIONS.read_text("utf-8").splitlines()


def test_what_they_are_about() -> None:
    positions = load_positions()
    assert Counter(map(kind_of, positions)) == dict(zip(KINDS, (250, 150, 100), strict=True))
    assert len({position["name"] for position in positions}) == len(positions)
    named = {name for p in positions if kind_of(p) == "elements" for name in p["name"].partition(": ")[2].split(", ")}
    assert named == set(SETS["all"])
    options = {card for p in positions for robot in p["robots"].values() for card in robot.get("options", ())}
    assert len(options) >= 45
    assert POSITIONS.stat().st_size < 800_000
    for outcome in ("destroyed", "out", "winner"):
        assert any(outcome in json.dumps(position) for position in positions)


def test_questions_do_not_have_the_answer() -> None:
    for position in load_positions():
        assert not {"expect", "expect_state", "expect_devices", "winner"} & json.loads(question_of(position)).keys()
        assert differences(position, json.dumps(answer_of(position)).encode()) == []


def test_the_example_is_one_of_them() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", (ROOT / "docs" / "bots.md").read_text("utf-8"), re.DOTALL)
    assert json.loads(example) in load_positions()


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (b"null", None),
        (b"[1]", ["[1]: expected an object with robots and winner"]),
        (b"{", ["answer: line 1: "]),
        (b'{"robots": {}}', ["a: None: expected its fields"]),
    ],
)
def test_answers_that_are_none(answer: bytes, found: list[str] | None) -> None:
    differing = differences(load_positions()[0], answer)
    assert (differing is None) == (found is None)
    for text, start in zip(differing or (), found or (), strict=False):
        assert text.startswith(start)


def test_the_command_finds_what_differs(simulator: Simulator, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "conformance", simulator("pass"), "--only", "base"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["base", "250", "0", "0"]

    wrong = "next(iter(answer['robots'].values()))['flag'] = 7 if position['name'] == 'base 9' else 0"
    assert main(["bot", "conformance", simulator(f"if position['name'] == 'base 9': {wrong}"), "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert [row["differ"] for row in result["positions"]] == [1, 0, 0]
    assert list(result["differing"]) == ["base 9"]
    assert result["differing"]["base 9"][0].startswith("a.flag: expected ")

    left_out = "if 'option' in position['name']: answer = None"
    assert main(["bot", "conformance", simulator(left_out), "--only", "options"]) == 1
    assert capsys.readouterr().out.splitlines()[-1].split() == ["options", "0", "0", "100"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("sys.exit(3)", "position base 1: it ended; it said:"),
        ("import time; time.sleep(20)", "position base 1: no answer in 0.2 s"),
    ],
)
def test_a_simulator_that_does_not_answer(change: str, message: str, simulator: Simulator) -> None:
    from rr_gym.bots.simulator import check_simulator

    command = simulator(f"sys.stderr.write('no\\n'); {change}")
    with pytest.raises(RoboRallyError, match=message):
        check_simulator(command, load_positions()[:2], seconds=0.2 if "sleep" in change else 5)


def test_without_a_simulator_it_says_where_the_file_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "conformance"]) == 0
    assert capsys.readouterr().out == f"{POSITIONS}: 500 positions\n"
