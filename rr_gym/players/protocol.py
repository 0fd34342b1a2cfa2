"""The base class of players, and what they see: the view of a seat, never the game's record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.errors import short_repr
from rr_gym.player_calls import FailedPlayerError, TableFacts, checked_orders, failures_of, place_of, reset_player
from rr_gym.players.kept_games import KeptGame
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.hidden import redeal
from rr_gym.rules.state.chance import mix, next_word
from rr_gym.rules.state.records import FULL_ORDERS, GAME, GameRecord, OrdersRecord, Robot, no_orders, take_games
from rr_gym.salt import salted_seed

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class SeatView:
    """What one seat knows of a game between the deal and the orders.

    Attributes:
        arena: The courses, their tables and settings, all public.
        record: A `GAME` record: everything public, and the seat's own hand. The cards that the seat cannot see are
            redealt at random, identically for identical knowledge; nothing can be learnt from them.
        seat: The seat, from 0.
    """

    arena: Arena
    record: GameRecord
    seat: int

    @classmethod
    def of(cls, arena: Arena, game: GameRecord, seat: int) -> SeatView:
        """Return the view of `seat` on a game (one `GAME` record), which is copied.

        Raises:
            RoboRallyError: The game has no such seat, or a number out of its range.
        """
        copied = batch_of_one(game)
        arena.check(copied)
        shown: GameRecord = redeal(copied, seat, 0)[0]
        # The game's index in its batch is public, and decisions depend on it.
        shown.index, shown.episode = game.index, game.episode
        return cls(arena, shown, seat)

    @property
    def robot(self) -> Robot:
        """Return the seat's own robot."""
        return self.record.robots[self.seat]

    @property
    def table(self) -> Any:
        """Return the compiled course of this game with its settings (a `TABLE` record)."""
        return self.arena.tables[self.record.course]

    def determinize(self, seed: int) -> GameRecord:
        """Return a game to search on: one of those that the seat cannot tell from the true one.

        Args:
            seed: Determines how the hidden cards, and all later draws, are dealt.
        """
        redealt: GameRecord = redeal(batch_of_one(self.record), self.seat, seed)[0]
        return redealt


def batch_of_one(game: GameRecord) -> Array:
    """Copy a game into a batch of shape (1,), as one block of memory, which is much faster than field by field."""
    record: Any = game
    return np.frombuffer(bytearray(record.tobytes()), GAME) if record.dtype == GAME else np.array([record], GAME)


class Player(ABC):
    """The base class of players, which give the orders of a seat.

    A decision depends only on the view and the seed, not on earlier decisions, so that one player can serve many games
    and seats at once. Players that remember more override `reset`.

    Attributes:
        name: The name in reports.
        seed: The seed of the player's own randomness.
        reproducible: Whether it decides the same on any machine; False if decisions depend on time.
        faults: How often its orders could not be used and default orders were played instead, by kind of fault.
        decisions: How many orders it was asked for, if it counts them.
        reports: The latest faults, in words.
        outside: Whether its code is not part of this package.
        digest: The SHA-256 of its files, if it is a submission; its `name` is that of its manifest then.
        sandbox: The kind of sandbox that its program runs in (docs/arena.md); empty if it runs in this process.
        watches: Whether `meet` and `watch` are to be called.
    """

    name: str = "player"
    seed: int = 0
    reproducible: bool = True
    faults: Mapping[str, int] = MappingProxyType({})
    decisions: int = 0
    reports: Sequence[str] = ()
    digest: str = ""
    sandbox: str = ""
    watches: bool = False

    def close(self) -> None:  # noqa: B027  (most players hold no resources)
        """Release resources, such as a process. It may be called twice, and the player may be used again."""

    def reset(self, seed: int = 0) -> None:
        """Start over with this seed."""
        self.seed = int(seed) % 2**64

    def meet(self, games: Array, seat: int, facts: TableFacts) -> None:  # noqa: B027  (few players watch)
        """Hear of games that begin, and who sits at the table.

        Args:
            games: Shape (n,), dtype `GAME`.
            seat: The seat of this player.
            facts: What is known of the table, the same in all games.
        """

    def watch(self, arena: Arena, games: Array, seat: int, logs: Array, over: Array) -> Array:
        """Hear what happened in a turn of games in which this player has a seat.

        Args:
            arena: The arena of the games.
            games: Shape (n,), dtype `GAME`, after the turn.
            seat: The seat of this player.
            logs: Shape (n,), dtype `LOG`: the events of the turn, also those that the seat cannot know
                (`rr_gym.render.seen_events`).
            over: Shape (n,), bool: whether the game is over or truncated.

        Returns:
            Shape (n,), bool: whether the player has forfeited the game.
        """
        return np.zeros(len(games), np.bool_)

    def put_aside(self, game: GameRecord, seat: int) -> KeptGame | None:
        """Return what this player has to remember of a game that is interrupted before a turn, if anything."""
        return None

    def take_up(self, game: GameRecord, seat: int, kept: KeptGame) -> None:  # noqa: B027  (few players remember)
        """Remember a game that goes on: `kept` is what `put_aside` has returned. `meet` was called before."""

    @property
    def outside(self) -> bool:
        """Tell whether the player's code is not part of this package; its games are then played with a salt (U39)."""
        return not type(self).__module__.startswith("rr_gym.")

    @abstractmethod
    def orders(self, view: SeatView) -> OrdersRecord:
        """Return the orders for one turn as a `FULL_ORDERS` record, such as `no_orders(1, full=True)[0]` filled in."""

    def act(self, arena: Arena, games: Array, seat: int) -> Array:
        """Return the orders of one seat in every game of a batch.

        Args:
            arena: The arena of the games.
            games: Shape (n,), dtype `GAME`; not modified. For external players they do not contain the generator.
            seat: The seat, from 0, the same in all games.

        Returns:
            Shape (n,), dtype `FULL_ORDERS`: the result of `orders` for each game.

        Raises:
            FailedPlayerError: `orders` raises an error, or returns something else.
        """
        orders = no_orders(len(games), full=True)
        for i in range(len(games)):
            where = partial(place_of, games[i : i + 1], [seat])
            with failures_of(self.name, where):
                order: Any = self.orders(SeatView.of(arena, games[i], seat))
            if np.ndim(order) or getattr(order, "dtype", None) != FULL_ORDERS:
                raise FailedPlayerError(
                    f"player {self.name!r}: {where()}: orders: {short_repr(order)}: expected one record, such as "
                    f"no_orders(1, full=True)[0] filled in"
                )
            orders[i] = order
        return orders

    def act_seats(self, arena: Arena, games: Array, seats: Array) -> Array:
        """Return the orders of one seat in every game of a batch, where the seat may differ from game to game.

        Args:
            arena: The arena of the games.
            games: As for `act`.
            seats: int, (n,): the seat in each game.

        Returns:
            Shape (n,), dtype `FULL_ORDERS`.

        Raises:
            FailedPlayerError: `act` returns something else than orders.
        """
        orders = no_orders(len(games), full=True)
        for seat in np.unique(seats):
            rows = np.flatnonzero(seats == seat)
            some = take_games(games, rows)
            given = self.act(arena, some, int(seat))
            orders[rows] = checked_orders(self, given, len(rows), partial(place_of, some, [int(seat)]))
        return orders


class BatchPlayer(Player):
    """A player that decides for whole batches; one game is a batch of one."""

    def orders(self, view: SeatView) -> OrdersRecord:
        """Return the orders for one turn, see `Player.orders`."""
        order: OrdersRecord = self.act(view.arena, batch_of_one(view.record), view.seat)[0]
        return order

    @abstractmethod
    def act(self, arena: Arena, games: Array, seat: int) -> Array:
        """Return the orders of one seat in every game of a batch, see `Player.act`."""


def reset_players(players: Iterable[Player], seed: int, salt: int = 0) -> None:
    """Give every player its own seed, derived from its index among the distinct players.

    Args:
        players: All at the table; one with several seats may occur several times.
        seed: 0 to 2**64 - 1.
        salt: The salt of the games; if it is not 0, no player can know another's seed.
    """
    for place, player in enumerate({id(player): player for player in players}.values()):
        if salt:
            reset_player(player, salted_seed(salt, seed, place))
        else:
            reset_player(player, int(np.random.SeedSequence([seed, place]).generate_state(1, np.uint64)[0]))


@kernel
def decision_word(game: GameRecord, seat: int, seed: np.uint64) -> np.uint64:
    """Return 64 random bits for one decision, determined by seed, seat, turn, and the game's index in its batch."""
    word = mix(next_word(np.uint64(seed)))
    word = mix(word ^ (np.uint64(game.index) << np.uint64(32) | np.uint64(game.episode)))
    return mix(word ^ (np.uint64(game.turn) << np.uint64(8) | np.uint64(seat)))


def chooses(game: GameRecord, seat: int) -> bool:
    """Tell whether a robot has a program to choose in a turn: it is on the board and awake, and the game goes on."""
    robot = game.robots[seat]
    return bool(robot.alive and not robot.down and not game.over)
