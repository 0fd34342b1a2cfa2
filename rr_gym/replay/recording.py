"""A recorded game: its input, its events, and its frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rr_gym.courses import Course
from rr_gym.courses.changes import Changes
from rr_gym.errors import ReplayError
from rr_gym.render.pieces import Piece
from rr_gym.render.tokens import Tokens
from rr_gym.render.words import Event
from rr_gym.replay.scene import Frame, Scene, frames
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.order_table import word_of
from rr_gym.rules.state.records import FULL_ORDERS, STATE_VERSION, no_orders
from rr_gym.salt import salt_text

FORMAT = "rr-gym replay"
FORMAT_VERSION = 3


def orders_to_json(orders: Any) -> dict[str, Any]:
    """Return orders, one element of dtype `FULL_ORDERS`, as plain values by name, without defaults."""
    default = no_orders(1, full=True)[0]
    return {
        word_of(name): orders[name].tolist()
        for name in FULL_ORDERS.names or ()
        if np.any(np.asarray(orders[name]) != np.asarray(default[name]))
    }


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One turn: the orders by seat, shape (num_robots,), dtype `FULL_ORDERS`, and the events."""

    orders: np.ndarray[Any, Any]
    events: tuple[Event, ...]

    def batch(self) -> np.ndarray[Any, Any]:
        """Return the orders as `Arena.play` takes them for one game: (1, 8), dtype `FULL_ORDERS`."""
        orders = no_orders(1, MAX_ROBOTS, full=True)
        orders[0, : len(self.orders)] = self.orders
        return orders


@dataclass(frozen=True)
class Recording:
    """A recorded game.

    Attributes:
        course: The course of the game.
        settings: All settings by name.
        seed: The seed of the game; None if the game had a salt and was not over.
        index: The game's index in its batch; with `salt`, `seed` and `episode` it determines all randomness (U39).
        episode: The number of earlier resets of that game.
        players: The names of players by seat.
        start: The robots before the first turn.
        board: How the board differed from the printed course before the first turn.
        tokens: Everything on the board besides robots before the first turn.
        turns: The turns.
        winners: The seats that have won.
        placements: The places by seat, 1 for the best.
        over: Whether the game was played to its end.
        salt: The salt of the game, 0 for none.
        package: The version of the package that recorded it.
    """

    course: Course
    settings: Mapping[str, Any]
    seed: int | None
    index: int
    episode: int
    players: tuple[str, ...]
    start: tuple[Piece, ...]
    board: Changes
    tokens: Tokens
    turns: tuple[RecordedTurn, ...]
    winners: tuple[int, ...]
    placements: tuple[int, ...]
    over: bool
    salt: int = 0
    package: str = field(default="", compare=False)

    @property
    def num_robots(self) -> int:
        """Return the number of robots that take part."""
        return len(self.players)

    def known_seed(self) -> int:
        """Return the seed. Raises ReplayError if it was left out."""
        if self.seed is None:
            raise ReplayError("seed: none: it was written before the game was over, and cannot be played again")
        return self.seed

    def events(self) -> Iterator[Event]:
        """Return all events in order."""
        for turn in self.turns:
            yield from turn.events

    @cached_property
    def frames(self) -> list[Frame]:
        """Return the frames of the game, built from the starting position and the events alone."""
        return frames(self._scene(self.start, self.board, self.tokens), self.events())

    @property
    def last(self) -> tuple[Piece, ...]:
        """Return the robots at the end."""
        return tuple(self.frames[-1].pieces) if self.frames else self.start

    def state_of(self, seat: int) -> str:
        """Return the state of a robot: ``winner``, ``out``, ``destroyed``, ``racing`` or ``on the board``.

        A robot that still plays is ``racing`` while the game goes on, and ``on the board`` after its end.
        """
        piece = self.last[seat]
        if seat in self.winners:
            return "winner"
        if piece.out:
            return "out"
        return ("on the board" if self.over else "racing") if piece.alive else "destroyed"

    def _scene(self, pieces: Sequence[Piece], changes: Changes, tokens: Tokens) -> Scene:
        return Scene(pieces, self.settings, self.course, changes, tokens)

    def frames_of(self, from_turn: int = 1, to_turn: int | None = None) -> list[Frame]:
        """Return the frames of some turns, counted from 1; a `to_turn` of None means the last turn."""
        return [f for f in self.frames if from_turn <= f.turn + 1 <= (to_turn or f.turn + 1)]

    def before_turn(self, turn: int) -> Scene:
        """Return the robots and the board before a turn, counted from 1."""
        earlier = [frame for frame in self.frames if frame.turn + 1 < turn]
        last = (earlier[-1].pieces, earlier[-1].changes, earlier[-1].tokens) if earlier else None
        scene = self._scene(*(last or (self.start, self.board, self.tokens)))
        scene.clear_orders()
        return scene

    def check_turns(self, from_turn: int, to_turn: int | None) -> None:
        """Raise ReplayError if these turns, counted from 1, are not in this replay."""
        last = len(self.turns)
        if not 1 <= from_turn <= max(1, last):
            raise ReplayError(f"from turn {from_turn}: expected 1 to {max(1, last)}")
        if to_turn is not None and to_turn < from_turn:
            raise ReplayError(f"to turn {to_turn}: expected {from_turn} or more")

    def to_json(self) -> dict[str, Any]:
        """Return the contents of the file, as docs/replay.md describes them."""
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "rules": {"package": self.package, "state": STATE_VERSION},
            "course": self.course.to_yaml(),
            "settings": dict(self.settings),
            "seed": self.seed,
            **({"salt": salt_text(self.salt)} if self.salt else {}),
            "index": self.index,
            "episode": self.episode,
            "players": list(self.players),
            "start": [asdict(piece) for piece in self.start],
            "board": asdict(self.board),
            "tokens": without_devices(self.tokens),
            "turns": [
                {"orders": [orders_to_json(o) for o in turn.orders], "events": [list(e) for e in turn.events]}
                for turn in self.turns
            ],
            "result": {"over": self.over, "winners": list(self.winners), "placements": list(self.placements)},
        }


def without_devices(tokens: Tokens) -> dict[str, Any]:
    """Return tokens as plain values without devices, since there are none before the first turn."""
    return {name: value for name, value in asdict(tokens).items() if name != "devices"}
