"""Calls to players, whose code may come from anyone: what they raise and what they return is checked here."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.errors import MissingExtraError, RoboRallyError, short_repr
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.hidden import games_for
from rr_gym.rules.state.records import FULL_ORDERS, ORDERS, orders_as

if TYPE_CHECKING:
    from rr_gym.players.protocol import Player

Array = np.ndarray[Any, Any]

FAILED = "failed"  # the fault in statistics: a player raised an error, and the game continued without its orders
_log = logging.getLogger(__name__)
# Errors that are never counted as the player's own: errors for users, and errors of the whole process.
_NOT_ITS_OWN = (RoboRallyError, MissingExtraError, MemoryError)


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What is known of a table before its first turn.

    Attributes:
        players: The name of the player in each seat; empty if that is not told.
        scored: What counts: `wins` or `places` (docs/protocol.md); empty if that is not told.
        max_cycles: Turns after which the game is truncated; None if it is not.
    """

    players: tuple[str, ...] = ()
    scored: str = ""
    max_cycles: int | None = None


class FailedPlayerError(RoboRallyError):
    """A player whose code raised an error, or returned something other than orders.

    The message names the player, the game, the seat and the turn. The error that the player raised is the `__cause__`.
    """


def name_of(player: Any) -> str:
    """Return the name of a player, or the name of its class if it has none."""
    return str(getattr(player, "name", type(player).__name__))


@contextmanager
def failures_of(name: str, what: str | Callable[[], str]) -> Iterator[None]:
    """Turn whatever the code of a player raises inside the context into a `FailedPlayerError`.

    Errors of this package, `MissingExtraError`, `MemoryError` and Ctrl-C in the main thread pass through unchanged.
    `SystemExit` is turned too, since a player must not end the process, and so is a `KeyboardInterrupt` in any other
    thread: Ctrl-C reaches only the main thread, so the player raised it itself.

    Args:
        name: The name of the player.
        what: What the player was called for, in a few words; or a function that returns these words, called only when
            there is an error to report.
    """
    try:
        yield
    except _NOT_ITS_OWN:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
            raise
        reason = f": {error}" if str(error) else ""
        doing = what if isinstance(what, str) else what()
        raise FailedPlayerError(f"player {short_repr(name)}: {doing}: {type(error).__name__}{reason}") from error


def orders_from(player: Player, arena: Arena, games: Array, seat: int) -> Array:
    """Ask a player for the orders of one seat in every game of a batch.

    Args:
        player: The player to ask. Players from outside are handed copies without the generator (`games_for`).
        arena: The arena of the games.
        games: Shape (n,), dtype `GAME`; not modified.
        seat: The seat, from 0, the same in all games.

    Returns:
        Shape (n,), dtype `FULL_ORDERS`.

    Raises:
        FailedPlayerError: The player raised an error, or returned something else.
    """
    where = partial(place_of, games, [seat])
    with failures_of(name_of(player), where):
        given = player.act(arena, games_for(player, games), seat)
    return checked_orders(player, given, len(games), where)


def orders_from_seats(player: Player, arena: Arena, games: Array, seats: Array) -> Array:
    """Ask a player for orders in every game of a batch, for a seat that may differ from game to game.

    Args:
        player: The player to ask. Players from outside are handed copies without the generator (`games_for`).
        arena: The arena of the games.
        games: Shape (n,), dtype `GAME`; not modified.
        seats: Shape (n,), whole numbers: the seat in each game.

    Returns:
        Shape (n,), dtype `FULL_ORDERS`.

    Raises:
        FailedPlayerError: The player raised an error, or returned something else.
    """
    where = partial(place_of, games, seats)
    with failures_of(name_of(player), where):
        given = player.act_seats(arena, games_for(player, games), seats)
    return checked_orders(player, given, len(games), where)


def tell_table(player: Player, games: Array, seat: int, facts: TableFacts) -> None:
    """Tell a player of games that begin (`Player.meet`). Raises FailedPlayerError if its code raises an error."""
    with failures_of(name_of(player), "meet"):
        player.meet(games, seat, facts)


def tell_turn(player: Player, arena: Arena, games: Array, seat: int, logs: Array, over: Array) -> Array:
    """Tell a player what happened in a turn (`Player.watch`), and return which games it has forfeited: bool, (n,).

    Raises:
        FailedPlayerError: The player raised an error, or returned something else.
    """
    with failures_of(name_of(player), "watch"):
        forfeited = player.watch(arena, games, seat, logs, over)
    if not isinstance(forfeited, np.ndarray) or forfeited.shape != (len(games),) or forfeited.dtype != np.bool_:
        expected = f"expected an array of shape ({len(games)},) and dtype bool"
        raise FailedPlayerError(f"player {short_repr(name_of(player))}: watch: {short_repr(forfeited)}: {expected}")
    return forfeited


def place_of(games: Array, seats: Iterable[int]) -> str:
    """Describe the games, seats and turns that a player is asked about, such as ``game 3, seat 0, turns 1 to 4``."""
    parts = []
    for name, numbers in (("game", games["index"]), ("seat", seats), ("turn", games["turn"] + 1)):
        found = sorted({int(number) for number in numbers})
        span = f" {found[0]}" if len(found) == 1 else f"s {found[0]} to {found[-1]}" if found else "s"
        parts.append(f"{name}{span}")
    return ", ".join(parts)


def checked_orders(player: Player, given: Any, count: int, where: Callable[[], str]) -> Array:
    """Return the value that a player returned, converted to `FULL_ORDERS`, after checking that it holds orders.

    Args:
        player: The player.
        given: The value that it returned.
        count: The number of games it was asked about.
        where: Returns in words which games these are; see `place_of`.

    Returns:
        Shape (count,), dtype `FULL_ORDERS`.

    Raises:
        FailedPlayerError: The value is not an array of this shape and of dtype `FULL_ORDERS` or `ORDERS`.
    """
    if not isinstance(given, np.ndarray) or given.shape != (count,) or given.dtype not in (FULL_ORDERS, ORDERS):
        found = f"{_kind(given)} {given.shape}" if isinstance(given, np.ndarray) else short_repr(given)
        raise FailedPlayerError(
            f"player {short_repr(name_of(player))}: {where()}: orders: {found}: expected an array of shape ({count},) "
            "and dtype FULL_ORDERS"
        )
    return orders_as(given, True)


def _kind(array: Array) -> str:
    return "FULL_ORDERS" if array.dtype == FULL_ORDERS else short_repr(array.dtype)


def reset_player(player: Player, seed: int) -> None:
    """Reset a player with a seed. Raises FailedPlayerError if its code raises an error."""
    with failures_of(name_of(player), "reset"):
        player.reset(seed)


def close_players(players: Iterable[Player]) -> None:
    """Close all players. An error in closing one is logged with its traceback and does not keep the others open."""
    for player in players:
        try:
            player.close()
        except (Exception, SystemExit) as error:
            _log.error("player %s: close: %s", short_repr(name_of(player)), type(error).__name__, exc_info=error)


def make_named_player(make: Callable[[str], Player], name: str) -> Player:
    """Create a player by calling `make` with its name. Raises FailedPlayerError if `make` raises an error."""
    with failures_of(name, "cannot be made"):
        return make(name)


def traceback_of(error: BaseException | None) -> str:
    """Return the traceback of the error in a player's code that caused `error`, or an empty string.

    For an error from another process, return the notes that were attached to it there.
    """
    while error is not None:
        if isinstance(error, FailedPlayerError) and error.__cause__ is not None:
            return "".join(traceback.format_exception(error.__cause__)).rstrip()
        if notes := getattr(error, "__notes__", []):
            return "\n".join(notes)
        error = error.__cause__
    return ""
