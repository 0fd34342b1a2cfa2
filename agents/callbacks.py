"""Follow the games of a training run while they are played: progress, speed, and how the last episodes ended."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from rr_gym.progress import StatusLine, time_left

EPISODES = 256  # the number of last episodes over which the learning curve averages
NO_FLAGS = 0.1  # flags per episode below which a policy counts as not touching flags
RISE = 0.15  # increase of the share of episodes won that is more than chance

# Columns of the learning curve, and the facts of an episode that they average
_MEANS = {
    "rollout/ep_rew_mean": "reward",
    "rollout/ep_turns_mean": "turns",
    "rollout/finished": "finished",
    "rollout/won": "won",
    "rollout/flags": "flags",
    "rollout/place": "place",
}


Episode = tuple[dict[str, float], dict[str, float]]  # its facts, and the learner's score against each player


def episodes_of(core: Any, infos: list[dict[str, Any]], ended: Iterable[int]) -> list[Episode]:
    """Return the learner's episodes among the rows `ended`, whose episodes ended with the last step."""
    found = []
    for row in ended:
        info = infos[row]
        if "episode" in info:
            facts = {name: float(info[name]) for name in ("finished", "won", "flags", "place")}
            episode = info["episode"]
            own = {"reward": float(episode["r"]), "turns": episode["l"] / core.stages}
            found.append(({**own, **facts}, info.get("against", {})))
    return found


class Watch(BaseCallback):
    """Counts the episodes of a training run, and shows its progress on the status line.

    Args:
        core: The games.
        share: Returns how much of the training is done, from 0 to 1.
        note: Called after every episode with the learner's score against each player of a mix, from 0 to 1.
    """

    def __init__(self, core: Any, share: Callable[[], float], note: Callable[[dict[str, float]], None]) -> None:
        super().__init__()
        self._core = core
        self._share = share
        self._note = note
        self.episodes: deque[dict[str, float]] = deque(maxlen=EPISODES)
        self.first: dict[str, float] | None = None  # means over the first episodes; empty once there was a warning

    def begin(self, line: StatusLine) -> None:
        """Measure the speed from now on, and show the progress on `line`."""
        self._line, self._first = line, self._share()
        self._start = time.monotonic()
        self._rows_before = self.model.num_timesteps

    def _on_step(self) -> bool:
        self.count(episodes_of(self._core, self.locals["infos"], self.locals["ended"]))
        return True

    @property
    def turns(self) -> int:
        """Return the number of turns played in all games together; in each, every seat has a row for every decision."""
        core = self._core
        return int(self.model.num_timesteps // (core.num_rows * core.stages) * core.num_games)

    def count(self, episodes: list[Episode]) -> None:
        """Add episodes that have ended."""
        for facts, against in episodes:
            self.episodes.append(facts)
            self._note(against)
        self.tick()

    def tick(self) -> None:
        """Update the status line if it is due."""
        if self._line.due():
            self.show()

    def show(self) -> None:
        """Update the status line now."""
        share = self._share()
        left = time_left(share, self._first, time.monotonic() - self._start)
        self._line.show(f"{share:5.1%}  {self._text()}  {left} left", share)

    def recent(self) -> dict[str, float | None]:
        """Return the means over the last episodes by column of the curve; None until an episode has ended."""
        return {
            column: float(np.mean([episode[name] for episode in self.episodes])) if self.episodes else None
            for column, name in _MEANS.items()
        }

    def warning(self) -> str | None:
        """Return a warning, once, if the learner wins or earns more than at first but touches hardly any flags.

        Otherwise return None.
        """
        if len(self.episodes) < EPISODES or self.first == {}:
            return None
        names = ("won", "reward", "flags")
        now = {name: float(np.mean([episode[name] for episode in self.episodes])) for name in names}
        if self.first is None:
            self.first = now | {"spread": float(np.std([episode["reward"] for episode in self.episodes]))}
            return None
        first = self.first
        if now["flags"] >= NO_FLAGS:
            return None
        if now["won"] - first["won"] >= RISE:
            rose = f"won rose from {first['won']:.0%} to {now['won']:.0%}"
        elif now["reward"] - first["reward"] > max(first["spread"], 1e-6):
            rose = f"the return rose from {first['reward']:.2f} to {now['reward']:.2f}"
        else:
            return None
        self.first = {}
        return (
            f"warning: {rose}, but only {now['flags']:.2f} flags are touched in an episode: it does not learn to race "
            "(docs/training.md, no flags)"
        )

    def speed(self) -> tuple[float, float]:
        """Return the rows and the turns per second since training began in this process."""
        core, seconds = self._core, max(time.monotonic() - self._start, 1e-9)
        rows = (self.model.num_timesteps - self._rows_before) / seconds
        return rows, rows * core.num_games / (core.num_rows * core.stages)

    def _text(self) -> str:
        rows, turns = self.speed()
        recent = self.recent()
        reward = recent["rollout/ep_rew_mean"]
        name = "won" if self._core.num_robots > 1 else "finished"
        rate, flags = recent[f"rollout/{name}"], recent["rollout/flags"]
        finished = recent["rollout/finished"]
        parts = [
            f"{self.model.num_timesteps:,} rows",
            f"{rows:,.0f} rows/s",
            f"{turns:,.0f} turns/s",
            "return -" if reward is None else f"return {reward:.2f}",
            f"{name} -" if rate is None else f"{name} {rate:.0%}",
            *(["finished -" if finished is None else f"finished {finished:.0%}"] if name == "won" else []),
            "flags -" if flags is None else f"flags {flags:.2f}",
        ]
        return "  ".join(parts)
