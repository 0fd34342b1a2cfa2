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
    """Train a policy as a configuration describes.

    Args:
        name: The path of the configuration file, or its bare name.
        out: The run folder; None for one in `RUNS` with the name of the configuration.
        resume: Resume the run in the folder from its last checkpoint.
        overrides: Values by dotted keys that replace those of the configuration; see `TrainConfig.with_overrides`.
        callbacks: Callbacks of Stable-Baselines3; see `Hooks`.
        logger: A logger of Stable-Baselines3; see `Hooks`.
        given: Arguments that replace values of the configuration; see `TrainConfig.with_arguments`; None keeps them.

    Returns:
        `rows` learned from, `seconds`, and the paths of the `policy`, the `curve` and its `picture`.

    Raises:
        RoboRallyError: The configuration or the folder is not valid, another process trains in the folder,
            or the training diverged.
        MissingExtraError: Something of the extra `train` is not installed.
        KeyboardInterrupt: It was interrupted; its argument is the folder, if there is something to resume.
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
    """Train with a configuration that has been read already; results and errors are those of `train`.

    Args:
        config: The configuration.
        source: The name of its file in error messages.
        out: The run folder.
        resume: Resume the run in the folder from its last checkpoint.
        callbacks: Callbacks of Stable-Baselines3; see `Hooks`.
        logger: A logger of Stable-Baselines3; see `Hooks`.
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

        load_start(config, core, config.training.start)  # reports errors before anything is written
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
