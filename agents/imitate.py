"""``rr-gym imitate TEACHER CONFIG``: a policy that learns to decide as a player does.

The teacher plays all seats. The network learns to give the teacher's decisions the highest logits (behaviour
cloning), and to predict the return as its value. With ``--temperature`` the candidates that a searching teacher
did not choose count too, by their values. Games are played in blocks, on request by other processes and machines,
and learned from in the order of the blocks. If the teacher is a data set, its rows are learned from and nothing is
played.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from rr_gym.cli.grammar.resuming import check_folder
from rr_gym.config_files import find_config
from rr_gym.errors import RoboRallyError
from rr_gym.player_names import SPEC_FILE
from rr_gym.progress import Progress

from .config import ConfigError, TrainConfig
from .environment import check_names
from .folder import RunError, RunFolder
from .sections import STOCK

MODULES = ("torch", "safetensors")


def imitate(
    teacher: str, name: str, out: Path, temperature: float | None = None, resume: bool = False, *,
    workers: int | None = 1, ray: str | None = None, overrides: Mapping[str, Any] | None = None, **given: Any,
) -> dict[str, Any]:  # fmt: skip
    """Teach a policy; results and errors are as in `rr_gym.training.imitate`.

    Args:
        teacher: A player's name, or the folder of a data set.
        name: The path of a configuration file, or its bare name.
        out: The folder of the policy.
        temperature: See `lessons.TeacherGames`.
        resume: Whether to resume the imitation in the folder.
        workers: The number of processes that play in parallel.
        ray: The address of a Ray cluster (docs/scaling.md).
        overrides: Values by dotted keys that replace those of the configuration; see `TrainConfig.with_overrides`.
        given: Arguments that replace values of the configuration; see `TrainConfig.with_arguments`.
    """
    from rr_gym.errors import require

    path = find_config(name, ConfigError)
    config = TrainConfig.load(path).with_overrides(overrides, given).with_arguments(players=[], **given)
    if config.network == STOCK or config.environment.action != "cards":
        raise ConfigError(f"{path}: expected sizes of a network, and environment.action cards")
    folder = RunFolder(out)
    if resume:
        _check_resumable(folder)
    else:
        check_folder(out)
        folder.check_new()
    check_names(config, str(path))
    for module in MODULES:
        require(module, extra="train")

    from .devices import find_device
    from .imitation_learner import ImitationLearner

    find_device(config.training.device, f"{path}: training.device")
    start = time.monotonic()
    with (
        folder.hold(),
        closing(ImitationLearner(config, teacher, temperature, workers, ray)) as learner,
        Progress("rows") as progress,
    ):

        def watch(games: int) -> None:
            played = f", {games:,} games of the next update" if games else ""
            progress.facts = f"as the teacher {learner.agreement:.3f}{played}"
            progress(learner.rows, config.training.total_steps)

        learner.watch = watch
        if learner.data:
            of_games = {"ray": ray, "workers": workers if workers != 1 else None, "temperature": temperature}
            _check_nothing_played(of_games | {name: given.get(name) for name in ("course", "set")})
        if resume:
            folder.tidy()
            _check_resumable(folder)  # another process may just have finished it
            learner.load(folder.checkpoints()[-1])
        else:
            learner.begin()
            learner.learn()  # fails before anything is written if the teacher cannot teach
        print(f"{teacher} -> {out}, from row {learner.rows:,}", file=sys.stderr, flush=True)
        try:
            learner.run(folder, progress.say)
        except KeyboardInterrupt:
            if learner.is_consistent:
                learner.save(folder)
            raise KeyboardInterrupt(*([out] if folder.checkpoints() else [])) from None
        folder.forget_checkpoints()
    seconds = time.monotonic() - start
    return {"rows": learner.rows, "seconds": seconds, "agreement": learner.agreement, "policy": str(out)}


def _check_resumable(folder: RunFolder) -> None:
    """Raise RunError if there is no imitation in the folder to resume."""
    if not folder.checkpoints():
        done = "it is finished" if (folder.path / SPEC_FILE).is_file() else "no checkpoint in it"
        raise RunError(f"{folder.path}: there is no imitation to resume ({done})")


def _check_nothing_played(of_games: Mapping[str, Any]) -> None:
    """Raise RoboRallyError if an option that only matters for playing games was given with a data set."""
    for option, value in of_games.items():
        if value is not None:
            listed = ", ".join(map(str, value)) if isinstance(value, list | dict) else value
            raise RoboRallyError(f"--{option}: {listed}: expected none with a data set, of which nothing is played")
