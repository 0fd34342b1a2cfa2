"""Play a match: one deal in all rotations of its line-up, with a replay of every game and transcripts of programs."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.arena.errors import LadderError
from rr_gym.arena.lines import MatchGame
from rr_gym.arena.log import utc_now
from rr_gym.bots import BotError, BotPlayer, BuildError, Manifest, digest_of
from rr_gym.bots.archive import unpack
from rr_gym.courses import Course
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.block_worker import StoppedError
from rr_gym.evaluation.processes import ProgressCallback
from rr_gym.player_calls import close_players, make_named_player
from rr_gym.players import Player
from rr_gym.players.forfeits import places_after, won_after
from rr_gym.players.protocol import reset_players
from rr_gym.players.transcript import Transcript
from rr_gym.race import RecordedGame
from rr_gym.registry import make_player
from rr_gym.replay import Replay
from rr_gym.rules.arena.arena import Arena
from rr_gym.runner import Seats, play_out

SCORED = "places"  # the objective that bots are told: ratings are fitted to places
ARENAS = 8  # kept per process, since players cache much about their courses


@dataclass(frozen=True, slots=True)
class Source:
    """Where a player comes from.

    Attributes:
        entry: The name of the entry.
        digest: The SHA-256 of the archive of a submission; empty for a player of this package.
        folder: The folder of a submission on this machine; None if its archive is sent instead.
        archive: The archive of a submission; empty if it is read from its folder.
    """

    entry: str
    digest: str = ""
    folder: Path | None = None
    archive: bytes = b""


@dataclass(frozen=True, slots=True)
class MatchTask:
    """Everything that a match depends on.

    Attributes:
        match: The number of the match.
        course: The course.
        settings: The settings of the games.
        lineup: The entries in the order of their seats in the first game.
        seed: The seed of the deal and of the players.
        salt: The salt of the deal.
        max_cycles: The number of turns after which a game is truncated.
    """

    match: int
    course: Course
    settings: Mapping[str, Any]
    lineup: tuple[str, ...]
    seed: int
    salt: int
    max_cycles: int


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """The result of a match, or the reason why it could not be played.

    Attributes:
        begun: When the match began, in UTC.
        games: The outcomes of the games.
        decisions: The number of decisions requested, by entry.
        faults: The number of decisions lost, by entry and kind of fault.
        seconds: The total thinking time, by entry.
        sandboxes: The kind of sandbox, by submission.
        files: The contents of the files to write, by name.
        failure: Why the match could not be played; empty if it was.
        culprit: The entry that prevented it.
    """

    begun: str
    games: tuple[MatchGame, ...] = ()
    decisions: Mapping[str, int] = field(default_factory=dict)
    faults: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    sandboxes: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    failure: str = ""
    culprit: str = ""


@dataclass(slots=True)
class MatchWorkerFactory:
    """Makes a worker in another process, to which this object is sent.

    Attributes:
        sources: The sources of players, by entry.
        seconds: How long a submission may take per decision.
        sandbox: The kind of sandbox for submissions; None for the strongest one available there.
    """

    sources: dict[str, Source]
    seconds: float
    sandbox: str | None

    def __call__(self) -> LadderMatchWorker:
        """Make the worker."""
        return LadderMatchWorker(self)


class _VoidMatchError(LadderError):
    """A match that cannot be played, here or elsewhere."""


class _PlayerUnavailableError(LadderError):
    """A submission that is itself to blame that it cannot play."""

    def __init__(self, entry: str, message: str) -> None:
        super().__init__(message)
        self.entry = entry


class LadderMatchWorker:
    """Plays matches one after another, and keeps the players of this package in between."""

    def __init__(self, factory: MatchWorkerFactory) -> None:
        self._factory = factory
        self._stack = ExitStack()
        self._builtins: dict[str, Player] = {}
        self._folders: dict[str, Path] = {}
        self._arenas: dict[str, Arena] = {}

    def __call__(self, task: MatchTask, pause: ProgressCallback) -> PlayedMatch | None:
        """Play a match. Returns None if it was stopped.

        Raises:
            RoboRallyError: This machine cannot play it, for example because its disk is full.
        """
        begun = utc_now()
        try:
            return self._play(task, begun, pause)
        except StoppedError:
            return None
        except _PlayerUnavailableError as error:
            return PlayedMatch(begun, failure=str(error), culprit=error.entry)
        except _VoidMatchError as error:
            return PlayedMatch(begun, failure=str(error))

    def close(self) -> None:
        """Close the players, and delete temporary files."""
        close_players(self._builtins.values())
        self._stack.close()

    def _player(self, name: str) -> Player:
        """Return the player of an entry, a new one if it is a submission.

        Raises:
            _PlayerUnavailableError: The files of a submission are missing or were changed, or its build step fails.
            LadderError: Something else went wrong. It may be the fault of this machine, so nobody may retire for it.
        """
        try:
            return self._build(self._factory.sources[name])
        except _PlayerUnavailableError:
            raise
        except BuildError as error:
            raise _PlayerUnavailableError(name, str(error)) from error
        except (RoboRallyError, OSError) as error:
            raise LadderError(f"{name}: {error}") from error

    def _build(self, source: Source) -> Player:
        """Make or reuse a player."""
        name = source.entry
        if not source.digest:
            self._builtins[name] = self._builtins.get(name) or make_named_player(make_player, name)
            return self._builtins[name]
        folder = source.folder or self._folders.get(name)
        if folder is None:
            home = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="rr-gym-arena-")))
            folder = self._folders[name] = unpack(source.archive, home / "bot")
        _check_files(source, folder)
        return BotPlayer(folder, self._factory.seconds, self._factory.sandbox)

    def _arena(self, task: MatchTask) -> Arena:
        key = json.dumps([task.course.to_yaml(), dict(task.settings)], sort_keys=True)
        arena = self._arenas.pop(key, None) or Arena(task.course, dict(task.settings))
        self._arenas[key] = arena
        while len(self._arenas) > ARENAS:
            del self._arenas[next(iter(self._arenas))]
        return arena

    def _play(self, task: MatchTask, begun: str, pause: ProgressCallback) -> PlayedMatch:
        def check_stop(_: int) -> None:
            if pause(0):
                raise StoppedError

        with _voiding(task.match):
            arena = self._arena(task)
        decisions: Counter[str] = Counter()
        faults: dict[str, Counter[str]] = {}
        seconds: dict[str, float] = dict.fromkeys(task.lineup, 0.0)
        sandboxes: dict[str, str] = {}
        games, files = [], {}
        for first in range(len(task.lineup)):
            names = task.lineup[first:] + task.lineup[:first]
            players = [self._player(name) for name in names]
            with _voiding(task.match):
                asked, replay, transcripts = play_game(arena, names, players, task, check_stop)
            sandboxes |= {name: player.sandbox for name, player in zip(names, players, strict=True) if player.sandbox}
            for place, name in enumerate(names):
                decisions[name] += asked.decisions[place]
                seconds[name] += asked.seconds[place]
                if asked.faults[place]:
                    faults.setdefault(name, Counter()).update(asked.faults[place])
            games.append(game_outcome(replay, np.flatnonzero(asked.forfeits[0]).tolist()))
            files[f"game-{first + 1}.json"] = replay.to_text().encode()
            for seat, transcript in transcripts.items():
                files[f"game-{first + 1}-seat-{seat}.jsonl"] = transcript.text().encode()
        return PlayedMatch(
            begun=begun,
            games=tuple(games),
            decisions=dict(decisions),
            faults={name: dict(kinds) for name, kinds in faults.items()},
            seconds={name: round(spent, 3) for name, spent in seconds.items()},
            sandboxes=sandboxes,
            files=files,
        )


def _check_files(source: Source, folder: Path) -> None:
    """Raise _PlayerUnavailableError unless a folder has the files of a submission; BotError if they are unreadable."""
    try:
        Manifest.load(folder)
        digest = digest_of(folder)
    except BotError as error:
        if _is_of_the_system(error):
            raise
        raise _PlayerUnavailableError(source.entry, str(error)) from error
    if digest != source.digest:
        raise _PlayerUnavailableError(source.entry, f"{folder}: its files have changed since {source.entry} entered")


@contextmanager
def _voiding(match: int) -> Iterator[None]:
    """Turn errors of a game into a _VoidMatchError, except those of the system, after which it can be played again."""
    try:
        yield
    except RoboRallyError as error:
        if _is_of_the_system(error):
            raise
        raise _VoidMatchError(str(error)) from error
    except OSError as error:
        raise LadderError(f"match {match}: cannot be played: {error}") from error


def _is_of_the_system(error: RoboRallyError) -> bool:
    """Tell whether an error reports one of the operating system, such as a full disk."""
    return isinstance(error.__cause__, OSError)


def play_game(
    arena: Arena, names: Sequence[str], players: Sequence[Player], task: MatchTask, after_turn: Callable[[int], None]
) -> tuple[Seats, Replay, dict[int, Transcript]]:
    """Play one game of a match. Programs are started afresh, so that they carry nothing over from another game.

    Args:
        arena: The course with its settings.
        names: The names of the players in the replay, by seat.
        players: The players by seat, all different. Programs are closed at the end.
        task: The match.
        after_turn: Called with the number of finished games after every turn.

    Returns:
        The seats with their counts of decisions and faults; the replay; and the transcripts of programs by seat.
    """
    transcripts: dict[int, Transcript] = {}
    for seat, player in enumerate(players):
        if isinstance(player, BotPlayer):
            player.transcript = transcripts[seat] = Transcript()
    game = RecordedGame(
        arena, arena.new_games(1, len(players), seed=task.seed, salt=task.salt), names, task.max_cycles
    )
    reset_players(players, task.seed, task.salt)
    # An eliminated robot gives no orders, so nobody is asked for them.
    seating = np.arange(len(players))[None]
    seats = Seats(game, players, seating, skip_eliminated=True, names=names, scored=SCORED)
    try:
        play_out(game, seats.ask, after_turn)
    finally:
        close_players([player for player in players if isinstance(player, BotPlayer)])
    return seats, game.replay(), transcripts


def game_outcome(replay: Replay, forfeits: Sequence[int]) -> MatchGame:
    """Return the outcome of a recorded game in which some seats forfeited."""
    seats = np.arange(len(replay.players))
    left = np.isin(seats, forfeits)[None]
    places = places_after(np.array([replay.placements]), left)[0]
    winners = np.flatnonzero(won_after(np.isin(seats, replay.winners)[None], left)[0])
    return MatchGame(
        replay.players, tuple(places.tolist()), tuple(winners.tolist()), len(replay.turns), replay.over,
        tuple(forfeits),
    )  # fmt: skip
