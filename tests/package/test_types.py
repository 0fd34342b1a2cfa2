"""Types of the installed package: mypy and pyright check a user's program in strict mode."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from environments import clean_environment

pytestmark = pytest.mark.long

CORE = ["numpy", "numba", "gymnasium", "pettingzoo", "pyyaml", "click", "rich"]
PROGRAM = '''
from typing import Any

import numpy as np

import rr_gym
from rr_gym import Arena, Course, Game, list_courses, load_course, make_player, no_orders, random_actions
from rr_gym.datasets import Dataset, record_dataset
from rr_gym.envs import RoboRallyEnv, RoboRallyVectorEnv
from rr_gym.evaluation import evaluate
from rr_gym.players import Player, SeatView
from rr_gym.rules.state.records import OrdersRecord


class Mine(Player):
    name = "mine"

    def orders(self, view: SeatView) -> OrdersRecord:
        order: OrdersRecord = no_orders(1)[0]
        return order


def main() -> None:
    course: Course = load_course(list_courses()[0])
    game = Game(course, num_robots=2, seed=1)
    hand: tuple[str, ...] = game.hands[0]
    game.play({0: [hand[0], None, None, None, None], 1: make_player("greedy")})
    words: list[str] = [game.explain(event) for event in game.events]
    arena = Arena(course, {"lives": 3})
    games = arena.new_games(4, num_robots=2, seed=1)
    arena.play(games, no_orders(4, 8), threads=1)
    env = RoboRallyEnv(num_robots=2, opponents=[Mine()])
    seen, info = env.reset(seed=1)
    mask: np.ndarray[Any, Any] = info["action_mask"]
    _, reward, terminated, truncated, _ = env.step(env.sample_actions())
    total: float = reward + 1.0
    vector = RoboRallyVectorEnv(4, num_robots=2)
    _, infos = vector.reset(seed=1)
    actions: np.ndarray[Any, Any] = random_actions(infos["action_mask"], np.random.default_rng(1))
    vector.step(actions)
    description: dict[str, Any] = record_dataset("data", ["greedy", Mine()], games=2)
    data = Dataset.open("data").load()
    result = evaluate("greedy", games=2)
    print(rr_gym.__version__, np.shape(seen), mask.sum(), words, total, terminated, truncated)
    print(description["rows"], data["action"].shape, result)
'''
MISTAKES = {
    'Game("risky_exchange", num_robots="2")': "num_robots",
    'Arena("risky_exchange").play_all()': "play_all",
    'rr_gym.Gaame("risky_exchange")': "Gaame",
    'evaluate(3, games="x")': "evaluate",
}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment in which the package is installed from its wheel."""
    folder = tmp_path_factory.mktemp("types")
    wheel = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder))
    subprocess.run([sys.executable, *wheel, str(ROOT)], check=True)
    (built,) = folder.glob("*.whl")
    return clean_environment(folder / "env", CORE, built)


def checked(checker: str, python: Path, folder: Path, program: str) -> tuple[int, str]:
    """Return the exit status of a type checker, and its output."""
    file = folder / "program.py"
    file.write_text(program)
    commands = {
        "mypy": ["-m", "mypy", "--strict", "--python-executable", str(python), str(file)],
        "pyright": ["-m", "pyright", "--outputjson", "--pythonpath", str(python), str(file)],
    }
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    if checker == "pyright":
        (folder / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict"}))
    done = subprocess.run([sys.executable, *commands[checker]], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_users_program_is_well_typed(checker: str, python: Path, tmp_path: Path) -> None:
    status, said = checked(checker, python, tmp_path, PROGRAM)
    assert status == 0, said
    for mistake, about in MISTAKES.items():
        status, said = checked(checker, python, tmp_path, f"{PROGRAM}\n\n{mistake}\n")
        assert status == 1, (mistake, said)
        assert about in said
