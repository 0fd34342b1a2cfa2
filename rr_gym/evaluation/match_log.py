"""The folder of a match: what it is, and the batches of deals that were played, a line each."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.kept import begin_folder
from rr_gym.files import append_line
from rr_gym.json_text import loads
from rr_gym.locks import hold
from rr_gym.players.notes import Counts

Array = np.ndarray[Any, Any]

ARGUMENTS, DEALS, WHAT = "evaluation.json", "deals.jsonl", "evaluation"


class MatchLog:
    """Batches of deals on disk. A batch is there when it is played to the end; half a line at the end is dropped.

    Args:
        folder: Made if need be.
        arguments: What the match is; plain data.
        resume: Whether the folder may hold a part of the same match.
        error: What is raised.

    Raises:
        RoboRallyError: It holds one and `resume` is False, or another one, or another process plays it.
    """

    def __init__(self, folder: Path, arguments: Mapping[str, Any], resume: bool, error: type[RoboRallyError]) -> None:
        self.folder, self.path, self.error = folder, folder / DEALS, error
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as failure:
            raise self._cannot(failure) from failure
        with self.hold():
            begin_folder(folder / ARGUMENTS, arguments, resume, WHAT, error)

    def hold(self) -> AbstractContextManager[None]:
        """Keep other processes from the folder. Raises an error that says which one holds it."""
        return hold(self.folder, self.error)

    def load(self, shapes: Mapping[str, tuple[int, ...]], num_players: int) -> tuple[list[dict[str, Array]], Counts]:
        """What was played before.

        Args:
            shapes: Of every fact, for one deal.
            num_players: How many there are, each counted once.

        Returns:
            The facts of the batches in order, by name: float64, (deals, ...); and what was counted of the players.

        Raises:
            RoboRallyError: A line is not one of such a match, or the file cannot be read.
        """
        batches: list[dict[str, Array]] = []
        counts: Counts = [(0, {}) for _ in range(num_players)]
        if not self.path.exists():
            return batches, counts
        try:
            *lines, rest = self.path.read_bytes().split(b"\n")
        except OSError as failure:
            raise self.error(f"{self.path}: cannot be read: {failure.strerror}") from failure
        for number, line in enumerate(lines, start=1):
            try:
                facts, counts = _entry(line, shapes, num_players)
            except (ValueError, TypeError, LookupError, AttributeError) as failure:
                raise self.error(
                    f"{self.path}:{number}: expected a batch of deals of this {WHAT}: without this line and those "
                    "after it they are played again"
                ) from failure
            batches.append(facts)
        if rest:
            os.truncate(self.path, self.path.stat().st_size - len(rest))
        return batches, counts

    def add(self, facts: Mapping[str, Array], counts: Counts) -> None:
        """Keep a batch; it is on the disk when this returns.

        Args:
            facts: What came out, by name.
            counts: Decisions and faults of each player so far.
        """
        entry = {"facts": {name: values.tolist() for name, values in facts.items()}, "counts": counts}
        append_line(self.path, json.dumps(entry, separators=(",", ":")), self.error)

    def _cannot(self, failure: OSError) -> RoboRallyError:
        return self.error(f"{self.folder}: cannot be written: {failure.strerror}")


def _entry(line: bytes, shapes: Mapping[str, tuple[int, ...]], num_players: int) -> tuple[dict[str, Array], Counts]:
    """The facts and counts of a line. Raises an error of some kind where it has none."""
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
