"""The programs in `examples` that train: short runs, resumed as if they had not been interrupted."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

from rr_gym.policies import load_policy

pytest.importorskip("sb3_contrib")
Run = Callable[..., str]
Train = Callable[..., list[str]]
PPO = ROOT / "examples" / "ppo.py"
SHORT = (
    "--num-games", "8", "--turns", "2", "--snapshot-every", "1", "--minibatch", "64", "--evaluate-every", "2",
    "--games", "2", "--racer", "0",
)  # fmt: skip

pytestmark = pytest.mark.filterwarnings("default")  # as for users, warnings of libraries are not errors


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a program and returns its output; it runs in this process, which saves imports."""
    monkeypatch.chdir(tmp_path)

    def run(path: Path, *arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", [str(path), *arguments])
        capsys.readouterr()
        runpy.run_path(str(path), run_name="__main__")
        return capsys.readouterr().out

    return run


def test_ppo_is_one_short_file() -> None:
    assert len(PPO.read_text("utf-8").splitlines()) <= 300


@pytest.fixture
def train(run: Run) -> Train:
    """Return a function that runs PPO for some updates and returns the line of each evaluation."""
    pytest.importorskip("tyro")

    def train(name: str, updates: int, *more: str) -> list[str]:
        rows = str(updates * 16 * 2 * 8)
        out = run(PPO, "--out", name, "--rows", rows, *SHORT, *more)
        return [line.partition(" duels ")[2] for line in out.splitlines()]

    return train


def test_ppo_trains(train: Train, tmp_path: Path) -> None:
    (line,) = train("short", 2)
    assert all(word in line for word in ("won", "finished", "flags"))
    assert load_policy(tmp_path / "short" / "policy").spec.observation == "choices"


@pytest.mark.long
def test_ppo_resumes_as_if_it_had_not_been_interrupted(train: Train, tmp_path: Path) -> None:
    whole = train("whole", 4, "--learning-rate", "1e-3")
    assert len(whole) == 2
    assert list((tmp_path / "whole").glob("events.*"))
    assert train("parts", 4, "--learning-rate", "1e-3", "--stop-after", "2") == whole[:1]
    assert train("parts", 4, "--learning-rate", "1e-3", "--resume") == whole[1:]
    policies = [load_policy(tmp_path / name / "policy") for name in ("whole", "parts")]
    for name, weights in policies[0].weights().items():
        assert np.array_equal(weights, policies[1].weights()[name])
    with pytest.raises(SystemExit, match=r"--resume: .*checkpoint.pt: no such file: expected a checkpoint"):
        train("nothing", 4, "--resume")


@pytest.mark.parametrize(
    "form",
    [
        (),
        pytest.param(("--policy", "MlpPolicy", "--observation", "flat", "--action", "draw"), marks=pytest.mark.long),
        pytest.param(
            ("--policy", "MultiInputPolicy", "--observation", "entities", "--window", "5"), marks=pytest.mark.long
        ),
    ],
    ids=["RaceNetwork", "MlpPolicy", "MultiInputPolicy"],
)
def test_policies_of_stable_baselines_are_compared(form: tuple[str, ...], run: Run) -> None:
    script = ROOT / "examples" / "sb3_policies.py"
    line = run(script, "--minutes", "0.01", "--games", "8", "--duels", "4", "--opponent", "random", *form)
    assert all(word in line for word in (" rows in 0.01 minutes: won", "flags", "finished"))
