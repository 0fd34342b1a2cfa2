"""Where rotating rooms have carried what hung in them (R-E72): for lists that name places of unturned rooms."""

from __future__ import annotations

from typing import Any

from rr_gym.compilation.kernels import kernel, with_elements
from rr_gym.courses.tables.ground import HAS_ROOMS
from rr_gym.rules.floor.ground import base_row
from rr_gym.rules.state.records import Game
from rr_gym.rules.state.table import Table


@with_elements(base_row)
def place_now(game: Game, table: Table, square: int) -> int:
    """The place where what lay on `square` at the start is now."""
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
def base_direction_now(game: Game, table: Table, square: int, direction: int) -> int:
    """The direction itself: no room turns."""
    return direction


@with_elements(base_direction_now)
def direction_now(game: Game, table: Table, square: int, direction: int) -> int:
    """The direction that `direction` on `square` at the start has become."""
    room = table.ground[square].room
    return (direction + game.rooms[room]) & 3 if room >= 0 else direction


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
def base_comes_before(game: Game, table: Table, mounts: Any, one: int, other: int) -> bool:
    """Tables list mounts in the order in which they act."""
    return one < other


@with_elements(base_comes_before)
def comes_before(game: Game, table: Table, mounts: Any, one: int, other: int) -> bool:
    """The one of two mounts acts before the other."""
    if not table.course.features & HAS_ROOMS:
        return one < other
    return rank(game, table, mounts[one]) < rank(game, table, mounts[other])


@kernel
def base_next_in_rows(game: Game, table: Table, mounts: Any, number: int, last: int) -> int:
    """Tables list mounts in the order in which they act."""
    return last + 1


@with_elements(base_next_in_rows)
def next_in_rows(game: Game, table: Table, mounts: Any, number: int, last: int) -> int:
    """The mount that acts after mount `last` of a list, the first one after -1; tables list them as built."""
    if not table.course.features & HAS_ROOMS:
        return last + 1
    after = rank(game, table, mounts[last]) if last >= 0 else -1
    found, least = -1, 0
    for k in range(number):
        place = rank(game, table, mounts[k])
        if place > after and (found < 0 or place < least):
            found, least = k, place
    return found
