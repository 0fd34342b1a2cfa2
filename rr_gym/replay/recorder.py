"""Record games while they are played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.errors import ReplayError, list_of_names, printable, short_repr, whole_number
from rr_gym.render.pieces import changes_of, pieces_of
from rr_gym.render.tokens import tokens_of
from rr_gym.render.words import Event, events_of
from rr_gym.replay.recording import RecordedTurn
from rr_gym.replay.replay import Replay
from rr_gym.replay.rerun import on_layout, result_of
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import GAME, Log, orders_as
from rr_gym.salt import salt_of
from rr_gym.version import __version__

if TYPE_CHECKING:
    from rr_gym.game import Game

Array = np.ndarray[Any, Any]


class Recorder:
    """Records one game of a batch, turn by turn.

    Args:
        arena: The arena of the games.
        games: The batch, dtype `GAME`, before its first turn.
        row: The index of the recorded game in the batch.
        players: The names of players by seat; robots without a name are called "robot".

    Raises:
        ReplayError: The game has already been played for some turns, there are too many names, or another argument is
            malformed.

    Example:
        recorder = Recorder(arena, games)
        logs = new_log()
        while not games["over"][0]:
            arena.play(games, orders, logs=logs)
            recorder.add(orders, logs)
        recorder.replay(games).save("game.json")
    """

    def __init__(self, arena: Arena, games: Array, row: int = 0, players: Sequence[str] = ()) -> None:
        if not isinstance(arena, Arena):
            raise ReplayError(f"arena: {short_repr(arena)}: expected an Arena")
        if not isinstance(games, np.ndarray) or games.dtype != GAME or games.ndim != 1 or not len(games):
            found = f"{games.dtype.name} {games.shape}" if isinstance(games, np.ndarray) else short_repr(games)
            raise ReplayError(f"games: {found}: expected an array of dtype GAME and shape (n,)")
        row = whole_number("row", row, 0, len(games) - 1, ReplayError)
        names = list_of_names("players", players, ReplayError)
        game = games[row]
        if game["turn"] != 0 or game["over"]:
            state = f"it is in turn {int(game['turn']) + 1}"
            raise ReplayError(f"game {row}: {state}: expected a game before its first turn")
        num_robots = int(game["num_robots"])
        if len(names) > num_robots:
            raise ReplayError(f"players: {len(names)} names: expected at most {num_robots}, one per robot")
        self._arena = arena
        self._row = row
        self._course = int(game["course"])
        self._chance = (int(game["seed"]), salt_of(game), int(game["index"]), int(game["episode"]))
        self._players = (*map(printable, names), *["robot"] * (num_robots - len(names)))
        course = arena.courses[self._course]
        self._start, self._board = tuple(pieces_of(game, course)), changes_of(game, course)
        self._tokens = tokens_of(game, course, arena.settings[self._course].game)
        self._rooms = list(self._board.rooms)
        self._turns: list[RecordedTurn] = []

    def add(self, orders: Array, logs: Array) -> None:
        """Record a turn that has just been played.

        Args:
            orders: Shape (n, 8), dtype `ORDERS` or `FULL_ORDERS`: the orders of the whole batch.
            logs: Shape (n,), dtype `LOG`: the logs of the whole batch, as `Arena.play` filled them.

        Raises:
            ReplayError: The log was off or too small for the turn.
        """
        log = logs[self._row]
        if not log["on"] or log["full"]:
            raise ReplayError(f"turn {len(self._turns) + 1}: the log {'is full' if log['full'] else 'is off'}")
        given = orders_as(orders[self._row, : len(self._players)], full=True)
        self._turns.append(RecordedTurn(given.copy(), self._events(log)))

    def _events(self, log: Log) -> tuple[Event, ...]:
        return tuple(on_layout(events_of(log), self._arena.courses[self._course], self._rooms))

    @property
    def players(self) -> tuple[str, ...]:
        """Return the names of players by seat."""
        return self._players

    @property
    def last_events(self) -> tuple[Event, ...]:
        """Return the events of the last recorded turn; none before the first turn."""
        return self._turns[-1].events if self._turns else ()

    @classmethod
    def of(cls, game: Game, players: Sequence[str] = ()) -> Recorder:
        """Create a recorder of a `Game`, which must then be played with the recorder's `play`."""
        return cls(game.arena, game.games, players=players)

    def play(self, game: Game, orders: Mapping[int, Any] | None = None) -> list[Event]:
        """Play and record one turn of a `Game`; see `Game.play` for orders, events and errors."""
        records = game.resolve(orders)[None]  # only once: a player might answer differently when asked again
        game.arena.play(game.games, records, logs=game.logs)
        self.add(records, game.logs)
        return game.events

    @property
    def num_turns(self) -> int:
        """Return the number of recorded turns."""
        return len(self._turns)

    def replay(self, games: Array, *, reveal: bool = False) -> Replay:
        """Return what was recorded so far.

        As long as a game with a salt is not over, its replay contains neither salt nor seed, so that it does not reveal
        future deals. Such a replay cannot be played again.

        Args:
            games: The batch after the last recorded turn, or `game.games` of a `Game`, which contains the result.
            reveal: Whether to include salt and seed anyway, because the game was truncated or is to be resumed.
        """
        row = games[self._row : self._row + 1]
        seed, salt, index, episode = self._chance
        known = reveal or not salt or bool(row["over"][0])
        return Replay(
            course=self._arena.courses[self._course],
            settings=asdict(self._arena.settings[self._course]),
            seed=seed if known else None,
            salt=salt if known else 0,
            index=index,
            episode=episode,
            players=self._players,
            start=self._start,
            board=self._board,
            tokens=self._tokens,
            turns=tuple(self._turns),
            **result_of(self._arena, row),
            package=__version__,
        )
