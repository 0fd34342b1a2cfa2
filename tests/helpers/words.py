"""A worker for tests of processes, in a module that imports little, because each process imports it."""

from __future__ import annotations

import os
import time
from pathlib import Path

from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.processes import ProgressCallback


class Awkward(RoboRallyError):
    """An error that cannot be created again from its message."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


class Words:
    """A worker whose tasks are words: it does what the word says, and records in a file that it was closed."""

    def __init__(self, closed: Path | None = None) -> None:
        self.closed = closed

    def __call__(self, word: str, should_stop: ProgressCallback) -> int | None:
        match word:
            case "dies":
                os._exit(3)
            case "refuses":
                raise RoboRallyError("no such word")
            case "awkward":
                raise Awkward("a", "b")
            case "waits":
                done = 0
                while not should_stop(done):
                    done += 1
                    time.sleep(0.01)
                return None
            case "sleeps":
                time.sleep(600)
        return int(word)

    def close(self) -> None:
        if self.closed:
            with self.closed.open("a") as file:
                file.write("closed\n")
