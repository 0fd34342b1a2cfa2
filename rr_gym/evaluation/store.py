"""The folder of a tournament: what it is, the games that were played, those under way."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.blocks import Outcome
from rr_gym.evaluation.schedule import Block
from rr_gym.files import read_text, write_file
from rr_gym.json_text import loads

ARGUMENTS, GAMES = "tournament.json", "games.jsonl"


class TournamentError(RoboRallyError):
    """A tournament that cannot be played or resumed: wrong arguments, or another one's folder."""


class Store:
    """Outcomes of blocks, on disk line by line.

    Args:
        folder: Made if need be.
        arguments: What the tournament is; plain data.
        resume: Whether the folder may hold a part of the same tournament.

    Raises:
        TournamentError: It holds one and `resume` is False, or another one.
    """

    def __init__(self, folder: Path, arguments: Mapping[str, Any], resume: bool) -> None:
        self.folder = folder
        path = folder / ARGUMENTS
        if not path.exists():
            write_file(path, json.dumps(arguments, indent=1) + "\n", TournamentError)
            return
        if not resume:
            raise TournamentError(f"{folder}: there is a tournament in it: resume it, or choose another folder")
        there = _arguments(path)
        different = [name for name in {**arguments, **there} if there.get(name) != arguments.get(name)]
        for name in different:
            raise TournamentError(
                f"{name}: {json.dumps(arguments.get(name))}: the tournament in {folder} has "
                f"{json.dumps(there.get(name))}: only the same can be resumed"
            )

    def load(self, blocks: Sequence[Block]) -> dict[int, Outcome]:
        """What was played before, by block; half a line at the end is dropped, as an interruption leaves it.

        Raises:
            TournamentError: A line is not one of this tournament, or the file cannot be read or written.
        """
        path = self.folder / GAMES
        with _writing(path):
            path.touch()
            content = path.read_bytes()
        outcomes: dict[int, Outcome] = {}
        whole = 0
        for number, line in enumerate(content.splitlines(keepends=True), start=1):
            if not line.endswith(b"\n"):
                break
            try:
                outcome = loads(line, str(path))
                block = blocks[outcome["block"]]
                named = {game["deal"] for game in outcome["games"]}
                proper = named == {*range(block.first, block.first + len(block.deals))}
            except (ValueError, LookupError, TypeError):
                proper = False
            if not proper or block.number in outcomes:
                raise TournamentError(f"{path}:{number}: expected the games of a block that was not there before")
            outcomes[block.number] = outcome
            whole += len(line)
        with _writing(path):
            os.truncate(path, whole)
            for done in outcomes:
                self._forget(done)
        return outcomes

    def add(self, outcome: Outcome) -> None:
        """Write a block that was played; it is on disk when this returns. Raises TournamentError if it cannot be."""
        path = self.folder / GAMES
        with _writing(path):
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(outcome, separators=(",", ":")) + "\n")
                file.flush()
                os.fsync(file.fileno())
            self._forget(outcome["block"])

    def _forget(self, block: int) -> None:
        with suppress(FileNotFoundError):
            (self.folder / f"block-{block}.npz").unlink()


def kept_salt(folder: Path) -> str | None:
    """The salt of the tournament in a folder, "0" if it has none; None where there is no tournament yet."""
    path = folder / ARGUMENTS
    return _arguments(path).get("salt") or "0" if path.exists() else None


def _arguments(path: Path) -> dict[str, Any]:
    """What the tournament is that a folder holds. Raises TournamentError for a file that says something else."""
    with suppress(ValueError):
        there = loads(read_text(path, TournamentError), str(path))
        if isinstance(there, dict):
            return there
    raise TournamentError(f"{path}: not the arguments of a tournament: choose another folder")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TournamentError(f"{path}: cannot be written: {error.strerror}") from error
