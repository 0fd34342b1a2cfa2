"""How a training shows itself: a bar in a terminal, a line now and then elsewhere. Everything goes to stderr."""

from __future__ import annotations

import sys
import time
from typing import Protocol

from rr_gym.errors import require
from rr_gym.progress import time_left

SECONDS_PER_LINE = 30.0


class Display(Protocol):
    """Where a training reports to."""

    def show(self, share: float, facts: str) -> None:
        """The share that is done, from 0 to 1, and facts about it. Called in every step."""

    def say(self, text: str) -> None:
        """A line that stays."""

    def close(self) -> None:
        """Nothing more is shown."""


class Lines:
    """For files and pipes: a line after some seconds, every half minute, and at the end."""

    def __init__(self, first: float = 0.0) -> None:
        self._first = first
        self._start = time.monotonic()
        self._last = self._start - SECONDS_PER_LINE + 5
        self._pending = ""

    def show(self, share: float, facts: str) -> None:
        """As `Display.show`; a line at most every half minute."""
        now = time.monotonic()
        self._pending = f"{share:5.1%}  {facts}  {time_left(share, self._first, now - self._start)} left"
        if now - self._last >= SECONDS_PER_LINE:
            self.say(self._pending)
            self._last, self._pending = now, ""

    def say(self, text: str) -> None:
        """As `Display.say`."""
        print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        """As `Display.close`; what was not shown yet comes first."""
        if self._pending:
            self.say(self._pending)
            self._pending = ""


class Bar:
    """For terminals: a bar in the last line."""

    def __init__(self, first: float = 0.0) -> None:
        progress = require("rich.progress", extra="train")
        console = require("rich.console", extra="train").Console(stderr=True, highlight=False)
        self._first = first
        self._start = time.monotonic()
        self._bar = progress.Progress(
            progress.TaskProgressColumn(),
            progress.BarColumn(bar_width=20),
            progress.TextColumn("{task.description}", markup=False),
            console=console,
        )
        self._task = self._bar.add_task("", total=1.0, completed=first)
        self._bar.start()

    def show(self, share: float, facts: str) -> None:
        """As `Display.show`."""
        rest = time_left(share, self._first, time.monotonic() - self._start)
        self._bar.update(self._task, completed=share, description=f"{facts}  {rest} left")

    def say(self, text: str) -> None:
        """As `Display.say`."""
        self._bar.console.print(text, markup=False, soft_wrap=True)

    def close(self) -> None:
        """As `Display.close`."""
        self._bar.stop()


def display(first: float = 0.0) -> Display:
    """The display for where stderr leads; `first` is the share that was done before."""
    return Bar(first) if sys.stderr.isatty() else Lines(first)
