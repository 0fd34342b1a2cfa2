"""``python -m agents.train CONFIG``, the same program as ``rr-gym train CONFIG``: train a policy."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

RUNS = Path("runs")
MODULES = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "safetensors", "rich")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments of the command."""
    parser.add_argument("config", metavar="CONFIG", help="a YAML file, or the name of one such as quickstart")
    parser.add_argument("--out", type=Path, metavar="DIR", help=f"the run's folder (default: {RUNS}/NAME)")
    parser.add_argument("--resume", action="store_true", help="resume from the last checkpoint in the run's folder")
    parser.add_argument("--seed", type=int, metavar="N", help="instead of training.seed")
    parser.add_argument("--steps", type=int, metavar="N", help="instead of training.total_steps")


def run(args: argparse.Namespace) -> int:
    """The command. Returns the exit status."""
    return train(args.config, args.out, resume=args.resume, seed=args.seed, steps=args.steps)


def train(
    name: str, out: Path | None = None, *, resume: bool = False, seed: int | None = None, steps: int | None = None
) -> int:
    """Train by a configuration.

    Args:
        name: Its file, or its bare name.
        out: The run's folder; None for one of the configuration's name in `RUNS`.
        resume: Resume the run in the folder from its last checkpoint.
        seed: Instead of the one of the configuration.
        steps: Rows to learn from, instead of those of the configuration.

    Returns:
        The exit status: 0 at the end of the training, 130 when it was interrupted.

    Raises:
        RoboRallyError: The configuration or the folder is not as it should be, another process trains in the folder,
            or the training diverged.
        MissingExtraError: Something of the extra `train` is not installed.
    """
    from rr_gym.errors import require

    from .config import TrainConfig, check_names, find_config
    from .folder import RunFolder

    path = find_config(name)
    given = {key: value for key, value in (("seed", seed), ("total_steps", steps)) if value is not None}
    config = TrainConfig.load(path).with_training(**given)
    folder = RunFolder(out or RUNS / path.stem)
    folder.check(config) if resume else folder.check_new()
    check_names(config, str(path))
    for module in MODULES:
        require(module, extra="train")
    from .trainer import Trainer

    with folder.hold():
        if not resume:
            folder.create(config)
        trainer = Trainer(config, folder)
        print(f"{path} -> {folder.path}, from row {trainer.model.num_timesteps:,}", file=sys.stderr, flush=True)
        try:
            finished = trainer.run()
        except KeyboardInterrupt:
            finished = False
    if not finished:
        options = "".join(f" --{key.rpartition('_')[2]} {value}" for key, value in given.items())
        command = f"rr-gym train {name} --out {folder.path}{options} --resume"
        print(f"interrupted; resume with: {command}", file=sys.stderr)
        return 130
    print(f"{trainer.model.num_timesteps:,} rows in {trainer.seconds:,.0f} s")
    print(f"policy: {folder.policy}\ncurve:  {folder.progress}")
    return 0


if __name__ == "__main__":
    from rr_gym.cli.main import main

    sys.exit(main(["train", *sys.argv[1:]]))
