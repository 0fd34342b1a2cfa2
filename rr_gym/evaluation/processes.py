"""Tasks shared among processes of their own, which end when this one does, however it ends."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol, TypeVar, cast

from rr_gym.errors import MissingExtraError, RoboRallyError

MAX_WORKERS = 64
_REPORT_EVERY = 0.25  # seconds
_GRACE = 5.0  # seconds for closing what a worker holds

Pause = Callable[[int], bool]  # told how far a task is; True to stop
Task = TypeVar("Task")
Result = TypeVar("Result")
_Task = TypeVar("_Task", contravariant=True)
_Result = TypeVar("_Result", covariant=True)


class SharingError(RoboRallyError):
    """A process that was ended from outside."""


class Worker(Protocol[_Task, _Result]):
    """What does tasks, one after the other."""

    def __call__(self, task: _Task, pause: Pause, /) -> _Result | None:
        """Do a task; None if it was stopped. `pause` is asked now and then."""

    def close(self) -> None:
        """Give back what it holds."""


def default_workers() -> int:
    """As many processes as there are cores for this one, at most 8."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(8, cores)


def share(
    make: Callable[[], Worker[Task, Result]],
    tasks: Sequence[Task],
    workers: int,
    report: Callable[[int], None],
    patience: float,
) -> Generator[tuple[Task, Result], None, None]:
    """Every task with its result, in the order in which they are done.

    Leaving the loop early, by an error or an interruption too, stops the tasks under way.

    Args:
        make: Makes a worker, once in every process; it is sent there, as the tasks are.
        tasks: Given out one by one.
        workers: How many work side by side, at most; 1 is in this process.
        report: Told now and then how far the tasks under way are, in all.
        patience: Seconds for a task that is to stop until its process is ended.

    Raises:
        SharingError: A process was ended from outside.
        Exception: What was raised there; mistakes of the program as a RuntimeError that says where.
    """
    workers = min(workers, len(tasks))
    return _share(make, tasks, workers, report, patience) if workers > 1 else _do_all(make, tasks, report)


def _do_all(
    make: Callable[[], Worker[Task, Result]], tasks: Sequence[Task], report: Callable[[int], None]
) -> Generator[tuple[Task, Result], None, None]:
    def go_on(far: int) -> bool:
        report(far)
        return False

    if not tasks:
        return
    worker = make()
    try:
        for task in tasks:
            result = worker(task, go_on)
            if result is not None:
                yield task, result
    finally:
        worker.close()


def _share(
    make: Callable[[], Worker[Task, Result]],
    tasks: Sequence[Task],
    workers: int,
    report: Callable[[int], None],
    patience: float,
) -> Generator[tuple[Task, Result], None, None]:
    with _processes(make, workers, patience) as pipes:
        left = iter(tasks)
        busy: dict[Connection, Task] = {}
        for pipe, task in zip(pipes, left, strict=False):
            _send(pipe, task)
            busy[pipe] = task
        far = dict.fromkeys(pipes, 0)
        while busy:
            for pipe in cast("list[Connection]", wait(list(busy))):
                kind, what = _receive(pipe)
                if kind == "error":
                    raise what
                if kind == "far":
                    far[pipe] = what
                    continue
                done = busy.pop(pipe)
                far[pipe] = 0
                for task in left:
                    _send(pipe, task)
                    busy[pipe] = task
                    break
                yield done, what
            report(sum(far.values()))


def _send(pipe: Connection, what: Any) -> None:
    with suppress(OSError):  # where nobody is, there is nothing to receive either
        pipe.send(what)


def _receive(pipe: Connection) -> tuple[str, Any]:
    try:
        return cast("tuple[str, Any]", pipe.recv())
    except (EOFError, OSError):
        raise SharingError("a process ended in the middle of its work: try again, with fewer workers") from None


@contextmanager
def _processes(make: Callable[[], Any], count: int, patience: float) -> Iterator[list[Connection]]:
    """Our ends of the pipes to so many processes; they are ended when it is left, however that comes."""
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
            pipe.close()  # who waits for a task ends, who is at one stops
        for seconds, end in ((patience, "terminate"), (_GRACE, "kill")):
            limit = time.monotonic() + seconds
            for process in started:
                process.join(max(0.0, limit - time.monotonic()))
                getattr(process, end)()


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Processes that start here never hear Ctrl-C, which goes to all: the one that shares out decides."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _serve(make: Callable[[], Worker[Any, Any]], pipe: Connection) -> None:
    """Do the tasks that come through the pipe, until there is nobody at its other end."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that what is held is closed
    said = 0.0

    def pause(far: int) -> bool:
        nonlocal said
        try:
            if time.monotonic() - said > _REPORT_EVERY:
                said = time.monotonic()
                pipe.send(("far", far))
            return pipe.poll()  # in the middle of a task nothing comes but the end of the pipe
        except OSError:
            return True

    worker: Worker[Any, Any] | None = None
    try:
        while True:
            task = pipe.recv()
            try:
                worker = worker or make()
                result = worker(task, pause)
            except Exception as error:
                pipe.send(("error", _sendable(error)))
                continue
            if result is None:
                break
            pipe.send(("done", result))
    except (EOFError, OSError):
        pass  # nobody is there any more
    finally:
        if worker:
            worker.close()


def _sendable(error: Exception) -> Exception:
    """An error for users as it is; others, and those that cannot be sent, as one that says where they were raised."""
    if isinstance(error, RoboRallyError | MissingExtraError | OSError):
        with suppress(Exception):
            return cast(Exception, pickle.loads(pickle.dumps(error)))
    return RuntimeError(f"in another process:\n{''.join(traceback.format_exception(error))}")
