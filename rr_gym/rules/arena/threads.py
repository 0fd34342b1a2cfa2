"""The threads that share a batch of games.

Games are independent and have their own random generators, so results do not depend on how a batch is split.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def _pool(threads: int) -> ThreadPoolExecutor:
    """Return the thread pool of this process with a number of threads.

    Pools are kept by process id, because a fork must not inherit them.
    """
    key = (os.getpid(), threads)
    if key not in _pools:
        _pools[key] = ThreadPoolExecutor(threads, thread_name_prefix="rr_gym")
    return _pools[key]


def in_parts(work: Callable[[int, int], object], count: int, threads: int = 1) -> None:
    """Call `work(first, last)` on ranges that cover games 0 to count - 1, in several threads.

    Kernels release the GIL, so the threads run in parallel.
    """
    if threads <= 1 or count < 2 * threads:
        work(0, count)
        return
    bounds = [count * k // threads for k in range(threads + 1)]
    jobs = [_pool(threads).submit(work, bounds[k], bounds[k + 1]) for k in range(threads)]
    for job in jobs:
        job.result()
