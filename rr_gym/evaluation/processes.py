"""Share tasks among worker processes, which end when this process ends, even if it crashes or is killed."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, Protocol, TypeVar, cast

from rr_gym.errors import MissingExtraError, RoboRallyError
from rr_gym.player_calls import traceback_of

MAX_WORKERS = 64
_REPORT_EVERY = 0.25  # seconds between two reports of a worker
_GRACE = 5.0  # seconds that a worker has to close, after which it is killed

ProgressCallback = Callable[[int], bool]  # gets the progress of a task, and returns True if the task is to stop
Task = TypeVar("Task")
Result = TypeVar("Result")
_Task = TypeVar("_Task", contravariant=True)
_Result = TypeVar("_Result", covariant=True)
_Made = TypeVar("_Made", covariant=True)


class SharingError(RoboRallyError):
    """A worker process was killed from outside."""


class Tasks(Protocol[_Made]):
    """Tasks of which the number is known; each may be made when it is handed out."""

    def __len__(self) -> int:
        """Return how many there are."""

    def __iter__(self) -> Iterator[_Made]:
        """Yield them in order."""


class Worker(Protocol[_Task, _Result]):
    """An object that does the tasks of one process, one after the other."""

    def __call__(self, task: _Task, should_stop: ProgressCallback, /) -> _Result | None:
        """Do a task and return its result, or None if it was stopped.

        It must call `should_stop` from time to time with its progress, and stop when `should_stop` returns True.
        """

    def close(self) -> None:
        """Release the resources of the worker."""


def default_workers() -> int:
    """Return the number of cores that this process may use, at most 8."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(8, cores)


def share(
    make: Callable[[], Worker[Task, Result]],
    tasks: Tasks[Task],
    workers: int,
    report: Callable[[int], None],
    patience: float,
) -> Generator[tuple[Task, Result], None, None]:
    """Yield every task with its result, in order of completion.

    Leaving the loop early, even by an error or an interruption, stops unfinished tasks.

    Args:
        make: Creates a worker; it is pickled, sent to every process, and called there once. Tasks are pickled, too.
        tasks: The tasks, which are handed out one by one.
        workers: The maximum number of parallel workers; with 1 the work is done in this process.
        report: Called from time to time with the sum of the progress of all unfinished tasks.
        patience: Seconds that the process of a stopped task has to end, before it is terminated.

    Raises:
        SharingError: A process was killed from outside.
        Exception: A worker raised it; anything but an error for users becomes a RuntimeError with its traceback.
    """
    workers = min(workers, len(tasks))
    if workers <= 1:
        yield from _do_all(make, tasks, report)
        return
    with _processes(make, workers, patience) as pipes:
        left = iter(tasks)
        busy: dict[Connection, Task] = {}
        for pipe, task in zip(pipes, left, strict=False):
            _send(pipe, task)
            busy[pipe] = task
        progress = dict.fromkeys(pipes, 0)
        while busy:
            for pipe in cast("list[Connection]", wait(list(busy))):
                kind, what = _receive(pipe)
                if kind == "error":
                    raise what
                if kind == "progress":
                    progress[pipe] = what
                    continue
                done = busy.pop(pipe)
                progress[pipe] = 0
                for task in left:
                    _send(pipe, task)
                    busy[pipe] = task
                    break
                yield done, what
            report(sum(progress.values()))


def _do_all(
    make: Callable[[], Worker[Task, Result]], tasks: Tasks[Task], report: Callable[[int], None]
) -> Generator[tuple[Task, Result], None, None]:
    def report_and_continue(done: int) -> bool:
        report(done)
        return False

    if not tasks:
        return
    worker = make()
    try:
        for task in tasks:
            result = worker(task, report_and_continue)
            if result is not None:
                yield task, result
    finally:
        worker.close()


class Helper(Generic[Task, Result]):
    """A process that does one task at a time while this process continues.

    Args:
        make: Creates the worker; it is pickled, sent to the process and called there. Tasks are pickled, too.
        patience: Seconds that the process has to end when it is told to stop, before it is terminated.
    """

    def __init__(self, make: Callable[[], Worker[Task, Result]], patience: float) -> None:
        self._stack = ExitStack()
        (self._pipe,) = self._stack.enter_context(_processes(make, 1, patience))

    def submit(self, task: Task) -> None:
        """Send a task to the process, which must be idle: call `result` for the previous task first."""
        _send(self._pipe, task)

    def result(self, report: Callable[[int], None]) -> Result:
        """Wait for the result of the task.

        Args:
            report: Called from time to time with the progress.

        Raises:
            SharingError: The process was killed from outside.
            Exception: A worker raised it; anything but an error for users becomes a RuntimeError with its traceback.
        """
        while True:
            kind, what = _receive(self._pipe)
            if kind == "error":
                raise what
            if kind == "done":
                return cast(Result, what)
            report(what)

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._stack.close()


def _send(pipe: Connection, what: Any) -> None:
    with suppress(OSError):  # if the process is gone, `_receive` raises the error
        pipe.send(what)


def _receive(pipe: Connection) -> tuple[str, Any]:
    try:
        return cast("tuple[str, Any]", pipe.recv())
    except (EOFError, OSError):
        raise SharingError("a process was killed in the middle of its work: try again with fewer workers") from None


@contextmanager
def _processes(make: Callable[[], Any], count: int, patience: float) -> Iterator[list[Connection]]:
    """Start processes and yield this side's end of the pipe to each; end the processes on exit in any case."""
    context = multiprocessing.get_context("spawn")
    pipes: list[Connection] = []
    started = []
    try:
        with _no_interrupts():
            for _ in range(count):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(make, theirs), daemon=True)
                process.start()
                theirs.close()
                pipes.append(ours)
                started.append(process)
        yield pipes
    finally:
        for pipe in pipes:
            pipe.close()  # an idle process then ends, and a busy one stops its task
        for seconds, end in ((patience, "terminate"), (_GRACE, "kill")):
            limit = time.monotonic() + seconds
            for process in started:
                process.join(max(0.0, limit - time.monotonic()))
                getattr(process, end)()


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Make processes that are started in this context ignore Ctrl-C, so that the parent decides when they end.

    Terminals send Ctrl-C to all processes of a command.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _serve(make: Callable[[], Worker[Any, Any]], pipe: Connection) -> None:
    """Do the tasks that come through the pipe, until its other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # also on systems where processes do not inherit it
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that resources are released
    last_report = 0.0

    def should_stop(done: int) -> bool:
        nonlocal last_report
        try:
            if time.monotonic() - last_report > _REPORT_EVERY:
                last_report = time.monotonic()
                pipe.send(("progress", done))
            return pipe.poll()  # no task is sent during a task, so this is True only if the other end is closed
        except OSError:
            return True

    worker: Worker[Any, Any] | None = None
    try:
        while True:
            task = pipe.recv()
            try:
                worker = worker or make()
                result = worker(task, should_stop)
            except Exception as error:
                pipe.send(("error", sendable(error)))
                continue
            if result is None:
                break
            pipe.send(("done", result))
    except (EOFError, OSError):
        pass  # the other end is closed
    finally:
        if worker:
            worker.close()


def sendable(error: Exception) -> Exception:
    """Return an exception that can be sent to another process.

    An error for users is sent as it is; if it comes from an exception of a player, the traceback is added as a note.
    Any other exception, and one that cannot be pickled, becomes a RuntimeError that contains its traceback.
    """
    if isinstance(error, RoboRallyError | MissingExtraError | OSError):
        with suppress(Exception):
            copy = cast(Exception, pickle.loads(pickle.dumps(error)))
            if text := traceback_of(error):
                copy.add_note(text)
            return copy
    return RuntimeError(f"in another process:\n{''.join(traceback.format_exception(error))}")
