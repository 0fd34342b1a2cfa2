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
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint in the run's folder")
    parser.add_argument("--seed", type=int, metavar="N", help="instead of training.seed")
    parser.add_argument("--steps", type=int, metavar="N", help="instead of training.total_steps")


def run(args: argparse.Namespace) -> int:
    """Train. Returns the exit status: 0 at the end of the training, 130 when it was interrupted."""
    from rr_gym.errors import require

    from .config import TrainConfig, check_names, find_config
    from .folder import RunFolder

    path = find_config(args.config)
    changes = {"seed": args.seed, "total_steps": args.steps}
    config = TrainConfig.load(path).with_training(**{key: value for key, value in changes.items() if value is not None})
    folder = RunFolder(args.out or RUNS / path.stem)
    if args.resume:
        folder.check(config)
    check_names(config, str(path))
    for module in MODULES:
        require(module, extra="train")
    from .trainer import Trainer

    if not args.resume:
        folder.create(config)
    trainer = Trainer(config, folder)
    print(f"{path} -> {folder.path}, from row {trainer.model.num_timesteps:,}", file=sys.stderr, flush=True)
    try:
        finished = trainer.run()
    except KeyboardInterrupt:
        finished = False
    if not finished:
        seed = "" if args.seed is None else f" --seed {args.seed}"
        steps = "" if args.steps is None else f" --steps {args.steps}"
        command = f"rr-gym train {args.config} --out {folder.path}{seed}{steps} --resume"
        print(f"interrupted; go on with: {command}", file=sys.stderr)
        return 130
    print(f"{trainer.model.num_timesteps:,} rows in {trainer.seconds:,.0f} s")
    print(f"policy: {folder.policy}\ncurve:  {folder.progress}")
    return 0


if __name__ == "__main__":
    from rr_gym.cli.main import main

    sys.exit(main(["train", *sys.argv[1:]]))
