"""Supervise one program: start it, limit it, and end it with everything that it has started.

This file is run as a separate process. It imports nothing from the package, so that it starts within a few hundredths
of a second. It adopts whatever the program
leaves behind, such as a child in a session of its own, and kills it. Its arguments are two descriptors: the first is
read, and has the plan as a line of JSON; when it ends, because the game closes it or has died, everything is killed.
The second is written: a line once the program runs, or cannot run, and a line about its end.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import sys
import time
from contextlib import suppress
from typing import Any

PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 24, 36, 38
CHECK_INTERVAL = 0.1  # seconds between two checks of what the program uses
PATIENCE = 5.0  # seconds to wait for killed processes to end
_HIGHEST_CAPABILITY = 63
_MIB = 2**20


def main(control: int, status: int) -> int:
    """Supervise the program that the plan describes. Returns its exit status, 128 + the signal if it was killed."""
    libc = ctypes.CDLL(None, use_errno=True)
    plan = json.loads(_line(control))
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    failure, at_failure = os.pipe()
    program = os.fork()
    if program == 0:
        os.close(control)
        os.close(status)
        os.close(failure)
        try:
            _become(plan, libc)
        except OSError as error:
            os.write(at_failure, f"{error.errno} {error.strerror}".encode())
        finally:
            os._exit(127)
    os.close(at_failure)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    why = os.read(failure, 4096).decode()
    _say(status, {"failed": why} if why else {"started": program})
    verdict = "" if why else _watch(program, control, plan["limits"])
    code = os.waitstatus_to_exitcode(_kill_all(program))
    if plan["scratch"]:
        import shutil

        shutil.rmtree(plan["scratch"], ignore_errors=True)
    _say(status, {"ended": code, "why": verdict})
    return code if code >= 0 else 128 - code


def _line(file: int) -> bytes:
    """Read a single line from a pipe."""
    line = b""
    while not line.endswith(b"\n") and (part := os.read(file, 4096)):
        line += part
    return line


def _say(file: int, what: dict[str, Any]) -> None:
    with suppress(OSError):
        os.write(file, json.dumps(what).encode() + b"\n")


def _become(plan: dict[str, Any], libc: Any) -> None:
    """Turn this process into the program. Raises OSError where that is impossible."""
    import resource

    os.setsid()
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if plan["cgroup"]:
        with open(os.path.join(plan["cgroup"], "cgroup.procs"), "w") as file:
            file.write("0")
    for name, value in plan["rlimits"].items():
        most = resource.getrlimit(getattr(resource, name))[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(getattr(resource, name), (value, value))
    if plan["drop_rights"]:  # of root, who could read the memory of others with them; bubblewrap does it by itself
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        for capability in range(_HIGHEST_CAPABILITY + 1):
            libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    os.chdir(plan["cwd"])
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores
        signal.signal(number, signal.SIG_DFL)
    os.execve(plan["command"][0], plan["command"], plan["env"])


def _watch(program: int, control: int, limits: dict[str, int]) -> str:
    """Wait for the program to end, to use too much, or to be ended by the game; return which limit it crossed."""
    ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    waiting_for = [control]
    with suppress(OSError):  # kernels before 5.3 have none; the end is noticed at the next look then
        waiting_for.append(os.pidfd_open(program))
    used: dict[int, float] = {}  # processor time of processes, also of those that have ended
    while True:
        ready, _, _ = select.select(waiting_for, [], [], CHECK_INTERVAL)
        if ready or os.waitid(os.P_PID, program, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return ""
        memory = processes = 0
        for pid in _descendants():
            with suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{pid}/statm") as file:
                    memory += int(file.read().split()[1]) * page
                with open(f"/proc/{pid}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
                used[pid] = (int(fields[11]) + int(fields[12])) / ticks
                processes += int(fields[17])
        if memory > limits["memory"] * _MIB:
            return f"it used more than {limits['memory']} MiB of memory"
        if processes - limits["own"] > limits["processes"]:
            return f"it had more than {limits['processes']} processes"
        if sum(used.values()) > limits["cpu"]:
            return f"it used more than {limits['cpu']} s of processor time"
        _reap_others(program)


def _descendants() -> list[int]:
    """Return the processes that this one has started, with theirs, and those that it has adopted."""
    found: list[int] = []
    left = [os.getpid()]
    while left:
        pid = left.pop()
        with suppress(OSError):
            for task in os.listdir(f"/proc/{pid}/task"):
                with suppress(OSError), open(f"/proc/{pid}/task/{task}/children") as file:
                    children = [int(word) for word in file.read().split()]
                    found += children
                    left += children
    return found


def _kill_all(program: int) -> int:
    """Kill everything that is left and wait until it is gone; return the wait status of the program."""
    until = time.monotonic() + PATIENCE
    with suppress(OSError):
        os.killpg(program, signal.SIGKILL)  # at once, so that it cannot start more in the meantime
    _, ended = os.waitpid(program, 0)
    while (there := _descendants()) and time.monotonic() < until:
        for pid in there:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        _reap_others(program)
        time.sleep(0.002)
    return ended


def _reap_others(program: int) -> None:
    """Wait for adopted processes that have ended, so that their numbers are free again; not for the program."""
    with suppress(ChildProcessError):
        while (found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and found.si_pid != program:
            os.waitpid(found.si_pid, 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
