"""Tasks shared among processes of their own, which end when this one does, however it ends."""

from __future__ import annotations

import io
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from multiprocessing.connection import Connection, wait
from typing import TypeVar, cast

from rr_gym.errors import RoboRallyError

_GRACE = 5.0  # seconds for closing what a task holds

Task = TypeVar("Task")
Result = TypeVar("Result")


class SharingError(RoboRallyError):
    """A process that was ended from outside."""


def in_processes(
    make: Callable[[], Callable[[Task], Result]], tasks: Iterable[Task], processes: int
) -> Iterator[tuple[Task, Result]]:
    """Every task with its result, in the order in which they are done.

    Leaving the loop early, by an error or an interruption too, ends the processes at once.

    Args:
        make: Makes what does the tasks, once in every process; it is sent there, as the tasks are.
        tasks: Given out one by one.
        processes: How many work side by side, at most.

    Raises:
        SharingError: A process was ended in the middle of a task.
        Exception: What was raised there.
    """
    context = multiprocessing.get_context("spawn")
    left = iter(tasks)
    busy: dict[Connection, Task] = {}
    started = []
    pipes: list[Connection] = []
    complete = False
    try:
        for _, task in zip(range(processes), left, strict=False):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(make, theirs), daemon=True)
            with _no_interrupts():
                process.start()
            started.append(process)
            theirs.close()
            pipes.append(ours)
            ours.send(task)
            busy[ours] = task
        while busy:
            for pipe in cast("list[Connection]", wait(list(busy))):
                task = busy.pop(pipe)
                try:
                    error, result = pipe.recv()
                except (EOFError, OSError):
                    raise SharingError(f"a process ended in the middle of {task}: try again with fewer") from None
                if error is not None:
                    raise error
                yield task, result
                for following in left:
                    pipe.send(following)
                    busy[pipe] = following
                    break
        complete = True
    finally:
        for pipe in pipes:
            pipe.close()  # who waits for a task ends
        for process in () if complete else started:
            process.terminate()
        for process in started:
            process.join(_GRACE)
            process.kill()


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


def _serve(make: Callable[[], Callable[[Task], Result]], pipe: Connection) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that tasks close what they hold
    work: Callable[[Task], Result] | None = None
    answer: tuple[Exception | None, Result | None]
    # The process that shares out has made the players too, and said what there is to say.
    with redirect_stderr(io.StringIO()), suppress(EOFError, OSError):  # the latter: nobody is there any more
        while True:
            task = pipe.recv()
            try:
                work = work or make()
                answer = None, work(task)
            except Exception as error:  # it is raised where the task came from
                answer = error, None
            pipe.send(answer)
