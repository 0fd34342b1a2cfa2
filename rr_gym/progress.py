"""How far a command is that plays many games."""

from __future__ import annotations

import sys
import time


class Progress:
    """How far it is, on stderr, once it has taken two seconds: on a terminal in one line, else twice a minute."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.terminal = sys.stderr.isatty()
        self.next = 2.0
        self.shown = False

    def __call__(self, done: int, total: int) -> None:
        elapsed = time.monotonic() - self.start
        if elapsed < self.next:
            return
        self.next = elapsed + (0.5 if self.terminal else 30.0)
        self.shown = True
        line = f"{done:,} of {total:,} games, {elapsed:.0f} s"
        print(f"\r{line}" if self.terminal else line, end="" if self.terminal else "\n", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.shown and self.terminal:
            print(file=sys.stderr)
