"""The search for hyperparameters in `examples/sweep.py`, which resumes wherever it stopped."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

pytest.importorskip("sb3_contrib")
optuna = pytest.importorskip("optuna")
pytest.importorskip("tyro")

pytestmark = pytest.mark.long
SWEEP = ROOT / "examples" / "sweep.py"
TINY = """
environment: {num_games: 2, num_robots: 2, opponents: [random], max_cycles: 2, observation: choices}
algorithm: {turns_per_update: 2, batch_size: 8, epochs: 1}
training: {checkpoint_every: 1 updates}
"""
ROWS = 2 * 2 * 8  # the rows of an update


@pytest.fixture
def sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.yaml").write_text(TINY, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("sweep", SWEEP)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "sweep", module)
    spec.loader.exec_module(module)
    return module


def arguments(module: Any, trials: int, **more: Any) -> Any:
    short = {"steps": 2 * ROWS, "games": 4, "evaluate_every": 1, "evaluation_games": 2}
    return module.Args(**{"out": Path("sweep"), "config": "tiny.yaml", "trials": trials, **short, **more})


def trials_of(folder: Path = Path("sweep")) -> list[Any]:
    storage = f"sqlite:///{folder / 'sweep.db'}"
    trials: list[Any] = optuna.load_study(storage=storage, study_name=None).trials
    return trials


def test_an_interrupted_sweep_resumes(sweep: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    real, asked = sweep.train, []

    def interrupted(config: str, folder: Path, **given: Any) -> Any:
        asked.append((folder.name, given["resume"]))
        if len(asked) == 2:
            real(config, folder, **{**given, "steps": ROWS, "callbacks": [], "logger": None})  # half of the trial
            (folder / "config.yaml").write_text(
                (folder / "config.yaml").read_text("utf-8").replace(f"total_steps: {ROWS}", f"total_steps: {2 * ROWS}")
            )
            raise KeyboardInterrupt
        return real(config, folder, **given)

    monkeypatch.setattr(sweep, "train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sweep.main(arguments(sweep, 2))
    sweep.main(arguments(sweep, 2))
    assert asked == [("trial-000", False), ("trial-001", False), ("trial-001", True)]
    first, killed, again = trials_of()
    assert [trial.state.name for trial in (first, killed, again)] == ["COMPLETE", "FAIL", "COMPLETE"]
    assert again.params == killed.params != first.params
    assert {"win", "finish", "flags"} <= set(again.user_attrs)
    out = capsys.readouterr().out
    assert all(f"{name} " in out.splitlines()[-1] for name in ("win", "finish", "flags"))
    sweep.main(arguments(sweep, 2))  # there is nothing left to do
    assert len(asked) == 3


def test_trials_that_fall_behind_are_pruned(sweep: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optuna.Trial, "should_prune", lambda trial: trial.number == 1)
    sweep.main(arguments(sweep, 2, steps=4 * ROWS))
    assert [trial.state.name for trial in trials_of()] == ["COMPLETE", "PRUNED"]
    assert list(trials_of()[1].intermediate_values) == [ROWS, 2 * ROWS]  # the current update is finished
    assert (Path("sweep") / "trial-001" / "policy").is_dir()


def test_a_killed_sweep_resumes(sweep: Any, tmp_path: Path) -> None:
    words = [
        "--config", "tiny.yaml", "--out", "sweep", "--trials", "2", "--steps", str(16 * ROWS), "--games", "4",
        "--evaluate-every", "1", "--evaluation-games", "2",
    ]  # fmt: skip
    command = [sys.executable, str(SWEEP), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    checkpoints = tmp_path / "sweep" / "trial-000" / "checkpoints"
    while not list(checkpoints.glob("00000[2-9]")):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert trials_of()[0].state.name == "RUNNING"
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    assert trials_of()[0].state.name == "FAIL"
    assert sum(trial.state.is_finished() for trial in trials_of()) == 3
    assert "trial-000, from row" in done.stderr
    assert "trial-000, from row 0" not in done.stderr
