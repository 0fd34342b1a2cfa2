"""Run mypy without Python's garbage collector: it takes less than half of the time, and 2.7 GB instead of 0.5.

mypy makes millions of objects that stay until its end, and the collector looks through them again and again. Arguments
are those of mypy.
"""

from __future__ import annotations

import gc
import runpy

if __name__ == "__main__":
    gc.disable()
    gc.enable = lambda: None  # what mypy calls once it has read its files
    runpy.run_module("mypy", run_name="__main__", alter_sys=True)
