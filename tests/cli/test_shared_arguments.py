"""One grammar: what several commands have, all have from the same place, and the document says so."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import commands

from rr_gym.cli.grammar.arguments import SHARED
from rr_gym.cli.main import main

EVERY = commands.commands()
GAMES = ("race", "play", "evaluate", "tournament", "benchmark", "train")


def actions(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    return {name: action for action in parser._actions for name in action.option_strings if name.startswith("--")}


def test_the_document_has_the_tables_of_the_parsers() -> None:
    text = commands.DOCUMENT.read_text("utf-8")
    assert commands.with_tables(text) == text, "python tools/commands.py --write"


def test_an_option_of_two_commands_is_a_shared_one() -> None:
    users: dict[str, list[str]] = {}
    for words, parser in EVERY.items():
        for name in commands.options_of(parser):
            users.setdefault(name, []).append(words)
    assert [name for name, words in users.items() if len(words) > 1 and name not in SHARED] == []
    assert [name for name in SHARED if name not in users] == []


@pytest.mark.parametrize("words", EVERY)
def test_shared_options_are_read_and_explained_alike(words: str) -> None:
    for name, action in actions(EVERY[words]).items():
        if name in SHARED:
            shared = SHARED[name]
            assert (action.help or "").replace("%%", "%").startswith(shared.help), name
            assert action.metavar == shared.value or (name == "--out" and action.metavar == "FILE"), name
            for key, value in shared.options.items():
                if key in ("type", "nargs", "const"):
                    assert getattr(action, key) == value, (name, key)
                if key == "action" and value != "store_true":
                    assert type(action) is value, name
        assert action.help, f"{words} {name} says nothing"


@pytest.mark.parametrize("name", ["--players", "--seed", "--salt", "--max-cycles", "--course", "--set", "--out"])
def test_commands_that_play_games_have_the_same_words(name: str) -> None:
    """But those that make no sense: a suite has its courses, settings, bounds and seeds; a training draws no salt."""
    without = {
        "benchmark": {"--course", "--set", "--max-cycles", "--seed"},
        "train": {"--salt"},
    }
    assert [words for words in GAMES if name not in actions(EVERY[words]) and name not in without.get(words, ())] == []


@pytest.mark.parametrize("name", ["--resume", "--json"])
def test_all_of_them_go_on_and_write_json(name: str) -> None:
    assert [words for words in GAMES if name not in actions(EVERY[words])] == []


def test_nobody_abbreviates_and_nobody_uses_letters() -> None:
    for words, parser in EVERY.items():
        assert not parser.allow_abbrev, words
        letters = [name for action in parser._actions for name in action.option_strings if not name.startswith("--")]
        assert letters == ["-h"], words


def test_every_list_completes_and_every_path_too() -> None:
    """What is named in files or lists of names tells shells what to complete."""
    own_kinds = {"--decisions", "--at-least", "--density"}
    for words, parser in EVERY.items():
        for action in parser._actions:
            if "," in (action.metavar or "") and not own_kinds & set(action.option_strings):
                assert getattr(action, "kind", None), (words, action.option_strings)
            if action.type is Path:
                assert getattr(action, "kind", None), (words, action.option_strings or action.dest)


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
