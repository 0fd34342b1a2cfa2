"""Lessons from a data set (`rr-gym dataset`), in which the players' decisions have been recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.dataset_files import DESCRIPTION, DatasetError
from rr_gym.datasets import Dataset
from rr_gym.errors import short_repr
from rr_gym.policies.spec import policy_facts

from .config import first_difference
from .lessons import Lessons, rows_of

Array = np.ndarray[Any, Any]

AT_ONCE = 2048  # decisions in an update
_NOT_COMPARED = ("trained_on", "training")


def read_data(teacher: str, core: Any, seed: int) -> Recorded | None:
    """Read the data set in the folder `teacher`; None if the folder has none.

    Raises:
        DatasetError: The data set is incomplete, cannot be read, or was made for another environment.
    """
    folder = Path(teacher)
    if (folder / DESCRIPTION).is_file():
        return Recorded(folder, core, seed)
    if folder.is_dir() and any(folder.glob("shard-*")):
        raise DatasetError(f"{folder}: expected {DESCRIPTION}: without it a data set is incomplete")
    return None


class Recorded:
    """The decisions of a data set that have several legal choices, in a new random order in each pass.

    Args:
        folder: The folder of the data set.
        core: A core with the observation and the decisions of the data set.
        seed: The seed of the order.

    Raises:
        DatasetError: The data cannot be read, or were recorded with another environment.
    """

    def __init__(self, folder: Path, core: Any, seed: int) -> None:
        found = Dataset.open(folder)
        wanted = {name: value for name, value in policy_facts(core).items() if name not in _NOT_COMPARED}
        wanted |= {"gamma": core.gamma}
        had = {**found.description.get("environment", {}), "gamma": found.description["gamma"]}
        difference = first_difference(had, wanted)
        if difference:
            key, was, now = difference
            how = "with that many --players" if key == "num_robots" else "--config"
            raise DatasetError(
                f"{folder}: {key}: {short_repr(was)}: expected {short_repr(now)}, as in the configuration "
                f"(rr-gym dataset {how})"
            )
        data = found.load()
        self.data, self.seed = data, seed
        self.returns = returns_of(data, core.gamma)
        self.rows = np.flatnonzero(data["action_mask"].sum(axis=1) > 1)
        if not len(self.rows):
            raise DatasetError(f"{folder}: expected rows with several legal choices")

    def lessons(self, done: int) -> Lessons:
        """Return the next batch of recorded decisions, in a random order that depends on the seed and the pass.

        Args:
            done: The number of decisions learned from so far.
        """
        through, first = divmod(done, len(self.rows))
        order = np.random.default_rng([self.seed, through]).permutation(len(self.rows))
        rows = np.sort(self.rows[order[first : first + AT_ONCE]])
        named = {name.partition("/")[2]: a for name, a in self.data.items() if name.partition("/")[0] == "observation"}
        masks = self.data["action_mask"][rows]
        targets = np.eye(masks.shape[1], dtype=np.float32)[self.data["action"][rows]]
        return Lessons(rows_of(named.get("", named), rows), masks, targets, self.returns[rows])


def returns_of(data: dict[str, Array], gamma: float) -> Array:
    """Return the discounted rewards from each decision to the end of its episode: float32, (rows,)."""
    ends = data["terminated"] | data["truncated"]
    turn_ends = np.append(np.diff(data["turn"]) != 0, True) | ends
    discounts = np.where(ends, 0, np.where(turn_ends, gamma, 1)).tolist()
    returns = data["reward"].astype(np.float64).tolist()
    for row in reversed(range(len(returns) - 1)):
        returns[row] += discounts[row] * returns[row + 1]
    return np.array(returns, np.float32)
