"""One game for people and programs: readable hands and events, strictly checked orders, saving and loading."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from rr_gym.compilation.records import Array
from rr_gym.courses.course import Course
from rr_gym.encoding.observe.view import Square, View, hand_of, seats_of, square_of, view_of
from rr_gym.encoding.orders.legal_orders import resolve_orders
from rr_gym.encoding.orders.orders import OrderError, Orders
from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.file_records import check_records
from rr_gym.files import check_path, read_bytes, write_file
from rr_gym.json_text import loads
from rr_gym.player_calls import orders_from, tell_turn
from rr_gym.rules.arena.arena import Arena, arena_of
from rr_gym.rules.arena.hidden import SeatError, games_for
from rr_gym.rules.arena.hidden import determinize as determinize_games
from rr_gym.rules.state.records import GAME, STATE_VERSION, GameRecord, OrdersRecord, clone, new_log
from rr_gym.rules.state.settings import Settings
from rr_gym.version import __version__

if TYPE_CHECKING:
    from rr_gym.players.protocol import Player
    from rr_gym.render.words import Event

__all__ = ["Game", "OrderError", "Orders", "SavedGameError", "View", "determinize"]

LAYOUT = hashlib.sha256(repr(GAME.descr).encode()).hexdigest()[:16]
LAYOUTS = (LAYOUT, "613d84602efb0944")  # the second one differs only in the names of fields


class SavedGameError(RoboRallyError):
    """A file that is not a saved game or is of another version, or a file that cannot be written."""


class Game:
    """One game on one course.

    Args:
        course: The id of a built-in course, a path, or a `Course`.
        num_robots: The number of robots, 1 to 8.
        seed: The seed, 0 to 2**64 - 1, which together with the salt decides every deal and draw of the game.
        settings: Settings by name (docs/rules/settings.md).
        salt: 128 bits as a whole number or up to 32 hexadecimal digits; None for none. Without a salt, a player could
            find the seed by trying all seeds that lead to its first hand. `rr_gym.salt.draw_salt` draws a salt.

    Raises:
        RoboRallyError: There is no such course or setting, or the salt or the number of robots is wrong.
    """

    def __init__(
        self,
        course: str | Course = "risky_exchange",
        num_robots: int = 4,
        seed: int = 0,
        settings: Mapping[str, Any] | None = None,
        salt: int | str | None = None,
    ) -> None:
        self._arena = arena_of(course, settings)
        self._games = self._arena.new_games(1, num_robots, seed=seed, salt=salt)
        self._log = new_log()

    @property
    def arena(self) -> Arena:
        """Return the arena of the game: its compiled course with its settings."""
        return self._arena

    @property
    def games(self) -> np.ndarray[Any, Any]:
        """Return the live state as a batch of one, shape (1,), dtype `GAME`, including hidden cards; not a copy."""
        return self._games

    @property
    def record(self) -> GameRecord:
        """Return the live state as one record of dtype `GAME`. It is not a copy."""
        record: GameRecord = self._games[0]
        return record

    @property
    def course(self) -> Course:
        """Return the course of the game."""
        return self._arena.courses[0]

    @property
    def settings(self) -> Settings:
        """Return the settings of the game."""
        return self._arena.settings[0]

    @property
    def num_robots(self) -> int:
        """Return the number of seats with a robot, including eliminated robots."""
        return int(self.record["num_robots"])

    @property
    def turn(self) -> int:
        """Return the number of the turn that is ordered next; 0 is the first."""
        return int(self.record["turn"])

    @property
    def over(self) -> bool:
        """Tell whether the game has ended, so that no more turns can be played."""
        return bool(self.record["over"])

    @property
    def winners(self) -> tuple[int, ...]:
        """Return the seats that have won: several if they touched the last flag in the same phase (U31)."""
        return seats_of(int(self.record["winners"]))

    @property
    def placements(self) -> tuple[int, ...]:
        """Return the current place of every seat, 1 for the best; robots that tie share the better place (U32)."""
        return tuple(int(place) for place in self._arena.placements(self._games)[0, : self.num_robots])

    @property
    def hands(self) -> tuple[tuple[str, ...], ...]:
        """Return the cards of every seat by name, in descending priority."""
        return tuple(hand_of(self.record, seat) for seat in range(self.num_robots))

    def deal(self) -> tuple[tuple[str, ...], ...]:
        """Return the current hands, as `hands` does. It draws no cards: the start of the game and `play` deal them."""
        return self.hands

    @property
    def logs(self) -> np.ndarray[Any, Any]:
        """Return the log of the last turn as a batch of one: shape (1,), dtype `LOG`."""
        return self._log

    @property
    def events(self) -> list[Event]:
        """Return what happened in the last turn, in order, up to the deal of the next hands."""
        from rr_gym.render.words import events_of

        return events_of(self._log[0])

    def explain(self, event: Event, names: Sequence[str] | None = None) -> str:
        """Describe an event in words. Without names, one per robot, robots are called ``robot 0``, ``robot 1``, ..."""
        from rr_gym.render.words import explain

        if names and len(names) < self.num_robots:
            raise RoboRallyError(f"names: {short_repr(names)}: expected {self.num_robots} names, one per robot")
        return explain(event, names or [f"robot {i}" for i in range(self.num_robots)], self.course.size[0])

    def square(self, number: int) -> Square | None:
        """Return the (x, y) of a square's number, counted from the north-west corner; None for any other number."""
        width, height = self.course.size
        return square_of(number, width) if 0 <= number < width * height else None

    def play(self, orders: Mapping[int, Any] | None = None) -> list[Event]:
        """Play one turn and deal the next hands.

        Args:
            orders: The orders by seat, each as `Orders`, a mapping of their fields, a list of five cards, or a player
                that is asked for them. Missing orders have their defaults; open registers get random cards of the hand.

        Returns:
            The events of the turn.

        Raises:
            OrderError: The rules do not allow an order, or the game is over; nothing was played.
            FailedPlayerError: A player's code raised an error, or returned no orders; nothing was played.
        """
        records = self.resolve(orders)
        self._arena.play(self._games, records[None], logs=self._log)
        for seat, player in _players_in(orders).items():
            if getattr(player, "watches", False):
                over = np.array([self.over])
                tell_turn(player, self._arena, games_for(player, self._games), int(seat), self._log, over)
        return self.events

    def resolve(self, orders: Mapping[int, Any] | None = None) -> Array[OrdersRecord]:
        """Return the orders of a turn as `play` would give them to the rules, without playing it.

        Args:
            orders: The orders by seat, as for `play`.

        Returns:
            Shape (8,), dtype `FULL_ORDERS`.

        Raises:
            OrderError: As for `play`.
        """
        if self.over:
            raise OrderError("the game is over: expected no more orders")
        orders = {} if orders is None else orders
        players = _players_in(orders)
        if players:
            orders = {seat: o for seat, o in orders.items() if seat not in players}
        records = resolve_orders(orders, self.record, self.settings, self._arena.tables[0])
        for seat, player in players.items():
            self._check_seat(seat)
            records[seat] = orders_from(player, self._arena, self._games, int(seat))[0]
        return records

    def _check_seat(self, seat: int) -> None:
        """Raise SeatError if there is no such seat."""
        if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < self.num_robots:
            raise SeatError(f"seat: {short_repr(seat)}: expected 0 to {self.num_robots - 1}")

    def view(self, seat: int) -> View:
        """Return what a seat sees: everything public and its own hand. Raises SeatError if there is no such seat."""
        self._check_seat(seat)
        return view_of(self.record, int(seat), self.course)

    def clone(self) -> Game:
        """Return an exact copy, including hidden cards and the random generator.

        Players that search use copies from `rr_gym.determinize`, which reveal nothing hidden.
        """
        copy = Game.__new__(Game)
        copy._arena = self._arena
        copy._games = clone(self._games)
        copy._log = self._log.copy()
        return copy

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.clone()

    def save(self, path: str | os.PathLike[str] | None = None) -> bytes | Path:
        """Save the game with its course and settings, but without events.

        Args:
            path: The file, which is written atomically; missing folders are created. None to return the bytes instead.

        Returns:
            The path, or the bytes if no path is given.

        Raises:
            SavedGameError: The file cannot be written.
        """
        if path is not None:
            check_path("path", path, SavedGameError)
        state = self._games.tobytes()
        header = {
            "format": "rr_gym game",
            "version": __version__,
            "state_version": STATE_VERSION,
            "layout": LAYOUT,
            "digest": hashlib.sha256(state).hexdigest(),
            "course": self.course.to_yaml(),
            "settings": asdict(self.settings),
        }
        buffer = io.BytesIO()
        texts = np.frombuffer(json.dumps(header).encode(), np.uint8)
        np.savez(buffer, header=texts, state=np.frombuffer(state, np.uint8))
        data = buffer.getvalue()
        return data if path is None else write_file(path, data, SavedGameError)

    @classmethod
    def load(cls, source: bytes | str | os.PathLike[str]) -> Game:
        """Load a game that `save` wrote.

        Args:
            source: A path, or the bytes.

        Raises:
            SavedGameError: The file cannot be read, is damaged, is of another version, or holds a state that
                cannot occur; then the message names the field.
        """
        name = "saved game" if isinstance(source, bytes) else str(check_path("source", source, SavedGameError))
        data = source if isinstance(source, bytes) else read_bytes(source, SavedGameError)
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as saved:
                header = loads(saved["header"].tobytes(), f"{name}: header", SavedGameError)
                state = saved["state"].tobytes()
            _check_header(name, header, state)
            game = cls.__new__(cls)
            game._arena = Arena(Course.from_yaml(header["course"], filename=name), header["settings"])
        except RoboRallyError as error:
            raise error if isinstance(error, SavedGameError) else SavedGameError(f"{name}: {error}") from error
        except Exception as error:  # damaged archives raise errors of a dozen kinds
            expected = "expected a file that Game.save wrote"
            raise SavedGameError(f"{name}: no saved game, or a damaged one: {expected}") from error
        game._games = np.frombuffer(state, GAME).copy()
        check_records(game._games, game._arena, f"{name}: state", SavedGameError)
        game._log = new_log()
        return game

    def __repr__(self) -> str:
        state = f"over, won by {list(self.winners)}" if self.over else f"turn {self.turn}"
        return f"<Game on {self.course.id}: {self.num_robots} robots, {state}>"

    def _repr_html_(self) -> str:
        """Return the board as a picture in SVG, for notebooks."""
        from rr_gym.render import svg

        return str(svg(self.record, self.course))


def _players_in(orders: Any) -> dict[int, Player]:
    """Return the players among orders, by seat."""
    return {seat: o for seat, o in orders.items() if hasattr(o, "act")} if isinstance(orders, Mapping) else {}


@overload
def determinize(game: Game, seat: int, seed: int) -> Game: ...
@overload
def determinize(game: np.ndarray[Any, Any], seat: Any, seed: Any) -> np.ndarray[Any, Any]: ...
def determinize(game: Game | np.ndarray[Any, Any], seat: Any, seed: Any) -> Game | np.ndarray[Any, Any]:
    """Return a copy that the player of a seat may search: everything hidden from that seat is dealt again at random.

    Args:
        game: A `Game`, or games of shape (n,) and dtype `GAME`.
        seat: The seat whose view is kept; for a batch, one for all games or an array of shape (n,).
        seed: Any whole number; for a batch, one for all games (each draws differently) or an array of shape (n,).

    Returns:
        A new `Game`, or a new array; the given one is left as it was. See `rr_gym.rules.arena.hidden.determinize`.

    Raises:
        SeatError: There is no such seat, or `game` is not a game.
    """
    if not isinstance(game, Game):
        return determinize_games(game, seat, seed)
    copy = game.clone()
    copy.games[:] = determinize_games(game.games, seat, seed)
    return copy


def _check_header(name: str, header: Mapping[str, Any], state: bytes) -> None:
    """Raise SavedGameError unless the header is of this version and contains the digest of the state."""
    if header["format"] != "rr_gym game":
        raise SavedGameError(f"{name}: format: {short_repr(header['format'])}: expected 'rr_gym game'")
    if header["state_version"] != STATE_VERSION or header["layout"] not in LAYOUTS:
        found = f"{header['state_version']} ({header['layout']})"
        raise SavedGameError(f"{name}: state version: {found}: expected {STATE_VERSION} ({LAYOUT})")
    if len(state) != GAME.itemsize or hashlib.sha256(state).hexdigest() != header["digest"]:
        raise SavedGameError(f"{name}: state: {len(state)} bytes do not match their digest: expected an undamaged file")
