"""Control groups of version 2: limits of a program with all that it starts, which the system enforces immediately.

They are made in the group whose path is in the variable `RR_GYM_CGROUP`, or else beside the
group of this process if its parent is writable. If neither is possible, the keeper checks the limits itself, ten times
a second.
"""

from __future__ import annotations

import itertools
import os
from contextlib import suppress
from pathlib import Path

from rr_gym.players.sandbox.limits import MIB, Limits

VARIABLE = "RR_GYM_CGROUP"
_ROOT = Path("/sys/fs/cgroup")
_NEEDED = {"memory", "pids"}
_numbers = itertools.count(1)


def parent_group(root: Path = _ROOT, own: Path = Path("/proc/self/cgroup")) -> Path | None:
    """Return the group in which groups for programs can be made; None if there is none.

    Args:
        root: Where the file system of groups is mounted.
        own: The file that says in which group this process is.
    """
    candidates = [Path(os.environ[VARIABLE])] if os.environ.get(VARIABLE) else []
    with suppress(OSError):
        for line in own.read_text().splitlines():
            if line.startswith("0::/") and line != "0::/":
                candidates.append((root / line[4:]).parent)
    for group in candidates:
        with suppress(OSError):
            enabled = set((group / "cgroup.subtree_control").read_text().split())
            if enabled >= _NEEDED and os.access(group, os.W_OK) and os.access(group / "cgroup.procs", os.W_OK):
                return group
    return None


def make_group(limits: Limits, parent: Path | None) -> Path | None:
    """Make a group with these limits; None if there is no parent, or the system refuses."""
    if parent is None:
        return None
    group = parent / f"rr-gym-{os.getpid()}-{next(_numbers)}"
    try:
        group.mkdir()
        (group / "memory.max").write_text(str(limits.memory * MIB))
        (group / "pids.max").write_text(str(limits.processes + 2))  # bubblewrap itself is two
        with suppress(OSError):  # without swap there is no such file
            (group / "memory.swap.max").write_text("0")
    except OSError:
        remove_group(group)
        return None
    return group


def remove_group(group: Path) -> None:
    """Kill whatever is left in a group, and remove it."""
    with suppress(OSError):
        (group / "cgroup.kill").write_text("1")
    with suppress(OSError):
        group.rmdir()
