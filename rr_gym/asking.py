"""Calling players, whose code may be anybody's: what they raise and what they return is checked here."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.errors import MissingExtraError, RoboRallyError, shown
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.hidden import games_for
from rr_gym.rules.state.records import FULL_ORDERS, ORDERS, orders_as

if TYPE_CHECKING:
    from rr_gym.players.protocol import Player

Array = np.ndarray[Any, Any]

FAILED = "failed"  # the fault of a player that raised an error where the game went on without its orders
_log = logging.getLogger(__name__)
# What means the same whoever raises it: errors for users, and those of the whole process.
_NOT_ITS_OWN = (RoboRallyError, MissingExtraError, MemoryError)


class FailedPlayerError(RoboRallyError):
    """A player whose code raised an error, or gave something else than orders.

    The message names the player, the game, the seat and the turn. What the player raised is the `__cause__`.
    """


def name_of(player: Any) -> str:
    """The name of a player, or of its class where it has none."""
    return str(getattr(player, "name", type(player).__name__))


@contextmanager
def failures_of(name: str, what: str | Callable[[], str]) -> Iterator[None]:
    """Turn whatever the code of a player raises into a `FailedPlayerError`.

    Errors of this package, of memory and interrupts pass as they are; `SystemExit` does not, since a player must not
    end the process. Interrupts come to the main thread only: what calls itself so in another one is the player's own.

    Args:
        name: Of the player.
        what: What it was called for, in a few words, or what says so when it is needed.
    """
    try:
        yield
    except _NOT_ITS_OWN:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
            raise
        said = f": {error}" if str(error) else ""
        doing = what if isinstance(what, str) else what()
        raise FailedPlayerError(f"player {shown(name)}: {doing}: {type(error).__name__}{said}") from error


def orders_from(player: Player, arena: Arena, games: Array, seat: int) -> Array:
    """Ask a player for the orders of one seat in every game of a batch.

    Args:
        player: Who is asked. Players from outside are handed copies without the generator (`games_for`).
        arena: The arena of the games.
        games: Shape (n,), dtype `GAME`; not modified.
        seat: The seat, from 0, the same in all games.

    Returns:
        Shape (n,), dtype `FULL_ORDERS`.

    Raises:
        FailedPlayerError: It raised an error, or gave something else.
    """
    where = partial(place_of, games, [seat])
    with failures_of(name_of(player), where):
        given = player.act(arena, games_for(player, games), seat)
    return checked_orders(player, given, len(games), where)


def orders_from_seats(player: Player, arena: Arena, games: Array, seats: Array) -> Array:
    """Ask a player for the orders of one seat in every game, which may be another one in each.

    Args:
        player: As for `orders_from`, and so are the others.
        arena: The arena of the games.
        games: Shape (n,), dtype `GAME`.
        seats: Whole numbers, (n,): the seat in each game.
    """
    where = partial(place_of, games, seats)
    with failures_of(name_of(player), where):
        given = player.act_seats(arena, games_for(player, games), seats)
    return checked_orders(player, given, len(games), where)


def place_of(games: Array, seats: Iterable[int]) -> str:
    """The games, seats and turns that a player is asked about, in words; turns are counted from 1, as people do."""
    parts = []
    for name, numbers in (("game", games["index"]), ("seat", seats), ("turn", games["turn"] + 1)):
        found = sorted({int(number) for number in numbers})
        span = f" {found[0]}" if len(found) == 1 else f"s {found[0]} to {found[-1]}" if found else "s"
        parts.append(f"{name}{span}")
    return ", ".join(parts)


def checked_orders(player: Player, given: Any, count: int, where: Callable[[], str]) -> Array:
    """What a player gave, if these are orders for so many games.

    Args:
        player: Who gave it.
        given: What it gave.
        count: How many games it was asked about.
        where: Says which games these are, see `place_of`.

    Raises:
        FailedPlayerError: They are none.
    """
    if not isinstance(given, np.ndarray) or given.shape != (count,) or given.dtype not in (FULL_ORDERS, ORDERS):
        found = f"{_kind(given)} {given.shape}" if isinstance(given, np.ndarray) else shown(given)
        raise FailedPlayerError(
            f"player {shown(name_of(player))}: {where()}: orders: {found}: expected an array of shape ({count},) "
            "and dtype FULL_ORDERS"
        )
    return orders_as(given, True)


def _kind(array: Array) -> str:
    return "FULL_ORDERS" if array.dtype == FULL_ORDERS else shown(array.dtype)


def reset_player(player: Player, seed: int) -> None:
    """Let a player start over with a seed. Raises FailedPlayerError if its code does."""
    with failures_of(name_of(player), "reset"):
        player.reset(seed)


def close_players(players: Iterable[Player]) -> None:
    """Close players. One that raises an error keeps no other from being closed: its traceback is logged."""
    for player in players:
        try:
            player.close()
        except (Exception, SystemExit) as error:
            _log.error("player %s: close: %s", shown(name_of(player)), type(error).__name__, exc_info=error)


def make_by(make: Callable[[str], Player], name: str) -> Player:
    """Make a player by a function that takes its name. Raises FailedPlayerError if the function raises an error."""
    with failures_of(name, "cannot be made"):
        return make(name)


def traceback_of(error: BaseException | None) -> str:
    """The traceback of what the code of a player raised and so led to an error, also in another process; or nothing."""
    while error is not None:
        if isinstance(error, FailedPlayerError) and error.__cause__ is not None:
            return "".join(traceback.format_exception(error.__cause__)).rstrip()
        if notes := getattr(error, "__notes__", []):
            return "\n".join(notes)
        error = error.__cause__
    return ""
