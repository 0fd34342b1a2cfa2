"""Ctrl-C keeps what is done and shows the command that resumes; its result is that of a run without interruption."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rr_gym import registry
from rr_gym.cli.grammar.resuming import check_resume, new_folder, resume_command
from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.players import RandomPlayer
from rr_gym.registry import PlayerEntry
from rr_gym.replay import Replay
from rr_gym.scenarios import ScenarioResult


class Hasty(RandomPlayer):
    """Presses Ctrl-C at a decision."""

    at: int | None = None  # None: never
    asked = 0
    outside = False  # an external player would make every run draw another salt

    def act(self, arena: Any, games: Any, seat: int) -> Any:
        Hasty.asked += 1
        if Hasty.asked == Hasty.at:
            raise KeyboardInterrupt
        return super().act(arena, games, seat)


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(registry.PLAYERS, "hasty", PlayerEntry("hasty", Hasty, "is interrupted"))


def run(line: str, at: int | None, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run a command and press Ctrl-C at decision `at`; return its status, stdout and stderr."""
    Hasty.at, Hasty.asked = at, 0
    status = main(shlex.split(line))
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return status, out, err


def command_in(err: str) -> str:
    """Return the command in the last line of stderr."""
    start = "rr-gym: interrupted; resume with: rr-gym "
    last = err.splitlines()[-1]
    assert last.startswith(start), err
    return last.removeprefix(start)


@pytest.mark.parametrize(
    ("line", "at", "results"),
    [
        ("race --players hasty,random --max-cycles 5 --seed 3 --out here", 3, "here/replay.json"),
        ("evaluate --players hasty,random --games 40 --batch 5 --max-cycles 3 --out here --json a.json", 20, "a.json"),
        ("evaluate --players hasty --games 12 --batch 4 --max-cycles 3 --json here.json", 8, "here.json"),
        (
            "tournament --players hasty,random --games 40 --seats 2 --max-cycles 2 --workers 1 --out here", 2,
            "here/results.json",
        ),
    ],
)  # fmt: skip
def test_the_printed_command_resumes(
    line: str, at: int, results: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openskill")
    assert run(line, None, capsys)[0] == 0
    whole = json.loads(Path(results).read_text())
    shutil.rmtree("here", ignore_errors=True)
    status, _, err = run(line, at, capsys)
    assert status == 130
    command = command_in(err)
    assert command.startswith(line)
    status, _, _ = run(command, None, capsys)
    assert status == 0
    assert Hasty.asked < 30 or "tournament" in line
    assert json.loads(Path(results).read_text()) == whole


def test_a_folder_is_found_where_none_was_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("evaluation").mkdir()
    line = "evaluate --players hasty --games 12 --batch 4 --max-cycles 3"
    status, out, err = run(line, 5, capsys)
    assert (status, command_in(err)) == (130, f"{line} --out evaluation-2 --resume")
    assert "4 games" in out
    before = Path("evaluation-2/deals.jsonl").read_text()
    assert run(command_in(err), None, capsys)[0] == 0
    assert Path("evaluation-2/deals.jsonl").read_text().startswith(before)
    assert Hasty.asked == 6


def test_an_evaluation_keeps_its_first_deals_soon(capsys: pytest.CaptureFixture[str]) -> None:
    """The default batch is larger than the whole evaluation, but the first batches are small."""
    line = "evaluate --players hasty --games 12 --max-cycles 3 --out here"
    status, out, err = run(line, 5, capsys)
    assert (status, command_in(err)) == (130, f"{line} --resume")
    assert "8 games" in out
    assert run(command_in(err), None, capsys)[0] == 0
    assert Hasty.asked == 3  # the second batch: four deals at a time


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("evaluate --players hasty --games 4 --max-cycles 2 --out here", "rr_gym.evaluation.matches.MatchLog.load"),
        (
            "tournament --players hasty,random --seats 2 --games 4 --max-cycles 2 --workers 1 --watch 0 --out here",
            "rr_gym.evaluation.tournament.tournament.Store.load",
        ),
    ],
)
def test_an_interruption_before_the_first_game_resumes_too(
    line: str, first: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder holds the arguments already, so that the same command without ``--resume`` would be refused."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(first, interrupt)
        status, _, err = run(line, None, capsys)
    assert (status, command_in(err)) == (130, f"{line} --resume")
    assert run(command_in(err), None, capsys)[0] == 0


def test_resuming_keeps_a_salt_that_was_drawn(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Hasty, "outside", True)
    endless = "--set lives=unlimited"  # otherwise the game may end before it is interrupted
    for line, kept in (
        (f"evaluate --players hasty --games 12 --batch 4 --max-cycles 3 {endless} --out here --json a.json", "a.json"),
        (f"race --players hasty --max-cycles 5 {endless} --out there", "there/replay.json"),
    ):
        _, _, err = run(line, 5, capsys)
        salt = json.loads(Path(kept).read_text())["salt"]
        assert len(salt) == 32
        assert run(command_in(err), None, capsys)[0] == 0
        assert json.loads(Path(kept).read_text())["salt"] == salt


def test_an_interruption_at_once_says_how_to_restart(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    line = "evaluate --players hasty --games 12 --batch 4"
    status, _, err = run(line, 1, capsys)
    assert (status, err) == (130, f"rr-gym: interrupted; once more from the beginning: rr-gym {line}\n")
    assert list(tmp_path.iterdir()) == []


def test_a_kept_race_is_one_that_the_rules_confirm(capsys: pytest.CaptureFixture[str]) -> None:
    line = "race --players hasty,random --max-cycles 5 --out here"
    run(line, 4, capsys)
    replay = Replay.load("here/replay.json")
    replay.verify()
    assert len(replay.turns) == 3
    status, _, err = run(f"{line} --resume --seed 9", None, capsys)
    assert (status, err) == (2, "rr-gym: --seed: 9: the race has 1: only the same can be resumed\n")
    status, _, err = run("race --players random,random --out here --resume", None, capsys)
    assert status == 2
    assert "players: ('random', 'random'): the race has ('hasty', 'random')" in err


def test_another_evaluation_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    line = "evaluate --players random --games 8 --max-cycles 2 --out here"
    assert run(line, None, capsys)[0] == 0
    status, _, err = run(line, None, capsys)
    assert (status, err) == (2, "rr-gym: here exists: --resume continues it, --out names another folder\n")
    status, _, err = run(line.replace("cycles 2", "cycles 3") + " --resume", None, capsys)
    assert (status, err) == (2, "rr-gym: --max-cycles: 3: the evaluation in here has 2: only the same can be resumed\n")
    deals = Path("here/deals.jsonl")
    text = deals.read_text()
    deals.write_text(text + '{"facts"')  # as a kill leaves it
    assert run(line + " --resume", None, capsys)[0] == 0
    assert deals.read_text() == text
    for wrong in ('{"facts": {}, "counts": []}', "nonsense", text.replace("[[", "[[9,").strip()):
        deals.write_text(f"{wrong}\n")
        status, _, err = run(line + " --resume", None, capsys)
        assert status == 2
        assert "here/deals.jsonl:1: expected a batch of deals of this evaluation" in err


@pytest.mark.parametrize("name", ["--json file/x.json", "--json file/x/y.json", "--out file/x"])
@pytest.mark.parametrize(
    "line",
    [
        "race --players hasty,random --max-cycles 2",
        "evaluate --players hasty --games 4 --max-cycles 2",
        "tournament --players hasty,random --games 4 --max-cycles 2 --workers 1",
        "benchmark --players hasty --rows solo --games 4 --workers 1",
        "dataset --players hasty --games 4 --max-cycles 2 --out new",
        "fuzz --turns 1",
        "play --players hasty",
    ],
)
def test_paths_that_cannot_be_written_are_refused_before_anything_is_played(
    line: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("file").touch()
    status, out, err = run(f"{line} {name}", None, capsys)
    option, path = name.split()
    named = path if "dataset" in line and option == "--out" else name
    assert (status, out, err) == (2, "", f"rr-gym: {named}: cannot be written: Not a directory\n")
    assert Hasty.asked == 0
    assert [file.name for file in Path().iterdir()] == ["file"]


def test_a_folder_without_write_permission_is_refused_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(**options: Any) -> Any:  # a superuser may write everywhere
        raise PermissionError(13, "Permission denied", str(options["dir"]))

    monkeypatch.setattr("rr_gym.files.TemporaryFile", refused)
    for name in ("--json x.json", "--json new/x.json", "--out new"):
        status, out, err = run(f"race --players hasty {name}", None, capsys)
        assert (status, out, err) == (2, "", f"rr-gym: {name}: cannot be written: Permission denied\n")
    assert Hasty.asked == 0


def test_an_impossible_race_is_not_announced(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in ("--course nothing", "--set lives=2 --set teams=pairs"):
        status, out, err = run(f"race --players hasty {wrong}", None, capsys)
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
    run("race --players hasty --max-cycles 1", None, capsys)
    status, out, err = run("race --players hasty --max-cycles 1 --seed 2 --resume", None, capsys)
    assert (status, out, err) == (2, "", "rr-gym: --seed: 2: the race has 1: only the same can be resumed\n")


@pytest.mark.parametrize("line", ["tournament --players random,greedy", "race", "demo", "train quickstart", "play"])
def test_resume_needs_something_to_resume(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sb3_contrib")
    status, _, err = run(f"{line} --out nothing --resume", None, capsys)
    assert status == 2
    assert "nothing" in err
    assert not Path("nothing").exists()


def test_a_game_of_a_person_is_kept(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def typed(*lines: str) -> None:
        rest = iter(lines)

        def read(prompt: str) -> str:
            line = next(rest, None)
            if line is None:
                raise KeyboardInterrupt
            return line

        monkeypatch.setattr("rr_gym.cli.play._read", read)

    typed(".; go")
    status, _, err = run("play --players random --seed 4 --set lives=2", None, capsys)
    command = "play --players random --seed 4 --set lives=2 --out play --resume"
    assert (status, command_in(err)) == (130, command)
    typed(".; go", "quit")
    status, out, _ = run(command, None, capsys)
    assert status == 0
    assert out.endswith(f"resume with: rr-gym {command}\n")
    assert len(Replay.load("play/game.json").turns) == 2
    for change, message in (
        ("--seed 5", "--seed: 5: the game in play has 4: expected the same"),
        ("--set lives=3", "--set lives: 3: the game in play has 2: expected the same"),
        ("--course twister", "--course: 'twister': the game in play has 'risky_exchange': expected the same"),
    ):
        status, _, err = run(f"play --out play --resume {change}", None, capsys)
        assert (status, err) == (2, f"rr-gym: {message}\n")
    status, _, err = run("play --out play", None, capsys)
    assert (status, err) == (2, "rr-gym: play exists: --resume continues it, --out names another folder\n")
    typed(".; go")
    status, out, _ = run("play --out play --resume --max-cycles 3", None, capsys)
    assert status == 0  # the third turn is the last
    assert len(Replay.load("play/game.json").turns) == 3


def test_remaining_scenarios_are_printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(scenario: Any) -> Any:
        if scenario.name == "x":
            raise KeyboardInterrupt
        return ScenarioResult(scenario.name, True, ())

    for name in ("a.yaml", "b c.yaml"):
        Path(name).write_text("[]\n")
    scenario = "{name: x, board: '.', robots: {a: {at: [0, 0]}}, programs: {a: [u_turn]}, expect: {a: {damage: 0}}}"
    Path("d.yaml").write_text(f"- {scenario}\n")
    monkeypatch.setattr("rr_gym.scenarios.run_scenario", interrupt)
    status, out, err = run("scenario a.yaml d.yaml 'b c.yaml'", None, capsys)
    assert (status, out) == (130, "1 passed, 0 failed\n")
    assert command_in(err) == "scenario d.yaml 'b c.yaml'"


def test_words_are_quoted_and_resume_appears_once() -> None:
    args = SimpleNamespace(words=["race", "--players", "program:./bot --x,random"])
    assert resume_command(args) == "rr-gym race --players 'program:./bot --x,random' --resume"
    args.words.append("--resume")
    assert resume_command(args, Path("a b")).endswith("random' --resume --out 'a b'")


def test_folders_and_resume_go_together() -> None:
    assert new_folder("game") == Path("game")
    Path("game").mkdir()
    Path("game-2").touch()
    assert new_folder("game") == Path("game-3")
    check_resume(False, None, "x")
    check_resume(False, Path("game"), "x")
    Path("game/x").touch()
    check_resume(True, Path("game"), "x")
    for resume, out, message in (
        (True, None, "--resume: expected --out with it"),
        (False, Path("game"), "game exists: --resume continues it"),
        (True, Path("game"), "there is nothing to resume in game \\(no y in it\\)"),
        (False, Path("game-2"), "--out game-2: expected a folder"),
    ):
        with pytest.raises(RoboRallyError, match=message):
            check_resume(resume, out, "y" if "no y" in message else "x")
