"""Ctrl-C while something must not be left half done: heeded when it is done.

That is above all the compilation of a kernel. Numba fills tables of its own while it compiles, some of them in
callbacks of LLVM. An interruption in the middle leaves them half filled for as long as the process lives, or is lost in
a callback: then the next call of the same kernel fails. Between kernels all of them are whole, and what was compiled so
far is used again.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from rr_gym.compilation.settings import current


class _Waiting:
    """What Ctrl-C calls meanwhile.

    Args:
        before: What it called before, and calls afterwards.
        what: Is being done.
    """

    def __init__(self, before: Callable[[int, Any], Any], what: str) -> None:
        self._before, self._what = before, what
        self._asked = False

    def __call__(self, number: int, frame: Any) -> None:
        """The first Ctrl-C waits; the second one does not, whatever it leaves behind."""
        if self._asked:
            self.heed()
            self._before(number, frame)
            return
        self._asked = True
        with suppress(RuntimeError):  # where the very same stream was being written to
            what = self._what or current().kernels.removesuffix("s")
            said = f"{current().name}: stopping after this {what}; Ctrl-C again stops at once"
            print(said, file=sys.stderr, flush=True)

    def heed(self) -> None:
        """Do what Ctrl-C asked for meanwhile."""
        if self._asked:
            self._asked = False
            self._before(signal.SIGINT, None)


@contextmanager
def interrupts_wait(what: str = "") -> Iterator[None]:
    """Do something that must not be left half done, such as compiling a kernel.

    Ctrl-C is heeded before it and after it, and where this is nested also before and after what is within.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # signals do not arrive here, or are ignored
        return
    if isinstance(before, _Waiting):
        before.heed()
        yield
        before.heed()
        return
    waiting = _Waiting(before, what)
    signal.signal(signal.SIGINT, waiting)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        waiting.heed()
