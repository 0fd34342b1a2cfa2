"""Accelerators are equivalent to the rules that they replace: in state, events and random draws.

The short suite plays all scenarios and the stored games with all accelerators, and in a separate part
(`tools/run_tests.py`) by the reference alone, whose indices are checked.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, Python

from rr_gym.compilation.accelerators import REFERENCE, known
from rr_gym.compilation.kernels import COMPILED
from rr_gym.differential import differences
from rr_gym.fuzz import play_batch
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.scratch import GameCaches

FAST = ROOT / "rr_gym" / "rules" / "fast"
FILES = sorted(path for path in FAST.glob("*.py") if path.name != "__init__.py")
compiled = pytest.mark.skipif(not COMPILED, reason="interpreted rules are the reference")


def choices() -> list[str]:
    """Return the choices: the reference, each accelerator alone, and all accelerators but one."""
    names = [path.stem for path in FILES]
    return [REFERENCE, *names, *(f"-{name}" for name in names)]


@compiled
def test_every_file_is_an_accelerator() -> None:
    assert known() == [path.stem for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_fast_rule_says_what_it_gains(path: Path) -> None:
    said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    assert re.search(r"\b\d+ %", said), "expected what a whole turn without it takes more, and on which course"


def test_differences_are_named() -> None:
    games = Arena("risky_exchange").new_games(2, 3, seed=1)
    other = games.copy()
    assert list(differences(games, other)) == []
    other["robots"]["damage"][1, 2] = 4
    assert list(differences(games, other)) == ["robots.damage[1, 2] is 0, by other accelerators 4"]
    for cache in GameCaches.fields:
        games[cache] = 1
    assert len(list(differences(games, other))) == 1


@compiled
@pytest.mark.long
@pytest.mark.parametrize("accelerator", known())
def test_scenarios_and_stored_games_come_out_the_same(accelerator: str, python: Python, tmp_path: Path) -> None:
    """Each accelerator plays alone, so that none hides an error of another. Each time all rules are compiled."""
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "--basetemp", str(tmp_path / "base")]
    parts = ["tests/scenario_files/test_scenarios.py::test_scenarios",
             "tests/rules/test_trajectories.py::test_games_are_played_as_stored"]  # fmt: skip
    done = python("-m", "pytest", *options, *parts, RR_GYM_ACCELERATORS=accelerator)
    assert re.search(r"\d{3} passed", done.stdout)


@compiled
@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_random_games_end_the_same(seed: int) -> None:
    """Games are compared turn by turn, field by field and event by event."""
    for _, found, games in play_batch(9000 + seed, 64, choices()):
        assert not [finding.text for finding in found]
        assert np.isin(games["over"], (0, 1)).all()


PLANTED = """
from rr_gym.compilation.accelerators import accelerates
from rr_gym.fuzz import play_batch
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

@accelerates(hurt)
def hurt_more(game: GameRecord, table: Table, log: Log, victim: int, points: int, harm: int) -> None:
    hurt(game, table, log, victim, points + 1, harm)

found = [finding.text for seed in range(4) for _, texts, _ in play_batch(seed, 16, ["none"]) for finding in texts]
print(*found)
"""


@compiled
@pytest.mark.long
def test_an_accelerator_that_is_wrong_is_found(python: Python, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(PLANTED)
    done = python(str(tmp_path / "planted.py"))
    assert "with the accelerators 'none': " in done.stdout
    assert "damage" in done.stdout
