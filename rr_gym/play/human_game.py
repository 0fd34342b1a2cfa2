"""A game with people in some seats and players in all others: asking them, playing, saving, resuming."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Self

from rr_gym.encoding.observe.view import View
from rr_gym.encoding.orders.orders import OrderError, Orders
from rr_gym.errors import ReplayError, RoboRallyError
from rr_gym.files import write_file
from rr_gym.game import Game
from rr_gym.player_calls import close_players, failures_of, orders_from
from rr_gym.player_names import PERSON
from rr_gym.players import Player, SeatView
from rr_gym.players.notes import PlayerNotes
from rr_gym.players.protocol import reset_players
from rr_gym.registry import make_player, open_player
from rr_gym.render.pieces import brief_labels
from rr_gym.render.words import Event
from rr_gym.replay import Recorder, Replay
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import clone
from rr_gym.salt import choose_salt, salt_of

Thinking = Callable[[str], AbstractContextManager[object]]


def no_thinking(name: str) -> AbstractContextManager[None]:
    """Return a context that does nothing, for callers that need not know when a player thinks."""
    return nullcontext()


class HumanGame:
    """A game with people in some seats and players in all others.

    Args:
        game: The game, before its first turn.
        people: The seats of people.
        opponents: The players of the other seats, in their order.
        seed: The seed of the players' own randomness, together with the game's salt.
        thinking: Returns a context, given a player's name, that is held while that player decides.

    Attributes:
        failures: The errors of players that gave no orders for the last turn, by seat.

    Raises:
        RoboRallyError: The number of opponents or a seat does not fit the game.
    """

    def __init__(
        self,
        game: Game,
        people: Sequence[int],
        opponents: Sequence[Player],
        seed: int,
        thinking: Thinking = no_thinking,
    ) -> None:
        others = game.num_robots - len(people)
        if others != len(opponents):
            raise RoboRallyError(f"{len(opponents)} opponents: expected {others}, one for each other seat")
        for seat in people:
            if not 0 <= seat < game.num_robots or people.count(seat) > 1:
                raise RoboRallyError(f"seat: {seat}: expected 0 to {game.num_robots - 1}")
        self.game, self.people, self.opponents, self.thinking = game, tuple(people), list(opponents), thinking
        self._seats = [i for i in range(game.num_robots) if i not in people]
        names = dict.fromkeys(people, PERSON)
        names |= {seat: player.name for seat, player in zip(self._seats, opponents, strict=True)}
        self.labels = brief_labels([names[seat] for seat in range(game.num_robots)])
        self.recorder = Recorder.of(game, players=[names[seat] for seat in range(game.num_robots)])
        self.events: list[Event] = []
        self.failures: dict[int, RoboRallyError] = {}
        self.max_cycles: int | None = None  # turns after which the game is truncated
        self.notes = PlayerNotes(opponents)
        self._advisers: dict[tuple[int, str], Player] = {}
        reset_players(self.opponents, seed, salt_of(game.record))

    @classmethod
    def start(cls, course: str, against: Sequence[str], *, seat: int = 0, **options: Any) -> Self:
        """Start a new game of a person in a seat against the named ones in the other seats.

        Args:
            course: The id of a built-in course, or a path of a course or board.
            against: The names of the others, as the user typed them, or `PERSON` for another person.
            seat: The seat of the person.
            options: Those of `seated`.

        Raises:
            RoboRallyError: There is no such course, setting, seat or player.
        """
        if len(against) >= MAX_ROBOTS:
            raise RoboRallyError(f"against: {len(against)} players: expected at most {MAX_ROBOTS - 1}")
        return cls.seated(course, with_person(against, seat, len(against) + 1), **options)

    @classmethod
    def seated(
        cls,
        course: str,
        names: Sequence[str],
        *,
        seed: int = 0,
        settings: Mapping[str, Any] | None = None,
        salt: int | str | None = None,
        thinking: Thinking = no_thinking,
    ) -> Self:
        """Start a new game.

        Args:
            course: The id of a built-in course, or a path of a course or board.
            names: By seat, the name of a player as the user typed it, or `PERSON` for a person.
            seed: The seed of the game and of the players.
            settings: Settings by name.
            salt: 128 bits in addition to the seed, a whole number or up to 32 hexadecimal digits; 0 for none. None
                draws one if a player is external (`Player.outside`).
            thinking: Returns a context, given a player's name, that is held while that player decides.

        Raises:
            RoboRallyError: There is no such course, setting or player.
        """
        opponents = [open_player(name) for name in names if name != PERSON]
        game = Game(course, len(names), seed, settings, choose_salt(salt, opponents))
        return cls(game, seats_of_people(names), opponents, seed, thinking)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        against: Sequence[str] | None = None,
        *,
        seat: int | None = None,
        thinking: Thinking = no_thinking,
    ) -> Self:
        """Resume a game that `save` wrote, or any replay of an unfinished game, by playing its turns again.

        Args:
            path: The file.
            against: The names of the others, as the user typed them; None for those of the file.
            seat: The seat of the person, who replaces the player of that seat in the file; None for the first person's.
            thinking: Returns a context, given a player's name, that is held while that player decides.

        Raises:
            RoboRallyError: The file is not such a replay, its game is over, or its players cannot be created from
                their names alone.
        """
        replay = Replay.load(path)
        if replay.over:
            raise ReplayError(f"{path}: the game is over: expected an unfinished one")
        if replay.index or replay.episode:
            raise ReplayError(f"{path}: index {replay.index}, episode {replay.episode}: expected the game of a race")
        if replay.seed is None:
            raise ReplayError(f"{path}: seed: none: expected a game that was saved to be resumed")
        if seat is None and PERSON not in replay.players:
            raise ReplayError(f"{path}: players: no seat named '{PERSON}': say which seat is yours")
        own = replay.players.index(PERSON) if seat is None else seat
        others = [*replay.players[:own], *replay.players[own + 1 :]] if against is None else against
        names = with_person(others, own, replay.num_robots)
        make = make_player if against is None else open_player  # players that the user has named may run code of others
        try:
            opponents = [make(name) for name in names if name != PERSON]
        except RoboRallyError as error:
            if against is not None:
                raise
            raise ReplayError(f"{path}: {error}; name the opponents again") from None
        game = Game(replay.course, replay.num_robots, replay.seed, replay.settings, replay.salt)
        table = cls(game, seats_of_people(names), opponents, replay.seed, thinking)
        for turn in replay.turns:
            table._play(turn.batch())
        if table.replay().to_json()["turns"] != replay.to_json()["turns"]:
            replay.verify()  # names the first difference
        return table

    @property
    def over(self) -> bool:
        """Tell whether the game is over or truncated."""
        return self.game.over or (self.max_cycles is not None and self.game.turn >= self.max_cycles)

    def view_of(self, seat: int) -> View:
        """Return what the person in a seat sees."""
        return self.game.view(seat)

    def sight_of(self, seat: int) -> SeatView:
        """Return what the person in a seat sees, in the form that players get."""
        return SeatView.of(self.game.arena, self.game.record, seat)

    def check_orders(self, seat: int, orders: Mapping[str, Any]) -> bool:
        """Raise OrderError, without the seat in its message, if orders are illegal.

        Returns:
            Whether they name a card for every open register.
        """
        try:
            program = self.game.resolve({seat: orders})[seat].program
        except OrderError as error:
            raise OrderError(str(error).removeprefix(f"seat {seat}: ")) from None
        locked = int(self.game.record.robots[seat].locked)
        return all(card > 0 or locked >> r & 1 for r, card in enumerate(program))

    def play_turn(
        self, orders: Mapping[int, Mapping[str, Any]], late: Collection[int] = ()
    ) -> list[Event]:
        """Play a turn with the orders of people, by seat, and those of the players.

        A player that fails, or that cannot play such games, gets default orders, as a program that does not answer
        does, and the game goes on. Its error is then in `failures`.

        Args:
            orders: The orders of people by seat; missing ones have their defaults.
            late: The seats of people whose programs were not complete when the time was over (R-G4.2).

        Returns:
            The events of the turn, including hidden ones.

        Raises:
            OrderError: Orders of a person are illegal; nothing was played.
        """
        own = {seat: given for seat, given in orders.items() if not self.game.record.robots[seat].out}
        for seat, given in own.items():
            self.check_orders(seat, given)
        records = self.game.resolve(own)[None]
        records["late"][0, [*late]] = 1
        self.failures = {}
        for seat, player in zip(self._seats, self.opponents, strict=True):
            with self.thinking(self.labels[seat]):
                try:
                    records[0, seat] = orders_from(player, self.game.arena, self.game.games, seat)[0]
                except RoboRallyError as failure:
                    self.failures[seat] = failure
                    self.notes.lose(player, str(failure))
        return self._play(records)

    def _play(self, records: Any) -> list[Event]:
        before = clone(self.game.games)
        try:
            self.game.arena.play(self.game.games, records, logs=self.game.logs)
            self.recorder.add(records, self.game.logs)
        except BaseException:  # such as Ctrl-C: the game is never a turn ahead of its record
            self.game.games[:] = before
            raise
        self.events = self.game.events
        return self.events

    def advise(self, seat: int, name: str) -> dict[str, Any]:
        """Return the orders that a player would give in a person's seat from what it sees, as far as they are legal.

        Raises:
            RoboRallyError: There is no such player, or its code raised an error.
        """
        if (seat, name) not in self._advisers:
            self._advisers[seat, name] = open_player(name)
        adviser = self._advisers[seat, name]
        with self.thinking(name), failures_of(name, f"seat {seat}, turn {self.game.turn + 1}"):
            orders = Orders.from_record(adviser.orders(self.sight_of(seat))).to_json()
        advised: dict[str, Any] = {}
        # Players may give orders that a person may not and that the rules ignore. Some fields require each other.
        for fields in (orders, *({name: orders[name]} for name in orders)):
            try:
                self.check_orders(seat, advised | fields)
            except OrderError:
                continue
            advised |= fields
        return advised

    def replay(self) -> Replay:
        """Return the replay of the game so far."""
        return self.recorder.replay(self.game.games)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Save the game as a replay, from which it can be resumed. Raises ReplayError if the file cannot be written."""
        content = self.recorder.replay(self.game.games, reveal=True).to_text()
        return write_file(path, content, ReplayError, private=True)  # it has everybody's cards

    def close(self) -> None:
        """Release the resources of players."""
        close_players((*self.opponents, *self._advisers.values()))


def seats_of_people(names: Sequence[str]) -> list[int]:
    """Return the seats whose name is `PERSON`."""
    return [seat for seat, name in enumerate(names) if name == PERSON]


def with_person(others: Sequence[str], seat: int, seats: int) -> list[str]:
    """Return names by seat, with a person among the others. Raises RoboRallyError if there is no such seat."""
    if not 0 <= seat < seats:
        raise RoboRallyError(f"seat: {seat}: expected 0 to {seats - 1}")
    return [*others[:seat], PERSON, *others[seat:]]
