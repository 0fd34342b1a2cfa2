"""Hand out blocks of games, to processes of this machine or to those of a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator

from rr_gym.evaluation import processes
from rr_gym.evaluation.cluster import share_on_ray
from rr_gym.evaluation.processes import Result, Task, Tasks, Worker, default_workers


def share(
    make: Callable[[], Worker[Task, Result]],
    tasks: Tasks[Task],
    workers: int | None,
    report: Callable[[int], None],
    patience: float,
    ray: str | None = None,
) -> Generator[tuple[Task, Result], None, None]:
    """Yield every task with its result, in order of completion; only this order depends on the machines.

    Args:
        make: Creates a worker, once in every process; it is pickled and sent there, like the tasks.
        tasks: The tasks, which are handed out one by one.
        workers: The maximum number of parallel workers; with 1 the work is done in this process. None for as many as
            there are cores, at most 8, or as the cluster has.
        report: Called from time to time with the total progress of unfinished tasks.
        patience: Seconds until the process of a task that was told to stop is killed.
        ray: The address of a Ray cluster (`rr_gym.evaluation.cluster`) that does the tasks instead of this machine.

    Raises:
        SharingError: A process was killed from outside, or there is no such cluster.
        Exception: A worker raised it; anything but an error for users becomes a RuntimeError with its traceback.
    """
    if ray is None:
        return processes.share(make, tasks, default_workers() if workers is None else workers, report, patience)
    return share_on_ray(make, tasks, ray, workers, report)


def in_order(results: Iterable[tuple[int, Result]], first: int = 0) -> Iterator[Result]:
    """Yield the results of numbered tasks in the order of their numbers.

    Args:
        results: The numbers of tasks with their results, in any order.
        first: The lowest number.
    """
    early: dict[int, Result] = {}
    for number, result in results:
        early[number] = result
        while first in early:
            yield early.pop(first)
            first += 1
