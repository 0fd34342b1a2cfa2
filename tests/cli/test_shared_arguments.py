"""Options of several commands are declared once, with one meaning, and documented as such."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import commands

from rr_gym.cli.grammar import arguments
from rr_gym.cli.grammar.arguments import SHARED
from rr_gym.cli.grammar.words import Name
from rr_gym.cli.main import main
from rr_gym.evaluation import matches, processes
from rr_gym.players import notes
from rr_gym.rules.state import constants

EVERY = commands.commands()
GAMES = ("race", "play", "evaluate", "tournament", "benchmark", "train")


def options(command: click.Command) -> dict[str, click.Option]:
    return {param.opts[0]: param for param in command.params if isinstance(param, click.Option)}


def test_the_document_has_the_tables_of_the_parsers() -> None:
    text = commands.DOCUMENT.read_text("utf-8")
    assert commands.with_tables(text) == text, "python tools/commands.py --write"


def test_an_option_of_two_commands_is_a_shared_one() -> None:
    users: dict[str, list[str]] = {}
    for words, command in EVERY.items():
        for name in options(command):
            users.setdefault(name, []).append(words)
    assert [name for name, words in users.items() if len(words) > 1 and name not in SHARED] == []
    assert [name for name in SHARED if name not in users] == []


def test_copied_constants_agree_with_the_originals() -> None:
    assert (arguments.MAX_FAULTS, arguments.MAX_WORKERS) == (notes.MAX_FAULTS, processes.MAX_WORKERS)
    assert (arguments.MAX_ROBOTS, arguments.MAX_WATCHED) == (constants.MAX_ROBOTS, matches.MAX_WATCHED)


@pytest.mark.parametrize("words", EVERY)
def test_shared_options_are_read_and_explained_alike(words: str) -> None:
    for name, option in options(EVERY[words]).items():
        if name in SHARED:
            shared = SHARED[name]
            assert (option.help or "").startswith(shared.help), name
            assert option.metavar == shared.value or (name == "--out" and option.metavar == "FILE"), name
            if "type" in shared.options:
                assert type(option.type) is type(shared.options["type"]) or option.type.name == "choice", name
            assert option.is_flag == shared.options.get("is_flag", False)
            assert option.multiple == shared.options.get("multiple", False)
        assert option.help, f"{words} {name} has no help"


@pytest.mark.parametrize("name", ["--players", "--seed", "--salt", "--max-cycles", "--course", "--set", "--out"])
def test_commands_that_play_games_have_the_same_words(name: str) -> None:
    """Exceptions: a suite fixes courses, settings, bounds and seeds; a training run draws no salt."""
    without = {
        "benchmark": {"--course", "--set", "--max-cycles", "--seed"},
        "train": {"--salt"},
    }
    assert [words for words in GAMES if name not in options(EVERY[words]) and name not in without.get(words, ())] == []


@pytest.mark.parametrize("name", ["--resume", "--json"])
def test_all_of_them_resume_and_write_json(name: str) -> None:
    assert [words for words in GAMES if name not in options(EVERY[words])] == []


def test_no_option_has_a_short_form() -> None:
    for words, command in EVERY.items():
        letters = [word for param in command.params for word in param.opts if word[:1] == "-" and word[:2] != "--"]
        assert letters == [], words


def test_every_list_completes_and_every_path_too() -> None:
    """Every option for names or paths tells shells what to complete."""
    own_kinds = {"--decisions", "--at-least", "--density"}
    for words, command in EVERY.items():
        for param in command.params:
            if "," in (param.metavar or "") and not own_kinds & {*param.opts}:
                assert isinstance(param.type, Name), (words, param.opts)
                assert param.type.kind or param.type.paths, (words, param.opts)


def test_json_goes_to_stdout_alone_or_into_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["race", "--players", "random,random", "--max-cycles", "2", "--out", str(tmp_path / "race")]
    assert main([*line, "--json"]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert (result["turns"], [row["place"] for row in result["standings"]]) == (2, [1, 2])
    assert "turn   1" in err
    assert main([*line, "--json", str(tmp_path / "race.json")]) == 0
    out, err = capsys.readouterr()
    assert "turn   1" in out
    assert "place" in out
    assert json.loads((tmp_path / "race.json").read_text()) == result
    (tmp_path / "folder.json").mkdir()
    assert main([*line, "--json", str(tmp_path / "folder.json")]) == 2
    assert "folder.json: expected a file" in capsys.readouterr().err
