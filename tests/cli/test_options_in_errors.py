"""Errors of commands name the option or the player that was typed, not the Python argument that it sets."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from rr_gym.cli.main import main


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("generate --size 0x0", "--size: 0x0: expected at least 1x1, and at most 2048 squares"),
        ("generate --size 9999x9999", "--size: 9999x9999: expected at least 1x1, and at most 2048 squares"),
        ("generate --size 2x2", "--size: 2x2 has 4 squares: expected at least 11"),
        ("generate --flags 0", "--flags: 0: expected a whole number from 1 to 8"),
        ("generate --starts=99", "--starts: 99: expected a whole number from 1 to 8"),
        ("generate --density pit=2", "--density: pit: 2.0: expected a number from 0 to 1"),
        ("evaluate --players random --max-cycles 0", "--max-cycles: 0: expected a whole number, 1 or more"),
        ("evaluate --players random --games 0 --out e", "--games: 0: expected a whole number, 1 or more"),
        ("evaluate --players random --salt zz", "--salt: 'zz': expected 128 bits"),
        ("tournament --players random,greedy --seats 9 --out t", "--seats: 9: expected a whole number from 2 to 8"),
        ("tournament --players random,greedy --workers 0 --out t", "--workers: 0: expected a whole number from 1 to"),
        ("tournament --players random,greedy --out t", "t exists: --resume continues it"),
        ("benchmark --players random --games 0 --out b", "--games: 0: expected a whole number, 1 or more"),
        ("fuzz --batch 999999999999", "--batch: 999999999999: expected at most"),
        ("play --players random --seat 9", "--seat: 9: expected 0 to 1"),
        ("dataset --players random --out q --reward foo", "--reward: 'foo': expected sparse | shaped"),
        ("evaluate --players strategist:0", "player 'strategist:0': turns: 0: expected a whole number, 100 or more"),
        ("evaluate --players planner:0ms", "player 'planner:0ms': milliseconds: 0: expected a whole number"),
        ("evaluate --players strategist:@no", "player 'strategist:@no': no: not a policy: expected a folder"),
        (
            "evaluate --players 'program:seconds=nan cat'",
            "player 'program:seconds=nan cat': seconds: 'nan': expected a number above 0, such as 2.5",
        ),
        ("evaluate --players 'program:seconds=0 cat'", "player 'program:seconds=0 cat': seconds: '0': expected"),
        ("evaluate --players 'program:seconds=1e400 cat'", "seconds: '1e400': expected a number above 0"),
        ("race --config a.yaml --seed 1", "a.yaml:1: seed: 'x': expected a whole number"),
    ],
)
def test_what_was_typed_is_named(
    line: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in ("t/tournament.json", "e/evaluation.json", "b/blocks.jsonl"):
        (tmp_path / file).parent.mkdir()
        (tmp_path / file).write_text("{}")
    (tmp_path / "a.yaml").write_text("seed: x")
    before = sorted(tmp_path.rglob("*"))
    assert main(shlex.split(line)) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("rr-gym: ")
    assert message in err
    assert sorted(tmp_path.rglob("*")) == before
