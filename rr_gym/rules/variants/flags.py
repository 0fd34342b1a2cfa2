"""Where flags are: printed on squares, moved by belts, or carried by robots (R-G2.7, R-G3.15)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.floor.ground import is_pit
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.floor.turned import place_now, turns_with_room
from rr_gym.rules.state.constants import BY_TRAPDOOR, CAPTURE, NOBODY
from rr_gym.rules.state.events import FLAG_MOVED, note_at
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table

NO_FLAG = 0


@kernel
def flag_on(game: Game, table: Table, square: int) -> int:
    """The number of the flag on a square now, 0 for none; of several that belts have carried there the highest."""
    found = NO_FLAG
    for k in range(table.course.num_flags):
        if game.flag_squares[k] == square and not is_carried(game, table, k + 1):
            found = k + 1
    return found


@kernel
def has_flag(game: Game, table: Table, square: int, flag: int) -> bool:
    """The flag of a number is on a square now."""
    return flag > 0 and game.flag_squares[flag - 1] == square and not is_carried(game, table, flag)


@kernel
def is_carried(game: Game, table: Table, flag: int) -> bool:
    """Capture the flag: a robot has the flag with it."""
    if table.settings.game == CAPTURE:
        for i in range(game.num_robots):
            if game.robots[i].carries == flag:
                return True
    return False


@kernel
def move_flag(game: Game, log: Log, flag: int, square: int) -> None:
    """The flag of a number is on another square from now on."""
    origin = int(game.flag_squares[flag - 1])
    if origin != square:
        game.flag_squares[flag - 1] = square
        note_at(game, log, FLAG_MOVED, NOBODY, -1, flag, square, origin)


@with_expansions(None)
def flags_follow(game: Game, table: Table, log: Log) -> None:
    """Flags are where the robots are that carry them (R-G3.15)."""
    for i in range(game.num_robots):
        body = game.robots[i]
        if body.alive and body.carries:
            move_flag(game, log, int(body.carries), int(place_of_square(game, table, body.square)))


@kernel
def first_square(game: Game, table: Table, flag: int) -> int:
    """Where a flag that is lost returns to: its square of the course, where a rotating room has carried that (U50).

    A board that turns leaves flags where they are (R-G3.11).
    """
    square = int(table.course.flag_squares[flag - 1])
    return place_now(game, table, square) if turns_with_room(table, square) else square


@kernel
def drop_flag(game: Game, table: Table, log: Log, robot: int, square: int, why: int) -> None:
    """A destroyed robot leaves the flag that it carried where it was; from a pit or off the board that returns to its
    first square (R-G3.15).
    """
    flag = int(game.robots[robot].carries)
    game.robots[robot].carries = 0
    place = int(place_of_square(game, table, square)) if square >= 0 else NOBODY
    if place < 0 or why == BY_TRAPDOOR or is_pit(game, table, place):
        place = int(first_square(game, table, flag))
    move_flag(game, log, flag, place)
