"""The current squares of flags: printed, moved by belts, or with the robots that carry them (R-G2.7, R-G3.15)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.floor.ground import is_pit
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.floor.turned import place_now, turns_with_room
from rr_gym.rules.state.constants import BY_TRAPDOOR, CAPTURE, NOBODY
from rr_gym.rules.state.events import FLAG_MOVED, note_at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

NO_FLAG = 0


@kernel
def flag_on(game: GameRecord, table: Table, square: int) -> int:
    """Return the number of the flag on a square, 0 for none.

    Where belts have carried several flags to one square, the highest number counts.
    """
    found = NO_FLAG
    for k in range(table.course.num_flags):
        if game.flag_squares[k] == square and not is_carried(game, table, k + 1):
            found = k + 1
    return found


# mutants: never called with flag 0
@kernel
def has_flag(game: GameRecord, table: Table, square: int, flag: int) -> bool:
    """Tell whether flag number `flag` is on a square now."""
    return flag > 0 and game.flag_squares[flag - 1] == square and not is_carried(game, table, flag)


@kernel
def is_carried(game: GameRecord, table: Table, flag: int) -> bool:
    """Tell whether a robot carries a flag, in capture the flag."""
    if table.settings.game == CAPTURE:
        for i in range(game.num_robots):
            if game.robots[i].carries == flag:
                return True
    return False


@kernel
def move_flag(game: GameRecord, log: Log, flag: int, square: int) -> None:
    """Move flag number `flag` to another square."""
    origin = int(game.flag_squares[flag - 1])
    if origin != square:
        game.flag_squares[flag - 1] = square
        note_at(game, log, FLAG_MOVED, NOBODY, -1, flag, square, origin)


@with_expansions(None)
def flags_follow(game: GameRecord, table: Table, log: Log) -> None:
    """Move flags along with the robots that carry them (R-G3.15)."""
    for i in range(game.num_robots):
        body = game.robots[i]
        if body.alive and body.carries:
            move_flag(game, log, int(body.carries), int(place_of_square(game, table, body.square)))


@kernel
def first_square(game: GameRecord, table: Table, flag: int) -> int:
    """Return the square to which a lost flag returns: its square on the course.

    If that square was in a rotating room, it is the square's current place (U50). A board that turns leaves flags where
    they are (R-G3.11).
    """
    square = int(table.course.flag_squares[flag - 1])
    return place_now(game, table, square) if turns_with_room(table, square) else square


@kernel
def drop_flag(game: GameRecord, table: Table, log: Log, robot: int, square: int, why: int) -> None:
    """Leave the flag of a destroyed robot where the robot was (R-G3.15).

    From a pit or off the board the flag returns to its first square.
    """
    flag = int(game.robots[robot].carries)
    game.robots[robot].carries = 0
    place = int(place_of_square(game, table, square)) if square >= 0 else NOBODY
    if place < 0 or why == BY_TRAPDOOR or is_pit(game, table, place):
        place = int(first_square(game, table, flag))
    move_flag(game, log, flag, place)
