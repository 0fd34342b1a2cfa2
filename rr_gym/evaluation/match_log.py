"""The folder of a match: its arguments, and the batches of deals that were played, one per line."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.result_lines import read_entries
from rr_gym.evaluation.results_folder import ResultsFolder
from rr_gym.json_text import loads
from rr_gym.players.notes import Counts

Array = np.ndarray[Any, Any]

ARGUMENTS, DEALS = "evaluation.json", "deals.jsonl"
_EXPECTED = "a batch of deals of this evaluation: without this line and those after it they are played again"


class EvaluationError(RoboRallyError):
    """A match that cannot be played: wrong numbers or players."""


class MatchLog(ResultsFolder):
    """Batches of deals on disk; a batch is written when all its games are over."""

    what, error = "evaluation", EvaluationError
    arguments_file, lines_file = ARGUMENTS, DEALS

    def load(self, shapes: Mapping[str, tuple[int, ...]], num_players: int) -> tuple[list[dict[str, Array]], Counts]:
        """Return the results of the batches in the folder.

        Args:
            shapes: The shape of every fact, for one deal.
            num_players: The number of players, each counted once.

        Returns:
            The facts of the batches in order, by name: float64, (deals, ...); and the counts of the players.

        Raises:
            EvaluationError: A line is not one of such a match, or the file cannot be read.
        """
        parse = partial(_entry, shapes=shapes, num_players=num_players)
        batches = read_entries(self.path, parse, _EXPECTED, self.error)
        counts: Counts = batches[-1][1] if batches else [(0, {}) for _ in range(num_players)]
        return [facts for facts, _ in batches], counts

    def add(self, facts: Mapping[str, Array], counts: Counts) -> None:
        """Write a batch; it is on disk when this returns.

        Args:
            facts: The facts of the batch, by name.
            counts: The decisions and faults of each player so far.
        """
        self.append({"facts": {name: values.tolist() for name, values in facts.items()}, "counts": counts})


def _entry(line: bytes, shapes: Mapping[str, tuple[int, ...]], num_players: int) -> tuple[dict[str, Array], Counts]:
    """Return the facts and counts of a line. Raises an exception of any type if they are malformed."""
    entry = loads(line, "batch")
    facts = {name: np.array(entry["facts"][name], np.float64) for name in shapes}
    count = len(next(iter(facts.values())))
    proper = count > 0 and all(
        values.shape == (count, *shapes[name]) and np.isfinite(values).all() for name, values in facts.items()
    )
    counts = [(decisions, dict(faults)) for decisions, faults in entry["counts"]]
    numbers = [number for decisions, faults in counts for number in (decisions, *faults.values())]
    if not proper or len(counts) != num_players or any(type(number) is not int or number < 0 for number in numbers):
        raise ValueError(line)
    return facts, counts
