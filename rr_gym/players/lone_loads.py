"""What a lone robot carries along from state to state, as one number: a load.

Points of damage, flags touched, the archive, lives and option cards that wait for something to do decide little of what
a phase does to a robot that is whole. They are no part of its state then, and what phases add to them is known besides.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.players.lone_options import (
    FOR_DAMAGE,
    FOR_REACH,
    FOR_THE_END,
    MUCH_DAMAGE,
    NUM_BITS,
    carried_options,
    has_options,
    minds_options,
    options_rest,
)
from rr_gym.rules.state.constants import ON, RACE, TOUCH_END
from rr_gym.rules.state.records import Game
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.sites import wrenches_under
from rr_gym.rules.turn.touch_checkpoints import on_checkpoint

# What a robot may carry along, besides lives and options; which registers are locked is of no account then
CARRIED = ("archive", "archive_level", "damage", "flag", "locked")
_DAMAGE_BITS = 4  # the lowest ones
_LIVES = 32  # where lives stand
_ENDLESS = 255  # lives
_IS_CARRIED = 1 << 40
_IS_DESTROYED = 1 << 41
_OPTIONS = 42  # where options stand
_NO_OPTIONS = ~((1 << NUM_BITS) - 1 << _OPTIONS)

# What a known phase adds, whatever is carried: points of damage or the end of the robot, and whether it ends within an
# arm's reach of what is touched
DESTROYED = 7
WITHIN_REACH = 8
ADDED_BITS = 4
BY_LOAD = -1  # it depends on what is carried


@kernel
def base_is_whole(game: Game, table: Table) -> bool:
    """No phase minds how many points of damage a robot has, nor what it has touched before it stands there.

    It does not mind the first points, and it touches flags where it stands at the end of a phase. A destroyed one that
    comes back does not mind anything.
    """
    robot = game.robots[0]
    if table.settings.flag_touch != TOUCH_END:
        return False
    return bool(robot.damage < MUCH_DAMAGE) if robot.alive else bool(robot.out == 0)


@with_expansions(base_is_whole)
def is_whole(game: Game, table: Table) -> bool:
    """Likewise where nothing else depends on them: no device or copy, no flag that moves, no option that may be given
    up.
    """
    robot, settings = game.robots[0], table.settings
    if game.num_devices or robot.has_copy or settings.game != RACE:
        return False
    if settings.superbot == ON or settings.moving_flags == ON or settings.rotate_board_on_flag == ON:
        return False
    if settings.sit_out or (has_options(game, table) and (minds_options(game, table) or settings.option_cards != ON)):
        return False
    return bool(base_is_whole(game, table))


@kernel
def carried(game: Game, table: Table) -> int:
    """What a lone robot carries along: damage in the lowest four bits; 0 where all of it matters."""
    if not is_whole(game, table):
        return 0
    robot = game.robots[0]
    place = (int(robot.archive_level) << 16 | int(robot.archive)) & 0xFFFFFF
    load = (int(robot.lives) & _ENDLESS) << _LIVES | place << 8 | int(robot.flag) << _DAMAGE_BITS
    load |= int(carried_options(game, table)) << _OPTIONS
    return int(_IS_CARRIED | load | int(robot.damage) if robot.alive else _IS_CARRIED | _IS_DESTROYED | load)


@kernel
def damage_of(load: int) -> int:
    """The points of damage in what is carried."""
    return load & ((1 << _DAMAGE_BITS) - 1)


@kernel
def after_destruction(load: int) -> int:
    """What a robot carries once it is destroyed; 0 if it has lost its last life."""
    lives = load >> _LIVES & _ENDLESS
    if lives == 1:
        return 0
    lost = (1 << _LIVES) * (lives != _ENDLESS)
    return int((load & _NO_OPTIONS) - damage_of(load) - lost + _IS_DESTROYED)


@kernel
def touched_of(load: int) -> int:
    """All that is carried but damage and options."""
    return (load & _NO_OPTIONS) >> _DAMAGE_BITS


@kernel
def waits_for(load: int) -> int:
    """What the options that are carried wait for in a phase that does not destroy the robot: bits of what it adds."""
    options = load >> _OPTIONS
    return int(WITHIN_REACH * (options & FOR_REACH != 0) | DESTROYED * (options & FOR_DAMAGE != 0))


@kernel
def load_added(load: int, added: int) -> int:
    """What is carried after a known phase that adds so much; `BY_LOAD` if that is known for other loads only."""
    options, points = load >> _OPTIONS, added & DESTROYED
    if options:
        if points == DESTROYED:  # then none acts on points of damage
            if options & FOR_THE_END:
                return BY_LOAD
            added &= WITHIN_REACH
        if added & waits_for(load):
            return BY_LOAD
    then = int(after_destruction(load)) if points == DESTROYED else load + points
    return then if damage_of(then) < MUCH_DAMAGE and (then != 0 or load == 0) else BY_LOAD


@kernel
def leads_all_there(before: Game, table: Table, after: Game) -> bool:
    """Whether a phase leads to the same state whatever is carried.

    No damage came before the end of the robot, or what it has touched makes no difference where it stands now; and no
    option has acted.
    """
    if not options_rest(after, table):
        return False
    if after.robots[0].alive:
        return not on_checkpoint(after, table, 0)
    return bool(before.robots[0].damage == after.robots[0].damage)


@kernel
def ends_turn_alone(game: Game, table: Table) -> bool:
    """After the last phase: no flag or site is under the robot, and it will not land on one."""
    robot = game.robots[0]
    if game.over or not robot.alive or robot.flying or on_checkpoint(game, table, 0):
        return False
    return bool(wrenches_under(game, table, 0) == 0)
