"""Arguments of wrong types: errors of every public function name the argument, the value and what was expected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rr_gym
from rr_gym import Course, Game, Recorder, roborally_v0
from rr_gym.datasets import record_dataset
from rr_gym.envs.core import Core
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.envs.vector import RoboRallyVectorEnv
from rr_gym.errors import RoboRallyError, items, one_of, truth_value
from rr_gym.evaluation import evaluate
from rr_gym.evaluation.tournament.tournament import Tournament
from rr_gym.race import RaceConfig, race
from rr_gym.sb3 import make_vec_env

WORDS = np.array(["flat", "planes"])
RAGGED = [[1], [2, 3]]
NO_AXES = np.array(None)
ODD: list[Any] = [
    None, True, np.bool_(True), 2.5, float("nan"), b"x", "x", "", [], RAGGED, {"a": 1}, WORDS, NO_AXES, object, 10**30,
]  # fmt: skip


def _race(**changed: Any) -> Any:
    return race(RaceConfig(**{"players": ("random",), "max_cycles": 1, **changed}))


def recorder(**changed: Any) -> Recorder:
    arena = rr_gym.Arena("risky_exchange")
    return Recorder(**{"arena": arena, "games": arena.new_games(2, 2), **changed})


# By name: a call with the argument, the beginning of the message, and the indices of values that are valid
ARGUMENTS: dict[str, tuple[Callable[[Any], Any], str, tuple[int, ...]]] = {
    "action": (lambda value: Core(num_robots=2, action=value), "action: ", ()),
    "observation": (lambda value: Core(num_robots=2, observation=value), "observation: ", ()),
    "seat": (lambda value: Core(num_robots=2, seat=value), "seat: ", ()),
    "num_robots": (lambda value: RoboRallyEnv(num_robots=value), "num_robots: ", ()),
    "render_mode": (lambda value: RoboRallyEnv(render_mode=value), "render_mode: ", (0,)),
    "render_mode of batches": (lambda value: RoboRallyVectorEnv(2, render_mode=value), "render_mode: ", (0,)),
    "render_mode of agents": (lambda value: roborally_v0.env(render_mode=value), "render_mode: ", (0,)),
    "render_mode of sb3": (lambda value: make_vec_env(num_games=1, render_mode=value), "render_mode: ", (0,)),
    "masks": (lambda value: roborally_v0.parallel_env(masks=value), "masks: ", ()),
    "state": (lambda value: roborally_v0.env(state=value), "state: ", ()),
    "agent": (lambda value: roborally_v0.parallel_env().action_space(value), "agent: ", ()),
    "solvable": (lambda value: rr_gym.generate_course(1, 6, 6, solvable=value), "solvable: ", (1, 2)),
    "difficulty": (lambda value: rr_gym.generate_course(1, difficulty=value), "difficulty: ", ()),
    "on": (lambda value: rr_gym.new_log(value), "on: ", (1, 2)),
    "games to copy": (lambda value: rr_gym.clone(value), "games: ", (2, 11, 12)),
    "game": (lambda value: rr_gym.salt_of(value), "game: ", ()),
    "table": (lambda value: rr_gym.path_distances(value), "table: ", ()),
    "arena": (lambda value: recorder(arena=value), "arena: ", ()),
    "games": (lambda value: recorder(games=value), "games: ", ()),
    "row": (lambda value: recorder(row=value), "row: ", ()),
    "report": (lambda value: evaluate("random", games=1, max_cycles=1, report=value), "report: ", (0, 13)),
    "text": (lambda value: Course.from_board(value), "text: ", (6, 7)),
    "name": (lambda value: Course.from_board("size: 1x1\ngrid:\n@1 #1\n", value), "name: ", (6, 7)),
    "max_cycles": (lambda value: _race(max_cycles=value), "max_cycles: ", ()),
    "form": (lambda value: record_dataset("new", ["random"], form=value), "form: ", ()),
    "folder": (lambda value: Tournament(["random", "greedy"], games=2, folder=value), "folder: ", (0, 6, 7)),
    "resume": (lambda value: Tournament(["random", "greedy"], games=2, resume=value), "resume: ", ()),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_values_of_wrong_types(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, begins, right = ARGUMENTS[name]
    for number, value in enumerate(ODD):
        if number not in right:
            with pytest.raises(RoboRallyError, match=f"^{begins}"):
                call(value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rr_gym.Arena(NO_AXES), "course: array.* expected a Course, the id"),  # type: ignore[arg-type]
        (lambda: rr_gym.Arena(b"x"), "course: b'x': expected a Course"),  # type: ignore[arg-type]
        (lambda: Core(num_robots=2, decisions=NO_AXES), "decisions: array.* expected a list of names"),  # type: ignore[arg-type]
        (lambda: Core(num_robots=2, decisions=[WORDS]), "decisions: array.* expected"),  # type: ignore[list-item]
        (lambda: rr_gym.generate_course(1, elements=RAGGED), r"elements: \[1\]: expected the id"),  # type: ignore[arg-type]
        (lambda: rr_gym.generate_course(1, density=WORDS), "density: array.* expected numbers by kind"),  # type: ignore[arg-type]
        (lambda: rr_gym.generate_course(1, density=""), "density: '': expected numbers by kind"),  # type: ignore[arg-type]
        (lambda: rr_gym.determinize(Game(num_robots=2).games, 0, RAGGED), r"seed: \[\[1\], .* expected a whole"),  # type: ignore[arg-type]
        (lambda: rr_gym.Arena("risky_exchange").new_games(2, course_index=RAGGED), "course_index: .* expected whole"),  # type: ignore[arg-type]
        (lambda: rr_gym.random_actions(RAGGED, np.random.default_rng()), "mask: .* expected an array"),  # type: ignore[arg-type]
        (lambda: recorder(players=[1]), r"players: \[1\]: expected a list of names"),
        (lambda: recorder(players="ab"), "players: 'ab': expected a list of names"),
        (lambda: recorder(row=2), "row: 2: expected a whole number from 0 to 1"),
        (lambda: _race(players=5), "players: 5: expected a list of names of players"),
        (lambda: race("x"), "config: 'x': expected a RaceConfig"),  # type: ignore[arg-type]
        (lambda: record_dataset("new", RAGGED), r"players: \[1\]: expected the name of a player, or a Player"),  # type: ignore[arg-type]
        (lambda: record_dataset("x" * 300, ["random"]), "cannot be written: File name too long"),
        (lambda: record_dataset("\0", ["random"]), "out: .* expected a path without null characters"),
    ],
)
def test_what_is_neither_a_list_nor_an_array_nor_a_path(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(RoboRallyError, match=message):
        call()


def test_truth_values_of_numpy_count() -> None:
    assert truth_value("x", np.bool_(False)) is False
    assert roborally_v0.parallel_env(num_robots=2, strict=np.bool_(True)).strict is True
    for value in (1, 0, "true", None, np.int64(1), np.array(True)):
        with pytest.raises(RoboRallyError, match=r"x: .*expected True or False"):
            truth_value("x", value)


def test_one_of_some_words() -> None:
    assert one_of("x", "a", ("a", "b")) == one_of("x", np.str_("a"), {"a": 1}) == "a"
    for value in ("c", None, 1, ["a"], WORDS, "A"):
        with pytest.raises(RoboRallyError, match=r"^x: .*expected a \| b$"):
            one_of("x", value, ("a", "b"))


def test_items() -> None:
    assert items((1, 2)) == items(np.array([1, 2])) == [1, 2]
    assert items("ab") is items(b"ab") is items(5) is items(NO_AXES) is items(None) is None
