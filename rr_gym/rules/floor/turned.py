"""The current places and directions of things in rotating rooms (R-E72).

Tables hold places and directions as they are before any room has turned; the functions here return the current ones.
"""

from __future__ import annotations

from typing import Any

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_ROOMS
from rr_gym.rules.floor.ground import features_of
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table


@kernel
def place_now(game: GameRecord, table: Table, square: int) -> int:
    """Return the current place of things that were on `square` at the start."""
    if features_of(table) & HAS_ROOMS:
        room = table.ground[square].room
        if room >= 0:
            for _ in range(game.rooms[room]):
                square = int(table.ground[square].room_next)
    return square


@kernel
def end_of_link(game: GameRecord, table: Table, square: int, end: int) -> int:
    """Return where a link from the place `square` to `end` currently leads.

    In the rows of turned rooms, links within the room are turned already. The end of a link into another room is
    computed here.
    """
    return place_now(game, table, end) if table.ground[end].room != table.ground[square].room else end


@kernel
def direction_now(game: GameRecord, table: Table, square: int, direction: int) -> int:
    """Return the current direction of something that had `direction` on `square` at the start."""
    if features_of(table) & HAS_ROOMS:
        room = table.ground[square].room
        if room >= 0:
            return (direction + int(game.rooms[room])) & 3
    return direction


@kernel
def heading_of_link(game: GameRecord, table: Table, square: int, end: int, heading: int) -> int:
    """Return the heading with which a robot leaves a link from the place `square` to `end` now."""
    if table.ground[end].room != table.ground[square].room:
        return int(direction_now(game, table, end, heading))
    return heading


@kernel
def turns_with_room(table: Table, square: int) -> bool:
    """Tell whether a rotating room turns the things on a square.

    Turning boards do not carry things along (R-G3.11).
    """
    return 0 <= table.ground[square].room < table.extras.num_rooms


@kernel
def rank(game: GameRecord, table: Table, mount: Any) -> int:
    """Return the rank of a mount in the order in which mounts act: row by row (U6, U50).

    Mounts on the same square act in the order n, e, s, w of their sides.
    """
    side = int(direction_now(game, table, mount.square, mount.direction)) ^ 2
    return 4 * int(place_now(game, table, mount.square)) + side


@kernel
def comes_before(game: GameRecord, table: Table, mounts: Any, one: int, other: int) -> bool:
    """Tell whether mount `one` acts before mount `other`."""
    if not features_of(table) & HAS_ROOMS:
        return one < other  # mutants: no mount lies opposite to itself
    return rank(game, table, mounts[one]) < rank(game, table, mounts[other])


@kernel
def next_in_rows(game: GameRecord, table: Table, mounts: Any, number: int, last: int) -> int:
    """Return the mount of a list that acts after mount `last`; after -1, the first one.

    The list is sorted for rooms that have not turned, so the order of action differs once a room has turned.
    """
    if not features_of(table) & HAS_ROOMS:
        return last + 1
    after = rank(game, table, mounts[last]) if last >= 0 else -1
    found, least = -1, 0
    for k in range(number):
        place = rank(game, table, mounts[k])
        if place > after and (found < 0 or place < least):
            found, least = k, place
    return found
