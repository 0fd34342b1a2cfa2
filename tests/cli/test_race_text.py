"""The output of a race fits the terminal, however long the names of the players are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rr_gym.cli import race as command
from rr_gym.cli.main import main
from rr_gym.render.pieces import LONGEST_NAME, brief_labels

EIGHT = ["champion", "veteran", "greedy", "racer", "random", "random", "greedy", "racer"]


def test_long_names_lose_their_middle_and_are_told_apart() -> None:
    assert brief_labels(["greedy", "random", "greedy"]) == ["greedy 1", "random", "greedy 3"]
    long = ["program:bot " + "x" * 300 + " --one", "program:bot " + "x" * 300 + " --two"]
    assert brief_labels(long) == ["program:bot x...xxxxxxxxxx --one", "program:bot x...xxxxxxxxxx --two"]
    alike = brief_labels(["a" * 300, "a" * 299])
    assert len({*alike}) == 2
    assert max(map(len, [*alike, *brief_labels(long)])) <= LONGEST_NAME + 2


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_turn_takes_as_many_lines_as_it_needs(width: int) -> None:
    states = [f"{name}: flag 0, damage 0" for name in EIGHT]
    lines = command.turn_text(12, states, width).split("\n")
    assert max(map(len, lines)) <= width
    assert len(lines) == {40: 8, 80: 4, 200: 2}[width]
    assert lines[0].startswith("turn  12  champion: ")
    assert all(line.startswith(" " * 10) for line in lines[1:])
    assert "\n" not in command.turn_text(12, states, None)


def test_a_race_fits_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("raise SystemExit(3)")
    name = f"program:{sys.executable} {bot} {'x' * 300}"
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    words = ["race", "--players", ",".join([*EIGHT[2:], name]), "--max-cycles", "1", "--out", str(tmp_path / "race")]
    assert main(words) == 1  # the program loses all its decisions
    lines = capsys.readouterr().out.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("turn   1"))
    places = next(i for i, line in enumerate(lines) if line.startswith("place"))
    turn, table = lines[first : lines.index("", first)], lines[places : places + 8]
    assert len(turn) == 4
    assert max(map(len, turn + table)) <= 80
