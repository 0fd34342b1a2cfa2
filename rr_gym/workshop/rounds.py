"""A round of games of a bot: each is recorded, and those that it does not win are kept to look at."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.bots import BotPlayer
from rr_gym.evaluation.game_pages import GamePage, write_game
from rr_gym.evaluation.statistics.intervals import bounded_stat
from rr_gym.files import write_file
from rr_gym.players import Player
from rr_gym.players.notes import MAX_FAULTS, PlayerNotes, loss_lines
from rr_gym.players.transcript import ERRORS, Transcript
from rr_gym.race import RaceConfig, race
from rr_gym.replay import Replay

TRANSCRIPT, STDERR = ".transcript.jsonl", ".stderr.txt"  # the endings of files beside a replay
_KEPT = re.compile(rf"game-\d+(\.json|\.html|{re.escape(TRANSCRIPT)}|{re.escape(STDERR)})")


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """The games of a round. Their deals depend on this alone, so that rounds can be compared.

    Attributes:
        against: The names of the other players.
        games: The number of games; the bot takes the seats in turn, with the same deal in each.
        course: The id of a course or the path of a course file.
        settings: Settings of the games by name.
        seed: The seed of the first deal; the next ones have the next numbers.
        max_cycles: Turns after which a game is truncated.
    """

    against: tuple[str, ...]
    games: int = 20
    course: str = "risky_exchange"
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    max_cycles: int = 100

    @property
    def seats(self) -> int:
        """Return the number of robots."""
        return len(self.against) + 1


@dataclass(frozen=True, slots=True)
class RoundGame:
    """A game of a round.

    Attributes:
        number: Counted from 1.
        seat: The bot's seat.
        won: The bot's share of the game; in a duel a game without a winner is half a game for both. What the bot has
            forfeited is lost.
        flags: The flags that the bot touched.
        finished: Whether it touched all of them.
        turns: The number of turns.
        page: Where it can be looked at; None for a game that the bot has won.
    """

    number: int
    seat: int
    won: float
    flags: int
    finished: bool
    turns: int
    page: GamePage | None

    @classmethod
    def of(cls, number: int, seat: int, replay: Replay, page: GamePage | None, forfeited: bool = False) -> RoundGame:
        """Return what a replay says about the bot in a seat, which may have forfeited the game (docs/protocol.md)."""
        undecided = 0.5 if replay.num_robots == 2 and not replay.winners else 0.0
        won = 1 / len(replay.winners) if seat in replay.winners else undecided
        flags = replay.last[seat].flag
        finished = flags == len(replay.course.flags) and not forfeited
        return cls(number, seat, 0.0 if forfeited else won, flags, finished, len(replay.turns), page)


@dataclass(frozen=True, slots=True)
class Round:
    """The games of a round that were played.

    Attributes:
        title: Who played against whom.
        num_flags: The number of flags of the course.
        seats: The number of robots.
        games: The games.
        losses: Lines about decisions that the bot lost.
    """

    title: str
    num_flags: int
    seats: int
    games: tuple[RoundGame, ...]
    losses: tuple[str, ...]

    @property
    def kept(self) -> list[RoundGame]:
        """Return the games that are kept to look at."""
        return [game for game in self.games if game.page]

    def text(self, before: Round | None = None) -> str:
        """Return the figures with 95 % intervals over deals, what has changed, and where the kept games are.

        Args:
            before: The round before with the same games.
        """
        if not self.games:
            return f"{self.title}: no game was played"
        won = bounded_stat(self._by_deal([game.won for game in self.games]))
        flags = bounded_stat(self._by_deal([game.flags for game in self.games]), 0, self.num_flags)
        finished = bounded_stat(self._by_deal([game.finished for game in self.games]))
        lines = [f"{self.title}: {len(self.games)} games", *self.losses]
        lines += [f"  won {won.percent}, flags {flags.words()} of {self.num_flags}, finished {finished.percent}"]
        lines += self._changes(before) if before else []
        for game in self.kept:
            assert game.page
            ended = "not won" if game.won else "lost"
            lines.append(f"  game {game.number}: {ended} after {game.turns} turns: {game.page.address}")
        return "\n".join(lines)

    def _by_deal(self, values: Sequence[float]) -> np.ndarray[Any, Any]:
        """Return the means over the games of each deal, the last of which may lack some."""
        starts = range(0, len(values), self.seats)
        return np.array([np.mean(values[first : first + self.seats]) for first in starts])

    def _changes(self, before: Round) -> list[str]:
        """Return which games went otherwise than in the round before."""
        pairs = list(zip(before.games, self.games, strict=False))
        better = [str(new.number) for old, new in pairs if new.won > old.won]
        worse = [str(new.number) for old, new in pairs if new.won < old.won]
        words = [f"better than before: {', '.join(better)}"] if better else []
        words += [f"worse: {', '.join(worse)}"] if worse else []
        return [f"  {'; '.join(words) or 'every game as before'}"]


def play_round(
    bot: BotPlayer, others: Sequence[Player], plan: RoundPlan, folder: Path, report: Callable[[int, int], None]
) -> Round:
    """Play a round, and keep the games that the bot does not win; those of the round before are removed.

    A kept game has four files: ``game-N.json``, a replay; its page with the ending ``.html``; everything that the bot
    heard and said (`rr_gym.players.transcript`), and its standard error. The bot is started for each game.

    Args:
        bot: The bot.
        others: The players that `plan` names.
        plan: The games.
        folder: The folder of kept games.
        report: Called with the number of games played and of all.

    Returns:
        The games. Ctrl-C ends the round after the games that are over.

    Raises:
        RoboRallyError: A course or setting does not exist, or a file cannot be written.
        FailedPlayerError: The code of another player raised an error.
    """
    notes = PlayerNotes([bot])
    games: list[RoundGame] = []
    num_flags = 0
    for old in folder.glob("game-*"):
        if _KEPT.fullmatch(old.name):
            old.unlink()
    try:
        for number in range(1, plan.games + 1):
            deal, seat = divmod(number - 1, plan.seats)
            transcript = bot.transcript = Transcript()
            left: list[int] = []
            replay = race(
                _config(bot, plan, deal, seat), players=_seated(bot, others, seat), salt=0, forfeited=left.append
            )
            num_flags = len(replay.course.flags)
            page = None
            if seat not in replay.winners or seat in left:
                path = folder / f"game-{number}.json"
                page = write_game(replay, path, seat)
                transcript.write(path.with_suffix(TRANSCRIPT))
                said = "".join(f"{line.line}\n" for line in transcript.lines if line.way == ERRORS)
                write_file(path.with_suffix(STDERR), said)
            games.append(RoundGame.of(number, seat, replay, page, seat in left))
            report(number, plan.games)
    except KeyboardInterrupt:
        pass  # the caller sees by the number of games that it was interrupted
    finally:
        bot.close()
        bot.transcript = None
    title = f"{bot.name} against {', '.join(plan.against)}" if plan.against else f"{bot.name} alone"
    return Round(title, num_flags, plan.seats, tuple(games), tuple(loss_lines(notes.losses(), MAX_FAULTS)))


def _seated(bot: Player, others: Sequence[Any], seat: int) -> list[Any]:
    return [*others[:seat], bot, *others[seat:]]


def _config(bot: BotPlayer, plan: RoundPlan, deal: int, seat: int) -> RaceConfig:
    names = [*plan.against[:seat], bot.name, *plan.against[seat:]]
    return RaceConfig(plan.course, tuple(names), plan.seed + deal, plan.max_cycles, dict(plan.settings))
