"""The goals of robots: the next flag of a race, and the goals of other kinds of games (R-G2, R-G3)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.state.constants import CAPTURE, HEAD_TO_HEAD, ON, SURVIVAL, TOGGLE
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.flags import NO_FLAG
from rr_gym.rules.variants.teams import is_racer


@kernel
def own_flags(game: GameRecord, table: Table, robot: int) -> int:
    """Return how many flags a robot has to touch.

    In head to head every other flag belongs to its team (R-G2.6).
    """
    flags = int(table.course.num_flags)
    if table.settings.game == HEAD_TO_HEAD:
        return (flags + 1) // 2 if game.robots[robot].team == 1 else flags // 2
    return flags


@kernel
def flag_in_order(game: GameRecord, table: Table, robot: int) -> int:
    """Return the number of the next flag of a robot's own set, `NO_FLAG` if it has touched them all."""
    body = game.robots[robot]
    if body.flag >= own_flags(game, table, robot):  # mutants (never, boundary): a robot with all flags has won
        return NO_FLAG
    if table.settings.game == HEAD_TO_HEAD:
        return 2 * int(body.flag) + (1 if body.team == 1 else 2)
    return int(body.flag + 1)


@kernel
def next_flag(game: GameRecord, table: Table, robot: int) -> int:
    """Return the number of the flag that a robot has to touch next; `NO_FLAG` if it touches none (R-G2, R-G3)."""
    if table.settings.game in (SURVIVAL, TOGGLE, CAPTURE):
        return NO_FLAG
    if table.settings.superbot == ON and game.superbot != robot:
        return NO_FLAG
    if table.settings.racer_and_blocker == ON and not is_racer(game, robot):
        return NO_FLAG
    return flag_in_order(game, table, robot)


@kernel
def flags_before_goal(game: GameRecord, table: Table, robot: int) -> int:
    """Return how many flags come before the one that is a robot's next goal; all of them if it has none (U29, U32).

    In flag toggle, the goal is the first flag that its team does not own; in capture the flag, the first flag of
    another team.
    """
    body = game.robots[robot]
    flags = int(table.course.num_flags)
    played = table.settings.game
    if played == TOGGLE or (played == CAPTURE and not body.carries):
        for k in range(flags):
            owner = game.flag_owner[k] if played == TOGGLE else k + 1
            if owner != body.team:
                return k
    if played in (SURVIVAL, TOGGLE, CAPTURE):
        return flags
    flag = flag_in_order(game, table, robot)
    return flag - 1 if flag else flags  # mutants (never): a robot with all flags has won


# mutants (never, negate, boundary): only coins turn boards: tests/rules/test_variants.py
@with_elements(None)
def note_turning_board(game: GameRecord, table: Table, flag: int) -> None:
    """Record that a flag has been touched, if its board may turn for that (R-G3.11)."""
    if table.settings.rotate_board_on_flag == ON:
        board = int(table.room_of[game.flag_squares[flag - 1]])
        if board >= table.extras.num_rooms:
            game.boards_touched |= 1 << board


@kernel
def owns_all_flags(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether all flags belong to a robot's team, which is the goal of flag toggle (R-G2.5)."""
    for k in range(table.course.num_flags):
        if game.flag_owner[k] != game.robots[robot].team:
            return False
    return table.course.num_flags > 0


@with_expansions(False)
def brings_flag_home(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot brings another team's flag home, which is the goal of capture the flag (R-G3.15).

    Home is the board of its own team's flag at the start of the game.
    """
    body = game.robots[robot]
    # mutants (boundary 1): every robot has a team
    if not body.alive or not body.carries or not 0 < body.team <= table.course.num_flags:
        return False
    home = table.course.flag_squares[body.team - 1]
    return table.ground[body.square].board == table.ground[home].board


@kernel
def has_won(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot has reached the goal of the game."""
    played = table.settings.game
    if played == SURVIVAL:
        return False
    if played == TOGGLE:
        return owns_all_flags(game, table, robot)
    if played == CAPTURE:
        return brings_flag_home(game, table, robot)
    flags = own_flags(game, table, robot)
    return 0 < flags == game.robots[robot].flag
