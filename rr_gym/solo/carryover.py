"""The carryover of a lone robot: what a phase hardly ever depends on, packed into one number.

Damage, touched flags, archive, lives, and option cards that only wait for an event usually do not affect a phase. Where
that holds (`is_whole`), they are kept apart from the robot's state, as its carryover. For a phase, the cache then
stores the state that follows and what the phase adds to the carryover.
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

# Fields of a robot that move from its state to its carryover, besides lives and options. Locked registers are in
# neither.
CARRIED = ("archive", "archive_level", "damage", "flag", "locked")
_DAMAGE_BITS = 4  # the lowest bits of a carryover hold damage
_LIVES = 32  # bit position of lives
_ENDLESS = 255  # unlimited lives
_IS_CARRIED = 1 << 40
_IS_DESTROYED = 1 << 41
_OPTIONS = 42  # bit position of options
_NO_OPTIONS = ~((1 << NUM_BITS) - 1 << _OPTIONS)

# What a cached phase adds to a carryover: points of damage, or DESTROYED, and a bit for whether the robot ends within
# reach of something that a Mechanical Arm could touch
DESTROYED = 7
WITHIN_REACH = 8
ADDED_BITS = 4
ADDED = (1 << ADDED_BITS) - 1
BY_CARRYOVER = -1  # the result of the phase depends on the carryover


@kernel
def is_whole(game: GameRecord, table: Table) -> bool:
    """Tell whether the next phases do not depend on a robot's carryover, except through options that act on events.

    This holds as long as damage is not nearly fatal and flags count only at the end of a phase, and for a destroyed
    robot that will re-enter. It does not hold with devices, copies, moving flags, or options that may be given up.
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
def carryover_of(game: GameRecord, table: Table) -> int:
    """Return the carryover of a lone robot; 0 if everything is part of its state (see `is_whole`)."""
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
    """Return the carryover of a robot after it is destroyed; 0 if it has lost its last life."""
    lives = carryover >> _LIVES & _ENDLESS
    if lives == 1:
        return 0
    lost = (1 << _LIVES) * (lives != _ENDLESS)
    return int((carryover & _NO_OPTIONS) - damage_of(carryover) - lost + _IS_DESTROYED)


@kernel
def touched_of(carryover: int) -> int:
    """Return a carryover without damage and options, to compare touched flags, archive and lives."""
    return (carryover & _NO_OPTIONS) >> _DAMAGE_BITS


@kernel
def carryover_after(carryover: int, added: int) -> int:
    """Return the carryover after a cached phase; `added` is what the phase adds.

    Return `BY_CARRYOVER` if the cached result does not hold for this carryover.
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
    """Tell whether a phase leads to the same state for every carryover.

    No option may have acted. A surviving robot must not stand on anything that it touches, and a destroyed robot must
    not have been damaged earlier in the phase.
    """
    if not options_rest(after, table):
        return False
    if after.robots[0].alive:
        return not on_checkpoint(after, table, 0)
    return bool(before.robots[0].damage == after.robots[0].damage)


@kernel
def ends_turn_alone(game: GameRecord, table: Table) -> bool:
    """Tell, after the last phase, whether the robot neither stands on a flag or repair site nor may land on one."""
    robot = game.robots[0]
    if game.over or not robot.alive or robot.flying or on_checkpoint(game, table, 0):
        return False
    return bool(wrenches_under(game, table, 0) == 0)
