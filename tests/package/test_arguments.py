"""Invalid seeds, options and numbers of games, and steps before the first reset, in every interface."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import rr_gym
from rr_gym import Arena, Game, errors, roborally_v0
from rr_gym.cli.main import main
from rr_gym.datasets import Dataset, record_dataset
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.envs.vector import RoboRallyVectorEnv
from rr_gym.errors import EnvError, RoboRallyError, check_memory
from rr_gym.evaluation import evaluate
from rr_gym.evaluation.tournament.tournament import Tournament
from rr_gym.play.session import Session
from rr_gym.race import RaceConfig, race
from rr_gym.rules.arena.arena import ArenaError
from rr_gym.sb3 import make_vec_env

TRILLION = 10**12

WRONG_FILES: dict[str, tuple[Callable[[], Any], str]] = {
    "course": (lambda: rr_gym.load_course(None), "name_or_path: None: expected a path"),  # type: ignore[arg-type]
    "replay": (lambda: rr_gym.Replay.load(5), "path: 5: expected a path"),  # type: ignore[arg-type]
    "saved game": (lambda: Game.load(None), "source: None: expected a path"),  # type: ignore[arg-type]
    "saving": (lambda: Game(num_robots=2).save(5), "path: 5: expected a path"),  # type: ignore[call-overload]
    "data": (lambda: record_dataset(5, ["greedy"]), "out: 5: expected a path"),  # type: ignore[arg-type]
    "recorded data": (lambda: Dataset.open(None), "folder: None: expected a path"),  # type: ignore[arg-type]
    "seed of data": (lambda: record_dataset("new", ["greedy"], seed=None), "seed: None: expected"),  # type: ignore[arg-type]
    "players of data": (lambda: record_dataset("new", 5), "players: 5: expected a list of players"),  # type: ignore[arg-type]
    "mask": (lambda: rr_gym.random_actions(np.array(["a"]), np.random.default_rng()), r"mask: .* expected a last axis"),
    "player": (lambda: rr_gym.register_player(5, object, "odd"), "player name 5: expected letters"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", WRONG_FILES)
def test_values_that_are_neither_paths_nor_names_are_refused(name: str) -> None:
    call, message = WRONG_FILES[name]
    with pytest.raises(RoboRallyError, match=message):
        call()


def test_too_few_names_of_robots_are_refused() -> None:
    game = Game(num_robots=2)
    event = game.play()[0]
    with pytest.raises(RoboRallyError, match=r"names: .* expected 2 names, one per robot"):
        game.explain(event, ["Twonky"])


def parallel() -> Any:
    return roborally_v0.parallel_env(num_robots=2)


def in_turn() -> Any:
    return roborally_v0.env(num_robots=2)


def single() -> Any:
    return RoboRallyEnv(num_robots=2)


def vector() -> Any:
    return RoboRallyVectorEnv(2, num_robots=2)


def batch() -> Any:
    return make_vec_env(num_games=1, num_robots=2)


SEEDED: dict[str, Callable[[Any], Any]] = {
    "parallel": lambda seed: parallel().reset(seed=seed),
    "in turn": lambda seed: in_turn().reset(seed=seed),
    "single": lambda seed: single().reset(seed=seed),
    "gymnasium.make": lambda seed: gymnasium.make("rr_gym/RoboRally-v0", num_robots=2).reset(seed=seed),
    "vector": lambda seed: vector().reset(seed=seed),
    "sb3": lambda seed: batch().seed(seed),
    "make_vec_env": lambda seed: make_vec_env(num_games=1, num_robots=2, seed=seed),
    "Game": lambda seed: Game(num_robots=2, seed=seed),
    "Arena": lambda seed: Arena("risky_exchange").new_games(1, 2, seed=seed),
    "new_games": lambda seed: rr_gym.new_games(1, "risky_exchange", 2, seed=seed),
    "race": lambda seed: race(RaceConfig(players=("random",), seed=seed, max_cycles=1)),
    "race file": lambda seed: RaceConfig.from_mapping({"seed": seed}),
    "session": lambda seed: Session.start("risky_exchange", ["random"], seed=seed),
    "evaluate": lambda seed: evaluate("random", games=1, seed=seed),
    "tournament": lambda seed: Tournament(["random", "greedy"], games=1, seed=seed),
}
WITHOUT_SEED = {"parallel", "in turn", "single", "gymnasium.make", "vector", "sb3", "make_vec_env"}


@pytest.mark.parametrize("name", SEEDED)
@pytest.mark.parametrize("seed", [-1, 1.5, "x", True, 2**64, float("nan"), [1], None])
def test_wrong_seeds_are_refused(name: str, seed: Any) -> None:
    if seed is None and name in WITHOUT_SEED:
        pytest.skip("None means no seed here")
    if seed == [1] and name == "vector":
        pytest.skip("it has one game, whose seed this is")
    with pytest.raises(RoboRallyError, match=rf"seed: {re.escape(repr(seed))}: expected a whole number from 0"):
        SEEDED[name](seed)


@pytest.mark.parametrize("name", ["parallel", "in turn", "single", "vector", "sb3", "Game", "Arena"])
def test_numpy_integers_and_the_largest_seed_are_accepted(name: str) -> None:
    SEEDED[name](np.int64(3))
    SEEDED[name](2**64 - 1)


def test_a_wrong_seed_changes_nothing() -> None:
    env, twin = vector(), vector()
    for one in (env, twin):
        one.reset(seed=4)
    with pytest.raises(EnvError):
        env.reset(seed=-1)
    with pytest.raises(EnvError):
        env.reset(options="x")
    actions = np.zeros((2, len(env.core.layout.components)), int)
    assert np.array_equal(env.step(actions)[0], twin.step(actions)[0])
    assert np.array_equal(env.reset()[0], twin.reset()[0])


@pytest.mark.parametrize(
    "arguments",
    [
        "race --players random --seed -1", "race --players random --seed 99999999999999999999",
        "play --players random --seed -1", "tournament --players random,greedy --games 4 --seed -1",
        "evaluate --players random --games 1 --seed -1", "fuzz --turns 1 --seed -1", "train quickstart --seed -1",
    ],
)  # fmt: skip
def test_wrong_seeds_on_the_command_line_are_refused(
    arguments: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments.split()) == 2
    assert re.search(r"rr-gym: (--)?seed: \S+: expected a whole number from 0 to \d+\n", capsys.readouterr().err)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("make", [parallel, in_turn, single, vector])
@pytest.mark.parametrize("options", ["x", 3, [1], True])
def test_wrong_options_are_refused(make: Callable[[], Any], options: Any) -> None:
    with pytest.raises(EnvError, match=rf"options: {re.escape(repr(options))}: expected None, or a mapping"):
        make().reset(options=options)


@pytest.mark.parametrize("make", [parallel, in_turn, single, vector, batch])
def test_a_step_before_the_first_reset_is_refused(make: Callable[[], Any]) -> None:
    env = make()
    with pytest.raises(EnvError, match=r"step: there is no episode: expected reset\(\) first"):
        env.step({} if make is parallel else [0])


@pytest.mark.parametrize("name", ["last", "state", "render", "agent_iter"])
def test_agents_in_turn_need_a_reset(name: str) -> None:
    with pytest.raises(EnvError, match=rf"{name}: there is no episode"):
        getattr(in_turn(), name)()
    with pytest.raises(EnvError, match="observe: there is no episode"):
        in_turn().observe("robot_0")


def test_a_game_that_is_over_takes_no_more_steps_and_says_nothing() -> None:
    env = roborally_v0.parallel_env(num_robots=1, max_cycles=1)
    env.reset(seed=1)
    env.step({})
    assert env.agents == []
    assert env.step({}) == ({}, {}, {}, {}, {})


SIZED: dict[str, Callable[[int], Any]] = {
    "num_games": lambda count: make_vec_env(num_games=count, num_robots=2),
    "num_games of an arena": lambda count: Arena("risky_exchange").new_games(count),
    "num_games without one": lambda count: rr_gym.new_games(count, "risky_exchange"),
    "num_envs": lambda count: RoboRallyVectorEnv(count, num_robots=2),
    "num_envs of gymnasium": lambda count: gymnasium.make_vec("rr_gym/RoboRally-v0", num_envs=count, num_robots=2),
    "games of a match": lambda count: evaluate("random", games=count),
    "games of a tournament": lambda count: Tournament(["random", "greedy"], games=count),
}


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("count", [TRILLION, 2**70])
def test_more_games_than_the_memory_holds_are_refused(name: str, count: int) -> None:
    field = name.split()[0]
    expected = rf"{field}: {count}: expected at most \d+: so many take [\d,.]+ [TPEZ]iB of memory, and this machine has"
    with pytest.raises(RoboRallyError, match=expected):
        SIZED[name](count)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (f"tournament --players random,greedy --games {TRILLION}", "--games"),
        (f"evaluate --players random --games {TRILLION}", "--games"),
        (f"fuzz --turns 1 --batch {TRILLION}", "--batch"),
        (f"demo --games {TRILLION}", "--games"),
    ],
)
def test_too_many_games_on_the_command_line_are_refused(
    arguments: str, name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments.split()) == 2
    assert f"rr-gym: {name}: {TRILLION}: expected at most " in capsys.readouterr().err


def test_memory_is_asked_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "machine_memory", lambda: 3 << 20)
    check_memory("things", 3, 1 << 20)
    with pytest.raises(ArenaError, match=r"^things: 4: expected at most 3: so many take 4\.0 MiB .* has 3\.0 MiB$"):
        check_memory("things", 4, 1 << 20, ArenaError)
    with pytest.raises(ArenaError, match="num_games: 1000: expected at most"):
        Arena("risky_exchange").new_games(1000)
    with pytest.raises(EnvError, match="num_games: 600: expected at most"):  # the records of the games alone would fit
        make_vec_env(num_games=600, num_robots=2)
