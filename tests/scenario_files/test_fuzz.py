"""Invariants detect broken games; the fuzzer finds none in real play, but reports broken ones."""

from __future__ import annotations

import os
import random
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from combinations import quick

from rr_gym import fuzz, yaml12
from rr_gym.cli.fuzz import write
from rr_gym.cli.main import main
from rr_gym.compilation.kernels import COMPILED
from rr_gym.courses.elements import ELEMENTS
from rr_gym.courses.tables.features import elements
from rr_gym.invariants import check, find_violations
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import no_orders
from rr_gym.scenarios import load_scenarios, run_scenario
from rr_gym.transcribe import scenario_of

NUM_ROBOTS = 4


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena("risky_exchange")


@pytest.fixture
def games(arena: Arena) -> np.ndarray[Any, Any]:
    """Return eight games after five turns of random play."""
    games, orders = arena.new_games(8, NUM_ROBOTS, seed=3), no_orders(8, 8, full=True)
    words = np.arange(8, dtype=np.uint64)
    for _ in range(5):
        arena.random_orders(games, orders, words)
        arena.play(games, orders)
    assert check(games, arena) == []
    return games


def share_a_square(game: Any) -> None:
    game["robots"][0]["square"] = game["robots"][1]["square"]
    game["robots"]["virtual"] = 0


def put_into_a_pit(game: Any) -> None:
    game["robots"][0]["square"] = np.flatnonzero(Arena("risky_exchange").tables[0]["squares"]["pit"])[0]


def swap_hand(game: Any) -> None:
    game["robots"][0]["hand"][:2] = game["robots"][0]["hand"][1::-1]


def keep_a_card(game: Any) -> None:
    game["deck_left"] -= 1
    robot = game["robots"][0]
    robot["registers"][0] = game["deck"][game["deck_left"]]
    robot["locked"] &= 30


def set_robot(**fields: int) -> Callable[[Any], None]:
    def change(game: Any) -> None:
        for name, value in fields.items():
            game["robots"][0][name] = value

    return change


def set_game(**fields: int) -> Callable[[Any], None]:
    def change(game: Any) -> None:
        for name, value in fields.items():
            game[name] = value

    return change


def lose_a_card(game: Any) -> None:
    game["deck_left"] -= 1


def double_a_card(game: Any) -> None:
    game["deck"][0] = game["deck"][1]


def forge_a_card(game: Any) -> None:
    game["deck"][0] = 85


BROKEN: dict[str, tuple[Callable[[Any], None], str]] = {
    "lost card": (lose_a_card, "lies in 0 places"),
    "card twice": (double_a_card, "lies in 2 places"),
    "unknown card": (forge_a_card, "85 is not a card"),
    "shared square": (share_a_square, "robots 0 and 1 share a square"),
    "in a pit": (put_into_a_pit, "robot 0: it stands in a pit"),
    "beyond the board": (set_robot(square=12 * 16), "it stands on no square"),
    "alive without square": (set_robot(square=-1), "it stands on no square"),
    "off the board": (set_robot(alive=0, square=-1), "it has lives and is off the board"),
    "dead on the board": (set_robot(alive=0), "it is off the board and has a square"),
    "ghost": (set_robot(alive=2), "neither 0 nor 1"),
    "archive": (set_robot(archive=-1), "its archive is not a square"),
    "negative damage": (set_robot(damage=-1), "its damage is not within 0 and 9"),
    "fatal damage": (set_robot(damage=10), "its damage is not within 0 and 9"),
    "open registers": (set_robot(damage=6, locked=16), "fewer registers are locked"),
    "lock without register": (set_robot(locked=32), "locks without registers"),
    "facing": (set_robot(facing=4), "it faces no direction"),
    "flags": (set_robot(flag=4), "flags that do not exist"),
    "lives": (set_robot(lives=-2), "its lives are negative"),
    "out with lives": (set_robot(out=1), "it is out and has lives"),
    "out on the board": (set_robot(out=1, lives=0), "it is out and on the board"),
    "hand while down": (set_robot(down=1), "powered down and has a hand"),
    "large hand": (set_robot(damage=9, locked=31), "its hand is larger"),
    "unsorted hand": (swap_hand, "its hand is not sorted"),
    "card in an open register": (keep_a_card, "an open register holds a card"),
    "no robots": (set_game(num_robots=0), "num_robots is not within"),
    "phase": (set_game(phase=3), "in the middle of a turn"),
    "known cards": (set_game(deck_known=84), "deck_known exceeds the deck"),
    "winner": (set_game(winners=1), "there is a winner but the game goes on"),
    "strange winner": (set_game(winners=128, over=1), "a winner does not play"),
    "discards": (set_game(discards_left=85), "discards_left is not within"),
    "no discards": (set_game(discards_left=3), "discards_left counts empty slots"),
    "turn": (set_game(turn=-1), "turn is not within"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_game_is_named(arena: Arena, games: np.ndarray[Any, Any], name: str) -> None:
    change, text = BROKEN[name]
    change(games[5])
    violations = find_violations(games, arena)
    assert {v.game for v in violations} == {5}
    assert any(text in v.text for v in violations), violations


def test_check_names_the_game(arena: Arena, games: np.ndarray[Any, Any]) -> None:
    games[2]["robots"][1]["facing"] = 9
    assert check(games, arena) == ["game 2: robot 1: it faces no direction"]


@pytest.mark.parametrize("turns", [3000 if COMPILED else 60, pytest.param(30_000, marks=pytest.mark.long)])
def test_random_play_breaks_nothing(turns: int) -> None:
    tally = fuzz.Tally()
    fuzz.fuzz(tally, turns=turns, seed=1, num_games=64 if COMPILED else 1)
    assert tally.turns >= turns
    assert tally.courses > 1
    assert [finding.text for finding in tally.findings] == []


def test_random_settings_use_every_value() -> None:
    rng = random.Random(0)
    seen: dict[str, set[Any]] = {}
    for _ in range(300):
        for name, value in fuzz.random_settings(rng).items():
            seen.setdefault(name, set()).add(value)
    assert set(seen) == {setting.name for setting in fuzz.fields(fuzz.Settings)}
    assert all(len(values) > 1 for values in seen.values())


@pytest.fixture
def broken_robots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make some robots survive with ten points of damage, which breaks an invariant."""
    play = Arena.play

    def play_and_break(self: Arena, games: Any, orders: Any, **rest: Any) -> None:
        play(self, games, orders, **rest)
        games["robots"]["damage"][3:5, 0] = 10

    monkeypatch.setattr(Arena, "play", play_and_break)


@pytest.mark.usefixtures("broken_robots")
def test_findings_are_written_as_scenarios_with_their_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["fuzz", "--turns", "100", "--batch", "16", "--seed", "7", "--out", str(tmp_path)])
    out = capsys.readouterr().out
    assert status == 1
    assert "its damage is not within 0 and 9" in out
    written = sorted(tmp_path.glob("seed-*.yaml"))
    assert written
    scenario = yaml12.load(written[0].read_text(encoding="utf-8"), written[0].name)[0]
    assert "rr-gym fuzz --seed" in scenario["comment"]
    assert set(scenario) >= {"name", "robots", "programs", "orders", "run", "expect"}


@pytest.mark.long
def test_a_carried_flag_follows_a_robot_that_a_drone_pushes_at_a_re_entry(tmp_path: Path) -> None:
    """A scenario cannot check where a flag is, so this plays 512 games of capture the flag; the case occurs in one."""
    assert main(["fuzz", "--seed", "55", "--batch", "512", "--turns", "6144", "--out", str(tmp_path)]) == 0


def test_an_interrupted_run_ends_with_its_summary(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(tally: fuzz.Tally, **rest: Any) -> None:
        tally.turns = 12
        raise KeyboardInterrupt

    monkeypatch.setattr(fuzz, "fuzz", interrupt)
    assert main(["fuzz", "--seed", "3", "--turns", "50"]) == 130
    out, err = capsys.readouterr()
    assert "12 turns" in out
    assert err.endswith("resume with: rr-gym fuzz --seed 3 --batch 128 --turns 50 --out fuzz\n")


def test_an_endless_turn_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    left: list[int] = []
    ended = threading.Event()

    def leave(status: int) -> None:
        left.append(status)
        ended.set()

    def hang(tally: fuzz.Tally, **rest: Any) -> None:
        tally.courses, tally.turns = 2, 96
        for _ in range(2):
            tally.turns += 16
            rest["report"](tally)
        assert ended.wait(20)

    monkeypatch.setattr(fuzz, "fuzz", hang)
    monkeypatch.setattr("rr_gym.cli.fuzz.PATIENCE", 0.2)
    monkeypatch.setattr(os, "_exit", leave)
    main(["fuzz", "--batch", "16", "--seed", "5"])
    assert set(left) == {1}
    assert "a turn does not end: rr-gym fuzz --seed 6 --batch 16 --turns 32" in capsys.readouterr().err


def test_random_orders_use_all_options() -> None:
    arena = Arena("risky_exchange", {"option_cards": "on"})
    games, rng = arena.new_games(200 if COMPILED else 30, 8, seed=1), np.random.default_rng(1)
    arena.equip(games, 5)
    orders = fuzz.random_orders(arena, games, rng)
    default = no_orders(1, 8, full=True)
    for name in orders.dtype.names or ():
        assert (orders[name] != default[name]).any(), name


def test_the_same_seed_meets_the_same_games() -> None:
    def last_games(seed: int) -> bytes:
        arena, num_robots = fuzz.random_arena(random.Random(seed))
        chance = np.random.default_rng(seed)
        games = arena.new_games(8, num_robots, seed=seed)
        for _ in range(3):
            arena.play(games, fuzz.random_orders(arena, games, chance))
        return games.tobytes()

    assert last_games(11) == last_games(11)
    assert last_games(11) != last_games(12)


@pytest.mark.long
def test_the_courses_have_every_element_sooner_or_later() -> None:
    seen: set[str] = set()
    for seed in range(150):
        seen |= set(elements(fuzz.generated(random.Random(seed))))
    assert {element.id for element in ELEMENTS} - seen == {"board_edge"}


@pytest.mark.long
@pytest.mark.skipif(not COMPILED, reason="this process plays by uncompiled rules already")
def test_uncompiled_rules_play_the_same_random_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "--compare", "--seed", "3", "--turns", "100", "--batch", "1"]) == 0
    assert "the same games on 3 courses where the rules are not compiled" in capsys.readouterr().out


def test_games_that_part_are_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def other(command: list[str], **rest: Any) -> Any:
        return subprocess.CompletedProcess(command, 0, stdout="5 0123456789abcdef\n")

    monkeypatch.setattr(subprocess, "run", other)
    assert main(["fuzz", "--compare", "--seed", "5", "--turns", "2", "--batch", "1"]) == 1
    assert "the course of seed 5 ends differently" in capsys.readouterr().out
    assert main(["fuzz", "--compare", "--seconds", "3"]) == 2


@pytest.mark.parametrize("value", ["0", "-3"])
@pytest.mark.parametrize("option", ["--turns", "--seconds", "--batch"])
def test_numbers_must_be_positive(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", f"{option}={value}"]) == 2
    assert f"rr-gym: {option}: {float(value):g}" in capsys.readouterr().err.replace(".0", "")


@pytest.mark.parametrize("command", ["fuzz", "bench"])
@pytest.mark.parametrize("value", ["nan", "inf"])
def test_seconds_are_finite(command: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--seconds", value]) == 2
    assert capsys.readouterr().err == f"rr-gym: --seconds: '{value}': expected a finite number\n"


@pytest.mark.parametrize("seed", quick(range(8), 0, 1, 2))
def test_a_turn_does_the_same_in_the_scenario_that_is_made_of_it(seed: int, tmp_path: Path) -> None:
    arena, num_robots = fuzz.random_arena(random.Random(seed))
    if arena.settings[0].virtual_exit == "turn":
        arena = Arena(arena.courses[0])  # with that setting a scenario cannot express how long a robot has been virtual
    chance = np.random.default_rng(seed)
    games = arena.new_games(4, num_robots, seed=seed)
    for turn in range(4):
        if fuzz.plays_options(arena):
            arena.equip(games, 3)
        before, orders = games.copy(), fuzz.random_orders(arena, games, chance)
        arena.play(games, orders)
        for g in range(len(games)):
            transcript = scenario_of(arena, before[g], orders[g], games[g])
            if "comment" in transcript:
                continue  # the scenario cannot express the whole state
            path = write(fuzz.Finding(seed, len(games), turn, g, "nothing", transcript), tmp_path, g)
            (scenario,) = load_scenarios(path)
            result = run_scenario(scenario)
            assert result.passed, result.differences
        arena.restart(games, games["over"] == 1)


def test_fuzz_refuses_accelerators_that_nobody_knows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "--turns", "5", "--against", "none", "--against", "nobody"]) == 2
    assert "--against: nobody: expected" in capsys.readouterr().err
