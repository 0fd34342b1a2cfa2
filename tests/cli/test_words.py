"""Lists, settings and other pairs on the command line."""

from __future__ import annotations

from typing import Any

import click
import pytest
from combinations import for_each
from hypothesis import given
from hypothesis import strategies as st

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command
from rr_gym.cli.grammar.words import join_list, split_list
from rr_gym.errors import RoboRallyError
from rr_gym.rules.state.settings import PRESETS, SETTING_NAMES, Settings


def parsed(name: str, *words: str, **options: Any) -> Any:
    """Return the value that a command with one shared argument reads from some words."""
    probe = command()(shared(name, **options)(lambda args: 0))
    with probe.make_context("probe", list(words)) as ctx:
        (value,) = ctx.params.values()
        return value


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("greedy", ["greedy"]),
        ("greedy,racer", ["greedy", "racer"]),
        ("planner:30k,runs/mine", ["planner:30k", "runs/mine"]),
        ("greedy,program:bot --skill 1,,2,racer", ["greedy", "program:bot --skill 1,2", "racer"]),
        ("a,,,b", ["a,", "b"]),
        ("a,,,,b", ["a,,b"]),
        ("program:sh -c 'x=1; y'", ["program:sh -c 'x=1; y'"]),
    ],
)
def test_lists_have_commas_between_items_and_double_ones_within(text: str, items: list[str]) -> None:
    assert split_list(text, "--players") == items
    assert split_list(join_list(items), "--players") == items


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"]), min_size=1).filter(str.strip), min_size=1))
def test_every_list_can_be_written(items: list[str]) -> None:
    # An item that begins with a comma cannot follow another one, whose doubled comma it would complete.
    if not any(item.startswith(",") for item in items[1:]):
        assert split_list(join_list(items), "x") == items


@pytest.mark.parametrize("text", ["", ",", "a,", ",a", "a, ,b", " "])
def test_empty_items_are_refused(text: str) -> None:
    with pytest.raises(RoboRallyError, match=f"--players: '{text}': expected names with commas between"):
        split_list(text, "--players")


def test_lists_of_repeated_options_are_one_list() -> None:
    assert parsed("--course", "--course", "a,b", "--course=c", default=["x"]) == ["a", "b", "c"]
    assert parsed("--course", default=["x"]) == ["x"]
    assert parsed("--course") is None
    assert parsed("--course", default=["x"]) == ["x"]  # the default list itself was not extended


def test_settings_are_yaml_by_name() -> None:
    assert parsed("--set") == {}
    words = ["lives=unlimited", "start_options=3", "tele_backup=2 forward", "preset=amigo"]
    assert parsed("--set", *(f"--set={word}" for word in words)) == {
        "lives": "unlimited", "start_options": 3, "tele_backup": "2 forward", "preset": "amigo"
    }  # fmt: skip


@for_each(SETTING_NAMES)
def test_every_setting_can_be_given(name: str) -> None:
    value = getattr(Settings(), name)
    assert parsed("--set", "--set", f"{name}={value}") in ({name: value}, {name: value == "on"})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["lives"], "--set lives: expected a name and a value, such as lives=1"),
        (["=1"], "--set =1: expected a name and a value"),
        (["lives="], "--set lives=: expected a name and a value"),
        (["livs=1"], "--set: there is no setting 'livs'; did you mean 'lives'?"),
        (["lives=0"], "--set: setting 'lives': 0: expected amigo | unlimited | a whole number from 1 to 99"),
        (["game=rase"], "--set: setting 'game': 'rase': expected race"),
        (["preset=amig"], f"--set: setting 'preset': 'amig': expected {' | '.join(PRESETS)}"),
        (["lives={"], "--set lives"),
        (["lives=1", "lives=2"], "--set: 'lives' is there twice"),
    ],
)
def test_wrong_settings_are_named(words: list[str], message: str) -> None:
    with pytest.raises(RoboRallyError) as error:
        parsed("--set", *(part for word in words for part in ("--set", word)))
    assert str(error.value).startswith(message)


def test_errors_in_lists_name_the_option() -> None:
    with pytest.raises(RoboRallyError, match="--players: 'a,': expected names"):
        parsed("--players", "--players", "a,")


def test_switches_and_numbers_have_their_defaults() -> None:
    assert parsed("--resume") is False
    assert parsed("--resume", "--resume") is True
    assert parsed("--games", default=5) == 5
    probe = command()(shared("--games", default=5, note="at 100 % or so")(lambda args: 0))
    said = " ".join(probe.get_help(click.Context(probe)).split())
    assert "games to play; at 100 % or so [default: 5]" in said
