"""Games that an entry lost: which ones are shown, and their pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rr_gym.arena.errors import LadderError
from rr_gym.arena.folder import match_folder
from rr_gym.arena.lines import MatchGame, MatchLine
from rr_gym.arena.log import ArenaLog
from rr_gym.evaluation.game_pages import decisive_turn
from rr_gym.files import write_file
from rr_gym.replay import Replay, to_html

GAMES = "games"  # the folder of their pages


@dataclass(frozen=True, slots=True)
class LadderLoss:
    """A game that an entry did not win.

    Attributes:
        match: Its match.
        number: Its number in the match, from 1.
        seat: Where the entry sat.
        turn: The turn that cost it the game, from 1.
    """

    match: MatchLine
    number: int
    seat: int
    turn: int

    @property
    def game(self) -> MatchGame:
        """Return its outcome."""
        return self.match.games[self.number - 1]

    @property
    def forfeit(self) -> str:
        """Return who forfeited it, in words; empty if nobody did. Its page shows the result without forfeits."""
        names = [self.game.players[seat] for seat in self.game.forfeits]
        return f", forfeited by {' and '.join(names)}" if names else ""

    @property
    def page(self) -> str:
        """Return the address of its page, relative to the page of the ladder."""
        return f"{GAMES}/{_name(self.match, self.number)}.html#turn={self.turn}"


def latest_lost(log: ArenaLog, most: int) -> list[tuple[str, MatchLine, int]]:
    """Return games that entries lost, with their matches and numbers: of each entry one of each of its latest matches.

    Args:
        log: The log of the arena.
        most: How many games of an entry are returned at most.
    """
    found = []
    for entry in log.entries:
        lost = [
            (entry, match, number)
            for match in log.matches.values()
            if entry in match.lineup and (number := _first_lost(match, entry))
        ]
        found += lost[::-1][:most]
    return found


def _first_lost(match: MatchLine, entry: str) -> int:
    """Return the number of the first game of a match that an entry lost, from 1; 0 if it lost none."""
    return next(
        (
            number
            for number, game in enumerate(match.games, 1)
            if game.turns and game.players.index(entry) not in game.winners
        ),
        0,
    )


def write_lost_games(
    folder: Path, chosen: Sequence[tuple[str, MatchLine, int]], to: Path, report: Callable[[int], None]
) -> Mapping[str, Sequence[LadderLoss]]:
    """Write the pages of games, and return the games by entry.

    Args:
        folder: The folder of the arena.
        chosen: Of `latest_lost`.
        to: The folder of the pages.
        report: Called with the number of games done.

    Raises:
        LadderError: A page cannot be written.
        ReplayError: A replay cannot be read.
    """
    found: dict[str, list[LadderLoss]] = {}
    for done, (entry, match, number) in enumerate(chosen):
        report(done)
        seat = match.games[number - 1].players.index(entry)
        replay = Replay.load(match_folder(folder, match.match) / f"game-{number}.json")
        page = to / GAMES / f"{_name(match, number)}.html"
        if not page.exists():
            write_file(page, to_html(replay, hands=True), LadderError)
        found.setdefault(entry, []).append(LadderLoss(match, number, seat, decisive_turn(replay, seat)))
    return found


def _name(match: MatchLine, number: int) -> str:
    return f"{match.match:06}-{number}"
