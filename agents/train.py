"""``python -m agents.train CONFIG``, the same program as ``rr-gym train CONFIG``: train a policy."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rr_gym.cli.grammar.arguments import add
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Interrupted, check_folder, resume_command

RUNS = Path("runs")
MODULES = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "safetensors", "rich")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments of the command."""
    add(parser, "config", note="such as quickstart")
    add(parser, "--players", note="opponents, in the seats that do not learn, instead of environment.opponents")
    add(parser, "--course", note="instead of environment.course")
    add(parser, "--set", note="beside environment.settings")
    add(parser, "--max-cycles", note="instead of environment.max_cycles")
    add(parser, "--from", note="instead of training.start")
    add(parser, "--seed", note="instead of training.seed")
    add(parser, "--steps")
    add(parser, "--out", note=f"{RUNS}/NAME, by the configuration's name, without it")
    add(parser, "--resume", note="from the last checkpoint in it")
    add(parser, "--json")


def run(args: argparse.Namespace) -> int:
    """The command. Returns the exit status."""
    output = Output(args.json)
    given = {
        "players": args.players, "course": args.course, "set": args.set or None, "max_cycles": args.max_cycles,
        "from": getattr(args, "from"), "seed": args.seed, "steps": args.steps,
    }  # fmt: skip
    try:
        facts = train(args.config, args.out, resume=args.resume, **given)
    except KeyboardInterrupt as error:
        if error.args:  # there is something to resume
            raise Interrupted(resume_command(args)) from None
        raise
    output.show(f"{facts['rows']:,} rows in {facts['seconds']:,.0f} s")
    output.show(f"policy: {facts['policy']}\ncurve:  {facts['curve']}, {facts['picture']}")
    output.write(facts)
    return 0


def train(name: str, out: Path | None = None, *, resume: bool = False, **given: Any) -> dict[str, Any]:
    """Train by a configuration.

    Args:
        name: Its file, or its bare name.
        out: The run's folder; None for one of the configuration's name in `RUNS`.
        resume: Resume the run in the folder from its last checkpoint.
        given: What replaces values of the configuration, as `TrainConfig.with_arguments` takes it; None for nothing.

    Returns:
        Of the finished training: `rows`, `seconds`, and the paths of `policy`, `curve` and `picture`.

    Raises:
        RoboRallyError: The configuration or the folder is not as it should be, another process trains in the folder,
            or the training diverged.
        MissingExtraError: Something of the extra `train` is not installed.
        KeyboardInterrupt: It was interrupted; with the folder, if that has something to resume.
    """
    from rr_gym.config_files import find_config
    from rr_gym.errors import require

    from .checks import ConfigError
    from .config import TrainConfig
    from .environment import check_names
    from .folder import RunFolder

    path = find_config(name, ConfigError)
    config = TrainConfig.load(path).with_arguments(**given)
    if out is not None:
        check_folder(out)
    folder = RunFolder(out or RUNS / path.stem)
    folder.check(config) if resume else folder.check_new()
    core = check_names(config, str(path))
    for module in MODULES:
        require(module, extra="train")
    if config.training.start is not None and not resume:
        from .start import load_start

        load_start(config, core, config.training.start)  # an error names the key, before anything is made
    from .trainer import Trainer

    with folder.hold():
        with nullcontext() if resume else folder.beginning():
            if not resume:
                folder.create(config)
            trainer = Trainer(config, folder)
        try:
            print(f"{path} -> {folder.path}, from row {trainer.model.num_timesteps:,}", file=sys.stderr, flush=True)
            finished = trainer.run()
        except KeyboardInterrupt:
            finished = False
    if not finished:
        raise KeyboardInterrupt(folder.path)
    return {
        "rows": trainer.model.num_timesteps,
        "seconds": trainer.seconds,
        "policy": str(folder.policy),
        "curve": str(folder.progress),
        "picture": str(folder.picture),
    }


if __name__ == "__main__":
    from rr_gym.cli.main import main

    sys.exit(main(["train", *sys.argv[1:]]))
