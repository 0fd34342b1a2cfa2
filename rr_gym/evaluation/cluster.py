"""Share tasks among the machines of a Ray cluster, with the same results as on one machine. Needs the extra `ray`."""

from __future__ import annotations

import platform
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any

from rr_gym.errors import require
from rr_gym.evaluation.processes import Result, SharingError, Task, Tasks, Worker, sendable
from rr_gym.version import __version__

LOCAL = "local"  # in place of an address: Ray is started on this machine, and stopped with this process
MOST_WORKERS = 4096
TRIES = 3  # a task is given up after its process has died this many times
_REPORT_EVERY = 0.5  # seconds
_GRACE = 5.0  # seconds for a process to close


class _ClusterProcess:
    """An actor of Ray that does tasks in a process of the cluster."""

    def __init__(self, make: Callable[[], Worker[Any, Any]], version: str) -> None:
        self._make, self._version = make, version
        self._worker: Worker[Any, Any] | None = None
        self._progress = 0

    def do(self, task: Any) -> tuple[str, Any]:
        """Do a task; return "done" and its result, or "error" and the exception that it raised."""

        def record(done: int) -> bool:
            self._progress = done
            return False

        try:
            if self._version != __version__:
                raise SharingError(f"{platform.node()} has rr_gym {__version__}: expected {self._version}, as here")
            self._worker = self._worker or self._make()
            return "done", self._worker(task, record)
        except Exception as error:
            return "error", sendable(error)
        finally:
            self._progress = 0

    def progress(self) -> int:
        """Return the progress of the current task; Ray calls this while `do` is running."""
        return self._progress

    def close(self) -> None:
        """Release what the worker holds."""
        if self._worker:
            self._worker.close()


def share_on_ray(
    make: Callable[[], Worker[Task, Result]],
    tasks: Tasks[Task],
    address: str,
    workers: int | None,
    report: Callable[[int], None],
) -> Generator[tuple[Task, Result], None, None]:
    """Yield every task with its result, in order of completion; the task of a process that dies is done again.

    Leaving the loop early kills unfinished tasks.

    Args:
        make: Creates a worker, once in every process; it is pickled and sent there, like the tasks.
        tasks: The tasks, which are handed out one by one.
        address: The address of the cluster, as Ray takes it (``auto``, ``ray://HOST:10001``), or `LOCAL`.
        workers: The maximum number of parallel workers; None for as many as the cluster has processors.
        report: Called from time to time with the total progress of unfinished tasks.

    Raises:
        SharingError: There is no cluster, or the processes of a task died several times.
        MissingExtraError: Ray is not installed.
        Exception: A worker raised it; anything but an error for users becomes a RuntimeError with its traceback.
    """
    if not tasks:
        return
    ray = require("ray", extra="ray")
    started = _connect(ray, address)
    try:
        if workers is None:
            workers = MOST_WORKERS
        processors = max(1, int(ray.cluster_resources().get("CPU", 1)))
        yield from _Sharing(ray, make, tasks, min(workers, processors, len(tasks)), report).results()
    finally:
        if started:
            ray.shutdown()


def _connect(ray: Any, address: str) -> bool:
    """Connect to a cluster unless the process is connected already; tell whether this made the connection."""
    if ray.is_initialized():
        return False
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    chosen = {"include_dashboard": False} if address == LOCAL else {"address": address}
    try:
        ray.init(**chosen, **options)
    except Exception as error:  # its class depends on the form of the address
        lines = str(error).strip().splitlines()
        raise SharingError(f"--ray {address}: {lines[0] if lines else type(error).__name__}") from error
    return True


class _Sharing:
    """The tasks in progress, and the processes that do them."""

    def __init__(self, ray: Any, make: Any, tasks: Tasks[Any], workers: int, report: Callable[[int], None]) -> None:
        self.ray, self.make, self.report, self.workers = ray, make, report, workers
        self.left = iter(enumerate(tasks))
        self.again: list[tuple[int, Any]] = []  # tasks whose process died, to be done again
        self.tries: Counter[int] = Counter()
        self.busy: dict[Any, tuple[Any, tuple[int, Any]]] = {}  # by Ray's reference: the process and its task
        self.hosts: list[Any] = []

    def results(self) -> Generator[tuple[Any, Any], None, None]:
        """Yield every task with its result, in the order in which they are done."""
        reported = time.monotonic()
        try:
            for _ in range(self.workers):
                self._hand_out(self._new_host())
            while self.busy:
                done, _ = self.ray.wait(list(self.busy), timeout=_REPORT_EVERY)
                for one in done:
                    yield from self._received(one)
                if time.monotonic() - reported > _REPORT_EVERY:
                    reported = time.monotonic()
                    self.report(self._unfinished_progress())
        finally:
            for host in self.hosts:
                self._kill(host)

    def _new_host(self) -> Any:
        # A second call may ask for the progress while the first one does a task.
        options = {"num_cpus": 1, "max_concurrency": 2, "max_restarts": 0, "max_task_retries": 0}
        host = self.ray.remote(**options)(_ClusterProcess).remote(self.make, __version__)
        self.hosts.append(host)
        return host

    def _kill(self, host: Any) -> None:
        with suppress(Exception):
            self.ray.kill(host)

    def _hand_out(self, host: Any) -> None:
        """Give a process the next task, or end it if there is none."""
        numbered = self.again.pop() if self.again else next(self.left, None)
        if numbered is not None:
            self.busy[host.do.remote(numbered[1])] = host, numbered
            return
        self.ray.wait([host.close.remote()], timeout=_GRACE)
        self.hosts.remove(host)
        self._kill(host)

    def _received(self, one: Any) -> Generator[tuple[Any, Any], None, None]:
        """Receive the answer of a process: yield the task and its result, or start a new process if it died."""
        host, (number, task) = self.busy.pop(one)
        errors = self.ray.exceptions
        try:
            what, result = self.ray.get(one)
        except errors.RayTaskError:
            raise
        except errors.RayError as error:
            self.hosts.remove(host)
            self._kill(host)
            lines = str(error).strip().splitlines()
            if "creation task" in lines[0]:  # it could not unpickle what it was sent
                raise SharingError(f"a process of the cluster could not begin: {lines[-1].strip()}") from None
            self.tries[number] += 1
            if self.tries[number] == TRIES:
                raise SharingError(f"{TRIES} processes of the cluster died in the same task: {lines[0]}") from None
            self.again.append((number, task))
            self._hand_out(self._new_host())
            return
        if what == "error":
            raise result
        self._hand_out(host)
        yield task, result

    def _unfinished_progress(self) -> int:
        """Return the total progress of those unfinished tasks that answer within half a second."""
        asked = [host.progress.remote() for host, _ in self.busy.values()]
        done, _ = self.ray.wait(asked, num_returns=len(asked), timeout=_REPORT_EVERY) if asked else ([], [])
        total = 0
        for one in done:
            with suppress(Exception):
                total += self.ray.get(one)
        return total
