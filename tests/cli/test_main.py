"""`rr-gym`: commands are found and loaded one by one, and errors are one line."""

from __future__ import annotations

import io
import pkgutil
import shlex
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from combinations import quick
from conftest import ROOT as FOLDER
from conftest import Python

import rr_gym
from rr_gym.cli.grammar.command import Command, CommandGroup, command
from rr_gym.cli.grammar.resuming import Interrupted
from rr_gym.cli.main import COMMANDS, ROOT, main
from rr_gym.errors import RoboRallyError

sys.path.insert(0, str(FOLDER / "tools"))
import commands


def add_command(monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    """Add a command `probe` whose module has this function `run`."""
    module = types.ModuleType("rr_gym.cli.probe")
    module.run = command()(run)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "rr_gym.cli.probe", module)
    monkeypatch.setitem(COMMANDS, "probe", "for this test")


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out.split()
    modules = {module.name.rstrip("_") for module in pkgutil.iter_modules(rr_gym.cli.__path__)}
    assert modules == {*COMMANDS, "main", "grammar"}
    for name in COMMANDS:
        assert name in shown
        assert main([name, "--help"]) == 0
        assert f"rr-gym {name}" in capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_are_commands(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = commands.commands()
    examples = [line for words, one in run.items() if words.split()[0] == name for line in getattr(one, "examples", ())]
    for line in examples:
        words = shlex.split(line.partition("$(")[2].rstrip(')"') or line.partition(" > ")[0])
        assert words[0] == "rr-gym"
        with ROOT.make_context("rr-gym", words[1:], obj=words) as ctx:
            monkeypatch.setattr(Command, "invoke", lambda self, ctx: 0)
            assert ROOT.invoke(ctx) == 0, line


def test_help_has_sections_and_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["imitate", "-h"]) == 0
    headings = [line for line in capsys.readouterr().out.splitlines() if line.endswith(":") and line[0] != " "]
    assert headings == ["Positional arguments:", "Games:", "How it runs:", "Results:", "Options:", "Examples:"]


@pytest.mark.parametrize("words", [["--help"], ["--version"], []])
def test_help_loads_no_command_and_nothing_heavy(words: list[str], python: Python) -> None:
    heavy = {"numpy", "rich", "rr_gym.cli.train", "rr_gym.cli.bench"}
    code = f"import sys; from rr_gym.cli.main import main; main({words}); print({heavy} & {{*sys.modules}})"
    assert python("-c", code).stdout.endswith("set()\n")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"rr-gym {rr_gym.__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["bench", "--nonsense"]])
def test_wrong_usage_ends_with_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "Usage: rr-gym" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (RoboRallyError("board 1,2: wrong"), 2, "rr-gym: board 1,2: wrong\n"),
        (FileNotFoundError(2, "No such file or directory", "x.yaml"), 2, "rr-gym: x.yaml: No such file or directory\n"),
        (FileNotFoundError(2, "No such file", b"x.yaml"), 2, "rr-gym: x.yaml: No such file\n"),
        (MemoryError("Unable to allocate 131. GiB"), 2, "rr-gym: not enough memory: Unable to allocate 131. GiB\n"),
        (MemoryError(), 2, "rr-gym: not enough memory\n"),
        (KeyboardInterrupt(), 130, "rr-gym: interrupted; once more from the beginning: rr-gym probe\n"),
        (Interrupted("rr-gym probe --resume"), 130, "rr-gym: interrupted; resume with: rr-gym probe --resume\n"),
    ],
)
def test_errors_are_one_line(
    error: BaseException, status: int, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(args: Any) -> int:
        raise error

    add_command(monkeypatch, run)
    assert main(["probe"]) == status
    err = capsys.readouterr().err
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_an_interruption_before_the_command_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(CommandGroup, "get_command", interrupted)
    assert main(["race"]) == 130
    assert capsys.readouterr().err == "rr-gym: interrupted; once more from the beginning: rr-gym race\n"
    assert main(["race", "--resume"]) == 130
    assert capsys.readouterr().err == "rr-gym: interrupted; resume with: rr-gym race --resume\n"


def test_faults_of_the_program_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(args: Any) -> int:
        raise ZeroDivisionError

    add_command(monkeypatch, run)
    with pytest.raises(ZeroDivisionError):
        main(["probe"])


def test_a_command_loads_no_other(python: Python) -> None:
    code = (
        "import sys; from rr_gym.cli.main import main; main(['bench', '--list']); "
        "from rr_gym.cli.main import COMMANDS; "
        "print({m for m in sys.modules if m.removeprefix('rr_gym.cli.') in COMMANDS} - {'rr_gym.cli.bench'})"
    )
    assert python("-c", code).stdout.endswith("set()\n")


def test_a_closed_pipe_is_no_error(python: Python) -> None:
    code = (
        "import subprocess, sys; "
        "p = subprocess.Popen([sys.executable, '-m', 'rr_gym', 'course', 'list'], stdout=subprocess.PIPE, "
        "stderr=subprocess.PIPE); p.stdout.close(); print(p.stderr.read().decode(), p.wait())"
    )
    assert python("-c", code).stdout == " 0\n"


@pytest.mark.long
def test_output_that_is_lost_does_not_end_what_is_done(tmp_path: Path) -> None:
    """A full disk is reported at the end, a closed pipe is not; in both cases results are in their files."""
    race = f"exec {shlex.quote(sys.executable)} -m rr_gym race --players random --max-cycles 2 --json x.json"
    for number, (line, status, said) in enumerate([
        (f"{race} > /dev/full", 2, "rr-gym: standard output: cannot be written: No space left on device\n"),
        (f"({race}; echo $? >&2) | true", 0, "0\n"),
        (f"{race} 2> /dev/full", 0, ""),
    ]):  # fmt: skip
        folder = tmp_path / str(number)
        folder.mkdir()
        done = subprocess.run(
            ["sh", "-c", line.replace("exec ", "") if "|" in line else line],
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (status, said)
        assert {file.name for file in folder.rglob("*")} == {"race", "replay.json", "replay.html", "x.json"}


PRINTING = ["--help", "race --help", "--version", "players", "course list", "completion bash"]


@pytest.mark.parametrize("words", quick(PRINTING, "--help", "players"))
def test_a_full_disk_is_one_line(words: str) -> None:
    line = f"exec {shlex.quote(sys.executable)} -m rr_gym {words} > /dev/full"
    done = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, text=True, check=False)
    assert done.stderr == "rr-gym: standard output: cannot be written: No space left on device\n"
    assert done.returncode == 2


def test_folders_in_the_place_of_results_are_found_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    two = "--players random,greedy --games 2"
    for words, file in (
        ("race", "replay.json"), ("race", "replay.html"), (f"evaluate {two}", "deals.jsonl"),
        (f"tournament {two} --seats 2", "games.jsonl"), (f"tournament {two} --seats 2", "results.json"),
        (f"tournament {two} --seats 2", "tournament.html"), ("demo --steps 1", "replay.html"),
    ):  # fmt: skip
        folder = tmp_path / f"{words.split()[0]}-{file}"
        (folder / file).mkdir(parents=True)
        assert main([*words.split(), "--out", folder.name]) == 2
        out, err = capsys.readouterr()
        assert (out, err) == ("", f"rr-gym: --out {folder.name}: {file} in it is a folder: expected a file, or none\n")
        assert [found.name for found in folder.rglob("*")] == [file]


@pytest.mark.long
def test_closed_streams_are_empty_ones() -> None:
    command = (
        f"exec {shlex.quote(sys.executable)} -m rr_gym evaluate --players random --games 2 --max-cycles 1",
        f"exec {shlex.quote(sys.executable)} -m rr_gym play --alone",
    )
    for line in command:
        done = subprocess.run(["sh", "-c", f"{line} <&- 2>&-"], stdout=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, "random" in done.stdout or "human" in done.stdout) == (0, True)
        done = subprocess.run(["sh", "-c", f"{line} <&- >&-"], stderr=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False)


def test_what_an_encoding_does_not_have_is_written_as_an_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(args: Any) -> int:
        print("25 \xb1 1, runs/\udcff")  # a file's name that is no UTF-8
        return 0

    add_command(monkeypatch, run)
    for encoding, sign in (("ascii", b"\\xb1"), ("utf-8", b"\xc2\xb1")):
        shown = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding=encoding))
        assert main(["probe"]) == 0
        assert shown.getvalue() == b"25 " + sign + b" 1, runs/\\udcff\n"


def test_players_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["players"]) == 0
    shown = capsys.readouterr().out
    assert "greedy" in shown
    assert "random" in shown


def test_warmup_has_nothing_to_do_without_compilation(python: Python) -> None:
    assert "nothing to do" in python("-m", "rr_gym", "warmup", NUMBA_DISABLE_JIT="1").stdout


def test_warmup_reports_each_step(python: Python) -> None:
    shown = python("-m", "rr_gym", "warmup", "--base", NUMBA_DISABLE_JIT=None).stdout
    assert "base: " in shown
    assert "ready after" in shown
