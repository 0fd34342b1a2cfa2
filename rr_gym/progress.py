"""Show the progress of a command on stderr: a bar with rate and time left on a terminal, elsewhere occasional lines."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Self

from rr_gym.errors import printable

if TYPE_CHECKING:
    import rich.progress

Report = Callable[[int, int], None]  # called with the number of games played and of all games

LINE_INTERVAL = 30.0  # seconds between lines where they cannot be rewritten
WIDTH = 20  # of the bar


class StatusLine:
    """A line of status on stderr: rewritten in place on a terminal, elsewhere printed again at most twice a minute.

    Args:
        first: Seconds before the line is shown for the first time.
        interval: Seconds between two updates of the line on a terminal.
    """

    def __init__(self, first: float = 2.0, interval: float = 0.5) -> None:
        self.start = time.monotonic()
        self.terminal = sys.stderr.isatty()
        self.interval = interval if self.terminal else LINE_INTERVAL
        self.next = first
        self.elapsed = 0.0
        self._bar: rich.progress.Progress | None = None  # while something is shown

    def due(self) -> bool:
        """Tell whether it is time to update the line."""
        self.elapsed = time.monotonic() - self.start
        if self.elapsed < self.next:
            return False
        self.next = self.elapsed + self.interval
        return True

    def show(self, text: str, share: float | None = None) -> None:
        """Replace the text of the line; on a terminal a bar precedes it if a share from 0 to 1 is given."""
        text = printable(text)
        if not self.terminal:
            print(text, file=sys.stderr, flush=True)
            return
        if self._bar is None:
            self._bar = _bar(share is not None)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], description=text, completed=share, refresh=True)

    def say(self, text: str) -> None:
        """Write a permanent line above the status line."""
        self.clear()
        print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        """End the status line; its last text stays."""
        if self._bar:
            self._bar.stop()
        self._bar = None

    def clear(self) -> None:
        """Remove the status line, if the output is a terminal."""
        if self._bar:
            self._bar.live.transient = True
        self.close()

    def __enter__(self) -> Self:
        """Return the status line, which is closed when the context is left."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _bar(has_share: bool) -> rich.progress.Progress:
    """Create a display that rewrites one line of the terminal, with a bar if there is a share to show."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    text = TextColumn("{task.description}", markup=False)
    console = Console(stderr=True, highlight=False)
    bar = Progress(
        *([BarColumn(WIDTH)] if has_share else []), text,
        console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False,
    )  # fmt: skip
    bar.add_task("", total=1.0)
    return bar


class Progress(StatusLine):
    """Shows how much of its work a command has done, once that has taken two seconds.

    Args:
        unit: The noun for what is counted, in the plural.
        facts: A text to show after the numbers; it may be changed between calls.
    """

    def __init__(self, unit: str = "games", facts: str = "") -> None:
        super().__init__()
        self.unit, self.facts = unit, facts
        self.before: int | None = None  # the work done before the first call, for example by an earlier run

    def __call__(self, done: int, total: int | None) -> None:
        """Show how much is done, how fast, and how long the rest takes where the total is known."""
        self.before = done if self.before is None else self.before
        if not self.due():
            return
        rate = f"{(done - self.before) / max(self.elapsed, 1e-9):,.1f}/s"
        facts = ", ".join([self.unit, f"{self.elapsed:.0f} s", rate, *([self.facts] if self.facts else [])])
        if total:
            share = min(1.0, done / total)
            left = time_left(share, self.before / total, self.elapsed)
            self.show(f"{done:,} of {total:,} {facts}, {left} left", share)
        else:
            self.show(f"{done:,} {facts}")


def time_left(share: float, first: float, seconds: float) -> str:
    """Format the time until the share is 1, such as ``0:12:34``, from the seconds that `first` to `share` took."""
    if share <= first:
        return "-:--:--"
    whole = int(max(0.0, 1 - share) / (share - first) * seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


@contextmanager
def status_line(text: Callable[[float], str], first: float = 2.0, interval: float = 0.5) -> Iterator[None]:
    """Keep a status line on stderr while the context is open, for work that cannot report its own progress.

    Args:
        text: Returns the text to show, given the seconds since the beginning. It is called in a separate thread.
        first: Seconds before the line is shown for the first time.
        interval: Seconds between two updates of the line on a terminal.
    """
    line, done = StatusLine(first, interval), threading.Event()

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
    return status_line(lambda seconds: f"rr_gym: {what}, {seconds:.0f} s")
