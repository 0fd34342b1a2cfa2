"""Scripts for shells: their syntax is right, and bash completes with them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from rr_gym.cli.grammar import shells
from rr_gym.cli.main import main

pytest.importorskip("shtab")
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The script of every shell, as a file."""
    folder = tmp_path_factory.mktemp("completion")
    written = {}
    for shell in shells.SHELLS:
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            assert main(["completion", shell]) == 0
        assert err.getvalue() == ""
        written[shell] = folder / f"completion.{shell}"
        written[shell].write_text(out.getvalue())
    return written


@pytest.mark.parametrize("shell", shells.SHELLS)
def test_scripts_are_well_formed(shell: str, scripts: dict[str, Path]) -> None:
    assert "risky_exchange" in scripts[shell].read_text()
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    done = subprocess.run([shell, "-n", str(scripts[shell])], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def completed(script: Path, words: list[str], cwd: Path) -> list[str]:
    """What bash offers for the last of the words, which are split as bash splits them."""
    code = (
        f'source {script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rr_gym; '
        'for word in "${COMPREPLY[@]}"; do echo "$word"; done'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", code, "bash", *words], capture_output=True, text=True, check=True, cwd=cwd
    )
    return done.stdout.splitlines()


@needs_bash
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("rr-gym tourn", ["tournament"]),
        ("rr-gym course sh", ["show"]),
        ("rr-gym race --play", ["--players"]),
        ("rr-gym race --players ra", ["racer", "random"]),
        ("rr-gym race --players greedy,ra", ["greedy,racer", "greedy,random"]),
        ("rr-gym race --players greedy,mine/p", ["greedy,mine/policy"]),
        ("rr-gym race --players planner : 30k,greed", ["30k,greedy"]),  # bash breaks words at colons
        ("rr-gym evaluate --players greedy --course risky_exchange,checkm", ["risky_exchange,checkmate"]),
        ("rr-gym race --course = checkm", ["checkmate"]),
        ("rr-gym race --set live", ["lives=3", "lives=amigo", "lives=unlimited"]),
        ("rr-gym race --set lives = u", ["unlimited"]),
        ("rr-gym race --set lives=1 --out mi", ["mine"]),
        ("rr-gym course show dizzy_d", ["dizzy_dash"]),
        ("rr-gym course elements flam", ["flamer"]),
        ("rr-gym options mine_l", ["mine_layer"]),
        ("rr-gym train quick", ["quickstart"]),
        ("rr-gym benchmark --rows solo,duel_r", ["solo,duel_random", "solo,duel_racer"]),
        ("rr-gym completion z", ["zsh"]),
    ],
)
def test_bash_completes(line: str, offered: list[str], scripts: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "mine" / "policy").mkdir(parents=True)
    assert completed(scripts["bash"], line.split(), tmp_path) == offered


@needs_bash
@pytest.mark.skipif(sys.platform == "win32", reason="terminals of another kind")
def test_bash_completes_at_a_terminal(scripts: dict[str, Path], tmp_path: Path) -> None:
    """Tab itself, in an interactive bash, which breaks words as it does."""
    pexpect = pytest.importorskip("pexpect")
    bash = pexpect.spawn("bash", ["--norc", "--noprofile", "-i"], cwd=str(tmp_path), encoding="utf-8", timeout=20)
    try:
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


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert "pip install 'rr-gym[completion]'" in capsys.readouterr().err


def test_every_kind_has_names() -> None:
    for kind, (names, _, _) in shells.KINDS.items():
        found = names()
        assert found, kind
        assert all(name and not set(name) & set(" '\"$`\\") for name in found), kind
