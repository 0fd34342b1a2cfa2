"""Run folders: the configuration, the curve and the checkpoints of one training."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rr_gym import yaml12
from rr_gym.errors import RoboRallyError, in_bytes, short_repr
from rr_gym.files import free_bytes, write_file
from rr_gym.locks import hold
from rr_gym.player_names import SPEC_FILE, WEIGHTS_FILE
from rr_gym.policies.store import load_policy
from rr_gym.registry import policy_folder

from .config import TrainConfig, first_difference


class RunError(RoboRallyError):
    """A run folder that cannot be created, resumed or written."""


class RunFolder:
    """The folder of one training.

    Args:
        path: The path of the folder, which need not exist yet.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.config = self.path / "config.yaml"
        self.progress = self.path / "progress.csv"
        self.picture = self.path / "curve.svg"
        self.events = self.path / "tensorboard"
        self.policy = self.path / "policy"
        self.start = self.path / "start"  # a copy of the policy that it starts from
        self.best = self.path / "best"  # the evaluated policy that won most
        self.league = self.path / "league"
        self.model = self.path / "model.zip"
        self._checkpoints = self.path / "checkpoints"

    def create(self, config: TrainConfig) -> None:
        """Begin a run. Raises RunError if the folder holds a run, or anything else, already."""
        self.check_new()
        if config.training.start is not None:
            self.start.mkdir(parents=True, exist_ok=True)
            start = policy_folder(config.training.start)
            for name in (WEIGHTS_FILE, SPEC_FILE):
                write_file(self.start / name, (start / name).read_bytes(), RunError)
        write_file(self.config, yaml12.dump(config.as_mapping()), RunError)

    def check_new(self) -> None:
        """Check that a run can begin here. Raises RunError if the folder holds a run, or anything else, already."""
        # A lock, and files that a process wrote before it was killed without a configuration, do not count.
        nothing = self.path.is_dir() and all(f.name[0] == "." or f == self.start for f in self.path.iterdir())
        if self.path.exists() and not nothing:
            begun = self.config.exists() or self.checkpoints()  # imitations have no configuration of their own
            hint = "--resume resumes it" if begun else "expected a new or empty folder"
            raise RunError(f"{self.path} exists: {hint}, --out names another folder")

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Lock the folder against other processes. Raises RunError, which names the process that holds it.

        The folder is created if necessary, and removed at the end if it is still empty.
        """
        made = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{self.path}: cannot be written: {error.strerror}") from error
        try:
            with hold(self.path, RunError):
                yield
        finally:
            with suppress(OSError):  # the folder is not empty
                for folder in made:
                    folder.rmdir()

    @contextmanager
    def beginning(self) -> Iterator[None]:
        """Remove all files of the new run if the context ends with an error, since the run could not begin.

        Hidden files and folders, such as the lock, were there before (`check_new`).
        """
        try:
            yield
        except BaseException:
            self.tidy()
            for found in self.path.iterdir():
                if found.name[0] == ".":
                    continue
                if found.is_dir():
                    shutil.rmtree(found, ignore_errors=True)
                else:
                    found.unlink(missing_ok=True)
            raise

    def check(self, config: TrainConfig) -> None:
        """Check that this is a run of exactly this configuration. Raises RunError, which names the first difference."""
        if not self.config.is_file():
            raise RunError(f"{self.path}: there is no run to resume (no {self.config.name} in it)")
        difference = first_difference(TrainConfig.load(self.config).as_mapping(), config.as_mapping())
        if difference:
            key, was, wanted = difference
            raise RunError(
                f"{self.path}: cannot be resumed: {key} was {short_repr(was)} and is now {short_repr(wanted)}"
            )

    def win_of_best(self) -> float:
        """Return the share of games that the policy in `best` won when it was evaluated; -1 if there is no such policy.

        Raises:
            RoboRallyError: The policy cannot be read.
        """
        if not (self.best / SPEC_FILE).exists():
            return -1.0
        return float(load_policy(self.best).spec.training["evaluation"]["win"])

    def checkpoints(self) -> list[Path]:
        """List the folders of the complete checkpoints, from oldest to newest."""
        if not self._checkpoints.is_dir():
            return []
        return sorted(folder for folder in self._checkpoints.iterdir() if folder.name.isdecimal())

    def save_checkpoint(self, number: int, write: Callable[[Path], None], keep: int) -> Path:
        """Write a checkpoint that appears under its number only when it is complete.

        Args:
            number: The update after which it is taken.
            write: Called with an empty folder to be filled.
            keep: The number of newest checkpoints to keep; older ones are deleted.

        Raises:
            RunError: It cannot be written; the message names the last good checkpoint.
        """
        final = self._checkpoints / f"{number:06}"
        unfinished = self._checkpoints / f".{final.name}"
        try:
            with suppress(FileNotFoundError):
                shutil.rmtree(unfinished)
            unfinished.mkdir(parents=True)
            write(unfinished)
            with suppress(FileNotFoundError):
                shutil.rmtree(final)
            unfinished.rename(final)
        except (OSError, RunError) as failure:
            shutil.rmtree(unfinished, ignore_errors=True)
            reason = failure if isinstance(failure, RunError) else f"{final}: cannot be written: {failure.strerror}"
            raise RunError(f"{reason}; {self.what_is_left()}") from failure
        for old in self.checkpoints()[:-keep]:
            # Renamed first, so that an interrupted deletion leaves no incomplete checkpoint under its name.
            shutil.rmtree(old.rename(old.with_name(f".{old.name}")))
        return final

    def what_is_left(self) -> str:
        """Return a phrase that names the last good checkpoint, for errors that end a training run."""
        kept = self.checkpoints()
        return f"the last good checkpoint is {kept[-1]}" if kept else "there is no checkpoint yet"

    def check_room(self, needed: int) -> None:
        """Check that the disk has room for the next checkpoint, before the work that leads to it.

        Args:
            needed: The bytes that it takes.

        Raises:
            RunError: There is not enough room; the message names the last good checkpoint.
        """
        free = free_bytes(self.path)
        if free is not None and free < needed:
            raise RunError(
                f"{self.path}: {in_bytes(free)} are free: expected room for the next checkpoint and policy, "
                f"{in_bytes(needed)}; {self.what_is_left()}"
            )

    def forget_checkpoints(self) -> None:
        """Remove all checkpoints."""
        if self._checkpoints.is_dir():
            shutil.rmtree(self._checkpoints.rename(self._checkpoints.with_name(f".{self._checkpoints.name}")))

    def tidy(self) -> None:
        """Remove the unfinished files of a process that was killed."""
        for file in self.path.glob(".*.*"):  # temporary files of `write_file`
            if file.suffix[1:].isdecimal() and file.is_file():
                file.unlink(missing_ok=True)
        if self._checkpoints.is_dir():
            for folder in self._checkpoints.glob(".*"):
                shutil.rmtree(folder, ignore_errors=True)
