"""Touching flags in E1, by standing on them or with a Mechanical Arm (R-O13)."""

from __future__ import annotations

from rr_gym.compilation.kernels import cold, kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.floor.ground import grid_next, level_of, row_at, walled
from rr_gym.rules.floor.standing import on_floor, on_ramp
from rr_gym.rules.movement.touching_flags import count_flag, move_archive
from rr_gym.rules.options.options import note_use, works
from rr_gym.rules.state.constants import ARM_2005, ON
from rr_gym.rules.state.events import OPTION_USED
from rr_gym.rules.state.option_cards import MECHANICAL_ARM
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.flags import flag_on, has_flag
from rr_gym.rules.variants.goals import next_flag

OUT_OF_REACH = -1


@kernel
def beside(game: GameRecord, table: Table, place: int, direction: int, level: int) -> int:
    """Return the next place in a direction on the same level with no wall between, else `OUT_OF_REACH`."""
    if walled(game, table, place, direction):
        return OUT_OF_REACH
    beyond = int(grid_next(game, table, place, direction))
    return beyond if beyond >= 0 and level_of(game, table, beyond) == level else OUT_OF_REACH


@kernel
def in_reach(game: GameRecord, table: Table, robot: int, k: int) -> int:
    """Return place `k` of those around a robot, `OUT_OF_REACH` if its arm cannot get there (R-O13.2, R-O13.6).

    Places 0-3 are beside the robot, 4-7 diagonal; an arm reaches a diagonal place by either of the two paths.
    """
    body = game.robots[robot]
    square, level = int(body.square), int(body.level)
    if k < 4:
        return int(beside(game, table, square, k, level))
    one, other = k & 3, (k + 1) & 3
    corner = beside(game, table, square, one, level)
    if corner >= 0:
        corner = beside(game, table, corner, other, level)
    if corner < 0:
        corner = beside(game, table, square, other, level)
        if corner >= 0:
            corner = beside(game, table, corner, one, level)
    return int(corner)


@kernel
def may_reach_out(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot uses a Mechanical Arm and stands on level ground."""
    body = game.robots[robot]
    if not works(game, table, robot, MECHANICAL_ARM) or not body.orders.arm:
        return False
    return not on_ramp(game, table, robot)


@kernel
def flag_in_reach(game: GameRecord, table: Table, robot: int, flag: int) -> int:
    """Return the place within reach of a robot's arm on which a flag is, `OUT_OF_REACH` for none."""
    for k in range(8 if table.settings.arm == ARM_2005 else 4):
        place = in_reach(game, table, robot, k)
        if place >= 0 and has_flag(game, table, place, flag):
            return place
    return OUT_OF_REACH


@kernel
def site_in_reach(game: GameRecord, table: Table, robot: int) -> int:
    """Return a repair site within reach of a robot's arm, `OUT_OF_REACH` for none (R-O13.6).

    Arms touch repair sites only with the setting `arm = 2005`, and only if the robot stands on no site and no flag.
    """
    square = int(game.robots[robot].square)
    here = table.squares[row_at(game, table, square)].wrenches or flag_on(game, table, square)
    if table.settings.arm != ARM_2005 or here:
        return OUT_OF_REACH
    for k in range(8):
        place = in_reach(game, table, robot, k)
        if place >= 0 and table.squares[row_at(game, table, place)].wrenches:
            return place
    return OUT_OF_REACH


@kernel
def reach_out(game: GameRecord, table: Table, log: Log, robot: int, place: int) -> None:
    """Use a robot's arm on a place, which becomes the robot's archive if `arm_archive` is on (R-O13.3)."""
    note_use(game, log, OPTION_USED, robot, MECHANICAL_ARM)
    if table.settings.arm_archive == ON:
        move_archive(game, log, robot, place)


@cold
@kernel
def arm_touches(game: GameRecord, table: Table, log: Log, robot: int) -> bool:
    """Touch a flag or a repair site with an arm: see `arm_touches_next`."""
    flag = next_flag(game, table, robot)
    # mutants (boundary): no square has the flag 0
    place = flag_in_reach(game, table, robot, flag) if flag > 0 else OUT_OF_REACH
    touched = place >= 0
    if touched:
        count_flag(game, table, log, robot, flag)
    else:
        place = site_in_reach(game, table, robot)
    if place >= 0:
        reach_out(game, table, log, robot, place)
    return touched


@with_expansions(False)
def arm_touches_next(game: GameRecord, table: Table, log: Log, robot: int) -> bool:
    """Touch a robot's next flag with its Mechanical Arm, or else a repair site.

    Returns whether it was a flag.
    """
    return may_reach_out(game, table, robot) and arm_touches(game, table, log, robot)


@kernel
def touches(game: GameRecord, table: Table, log: Log, robot: int, flag: int) -> bool:
    """Tell whether a robot touches a flag, by standing on it or with its arm, in games without an order of flags.

    The arm is used if only the arm reaches the flag.
    """
    body = game.robots[robot]
    if not body.alive:  # mutants (never): no flag is off the board
        return False
    if on_floor(game, table, robot) and has_flag(game, table, int(body.square), flag):
        return True
    if not may_reach_out(game, table, robot):
        return False
    place = flag_in_reach(game, table, robot, flag)
    if place >= 0:
        reach_out(game, table, log, robot, place)
    return place >= 0
