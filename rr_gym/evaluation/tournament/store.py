"""The folder of a tournament: its definition, finished games, and unfinished ones."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.kept import begin_folder
from rr_gym.evaluation.tournament.blocks import Outcome
from rr_gym.evaluation.tournament.schedule import DealBlock
from rr_gym.files import append_line
from rr_gym.json_text import loads
from rr_gym.locks import hold

ARGUMENTS, GAMES, WHAT = "tournament.json", "games.jsonl", "tournament"
_BEGINNING = b'{"block":'  # of every line of games
_FIELDS = {"block", "games", "decisions", "faults"}


class TournamentError(RoboRallyError):
    """A tournament that cannot be played or resumed: wrong arguments, or another one's folder."""


class Store:
    """Outcomes of blocks, on disk line by line.

    Args:
        folder: Created if necessary.
        arguments: The definition of the tournament; plain data.
        resume: Whether the folder may contain a part of the same tournament.

    Raises:
        TournamentError: It contains one and `resume` is False, or another one, or another process plays it.
    """

    def __init__(self, folder: Path, arguments: Mapping[str, Any], resume: bool) -> None:
        self.folder, self.arguments = folder, arguments
        with _writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        with self.hold():
            begin_folder(folder / ARGUMENTS, arguments, resume, WHAT, TournamentError)

    def hold(self) -> AbstractContextManager[None]:
        """Keep other processes from the folder; raises TournamentError that says which one holds it."""
        return hold(self.folder, TournamentError)

    def load(self, blocks: Sequence[DealBlock]) -> dict[int, Outcome]:
        """The outcomes of earlier blocks, by block.

        A block that occurs twice, because two processes shared the folder after all, is read once. An incomplete line
        at the end, left by an interruption, is dropped.

        Raises:
            TournamentError: A line is not one of this tournament, or two contradict each other on a block; another
                process holds the folder; or the file cannot be read or written.
        """
        with self.hold():
            return self._load(blocks)

    def _load(self, blocks: Sequence[DealBlock]) -> dict[int, Outcome]:
        path = self.folder / GAMES
        with _writing(path):
            path.touch()
            content = path.read_bytes()
        *lines, rest = content.split(b"\n")
        if not (rest.startswith(_BEGINNING) or _BEGINNING.startswith(rest)):
            lines.append(rest)  # not an incomplete line of ours
        outcomes: dict[int, Outcome] = {}
        places: dict[int, int] = {}
        for number, line in enumerate(lines, start=1):
            outcome = self._outcome(line, blocks)
            if outcome is None:
                raise TournamentError(
                    f"{path}:{number}: expected the games of a block of this tournament: without this line the block "
                    "is played again"
                )
            block = outcome["block"]
            if outcomes.setdefault(block, outcome) != outcome:
                raise TournamentError(
                    f"{path}:{number}: block {block} is another one than in line {places[block]}: expected it once, or "
                    "the same twice: remove one of these lines, or both, and the block is played again"
                )
            places.setdefault(block, number)
        with _writing(path):
            os.truncate(path, len(content) - len(rest))
            for done in outcomes:
                self._forget(done)
            for unfinished in self.folder.glob("block-*.part"):
                unfinished.unlink(missing_ok=True)
        return outcomes

    def _outcome(self, line: bytes, blocks: Sequence[DealBlock]) -> Outcome | None:
        """The content of a line; None if it is not of this tournament."""
        try:
            outcome: Outcome = loads(line, "block")
            number, games = outcome["block"], outcome["games"]
            names = self.arguments["players"]
            if type(number) is not int or not 0 <= number < len(blocks) or outcome.keys() != _FIELDS:
                return None
            proper = (
                [(game["deal"], game["course"], game["players"]) for game in games] == self._dealt(blocks[number])
                and all(_is_played(game) for game in games)
                and outcome["decisions"].keys() == set(names)
                and all(map(_is_count, outcome["decisions"].values()))
                and outcome["faults"].keys() <= set(names)
                and all(_is_count(count) for faults in outcome["faults"].values() for count in faults.values())
            )
        except (ValueError, LookupError, TypeError, AttributeError):
            return None
        return outcome if proper else None

    def _dealt(self, block: DealBlock) -> list[tuple[int, str, list[str]]]:
        """The number, course and players by seat of every game of a block."""
        names, courses = self.arguments["players"], self.arguments["courses"]
        return [
            (number, courses[deal.course]["id"], [names[player] for player in seats])
            for number, deal in enumerate(block.deals, start=block.first)
            for seats in deal.rotations()
        ]

    def add(self, outcome: Outcome) -> None:
        """Write a finished block; it is on disk when this returns. Raises TournamentError if it cannot be written."""
        path = self.folder / GAMES
        append_line(path, json.dumps(outcome, separators=(",", ":")), TournamentError)
        with _writing(path):
            self._forget(outcome["block"])

    def _forget(self, block: int) -> None:
        with suppress(FileNotFoundError):
            (self.folder / f"block-{block}.npz").unlink()


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_played(game: Mapping[str, Any]) -> bool:
    """Whether the outcome of a game is possible."""
    seats, places, winners = len(game["players"]), game["places"], game["winners"]
    return (
        len(places) == seats
        and all(type(place) is int and 1 <= place <= seats for place in places)
        and all(type(seat) is int and 0 <= seat < seats for seat in winners)
        and _is_count(game["turns"])
        and type(game["over"]) is bool
    )


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TournamentError(f"{path}: cannot be written: {error.strerror}") from error
