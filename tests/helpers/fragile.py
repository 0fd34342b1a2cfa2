"""A player that kills its process in the middle of its first block, and a worker that returns its process id."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from rr_gym.evaluation.processes import ProgressCallback
from rr_gym.players import Player
from rr_gym.registry import make_player


class Killed(Player):
    """Plays as greedy does, but kills the first process that reaches its 20th decision."""

    name = "killed"

    def __init__(self, mark: Path) -> None:
        self.mark, self.decisions, self.greedy = mark, 0, make_player("greedy")

    def act(self, arena: Any, games: Any, seat: int) -> Any:
        self.decisions += 1
        if self.decisions == 20:
            try:
                self.mark.touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return self.greedy.act(arena, games, seat)

    def orders(self, view: Any) -> Any:
        return self.greedy.orders(view)


def make_killed(mark: Path, name: str) -> Player:
    return Killed(mark) if name == "killed" else make_player(name)


class Pids:
    """Returns the id of the process that works on a word; the word `dies` kills that process."""

    def __call__(self, word: str, should_stop: ProgressCallback) -> int:
        if word == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        return int(word) * 0 + os.getpid()

    def close(self) -> None:
        pass
