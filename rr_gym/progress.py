"""Progress of a command on stderr: a bar with the time left on a terminal, elsewhere a line from time to time."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType

from rr_gym.errors import printable

Report = Callable[[int, int], None]  # called with the number of games played and the number of all games

SELDOM = 30.0  # seconds between lines where they cannot be rewritten
WIDTH = 20  # of the bar


class StatusLine:
    """A line of status on stderr: rewritten in place on a terminal, elsewhere printed anew at most twice a minute.

    Args:
        first: Seconds before the line is shown for the first time.
        often: Seconds between two updates of the line on a terminal.
    """

    def __init__(self, first: float = 2.0, often: float = 0.5) -> None:
        self.start = time.monotonic()
        self.terminal = sys.stderr.isatty()
        self.often = often if self.terminal else SELDOM
        self.next = first
        self.elapsed = 0.0
        self.width = 0  # of the text in the line

    def due(self) -> bool:
        """Tell whether it is time to update the line."""
        self.elapsed = time.monotonic() - self.start
        if self.elapsed < self.next:
            return False
        self.next = self.elapsed + self.often
        return True

    def show(self, text: str) -> None:
        """Show a text in place of the one before."""
        text = printable(text)
        line = f"\r{text.ljust(self.width)}" if self.terminal else text
        self.width = len(text)
        print(line, end="" if self.terminal else "\n", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leave the line on the screen and begin a new one for whatever is printed next."""
        if self.width and self.terminal:
            print(file=sys.stderr, flush=True)
        self.width = 0

    def clear(self) -> None:
        """Erase the line on a terminal; elsewhere it stays."""
        if self.width and self.terminal:
            print(f"\r{' ' * self.width}\r", end="", file=sys.stderr, flush=True)
        self.width = 0


class Progress:
    """Shows how much of its work a command has done, once that work has taken two seconds.

    It is a context manager, which closes the line on exit, even after an error.

    Args:
        unit: The noun for what is counted, in the plural.
        facts: A text to show after the numbers; it may be changed between calls.
    """

    def __init__(self, unit: str = "games", facts: str = "") -> None:
        self.unit, self.facts = unit, facts
        self.line = StatusLine()
        self.first: int | None = None  # how much was done at the first call, for example by an earlier run

    def __call__(self, done: int, total: int | None) -> None:
        """Show how much is done and, if the total is known, how much time the rest takes."""
        self.first = done if self.first is None else self.first
        if not self.line.due():
            return
        seconds = self.line.elapsed
        parts = [f"{seconds:.0f} s", *([self.facts] if self.facts else [])]
        if total:
            share = min(1.0, done / total)
            left = time_left(share, self.first / total, seconds)
            count = f"{bar(share)} {done:,} of {total:,}" if self.line.terminal else f"{done:,} of {total:,}"
            self.line.show(f"{count} {self.unit}, {', '.join(parts)}, {left} left")
        else:
            self.line.show(f"{done:,} {self.unit}, {', '.join(parts)}")

    def close(self) -> None:
        """Leave the line on the screen and begin a new one for whatever is printed next."""
        self.line.close()

    def __enter__(self) -> Progress:
        """Return this object."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the line."""
        self.close()


def bar(share: float) -> str:
    """Draw a share from 0 to 1 as a bar, such as ``[#####...............] 25 %``."""
    full = int(share * WIDTH)
    return f"[{'#' * full}{'.' * (WIDTH - full)}] {int(100 * share):3} %"


def time_left(share: float, first: float, seconds: float) -> str:
    """Format the time until the share is 1, such as ``0:12:34``, from the seconds that `first` to `share` took."""
    if share <= first:
        return "-:--:--"
    whole = int(max(0.0, 1 - share) / (share - first) * seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


@contextmanager
def shown(text: Callable[[float], str], first: float = 2.0, often: float = 0.5) -> Iterator[None]:
    """Keep a status line on stderr while the context is open, for work that cannot report its own progress.

    Args:
        text: Returns the text to show, given the seconds since the beginning. It is called in a separate thread.
        first: Seconds before the line is shown for the first time.
        often: Seconds between two updates of the line on a terminal.
    """
    line, done = StatusLine(first, often), threading.Event()

    def show() -> None:
        while not done.wait(0.1):
            if line.due():
                line.show(text(line.elapsed))

    watcher = threading.Thread(target=show, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        line.clear()


def waiting(what: str) -> AbstractContextManager[None]:
    """Show what is being done and for how long, while the context is open, for work of unknown length."""
    return shown(lambda seconds: f"rr_gym: {what}, {seconds:.0f} s")
