"""Run mypy with fewer runs of Python's garbage collector: in little more than half the time, with 0.6 GB of memory.

mypy makes millions of objects that live until its end, and the collector looks through them again and again. Without
the collector it would be quicker still, but take 2.7 GB. Arguments are passed on to mypy.
"""

from __future__ import annotations

import gc
import runpy

if __name__ == "__main__":
    gc.set_threshold(2_000_000, 1000, 1000)  # new objects until the next round, which passes over older ones
    gc.set_threshold = lambda *_: None  # mypy would call it with its own thresholds
    runpy.run_module("mypy", run_name="__main__", alter_sys=True)
