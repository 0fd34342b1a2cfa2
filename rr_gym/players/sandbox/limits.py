"""How much a program may use."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from rr_gym.errors import whole_number

MIB = 2**20
_MARGIN = 2  # seconds that the system's limit comes after the keeper's, which can report why it stops a program
_STACKS = 512  # MiB of address space for stacks and heaps that are reserved and never touched


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a program with everything that it starts.

    Attributes:
        memory: MiB in use by all of its processes together.
        processes: How many processes and threads there may be at a time.
        disk: MiB of its scratch folder; no file may be larger either.
        cpu: Seconds of processor time of all of its processes together, from each start on.

    Raises:
        RoboRallyError: A limit is not a whole number above 0.
    """

    memory: int = 1024
    processes: int = 64
    disk: int = 64
    cpu: int = 36_000

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            whole_number(name, value, 1)

    def words(self) -> str:
        """Return the limits in words, for reports."""
        return f"{self.memory} MiB, {self.processes} processes, {self.disk} MiB of files, {self.cpu:,} s of processor"

    def of_each_process(self) -> dict[str, int]:
        """Return the limits that the system enforces for each process, by the names of the module `resource`.

        They are coarser than the limits of all processes together, which the keeper enforces a few times a second. The
        number of processes counts all of this user's, so that those that are there already are added; root has none.
        """
        return {
            "RLIMIT_CPU": self.cpu + _MARGIN,
            "RLIMIT_DATA": (self.memory + _STACKS) * MIB,
            "RLIMIT_FSIZE": self.disk * MIB,
            "RLIMIT_NPROC": self.processes + _threads_of_user(),
            "RLIMIT_CORE": 0,
        }


def _threads_of_user() -> int:
    """Count the threads that this user has now; 0 where the system does not list them."""
    if sys.platform != "linux":
        return 0
    count, own = 0, str(os.getuid())
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):  # it may have just ended
                status = Path(f"/proc/{name}/status").read_text()
                facts = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
                if facts["Uid"].split()[0] == own:
                    count += int(facts["Threads"])
    return count
