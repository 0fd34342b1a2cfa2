"""Interruption by Ctrl-C: what is finished is kept, and the command that resumes is shown."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

from rr_gym.errors import RoboRallyError
from rr_gym.files import check_writable

STATUS = 130  # of a command that was interrupted


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in a command that has kept what was done.

    Args:
        command: The command line that resumes it.
    """

    def __init__(self, command: str) -> None:
        super().__init__(command)
        self.command = command


def command_line(words: Sequence[str]) -> str:
    """Join the words of a command into a line that a shell can run."""
    return shlex.join(["rr-gym", *words])


def resume_command(args: SimpleNamespace, out: Path | None = None) -> str:
    """Return the line of the command that was run, with ``--resume`` added.

    Args:
        args: What was given.
        out: The folder in which everything was kept if ``--out`` was not given.
    """
    words = list(args.words)
    words += [] if out is None else ["--out", str(out)]
    words += [] if "--resume" in words else ["--resume"]
    return command_line(words)


@contextmanager
def resumable(args: SimpleNamespace, file: str = "") -> Iterator[None]:
    """Make Ctrl-C in this context name the command that resumes, if something is kept that can be resumed.

    Without ``--resume`` the same command would be refused. Something is kept if ``--out`` has the file, or if the code
    that ran raises KeyboardInterrupt with the folder as its argument, as `rr_gym.training.train` does.

    Args:
        args: What was given.
        file: The name of a file in the folder that exists once there is something to resume.
    """
    try:
        yield
    except Interrupted:
        raise
    except KeyboardInterrupt as error:
        if error.args or (file and args.out and (args.out / file).exists()):
            raise Interrupted(resume_command(args)) from None
        raise


class Stopping:
    """A context in which Ctrl-C ends the work, after which the command continues with what is finished.

    Attributes:
        interrupted: Whether Ctrl-C has ended the work.
    """

    interrupted = False

    def __enter__(self) -> Stopping:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        stopped = kind is not None and issubclass(kind, KeyboardInterrupt)
        self.interrupted |= stopped
        return stopped


def new_folder(name: str) -> Path:
    """Return a path that does not exist yet: `name`, or `name` with the lowest free number appended, from 2."""
    number, path = 1, Path(name)
    while path.exists():
        number += 1
        path = Path(f"{name}-{number}")
    return path


def check_folder(out: Path, *files: str) -> None:
    """Check that ``--out`` is or can become a folder in which these files can be written. Raises RoboRallyError."""
    if out.exists() and not out.is_dir():
        raise RoboRallyError(f"--out {out}: expected a folder")
    check_writable(out, "--out ")
    for file in files:
        if (out / file).is_dir():
            raise RoboRallyError(f"--out {out}: {file} in it is a folder: expected a file, or none")


def check_resume(resume: bool, out: Path | None, file: str, *files: str) -> None:
    """Check that ``--resume`` is given if, and only if, the folder holds something to resume.

    Args:
        resume: Whether it is given.
        out: The folder, if one is named.
        file: The name of the file in it that can be resumed from.
        files: The names of other files that will be written.

    Raises:
        RoboRallyError: It has something and ``--resume`` is missing, or it has nothing to resume.
    """
    if out is None:
        if resume:
            raise RoboRallyError("--resume: expected --out with it, the folder to resume in")
        return
    check_folder(out, file, *files)
    kept = (out / file).exists()
    if resume and not kept:
        raise RoboRallyError(f"--resume: there is nothing to resume in {out} (no {file} in it)")
    if kept and not resume:
        raise RoboRallyError(f"{out} exists: --resume continues it, --out names another folder")
