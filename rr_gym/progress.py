"""How far a command is, on stderr."""

from __future__ import annotations

import sys
import time

from rr_gym.errors import printable

SELDOM = 30.0  # seconds between lines where they stay


class StatusLine:
    """A line on stderr: on a terminal written over again and again, elsewhere a line of its own twice a minute.

    Args:
        first: Seconds before it is shown for the first time.
        often: Seconds between two states of it on a terminal.
    """

    def __init__(self, first: float = 2.0, often: float = 0.5) -> None:
        self.start = time.monotonic()
        self.terminal = sys.stderr.isatty()
        self.often = often if self.terminal else SELDOM
        self.next = first
        self.elapsed = 0.0
        self.width = 0  # of what stands in the line

    def due(self) -> bool:
        """Whether it is time to show something again."""
        self.elapsed = time.monotonic() - self.start
        if self.elapsed < self.next:
            return False
        self.next = self.elapsed + self.often
        return True

    def show(self, text: str) -> None:
        """Write a text in place of the one before."""
        text = printable(text)
        line = f"\r{text.ljust(self.width)}" if self.terminal else text
        self.width = len(text)
        print(line, end="" if self.terminal else "\n", file=sys.stderr, flush=True)

    def close(self) -> None:
        """What is shown stays; what follows begins a new line."""
        if self.width and self.terminal:
            print(file=sys.stderr, flush=True)
        self.width = 0

    def clear(self) -> None:
        """What is shown goes, where that can be."""
        if self.width and self.terminal:
            print(f"\r{' ' * self.width}\r", end="", file=sys.stderr, flush=True)
        self.width = 0


class Progress:
    """How many of its games a command has played, once that has taken two seconds."""

    def __init__(self) -> None:
        self.line = StatusLine()

    def __call__(self, done: int, total: int) -> None:
        if self.line.due():
            self.line.show(f"{done:,} of {total:,} games, {self.line.elapsed:.0f} s")

    def close(self) -> None:
        self.line.close()
