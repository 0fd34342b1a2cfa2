"""``python -m agents.train CONFIG``, the same program as ``rr-gym train CONFIG``: train a policy."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rr_gym.cli.grammar.resuming import check_folder

if TYPE_CHECKING:
    from .config import TrainConfig

RUNS = Path("runs")
MODULES = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "safetensors")


def train(
    name: str,
    out: Path | None = None,
    *,
    resume: bool = False,
    overrides: Mapping[str, Any] | None = None,
    callbacks: Sequence[Any] = (),
    logger: Any = None,
    **given: Any,
) -> dict[str, Any]:
    """Train by a configuration.

    Args:
        name: Its file, or its bare name.
        out: The run's folder; None for one of the configuration's name in `RUNS`.
        resume: Resume the run in the folder from its last checkpoint.
        overrides: Values by dotted keys that replace those of the configuration, see `TrainConfig.with_overrides`.
        callbacks: Callbacks of Stable-Baselines3, see `Hooks`.
        logger: A logger of Stable-Baselines3, see `Hooks`.
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

    from .config import ConfigError, TrainConfig

    path = find_config(name, ConfigError)
    config = TrainConfig.load(path).with_overrides(overrides, given).with_arguments(**given)
    if out is not None:
        check_folder(out)
    return train_config(
        config, str(path), out or RUNS / path.stem, resume=resume, callbacks=callbacks, logger=logger
    )


def train_config(
    config: TrainConfig,
    source: str,
    out: Path,
    *,
    resume: bool = False,
    callbacks: Sequence[Any] = (),
    logger: Any = None,
) -> dict[str, Any]:
    """Train by a configuration that has been read; results and errors are those of `train`.

    Args:
        config: The configuration.
        source: Where it is from, as errors name it.
        out: The run's folder.
        resume: Resume the run in the folder from its last checkpoint.
        callbacks: Callbacks of Stable-Baselines3, see `Hooks`.
        logger: A logger of Stable-Baselines3, see `Hooks`.
    """
    from rr_gym.errors import require

    from .environment import check_names
    from .folder import RunFolder

    folder = RunFolder(out)
    folder.check(config) if resume else folder.check_new()
    core = check_names(config, source)
    for module in MODULES:
        require(module, extra="train")
    from .devices import find_device
    from .hooks import Hooks

    find_device(config.training.device, f"{source}: training.device")
    hooks = Hooks(callbacks, logger)
    hooks.check(config)
    if config.training.start is not None and not resume:
        from .start import load_start

        load_start(config, core, config.training.start)  # an error names the key, before anything is made
    from .trainer import Trainer

    with folder.hold():
        with nullcontext() if resume else folder.beginning():
            if not resume:
                folder.create(config)
            trainer = Trainer(config, folder, hooks)
        try:
            print(f"{source} -> {folder.path}, from row {trainer.model.num_timesteps:,}", file=sys.stderr, flush=True)
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
