"""Small training runs in this process, and readers of their files."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import torch
from msgspec.structs import replace

from rr_gym.training import agents_module

config, folders, logs, trainers = (agents_module(name) for name in ("config", "folder", "logs", "trainer"))


def trainer_of(content: str, folder: Path, **changes: Any) -> Any:
    """Create a trainer that begins or resumes the run in a folder; `changes` replace keys of `training`."""
    run, settings = folders.RunFolder(folder), config.TrainConfig.read(content)
    settings = replace(settings, training=replace(settings.training, **changes))
    if not run.config.exists():
        run.create(settings)
    return trainers.Trainer(settings, run)


def train(content: str, folder: Path, **changes: Any) -> Any:
    """Train to the end and return the trainer."""
    trainer = trainer_of(content, folder, **changes)
    assert trainer.run()
    return trainer


def lines_of(path: Path) -> list[dict[str, str]]:
    """Return the lines of a table, without columns that depend on the clock."""
    with path.open(encoding="utf-8", newline="") as file:
        return [{k: v for k, v in row.items() if k not in logs.WALL_CLOCK} for row in csv.DictReader(file)]


def curve(folder: Path) -> list[dict[str, str]]:
    """Return the learning curve of a run, without columns that depend on the clock."""
    return lines_of(folder / "progress.csv")


def last_model(folder: Path) -> dict[str, Any]:
    """Return the state of the model in the last checkpoint of a run."""
    return dict(torch.load(folders.RunFolder(folder).checkpoints()[-1] / "model.pt", weights_only=True))


def assert_same_training(one: Path, other: Path) -> None:
    """Check that two runs have the same curve, weights and random generators."""
    assert curve(one) == curve(other)
    first, second = last_model(one), last_model(other)
    assert first["policy"].keys() == second["policy"].keys()
    for name, weight in first["policy"].items():
        assert torch.equal(weight, second["policy"][name]), name
    assert torch.equal(first["chance"], second["chance"])
