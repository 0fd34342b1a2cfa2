"""One game of a person against players: asking them, playing, saving, resuming."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from rr_gym.encoding.observe.view import View
from rr_gym.encoding.orders.orders import OrderError, Orders
from rr_gym.errors import ReplayError, RoboRallyError
from rr_gym.game import Game
from rr_gym.players import Player, SeatView
from rr_gym.players.notes import PlayerNotes
from rr_gym.players.protocol import reset_players
from rr_gym.registry import make_player, open_player
from rr_gym.render.pieces import labels
from rr_gym.render.words import Event
from rr_gym.replay import Recorder, Replay
from rr_gym.rules.arena.hidden import games_for
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders
from rr_gym.salt import choose_salt, salt_of

PERSON = "human"  # the person's name in replays
OWN_ROBOT = "your robot"
Thinking = Callable[[str], AbstractContextManager[object]]


class Session:
    """A game with a person in one seat and players in all others.

    Args:
        game: Before its first turn.
        seat: Where the person sits.
        opponents: Of the other seats, in their order.
        seed: Of the opponents' own randomness, together with the game's salt.
        thinking: Entered with a player's name while it decides.

    Raises:
        RoboRallyError: The number of opponents or the seat does not fit the game.
    """

    def __init__(
        self,
        game: Game,
        seat: int,
        opponents: Sequence[Player],
        seed: int,
        thinking: Thinking = lambda name: nullcontext(),
    ) -> None:
        if game.num_robots != len(opponents) + 1:
            raise RoboRallyError(f"{len(opponents)} opponents: expected {game.num_robots - 1}, one for each other seat")
        if not 0 <= seat < game.num_robots:
            raise RoboRallyError(f"seat: {seat}: expected 0 to {game.num_robots - 1}")
        self.game, self.seat, self.opponents, self._thinking = game, seat, list(opponents), thinking
        self._seats = [i for i in range(game.num_robots) if i != seat]
        names = [player.name for player in opponents]
        names.insert(seat, PERSON)
        self.labels = labels(names)
        self.recorder = Recorder.of(game, players=names)
        self.events: list[Event] = []
        self.max_cycles: int | None = None  # turns after which the game is truncated
        self.notes = PlayerNotes(opponents)
        self._advisers: dict[str, Player] = {}
        reset_players(self.opponents, seed, salt_of(game.record))

    @classmethod
    def start(
        cls,
        course: str,
        against: Sequence[str],
        *,
        seat: int = 0,
        seed: int = 0,
        settings: Mapping[str, Any] | None = None,
        salt: int | str | None = None,
        thinking: Thinking = lambda name: nullcontext(),
    ) -> Session:
        """A new game.

        Args:
            course: The id of a built-in course or board, or a path.
            against: The names of the opponents, as the user typed them.
            seat: Where the person sits.
            seed: Of the game and of the opponents.
            settings: Settings by name.
            salt: 128 bits in addition to the seed, a whole number or up to 32 hexadecimal digits; 0 for none. None
                draws one if an opponent is external (`Player.outside`).
            thinking: Entered with a player's name while it decides.

        Raises:
            RoboRallyError: No such course, setting, seat or player.
        """
        if len(against) >= MAX_ROBOTS:
            raise RoboRallyError(f"against: {len(against)} players: expected at most {MAX_ROBOTS - 1}")
        opponents = [open_player(name) for name in against]
        game = Game(course, len(against) + 1, seed, settings, choose_salt(salt, opponents))
        return cls(game, seat, opponents, seed, thinking)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        against: Sequence[str] | None = None,
        *,
        seat: int | None = None,
        thinking: Thinking = lambda name: nullcontext(),
    ) -> Session:
        """Resume a game that `save` wrote, or any replay of an unfinished game, by playing its turns again.

        Args:
            path: The file.
            against: Other opponents, as the user typed them; None for those of the file.
            seat: Where the person sits; None for the seat in the file.
            thinking: Entered with a player's name while it decides.

        Raises:
            RoboRallyError: The file is not such a replay, its game is over, or its players cannot be created from
                their names alone.
        """
        replay = Replay.load(path)
        if replay.over:
            raise ReplayError(f"{path}: the game is over: expected an unfinished one")
        if replay.index or replay.episode:
            raise ReplayError(f"{path}: index {replay.index}, episode {replay.episode}: expected the game of a race")
        if seat is None and replay.players.count(PERSON) != 1:
            raise ReplayError(f"{path}: players: no seat named '{PERSON}': say which seat is yours")
        chosen = replay.players.index(PERSON) if seat is None else seat
        names = [name for i, name in enumerate(replay.players) if i != chosen] if against is None else against
        if replay.seed is None:
            raise ReplayError(f"{path}: seed: none: expected a game that was saved to be resumed")
        game = Game(replay.course, replay.num_robots, replay.seed, replay.settings, replay.salt)
        try:
            opponents = [make_player(name) if against is None else open_player(name) for name in names]
        except RoboRallyError as error:
            raise error if against is not None else ReplayError(f"{path}: {error}; name the opponents again") from None
        session = cls(game, chosen, opponents, replay.seed, thinking)
        session._catch_up(replay)
        return session

    def _catch_up(self, replay: Replay) -> None:
        """Play the turns of a replay again."""
        for turn in replay.turns:
            orders = no_orders(1, MAX_ROBOTS, full=True)
            orders[0, : replay.num_robots] = turn.orders
            self._play(orders)
        if self.replay().to_json()["turns"] != replay.to_json()["turns"]:
            replay.verify()  # names the first difference

    @property
    def over(self) -> bool:
        """Whether the game is over or truncated."""
        return self.game.over or (self.max_cycles is not None and self.game.turn >= self.max_cycles)

    @property
    def told(self) -> list[str]:
        """The names of robots in the story of a turn."""
        return [OWN_ROBOT if i == self.seat else label for i, label in enumerate(self.labels)]

    def view(self) -> View:
        """The person's view."""
        return self.game.view(self.seat)

    def sight(self) -> SeatView:
        """The same in the form that players get."""
        return SeatView.of(self.game.arena, self.game.record, self.seat)

    def check(self, orders: Mapping[str, Any]) -> None:
        """Raises OrderError, without the seat in its message, for illegal orders."""
        try:
            self.game.resolve({self.seat: orders})
        except OrderError as error:
            raise OrderError(str(error).removeprefix(f"seat {self.seat}: ")) from None

    def play(self, orders: Mapping[str, Any]) -> list[Event]:
        """Play a turn with the person's orders and those of the opponents.

        Returns:
            The events of the turn, including hidden ones.

        Raises:
            OrderError: The person's orders are illegal; nothing was played.
        """
        own = {} if self.view().own.out else {self.seat: orders}
        if own:
            self.check(orders)
        records = self.game.resolve(own)[None]
        for seat, player in zip(self._seats, self.opponents, strict=True):
            with self._thinking(self.labels[seat]):
                records[0, seat] = player.act(self.game.arena, games_for(player, self.game.games), seat)[0]
        return self._play(records)

    def _play(self, records: Any) -> list[Event]:
        self.game.arena.play(self.game.games, records, logs=self.game.logs)
        self.recorder.add(records, self.game.logs)
        self.events = self.game.events
        return self.events

    def advice(self, name: str) -> dict[str, Any]:
        """The legal orders of a player for the person's seat, from what that seat sees.

        Raises:
            RoboRallyError: There is no such player.
        """
        if name not in self._advisers:
            self._advisers[name] = open_player(name)
        adviser = self._advisers[name]
        with self._thinking(name):
            orders = Orders.from_record(adviser.orders(self.sight())).to_json()
        advised: dict[str, Any] = {}
        # Players may give more than strict orders allow, which the rules ignore. Some fields need each other.
        for fields in (orders, *({name: orders[name]} for name in orders)):
            try:
                self.check(advised | fields)
            except OrderError:
                continue
            advised |= fields
        return advised

    def replay(self) -> Replay:
        """The game so far."""
        return self.recorder.replay(self.game.games)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the game to a file, a replay, that `load` resumes. Raises ReplayError."""
        return self.recorder.replay(self.game.games, reveal=True).save(path)

    def close(self) -> None:
        """Release the resources of players."""
        for player in (*self.opponents, *self._advisers.values()):
            player.close()
