"""Blocks of a tournament shared among processes. What comes out does not depend on how many there are."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any, cast

from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.blocks import Host, Outcome, Plan
from rr_gym.evaluation.schedule import Block
from rr_gym.evaluation.store import TournamentError

Done = Callable[[Outcome], None]
Report = Callable[[int], None]

MAX_WORKERS = 64
_PATIENCE = 20.0  # seconds for a decision that is under way when everything is to stop
_REPORT_EVERY = 0.25  # seconds


def default_workers() -> int:
    """As many processes as there are cores for this one, at most 8."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(8, cores)


def play_blocks(plan: Plan, blocks: Sequence[Block], workers: int, done: Done, report: Report) -> None:
    """Play blocks.

    Args:
        plan: How they are played.
        blocks: Which ones.
        workers: In how many processes; 1 is this one.
        done: Called with the outcome of each block, in no certain order.
        report: Called now and then with how many games are over in blocks that are not.

    Raises:
        TournamentError: A process ended before its time.
        Exception: What a player raised.
    """
    workers = min(workers, len(blocks))
    if workers > 1:
        _share(plan, blocks, workers, done, report)
        return

    def go_on(over: int) -> bool:
        report(over)
        return False

    host = Host(plan)
    try:
        for block in blocks:
            outcome = host.play(block, go_on)
            if outcome is not None:
                done(outcome)
    finally:
        host.close()


def _share(plan: Plan, blocks: Sequence[Block], workers: int, done: Done, report: Report) -> None:
    with _processes(plan, workers) as ends:
        todo = iter(blocks)
        for end in ends:
            end.send(next(todo))
        over = dict.fromkeys(ends, 0)
        while over:
            for end in cast(list[Connection], wait(list(over))):
                try:
                    kind, what = end.recv()
                except (EOFError, OSError):
                    raise TournamentError("a process of the tournament ended: resume it, with fewer workers") from None
                if kind == "error":
                    raise what
                if kind == "over":
                    over[end] = what
                else:
                    done(what)
                    over[end] = 0
                    if block := next(todo, None):
                        end.send(block)
                    else:
                        del over[end]
            report(sum(over.values()))


@contextmanager
def _processes(plan: Plan, workers: int) -> Iterator[list[Connection]]:
    """Our ends of the pipes to so many processes; they are stopped at the end, however it comes."""
    context = multiprocessing.get_context("spawn")
    ends: list[Connection] = []
    processes = []
    try:
        with _no_interrupts():  # Ctrl-C reaches the whole group, but it is we who stop the others
            for _ in range(workers):
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(plan, theirs), daemon=True)
                process.start()
                theirs.close()
                ends.append(ours)
                processes.append(process)
        yield ends
    finally:
        for end in ends:
            with suppress(OSError):  # it may have ended
                end.send(None)
        limit = time.monotonic() + _PATIENCE
        for process in processes:
            process.join(max(0.0, limit - time.monotonic()))
            process.kill()
            process.join()
        for end in ends:
            end.close()


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Processes that start here never hear Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(plan: Plan, pipe: Connection) -> None:
    """Play the blocks that come through the pipe, until there is a None, or nobody at its other end."""
    with suppress(_NobodyThereError):
        try:
            host = Host(plan)
            try:
                _serve(host, pipe)
            finally:
                host.close()
        except RoboRallyError as error:
            _send(pipe, "error", error)
        except _NobodyThereError:
            raise
        except Exception as error:
            # Not every exception can be sent, and none keeps where it was raised.
            lines = "".join(traceback.format_exception(error))
            _send(pipe, "error", RuntimeError(f"in a process of the tournament:\n{lines}"))


def _serve(host: Host, pipe: Connection) -> None:
    said = 0.0

    def pause(over: int) -> bool:
        nonlocal said
        if time.monotonic() - said > _REPORT_EVERY:
            said = time.monotonic()
            _send(pipe, "over", over)
        return pipe.poll()  # whatever comes now means stop: a None, or the end of the pipe

    while block := _receive(pipe):
        outcome = host.play(block, pause)
        if outcome is None:
            return
        _send(pipe, "done", outcome)


class _NobodyThereError(Exception):
    """The process that this one works for has ended."""


def _send(pipe: Connection, kind: str, what: Any) -> None:
    try:
        pipe.send((kind, what))
    except OSError:
        raise _NobodyThereError from None


def _receive(pipe: Connection) -> Block | None:
    try:
        return pipe.recv()
    except (EOFError, OSError):
        raise _NobodyThereError from None
