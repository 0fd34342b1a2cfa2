"""Every command that writes, on a full disk: the error names the file, and nothing half written stays."""

from __future__ import annotations

import io
import json
import re
import shutil
from pathlib import Path

import pytest
from full_disk import FULL, contents, needs_limits, no_file_above

from rr_gym.cli.main import main
from rr_gym.cli.race import PAGE, REPLAY, write_replay
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.benchmark import suites
from rr_gym.evaluation.benchmark.suites import SuiteRow
from rr_gym.evaluation.tournament import blocks
from rr_gym.files import append_line, write_file, write_files
from rr_gym.locks import hold
from rr_gym.replay import Replay

pytestmark = needs_limits

DUEL = SuiteRow("duel", "pairs", "a duel", ("risky_exchange",), ("random",), max_cycles=3, games=8)
GAMES = "--players random,greedy --games 4 --max-cycles 3"
COMMANDS = {
    "race": "race --players random,greedy --max-cycles 3 --out OUT --json OUT/race.json",
    "play": "play --players random --seed 1 --max-cycles 2 --out OUT --json OUT/play.json",
    "evaluate": f"evaluate {GAMES} --batch 1 --out OUT --json OUT/report.json",
    "tournament": f"tournament {GAMES} --seats 2 --workers 1 --watch 1 --out OUT --json OUT/report.json",
    "benchmark": "benchmark --players random --suite tiny --workers 1 --out OUT --json OUT/report.json",
    "dataset": "dataset --players random,greedy --games 70 --max-cycles 3 --out OUT --json OUT.json",
    "dataset of replays": "dataset --replays SHORT,REPLAY --out OUT --json OUT.json",
    "generate board": "generate --size 8x8 --seed 1 --out OUT/board.rrb",
    "generate course": "generate --size 8x8 --seed 1 --out OUT/course.yaml",
    "course show": "course show risky_exchange --out OUT/course.svg",
    "course show png": "course show exchange --out OUT/course.png",
    "course legend": "course legend --out OUT/legend.svg",
    "course legend page": "course legend --out OUT/legend.html",
    "replay": "replay REPLAY --out OUT/page.html",
    "replay gif": "replay REPLAY --to-turn 1 --out OUT/race.gif",
    "players": "players --json OUT/players.json",
    "prompt": "prompt --players random,random --json OUT/prompt.json",
    "scenario": "scenario tests/scenarios/pits/pits.yaml --json OUT/scenario.json",
    "fuzz": "fuzz --turns 40 --batch 2 --out OUT --json OUT/fuzz.json",
}
LOGS = (".jsonl",)  # files with a line for each batch, in which all lines are complete


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("race")
    for name, turns in (("short", 1), ("long", 6)):
        words = ["race", "--players", "random,greedy", "--max-cycles", str(turns), "--out", str(folder / name)]
        assert main(words) == 0
    return folder / "long" / "replay.json"


SLOW = ("course legend page", "course show png", "dataset of replays", "fuzz", "replay gif", "scenario", "tournament")


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] * (name in SLOW)) for name in COMMANDS])
def test_the_error_names_the_file_and_no_half_written_file_is_left(
    name: str, replay: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(suites.SUITES, "tiny", (DUEL,))
    monkeypatch.setattr("rr_gym.datasets.SHARD_ROWS", 1)  # a shard for each block or replay
    monkeypatch.setattr(blocks, "PUT_ASIDE_EVERY", 0.0)
    out = tmp_path / "new" / "out"
    words = COMMANDS[name].replace("OUT", str(out)).replace("REPLAY", str(replay)).split()
    words = [word.replace("SHORT", str(replay.parents[1] / "short" / "replay.json")) for word in words]

    def run() -> int:
        shutil.rmtree(out.parent, ignore_errors=True)
        monkeypatch.setattr("sys.stdin", io.StringIO(". . . . .; go\n" * 2))
        return main(words)

    assert run() == 0
    whole = contents(out.parent)
    sizes = sorted({len(content) for content in whole.values()})
    assert sizes[-1] > 0
    for limit in sorted({60, *(size - 1 for size in sizes if size)}):
        capsys.readouterr()
        with no_file_above(limit):
            status = run()
        said = capsys.readouterr().err.splitlines()[-1]
        assert status == 2, (limit, said)
        found = re.fullmatch(rf"rr-gym: (?:--\w+ )?(\S+): cannot be written: {FULL}", said)
        assert found, said
        assert Path(found[1]).is_relative_to(out.parent)
        left = contents(out.parent)
        for file, content in left.items():
            if file.endswith(LOGS):
                assert content[-1:] in (b"", b"\n")
            elif file.endswith("game.json"):  # the game after the previous turn
                assert json.loads(content)["turns"]
            else:
                assert content == whole[file], file
        # Shards without a description are not a data set.
        assert not name.startswith("dataset") or "out/dataset.json" in left or not left
        assert len(left) < len(whole) or any(file.endswith(LOGS) for file in whole)
    assert run() == 0  # once there is room
    assert contents(out.parent) == whole


def test_a_game_of_people_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(". . . . .; go\n" * 3))
    with no_file_above(100):
        status = main(["play", "--players", "random", "--seed", "1", "--max-cycles", "3", "--out", str(tmp_path)])
    assert status == 2
    out = capsys.readouterr().out
    assert out.count(f"! {tmp_path / 'game.json'}: cannot be written: {FULL}") == 3
    assert re.search(r"place +player", out)  # the result is there
    assert contents(tmp_path) == {}


def test_a_replay_is_there_with_its_page_or_not_at_all(
    replay: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded = Replay.load(replay)
    with no_file_above(replay.stat().st_size + 1), pytest.raises(RoboRallyError, match=f"{PAGE}: cannot be written"):
        write_replay(recorded, tmp_path / "out")
    assert f"{REPLAY} and {PAGE} of this game are missing in {tmp_path}" in capsys.readouterr().err
    assert contents(tmp_path) == {}
    write_replay(recorded, tmp_path / "out")
    assert contents(tmp_path).keys() == {f"out/{REPLAY}", f"out/{PAGE}"}


# The functions that commands write with


def test_files_that_belong_together_change_together(tmp_path: Path) -> None:
    write_files(tmp_path, {"weights": "old weights", "spec": "old spec"})
    with no_file_above(20), pytest.raises(RoboRallyError, match=f"spec: cannot be written: {FULL}"):
        write_files(tmp_path, {"weights": "new", "spec": "a spec that is too long for it"})
    assert contents(tmp_path) == {"weights": b"old weights", "spec": b"old spec"}
    with no_file_above(20), pytest.raises(RoboRallyError, match=f"file: cannot be written: {FULL}"):
        write_file(tmp_path / "a" / "b" / "file", "x" * 30)
    assert not (tmp_path / "a").exists()


def test_a_line_is_appended_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    append_line(path, "a" * 9)
    with no_file_above(15), pytest.raises(RoboRallyError, match=rf"log\.jsonl: cannot be written: {FULL}"):
        append_line(path, "b" * 9)
    assert path.read_text() == "a" * 9 + "\n"
    append_line(path, "b" * 9)
    assert path.read_text() == "a" * 9 + "\n" + "b" * 9 + "\n"


def test_a_lock_that_cannot_be_written_is_not_left_behind(tmp_path: Path) -> None:
    with no_file_above(0), pytest.raises(RoboRallyError, match=rf"\.lock: cannot be written: {FULL}"), hold(tmp_path):
        pass
    assert contents(tmp_path) == {}
    with hold(tmp_path):
        pass
