"""Digests of the files that players consist of."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rr_gym.evaluation.player_files import files_digest, player_files


def test_built_in_players_have_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random").write_text("not a player")
    assert [files_digest(name) for name in ("random", "planner:20k", "x" * 5000)] == ["", "", ""]


def test_policies_and_models_are_what_their_files_hold(tmp_path: Path) -> None:
    folder, model = tmp_path / "mine", tmp_path / "model.zip"
    folder.mkdir()
    (folder / "policy.json").write_text("{}")
    model.write_text("one")
    before = files_digest(str(folder)), files_digest(str(model))
    (folder / "log.jsonl").write_text("ignored")
    assert (files_digest(str(folder)), files_digest(str(model))) == before
    (folder / "policy.safetensors").write_text("weights")
    model.write_text("two")
    after = files_digest(str(folder)), files_digest(str(model))
    assert not {*before} & {*after}


def test_programs_are_the_files_that_their_commands_name(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("one")
    command = f"program:'{sys.executable}' '{bot}' {tmp_path} --text '{'x' * 5000}'"
    before = files_digest(command)
    assert b"bot.py\0one" in player_files(command)
    bot.write_text("two")
    assert files_digest(command) != before


def test_options_before_a_command_are_not_files(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("one")
    command = f"'{sys.executable}' '{bot}'"
    assert player_files(f"program:seconds=60 protocol=2 sandbox=none {command}") == player_files(f"program:{command}")


@pytest.mark.parametrize("name", ["strategist:100@mine", "strategist:@champion+mine", "equilibrium:@mine"])
def test_players_that_search_consist_of_the_policies_they_ask(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "policy.json").write_text("{}")
    before = files_digest(name)
    (tmp_path / "mine" / "policy.json").write_text("{ }")
    assert before
    assert files_digest(name) not in ("", before)
    assert files_digest("strategist:@champion+veteran") == ""


def test_a_folder_with_the_name_of_a_player_is_not_that_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "champion").mkdir()
    (tmp_path / "champion" / "policy.json").write_text("{}")
    assert files_digest("champion") == ""
