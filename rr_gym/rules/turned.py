"""Where rotating rooms have carried what hung in them (R-E72): for lists that name places of unturned rooms."""

from __future__ import annotations

from rr_gym.jit import element, kernel
from rr_gym.rules.ground import own_row
from rr_gym.rules.records import GameRecord, TableRecord


@element(own_row)
def place_now(game: GameRecord, table: TableRecord, square: int) -> int:
    """The place where what lay on `square` at the start is now."""
    room = table.ground[square].room
    if room >= 0:
        for _ in range(game.rooms[room]):
            square = int(table.ground[square].room_next)
    return square


@kernel
def end_of_link(game: GameRecord, table: TableRecord, square: int, end: int) -> int:
    """Where a link from the place `square` to `end` leads now: links into another room do not turn with that room."""
    return place_now(game, table, end) if table.ground[end].room != table.ground[square].room else end


@kernel
def unturned(game: GameRecord, table: TableRecord, square: int, direction: int) -> int:
    return direction


@element(unturned)
def direction_now(game: GameRecord, table: TableRecord, square: int, direction: int) -> int:
    """The direction that `direction` on `square` at the start has become."""
    room = table.ground[square].room
    return (direction + game.rooms[room]) & 3 if room >= 0 else direction


@kernel
def heading_of_link(game: GameRecord, table: TableRecord, square: int, end: int, heading: int) -> int:
    """The heading with which a link from the place `square` to `end` is left now."""
    if table.ground[end].room != table.ground[square].room:
        return int(direction_now(game, table, end, heading))
    return heading
