"""Delay Ctrl-C while something must not be left half done.

The main case is the compilation of a kernel. Numba fills internal tables while it compiles, partly in callbacks of
LLVM. An interrupt would leave them half filled for as long as the process lives, or would get lost in a callback; then
the next call of the same kernel fails. Between kernels all tables are complete, and what was compiled so far is used
again.
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
    """The handler of Ctrl-C while something must be completed.

    Args:
        before: The previous handler, which is called afterwards.
        what: What is being done, in words.
    """

    def __init__(self, before: Callable[[int, Any], Any], what: str) -> None:
        self._before, self._what = before, what
        self._asked = False

    def __call__(self, number: int, frame: Any) -> None:
        """Delay the first Ctrl-C; a second one interrupts at once, even if something is left half done."""
        if self._asked:
            self.interrupt_if_asked()
            self._before(number, frame)
            return
        self._asked = True
        with suppress(RuntimeError):  # raised if the interrupt came while this stream was being written to
            what = self._what or current().kernels.removesuffix("s")
            text = f"{current().name}: stopping after this {what}; Ctrl-C again stops at once"
            print(text, file=sys.stderr, flush=True)

    def interrupt_if_asked(self) -> None:
        """Call the previous handler if Ctrl-C was pressed in the meantime."""
        if self._asked:
            self._asked = False
            self._before(signal.SIGINT, None)


@contextmanager
def interrupts_wait(what: str = "") -> Iterator[None]:
    """Delay Ctrl-C within a context that must not be left half done, such as the compilation of a kernel.

    Ctrl-C takes effect before or after the context; with nested contexts, also before and after each inner one.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # signals do not arrive here, or are ignored
        return
    if isinstance(before, _Waiting):
        before.interrupt_if_asked()
        yield
        before.interrupt_if_asked()
        return
    waiting = _Waiting(before, what)
    signal.signal(signal.SIGINT, waiting)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        waiting.interrupt_if_asked()
