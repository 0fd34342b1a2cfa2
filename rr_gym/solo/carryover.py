"""The carryover of a lone robot from state to state, packed into one number.

Points of damage, flags touched, the archive, lives, and option cards that have not acted yet hardly affect what a phase
does to a robot that is whole. In that case they are not part of its state; instead, what a phase adds to them is
cached.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.state.constants import ON, RACE, TOUCH_END
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.sites import wrenches_under
from rr_gym.rules.turn.touch_checkpoints import on_checkpoint
from rr_gym.solo.options import (
    FOR_DAMAGE,
    FOR_REACH,
    FOR_THE_END,
    NEARLY_FATAL_DAMAGE,
    NUM_BITS,
    all_options_matter,
    carried_options,
    has_options,
    options_rest,
)

# Fields that a robot may carry along, besides lives and options; locked registers do not matter then
CARRIED = ("archive", "archive_level", "damage", "flag", "locked")
_DAMAGE_BITS = 4  # the lowest bits of a carryover
_LIVES = 32  # the position of lives
_ENDLESS = 255  # unlimited lives
_IS_CARRIED = 1 << 40
_IS_DESTROYED = 1 << 41
_OPTIONS = 42  # the position of options
_NO_OPTIONS = ~((1 << NUM_BITS) - 1 << _OPTIONS)

# The outcome of a cached phase for any carried state: points of damage or destruction, and whether it ends within an
# arm's reach of something to touch
DESTROYED = 7
WITHIN_REACH = 8
ADDED_BITS = 4
ADDED = (1 << ADDED_BITS) - 1
BY_CARRYOVER = -1  # the result depends on what is carried


@kernel
def is_whole(game: GameRecord, table: Table) -> bool:
    """Tell whether no phase depends on a robot's damage, nor on touched flags while the robot is elsewhere.

    The first points of damage have no effect, and flags are touched by a robot that stands on them at the end of a
    phase. Phases of a destroyed robot that will come back depend on neither. With devices, copies, moving flags, or
    options that may be given up they may.
    """
    robot, settings = game.robots[0], table.settings
    if settings.flag_touch != TOUCH_END or game.num_devices or robot.has_copy or settings.game != RACE:
        return False
    if settings.superbot == ON or settings.moving_flags == ON or settings.rotate_board_on_flag == ON:
        return False
    if settings.sit_out:
        return False
    if has_options(game, table) and (all_options_matter(game, table) or settings.option_cards != ON):
        return False
    return bool(robot.damage < NEARLY_FATAL_DAMAGE) if robot.alive else bool(robot.out == 0)


@kernel
def carried(game: GameRecord, table: Table) -> int:
    """Return the carryover of a lone robot: damage in the lowest four bits; 0 if everything is part of the state."""
    if not is_whole(game, table):
        return 0
    robot = game.robots[0]
    place = (int(robot.archive_level) << 16 | int(robot.archive)) & 0xFFFFFF
    carryover = (int(robot.lives) & _ENDLESS) << _LIVES | place << 8 | int(robot.flag) << _DAMAGE_BITS
    carryover |= int(carried_options(game, table)) << _OPTIONS
    return int(_IS_CARRIED | carryover | int(robot.damage) if robot.alive else _IS_CARRIED | _IS_DESTROYED | carryover)


@kernel
def damage_of(carryover: int) -> int:
    """Return the points of damage in a carryover."""
    return carryover & ((1 << _DAMAGE_BITS) - 1)


@kernel
def after_destruction(carryover: int) -> int:
    """Return the carryover of a robot once it is destroyed; 0 if it has lost its last life."""
    lives = carryover >> _LIVES & _ENDLESS
    if lives == 1:
        return 0
    lost = (1 << _LIVES) * (lives != _ENDLESS)
    return int((carryover & _NO_OPTIONS) - damage_of(carryover) - lost + _IS_DESTROYED)


@kernel
def touched_of(carryover: int) -> int:
    """Return the carryover without damage and options."""
    return (carryover & _NO_OPTIONS) >> _DAMAGE_BITS


@kernel
def carryover_after(carryover: int, added: int) -> int:
    """Return the carryover after a cached phase that adds `added`.

    Returns `BY_CARRYOVER` if the result of the phase does not hold for this carryover.
    """
    options, points = carryover >> _OPTIONS, added & DESTROYED
    if options:
        if points == DESTROYED:  # destruction: options that act on damage do not act
            if options & FOR_THE_END:
                return BY_CARRYOVER
            added &= WITHIN_REACH
        if (added & WITHIN_REACH and options & FOR_REACH) or (added & DESTROYED and options & FOR_DAMAGE):
            return BY_CARRYOVER
    then = int(after_destruction(carryover)) if points == DESTROYED else carryover + points
    return then if damage_of(then) < NEARLY_FATAL_DAMAGE and (then != 0 or carryover == 0) else BY_CARRYOVER


@kernel
def leads_to_one_state_for_all(before: GameRecord, table: Table, after: GameRecord) -> bool:
    """Tell whether a phase leads to the same state for any carried state.

    This needs that no option has acted, and either that a surviving robot stands on nothing that it can touch, or that
    a destroyed one was not damaged before its end.
    """
    if not options_rest(after, table):
        return False
    if after.robots[0].alive:
        return not on_checkpoint(after, table, 0)
    return bool(before.robots[0].damage == after.robots[0].damage)


@kernel
def ends_turn_alone(game: GameRecord, table: Table) -> bool:
    """Tell, after the last phase, whether no flag or repair site is under the robot and it will not land on one."""
    robot = game.robots[0]
    if game.over or not robot.alive or robot.flying or on_checkpoint(game, table, 0):
        return False
    return bool(wrenches_under(game, table, 0) == 0)
