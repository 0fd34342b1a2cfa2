"""Commands name the files that they write, overwrite none without --force, and report missing inputs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import commands

from rr_gym.bots import new_bot
from rr_gym.cli.main import main
from rr_gym.race import RaceConfig, race

ONE_FILE = {  # commands whose --out is one file, with endings of its name
    "analyse replay.json --judge planner:100 --deals 2": ("html",),
    "bot pack mine": ("tar",),
    "course show checkmate": ("svg", "png"),
    "course legend": ("svg", "html"),  # tests/courses/test_elements.py draws it as PNG
    "generate --size 6x6 --flags 1 --starts 1": ("rrb", "yaml"),
    "replay replay.json": ("html", "gif"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def _bot(folder: Path) -> None:
    new_bot(folder / "mine", "python")


def test_all_commands_that_write_one_file_are_tested_here() -> None:
    files = [
        words
        for words, command in commands.commands().items()
        if any("--out" in param.opts and param.metavar == "FILE" for param in command.params)
    ]
    assert sorted(files) == sorted(
        next(words for words in files if line.startswith(words)) for line in ONE_FILE
    )  # fmt: skip


@pytest.mark.usefixtures("_bot")
@pytest.mark.parametrize("line", ONE_FILE)
def test_a_file_is_named_and_replaced_only_if_that_is_asked_for(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("PIL")
    race(RaceConfig(players=("random",), max_cycles=1)).save("replay.json")
    for ending in ONE_FILE[line]:
        name = f"there/x.{ending}"
        file = folder / name
        assert main([*line.split(), "--out", name]) == 0
        assert name in capsys.readouterr().out
        size = file.stat().st_size
        assert size > 0
        file.write_text("mine")
        assert main([*line.split(), "--out", name]) == 2
        message = f"rr-gym: --out {name}: the file exists: --force replaces it, --out names another file\n"
        assert capsys.readouterr() == ("", message)
        assert file.read_text() == "mine"
        assert main([*line.split(), "--out", name, "--force"]) == 0
        assert name in capsys.readouterr().out
        assert file.stat().st_size == size


@pytest.mark.usefixtures("_bot")
@pytest.mark.parametrize("line", ONE_FILE)
def test_names_that_say_no_kind_and_folders_are_refused(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    endings = " or ".join(f".{ending}" for ending in ONE_FILE[line])
    (folder / f"x.{ONE_FILE[line][0]}").mkdir()
    assert main([*line.split(), "--out", "there/x.txt"]) == 2
    expected = "--out there/x.txt: expected a name that ends in "
    out, err = capsys.readouterr()
    assert (out, err.startswith(f"rr-gym: {expected}")) == ("", True)
    assert all(ending in err for ending in endings.split(" or "))
    assert main([*line.split(), "--force", "--out", f"x.{ONE_FILE[line][0]}"]) == 2
    assert "expected a file\n" in capsys.readouterr().err
    assert not (folder / "there").exists()


def test_the_page_beside_a_replay_is_made_again(capsys: pytest.CaptureFixture[str]) -> None:
    race(RaceConfig(players=("random",), max_cycles=1)).save("replay.json")
    for _ in range(2):
        assert main(["replay", "replay.json"]) == 0
        assert capsys.readouterr().out.startswith("replay.html\nopen file://")


@pytest.mark.parametrize("line", ["evaluate", "benchmark --rows solo --games 1 --workers 1"])
def test_folders_with_games_are_named(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*line.split(), "--players", "random", "--out", "kept"]
    words += ["--games", "1", "--max-cycles", "1"] if line == "evaluate" else []
    assert main(words) == 0
    assert "kept: kept\n" in capsys.readouterr().out
    assert (folder / "kept").is_dir()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("scenario nosuch", "nosuch: cannot be read: No such file or directory"),
        ("scenario empty", "empty: there is no scenario file in this folder: expected .yaml files"),
        ("course check nosuch.yaml", "nosuch.yaml: cannot be read: No such file or directory"),
        ("course check there.rrb nosuch.rrb", "nosuch.rrb: cannot be read: No such file or directory"),
        ("course show nosuch.rrb", "nosuch.rrb"),
        ("replay nosuch.json", "nosuch.json: cannot be read: No such file or directory"),
        ("prompt nosuch.json", "nosuch.json: cannot be read: No such file or directory"),
        ("export nosuch.zip --out x", "nosuch.zip"),
        ("race --config nosuch.yaml", "there is no configuration 'nosuch.yaml'"),
        ("race --players nosuch/policy", "nosuch/policy"),
        ("dataset --replays nosuch.json --out x", "nosuch.json"),
        ("train nosuch.yaml", "there is no configuration 'nosuch.yaml'"),
        ("imitate greedy nosuch.yaml --out x", "there is no configuration 'nosuch.yaml'"),
    ],
)
def test_a_missing_file_is_wrong_input(
    line: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "empty").mkdir()
    (folder / "there.rrb").write_text("not read")
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("rr-gym: ")
    assert message in err
    assert err.count("\n") == 1
    assert {file.name for file in folder.iterdir()} == {"empty", "there.rrb"}
