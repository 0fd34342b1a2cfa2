"""The recipes for MLflow and Weights & Biases in docs/training.md, run with stubs of these libraries."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import ROOT

pytest.importorskip("sb3_contrib")

from rr_gym import training

TINY = """
environment: {num_games: 2, num_robots: 2, opponents: [random], max_cycles: 2, observation: choices}
algorithm: {turns_per_update: 2, batch_size: 8, epochs: 1}
training: {total_steps: 56}
"""
BLOCK = re.compile(r"^```py\n(.*?)^```", re.MULTILINE | re.DOTALL)


def recipe(library: str) -> str:
    blocks = BLOCK.findall((ROOT / "docs" / "training.md").read_text("utf-8"))
    (found,) = [block for block in blocks if f"import {library}\n" in block]
    return str(found)


@pytest.fixture(autouse=True)
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the recipes train by a tiny configuration."""
    (tmp_path / "tiny.yaml").write_text(TINY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    real = training.train
    monkeypatch.setattr(training, "train", lambda config, out, **given: real("tiny.yaml", out, **given))


def test_the_recipe_for_mlflow_logs_the_learning_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[Any] = []

    @contextmanager
    def start_run(run_name: str) -> Any:
        logged.append(run_name)
        yield

    def log_metrics(metrics: dict[str, float], step: int) -> None:
        assert all(type(value) is float for value in metrics.values())
        logged.append((step, set(metrics)))

    fake = SimpleNamespace(
        start_run=start_run, log_params=logged.append, log_metrics=log_metrics, log_artifact=logged.append
    )
    monkeypatch.setitem(sys.modules, "mlflow", fake)
    exec(recipe("mlflow"), {"__name__": "recipe"})
    name, parameters, *lines, artifact = logged
    assert (name, parameters) == ("quickstart", {"algorithm.learning_rate": 5e-4})
    assert [step for step, _ in lines] == [32, 64]
    assert {"rollout/won", "rollout/finished", "rollout/flags", "train/loss"} <= lines[-1][1]
    assert Path(artifact).is_file()


def test_the_recipe_for_weights_and_biases_saves_the_learning_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[str] = []

    @contextmanager
    def init(project: str, sync_tensorboard: bool) -> Any:
        assert sync_tensorboard
        yield SimpleNamespace(id="abc", save=saved.append)

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=init))
    exec(recipe("wandb"), {"__name__": "recipe"})
    assert list(Path("runs/abc/tensorboard").glob("events.*"))
    assert [Path(path).name for path in saved] == ["progress.csv"]
