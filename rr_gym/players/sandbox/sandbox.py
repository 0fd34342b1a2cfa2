"""Sandboxes: programs are started in them, and nothing of a program outlives its sandbox."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from rr_gym.players.sandbox import bubblewrap, cgroups, keeper
from rr_gym.players.sandbox.kinds import BUBBLEWRAP
from rr_gym.players.sandbox.limits import Limits
from rr_gym.players.sandbox.views import environment, find_program, seen_by

_PR_SET_DUMPABLE = 4
_MOST_STATUS = 4096  # bytes that the keeper says at a time


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Where programs are started: what they see, and how much they may use.

    Attributes:
        kind: `process` or `bubblewrap`.
        limits: The limits of each program with all that it starts.
        folder: The folder that the program sees and runs in; None for the folders of the files that its command
            names.
        writable: Whether it may change that folder.
    """

    kind: str
    limits: Limits = field(default_factory=Limits)
    folder: Path | None = None
    writable: bool = False

    def start(self, command: Sequence[str]) -> Kept:
        """Start a program, whose standard streams are pipes. Raises OSError if it cannot be started."""
        cwd = str(self.folder or Path.cwd())
        program = find_program(command[0], self.folder)
        if program is None:
            raise FileNotFoundError(2, "No such file or directory", command[0])
        words = [program, *command[1:]]
        scratch = None if self.kind == BUBBLEWRAP else tempfile.mkdtemp(prefix="rr-gym-bot-")
        env = environment(words[0], scratch or bubblewrap.SCRATCH)
        if self.kind == BUBBLEWRAP:
            shown = seen_by(words, self.folder)
            own = self.folder if self.writable else None
            words, env = bubblewrap.command_line(words, cwd, env, self.limits, shown, own), {}
            cwd = "/"
        group = cgroups.make_group(self.limits, cgroups.parent_group())
        plan = {
            "command": words, "cwd": cwd, "env": env, "scratch": scratch, "cgroup": str(group) if group else None,
            "drop_rights": self.kind != BUBBLEWRAP, "rlimits": self.limits.of_each_process(),
            "limits": {
                "memory": self.limits.memory, "processes": self.limits.processes, "cpu": self.limits.cpu,
                "own": 2 * (self.kind == BUBBLEWRAP),  # processes of the sandbox itself
            },
        }  # fmt: skip
        try:
            return Kept(plan, scratch, group)
        except OSError:
            _clean(scratch, group)
            raise


class Kept:
    """A program in a sandbox, and the keeper that ends it.

    Attributes:
        process: The keeper, whose pipes are those of the program, and whose exit status is the program's.
    """

    def __init__(self, plan: dict[str, Any], scratch: str | None, group: Path | None) -> None:
        read_plan, control = os.pipe()
        status, write_status = os.pipe()
        pipe = subprocess.PIPE
        words = [sys.executable, "-I", "-S", keeper.__file__, str(read_plan), str(write_status)]
        try:
            self.process = subprocess.Popen(
                words, stdin=pipe, stdout=pipe, stderr=pipe, pass_fds=(read_plan, write_status), env={}, process_group=0
            )
        except OSError:
            os.close(control)
            os.close(status)
            raise
        finally:
            os.close(read_plan)
            os.close(write_status)
        with suppress(OSError), open(control, "wb", buffering=0, closefd=False) as file:
            file.write(json.dumps(plan).encode() + b"\n")
        self._status = open(status, "rb")  # noqa: SIM115  (closed with this object)
        began = _said(self._status)
        program = began.get("started", 0)
        self._verdict: dict[str, Any] = {}
        self.end = weakref.finalize(
            self, _end, self.process, control, self._status, program, scratch, group, os.getpid(), self._verdict
        )  # fmt: skip
        if "started" not in began:
            number, _, reason = str(began.get("failed", "0 the keeper ended")).partition(" ")
            self.end()
            for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
                if stream:
                    stream.close()
            raise OSError(int(number), reason)

    def verdict(self) -> str:
        """Return which limit the program has crossed, once it has ended; an empty string if none."""
        return str(self._verdict.get("why", ""))


def _said(file: IO[bytes]) -> dict[str, Any]:
    """Read the next line of the keeper; nothing if it has ended."""
    with suppress(ValueError, OSError):
        said = json.loads(file.readline(_MOST_STATUS))
        return said if isinstance(said, dict) else {}
    return {}


def _end(
    process: subprocess.Popen[bytes], control: int, status: IO[bytes], program: int, scratch: str | None,
    group: Path | None, owner: int, verdict: dict[str, Any],
) -> None:  # fmt: skip
    """End a program with everything that it has started, and remove its scratch folder."""
    if os.getpid() != owner:  # a fork of the one that started it
        return
    os.close(control)
    try:
        process.wait(keeper.PATIENCE + 1)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.returncode < 0 and program:  # somebody has killed the keeper: only the program's group can be found
        with suppress(OSError):
            os.killpg(program, 9)
    verdict |= _said(status)
    status.close()
    _clean(scratch, group)


def _clean(scratch: str | None, group: Path | None) -> None:
    if scratch:
        shutil.rmtree(scratch, ignore_errors=True)
    if group:
        cgroups.remove_group(group)


def keep_memory_private() -> None:
    """Keep other processes of this user from reading the memory of this one, where the salt is.

    This lasts as long as the process. It does not stop processes that may trace any other one, such as root's.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
