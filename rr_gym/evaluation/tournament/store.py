"""The folder of a tournament: its definition, finished games, and unfinished ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.result_lines import by_block, read_entries
from rr_gym.evaluation.results_folder import ResultsFolder
from rr_gym.evaluation.tournament.blocks import Outcome
from rr_gym.evaluation.tournament.schedule import DealBlock
from rr_gym.files import writing
from rr_gym.json_text import loads

ARGUMENTS, GAMES = "tournament.json", "games.jsonl"
_BEGINNING = b'{"block":'  # the beginning of every line of games
_FIELDS = {"block", "games", "decisions", "faults"}
_EXPECTED = "the games of a block of this tournament: without this line and those after it they are played again"


class TournamentError(RoboRallyError):
    """A tournament that cannot be played or resumed: wrong arguments, or another tournament's folder."""


class Store(ResultsFolder):
    """Outcomes of blocks on disk."""

    what, error = "tournament", TournamentError
    arguments_file, lines_file = ARGUMENTS, GAMES

    def load(self, blocks: Sequence[DealBlock]) -> dict[int, Outcome]:
        """Return the outcomes of earlier blocks, by block. Files of blocks that are finished are removed.

        Raises:
            TournamentError: A line is not one of this tournament, or two contradict each other on a block; another
                process holds the folder; or the file cannot be read or written.
        """
        with self.hold():
            with writing(self.path, self.error):
                self.path.touch()
            lines = read_entries(self.path, lambda line: self._outcome(line, blocks), _EXPECTED, self.error, _BEGINNING)
            numbered = ((number, outcome["block"], outcome) for number, outcome in enumerate(lines, start=1))
            outcomes = by_block(self.path, numbered, lambda block: f"block {block} of the schedule", self.error)
            with writing(self.path, self.error):
                for done in outcomes:
                    self._forget(done)
                for unfinished in self.folder.glob(".block-*"):
                    unfinished.unlink(missing_ok=True)
        return outcomes

    def _outcome(self, line: bytes, blocks: Sequence[DealBlock]) -> Outcome:
        """Return the content of a line. Raises an exception of any type if it is not of this tournament."""
        outcome: Outcome = loads(line, "block")
        number, games = outcome["block"], outcome["games"]
        names = self.arguments["players"]
        if type(number) is not int or not 0 <= number < len(blocks) or outcome.keys() != _FIELDS:
            raise ValueError(line)
        if not (
            [(game["deal"], game["course"], game["players"]) for game in games] == self._dealt(blocks[number])
            and all(_is_played(game) for game in games)
            and outcome["decisions"].keys() == set(names)
            and all(map(_is_count, outcome["decisions"].values()))
            and outcome["faults"].keys() <= set(names)
            and all(_is_count(count) for faults in outcome["faults"].values() for count in faults.values())
        ):
            raise ValueError(line)
        return outcome

    def _dealt(self, block: DealBlock) -> list[tuple[int, str, list[str]]]:
        """Return the number, course and players by seat of every game of a block."""
        names, courses = self.arguments["players"], self.arguments["courses"]
        return [
            (number, courses[deal.course]["id"], [names[player] for player in seats])
            for number, deal in enumerate(block.deals, start=block.first)
            for seats in deal.rotations()
        ]

    def add(self, outcome: Outcome) -> None:
        """Write a finished block; it is on disk when this returns. Raises TournamentError if it cannot be written."""
        self.append(outcome)
        with writing(self.path, self.error):
            self._forget(outcome["block"])

    def _forget(self, block: int) -> None:
        (self.folder / f"block-{block}.npz").unlink(missing_ok=True)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_played(game: Mapping[str, Any]) -> bool:
    """Tell whether the outcome of a game is possible."""
    seats, places, winners = len(game["players"]), game["places"], game["winners"]
    return (
        len(places) == seats
        and all(type(place) is int and 1 <= place <= seats for place in places)
        and all(type(seat) is int and 0 <= seat < seats for seat in winners)
        and _is_count(game["turns"])
        and type(game["over"]) is bool
    )
