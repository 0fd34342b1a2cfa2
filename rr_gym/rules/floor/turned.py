"""Where rotating rooms have carried what hung in them (R-E72): for lists that name places of unturned rooms."""

from __future__ import annotations

from typing import Any

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_ROOMS
from rr_gym.rules.floor.ground import features_of
from rr_gym.rules.state.records import Game
from rr_gym.rules.state.table import Table


@kernel
def place_now(game: Game, table: Table, square: int) -> int:
    """The place where what lay on `square` at the start is now."""
    if features_of(table) & HAS_ROOMS:
        room = table.ground[square].room
        if room >= 0:
            for _ in range(game.rooms[room]):
                square = int(table.ground[square].room_next)
    return square


@kernel
def end_of_link(game: Game, table: Table, square: int, end: int) -> int:
    """Where a link from the place `square` to `end` leads now: links into another room do not turn with that room."""
    return place_now(game, table, end) if table.ground[end].room != table.ground[square].room else end


@kernel
def direction_now(game: Game, table: Table, square: int, direction: int) -> int:
    """The direction that `direction` on `square` at the start has become."""
    if features_of(table) & HAS_ROOMS:
        room = table.ground[square].room
        if room >= 0:
            return (direction + int(game.rooms[room])) & 3
    return direction


@kernel
def heading_of_link(game: Game, table: Table, square: int, end: int, heading: int) -> int:
    """The heading with which a link from the place `square` to `end` is left now."""
    if table.ground[end].room != table.ground[square].room:
        return int(direction_now(game, table, end, heading))
    return heading


@kernel
def turns_with_room(table: Table, square: int) -> bool:
    """What lies on the square turns with a rotating room; boards that turn carry nothing (R-G3.11)."""
    return 0 <= table.ground[square].room < table.extras.num_rooms


@kernel
def rank(game: Game, table: Table, mount: Any) -> int:
    """Where a mount of a line comes among others: row by row, on one square n, e, s, w of the side (U6, U50)."""
    side = int(direction_now(game, table, mount.square, mount.direction)) ^ 2
    return 4 * int(place_now(game, table, mount.square)) + side


@kernel
def comes_before(game: Game, table: Table, mounts: Any, one: int, other: int) -> bool:
    """The one of two mounts acts before the other."""
    if not features_of(table) & HAS_ROOMS:
        return one < other
    return rank(game, table, mounts[one]) < rank(game, table, mounts[other])


@kernel
def next_in_rows(game: Game, table: Table, mounts: Any, number: int, last: int) -> int:
    """The mount that acts after mount `last` of a list, the first one after -1; tables list them as built."""
    if not features_of(table) & HAS_ROOMS:
        return last + 1
    after = rank(game, table, mounts[last]) if last >= 0 else -1
    found, least = -1, 0
    for k in range(number):
        place = rank(game, table, mounts[k])
        if place > after and (found < 0 or place < least):
            found, least = k, place
    return found
