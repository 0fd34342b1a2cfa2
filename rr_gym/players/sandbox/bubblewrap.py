"""Bubblewrap: a program in namespaces of its own, which sees what it needs and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from rr_gym.players.sandbox.limits import MIB, Limits

SCRATCH = "/tmp"  # the only folder that it may write to; it is memory, and ends with the program
_SECONDS = 10  # time limit of the test run that shows whether bubblewrap works
# The system: programs, libraries, and the files that the loader reads. /var, /home, and the files of /etc that tell
# who uses this machine are not shown.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store")
_SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime")
_SHARED_MEMORY = 16  # MiB of /dev/shm


@cache
def why_not() -> str:
    """Return why bubblewrap does not work here; an empty string if it works."""
    if sys.platform != "linux":
        return f"bubblewrap runs on Linux, and this is {sys.platform}"
    if shutil.which("bwrap") is None:
        return "there is no program bwrap (on Debian: apt-get install bubblewrap)"
    try:
        words = command_line(["/usr/bin/env", "true"], "/", {}, Limits(), (), None)
        tried = subprocess.run(words, capture_output=True, timeout=_SECONDS, env={}, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bwrap cannot be run: {error}"
    said = tried.stderr.decode(errors="replace").strip().splitlines()
    return f"bwrap ended with status {tried.returncode}: {said[-1] if said else ''}" if tried.returncode else ""


def command_line(
    command: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    limits: Limits,
    readable: Iterable[Path],
    writable: Path | None,
) -> list[str]:
    """Return the command that runs a program in bubblewrap.

    Args:
        command: The program, by its absolute path, with its arguments.
        cwd: Its working folder; if that is not among the visible ones, an empty folder is put in its place.
        env: All of its environment variables.
        limits: Its limits, of which the one on disk applies to the scratch folder.
        readable: Files and folders that it sees besides the system.
        writable: The one folder, if any, that it may change.
    """
    words = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--die-with-parent", "--new-session"]
    words += ["--cap-drop", "ALL", "--hostname", "bot", "--clearenv"]
    for name, value in env.items():
        words += ["--setenv", name, value]
    for path in _SYSTEM:
        words += ["--symlink", os.readlink(path), path] if os.path.islink(path) else ["--ro-bind-try", path, path]
    for path in _SETTINGS:
        words += ["--ro-bind-try", path, path]
    words += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    words += ["--size", str(_SHARED_MEMORY * MIB), "--tmpfs", "/dev/shm"]
    words += ["--size", str(limits.disk * MIB), "--tmpfs", SCRATCH]
    shown = sorted(map(str, readable))  # paths inside a folder come after the folder
    for there in shown:
        words += ["--ro-bind", there, there]
    if writable:
        words += ["--bind", str(writable), str(writable)]
    seen = (*_SYSTEM, *shown, *([str(writable)] if writable else []))
    if not any(Path(cwd).is_relative_to(path) for path in seen):
        words += ["--dir", cwd]
    return [*words, "--remount-ro", "/", "--chdir", cwd, "--", *command]
