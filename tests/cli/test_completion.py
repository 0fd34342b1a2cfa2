"""Completion: the scripts' syntax is right, and names come from the package, within lists too."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from rr_gym.cli.completion import SHELLS
from rr_gym.cli.grammar.command import COMPLETE
from rr_gym.cli.grammar.names import KINDS
from rr_gym.cli.main import main

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the script of every shell, as a file."""
    folder = tmp_path_factory.mktemp("completion")
    written = {}
    for shell in SHELLS:
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            assert main(["completion", shell]) == 0
        assert err.getvalue() == ""
        written[shell] = folder / f"completion.{shell}"
        written[shell].write_text(out.getvalue())
    return written


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_are_well_formed(shell: str, scripts: dict[str, Path]) -> None:
    assert f"{COMPLETE}={shell}_complete" in scripts[shell].read_text()
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    done = subprocess.run([shell, "-n", str(scripts[shell])], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def offered(shell: str, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the completions that are offered at the end of a line."""
    words = line.split(" ")
    asked = {"COMP_LINE": line, "COMP_WORDS": line, COMPLETE: f"{shell}_complete"}
    asked["COMP_CWORD"] = words[-1] if shell == "fish" else str(len(words) - 1)
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    assert main([]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("rr-gym tourn", ["tournament"]),
        ("rr-gym course sh", ["show"]),
        ("rr-gym race --play", ["--players"]),
        ("rr-gym race --players ra", ["racer", "random"]),
        ("rr-gym race --players greedy,ra", ["greedy,racer", "greedy,random"]),
        ("rr-gym race --players greedy,mine/p", ["greedy,mine/policy"]),
        ("rr-gym race --players planner:30k,greed", ["30k,greedy"]),  # bash breaks words at colons
        ("rr-gym evaluate --players greedy --course risky_exchange,checkm", ["risky_exchange,checkmate"]),
        ("rr-gym race --course=checkm", ["checkmate"]),
        ("rr-gym race --set live", ["lives=3", "lives=amigo", "lives=unlimited"]),
        ("rr-gym race --set lives=u", ["unlimited"]),
        ("rr-gym race --set lives=1 --out mi", []),  # bash completes paths by itself
        ("rr-gym course show dizzy_d", ["dizzy_dash"]),
        ("rr-gym course elements flam", ["flamer"]),
        ("rr-gym options mine_l", ["mine_layer"]),
        ("rr-gym train quick", ["quickstart"]),
        ("rr-gym benchmark --rows solo,duel_r", ["solo,duel_random", "solo,duel_racer"]),
        ("rr-gym completion z", ["zsh"]),
        ("rr-gym race --players 'gree", ["greedy"]),
        ("rr-gym replay ", []),
    ],
)
def test_bash_completes(
    line: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine" / "policy").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert [name for name in offered("bash", line, monkeypatch, capsys) if name] == found


def test_zsh_and_fish_complete(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    line = "rr-gym race --players greedy,ra"
    assert offered("fish", line, monkeypatch, capsys)[0].startswith("plain,greedy,racer")
    assert offered("zsh", line, monkeypatch, capsys)[:2] == ["plain", "greedy,racer"]


def test_completing_a_command_loads_no_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rr_gym.cli.grammar.command.import_module", None)
    assert "tournament" in offered("bash", "rr-gym ", monkeypatch, capsys)


def test_completing_players_loads_no_player() -> None:
    code = (
        "import sys; from rr_gym.cli.grammar.names import KINDS; KINDS['players'](); "
        "print([name for name in ('numpy', 'rr_gym.players', 'rr_gym.registry') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@needs_bash
def test_bash_asks_the_command(scripts: dict[str, Path]) -> None:
    code = (
        f'rr-gym() {{ {sys.executable} -m rr_gym; }}; source {scripts["bash"]}; COMP_LINE="rr-gym race --set lives=u"; '
        "COMP_POINT=${#COMP_LINE}; _rr_gym_completion rr-gym; echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "unlimited\n"


@needs_bash
@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX terminal")
def test_bash_completes_at_a_terminal(scripts: dict[str, Path], tmp_path: Path) -> None:
    """The Tab key is pressed in an interactive bash, which breaks words in its own way."""
    pexpect = pytest.importorskip("pexpect")
    bash = pexpect.spawn("bash", ["--norc", "--noprofile", "-i"], cwd=str(tmp_path), encoding="utf-8", timeout=20)
    try:
        bash.sendline(f"rr-gym() {{ {sys.executable} -m rr_gym; }}")
        bash.sendline(f"bind 'set enable-bracketed-paste off'; source {scripts['bash']}; echo rea''dy")
        bash.expect_exact("ready")
        for typed, done in (
            ("tourn\t", "tournament "),
            ("race --set lives=un\t", "race --set lives=unlimited "),
            ("race --players greedy,planner:30k,rac\t", "greedy,planner:30k,racer "),
            ("race --course=checkm\t", "--course=checkmate "),
        ):
            bash.send(f"rr-gym {typed}")
            bash.expect_exact(done)
            bash.send("\x15")
    finally:
        bash.close(force=True)


def command_in(folder: Path) -> None:
    """Put the command into a folder that is in the path of the shell."""
    command = folder / "rr-gym"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m rr_gym "$@"\n')
    command.chmod(0o755)


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
def test_zsh_completes_at_a_terminal(scripts: dict[str, Path], tmp_path: Path) -> None:
    """The script is in a folder of fpath, as the documents say: zsh loads it at the first Tab and calls it later."""
    pexpect = pytest.importorskip("pexpect")
    shutil.copy(scripts["zsh"], tmp_path / "_rr-gym")
    command_in(tmp_path)
    zsh = pexpect.spawn("zsh", ["-f", "-i"], cwd=str(tmp_path), encoding="utf-8", timeout=20, dimensions=(24, 200))
    try:
        zsh.sendline(f"PATH={tmp_path}:$PATH; unset zle_bracketed_paste")
        zsh.sendline(f"fpath=({tmp_path} $fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy")
        zsh.expect_exact("ready")
        for typed, done in (
            ("tourn\t", "tournament"),
            ("race --set lives=un\t", "--set lives=unlimited"),
            ("race --players greedy,planner:30k,rac\t", "greedy,planner:30k,racer"),
            ("race --course=checkm\t", "--course=checkmate"),
        ):
            zsh.send(f"rr-gym {typed}")
            zsh.expect_exact(done)
            zsh.send("\x15")
    finally:
        zsh.close(force=True)


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish")
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("tourn", "tournament\tlet many players play against each other and rate them"),
        ("race --players greedy,rac", "greedy,racer"),
        ("race --course=checkm", "--course=checkmate"),
    ],
)
def test_fish_asks_the_command(line: str, found: str, scripts: dict[str, Path], tmp_path: Path) -> None:
    command_in(tmp_path)
    code = f"set -p PATH {tmp_path}; source {scripts['fish']}; complete -C 'rr-gym {line}'"
    done = subprocess.run(["fish", "--no-config", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{found}\n"


def test_every_kind_has_names() -> None:
    for kind, names in KINDS.items():
        found = names()
        assert found, kind
        assert all(name and not set(name) & set(" '\"$`\\") for name in found), kind
