"""Train best responses to a fixed player, for `rr_gym.exploit`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import structs

from rr_gym.config_files import find_config
from rr_gym.errors import require
from rr_gym.policies import PolicySpec, load_policy
from rr_gym.registry import policy_folder
from rr_gym.typed_data import plain

from .config import ConfigError, TrainConfig, most_robots
from .environment import check_names
from .folder import RunFolder
from .train import train_config


def response_config(
    name: str | os.PathLike[str], player: str, start: str | None, *, course: Sequence[str] | None,
    settings: Mapping[str, Any] | None, max_cycles: int | None, seed: int, steps: int | None,
) -> TrainConfig:  # fmt: skip
    """Return the configuration of a best response, after checking that its training can begin.

    The player becomes the only opponent. A response that starts from a policy has the policy's observation, decisions
    and network.

    Args:
        name: The file of the configuration, or its bare name.
        player: The name of the player, or the folder of a policy.
        start: The policy to start from: one that ships, or a folder; None for random weights.
        course: Courses; None for those of the configuration, as for the arguments below.
        settings: Settings of the game, by name.
        max_cycles: Turns after which a game is truncated.
        seed: The seed of the training.
        steps: Rows to learn from.

    Raises:
        RoboRallyError: There is no such policy, or a value is not valid; the message names it.
        MissingExtraError: PyTorch, of the extra `train`, is not installed.
    """
    path = find_config(name, ConfigError)
    config = TrainConfig.load(path).with_arguments(
        players=[player], course=course, set=settings or None, max_cycles=max_cycles, seed=seed, steps=steps
    )
    if most_robots(config) != 2:
        raise ConfigError(f"{path}: environment.num_robots: {most_robots(config)}: expected 2, duels with the player")
    if not config.evaluation.keep_best:
        raise ConfigError(f"{path}: evaluation.keep_best: false: expected true: the best checkpoint is the response")
    if start is not None:
        config = _like(load_policy(policy_folder(start)).spec, config, start)
    core = check_names(config, str(path))
    require("torch", extra="train")
    from .devices import find_device

    find_device(config.training.device, f"{path}: training.device")
    if start is not None:
        from .start import load_start

        try:
            load_start(config, core, start)
        except ConfigError as error:
            raise ConfigError(str(error).removeprefix("training.")) from error
    return config


def _like(spec: PolicySpec, config: TrainConfig, start: str) -> TrainConfig:
    """Return a configuration with the observation, the decisions and the network of a policy, and a start from it."""
    environment = structs.replace(
        config.environment, observation=spec.observation, action=spec.action, preview=spec.preview,
        lookahead=spec.lookahead,
    )  # fmt: skip
    if spec.lookahead is None:  # a policy that scores choices can have other decisions and elements
        environment = structs.replace(environment, window=spec.window, decisions=spec.decisions)
    return structs.replace(
        config,
        environment=environment,
        network=plain(structs.asdict(spec.network)),
        training=structs.replace(config.training, start=start),
    )


def train_response(config: TrainConfig, out: Path) -> dict[str, Any]:
    """Train a best response, or resume its training if the folder holds one.

    Args:
        config: The configuration, from `response_config`.
        out: The run folder.

    Returns:
        `trained`, the rows of the finished training, and its `seconds`; for the policy in `best`, the `rows` it had
        learned from, and the share of games that it `won` when it was evaluated.

    Raises:
        RoboRallyError: See `rr_gym.training.train`.
        KeyboardInterrupt: It was interrupted; its argument is the folder, if there is something to resume.
    """
    folder = RunFolder(out)
    facts = train_config(config, "response", out, resume=folder.config.exists())
    best = load_policy(folder.best).spec.training
    return {
        "trained": facts["rows"],
        "seconds": facts["seconds"],
        "rows": best["rows"],
        "won": best["evaluation"]["win"],
    }
