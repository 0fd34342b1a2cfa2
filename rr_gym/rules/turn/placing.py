"""Placing robots: the start of a game and the return of destroyed robots (R-A3, R-A13, U27 to U30)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array
from rr_gym.courses.tables.ground import HAS_FLIP_BELTS, HAS_FLIP_GEARS
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.devices.devices import virtual_devices_vanish
from rr_gym.rules.floor.grid import STEP_X, STEP_Y, place_at
from rr_gym.rules.floor.ground import features_of, is_pit, level_of, row_at
from rr_gym.rules.floor.landing import floor_for
from rr_gym.rules.floor.positions import come_to, leave_board
from rr_gym.rules.movement.entering import enter
from rr_gym.rules.movement.movement import step_ends
from rr_gym.rules.movement.settling import settle
from rr_gym.rules.options.options import no_tokens
from rr_gym.rules.options.supply import bio_options_swap, set_up_options
from rr_gym.rules.robot.health import LOCKED_BY_DAMAGE
from rr_gym.rules.state.cards import empty_registers
from rr_gym.rules.state.chance import below, seed_episode
from rr_gym.rules.state.constants import (
    BY_CLEANUP,
    COINS,
    EAST,
    NORTH,
    ON,
    PLACE,
    REENTRY_ADJACENT,
    SETUP,
    SOUTH,
    SPARED,
    WEST,
)
from rr_gym.rules.state.events import REENTERED, note_at
from rr_gym.rules.state.records import GameRecord, Log, OrdersRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.goals import flags_before_goal
from rr_gym.rules.variants.sitting_out import sits_out
from rr_gym.rules.variants.teams import set_up_variant
from rr_gym.rules.weapons.targets import first_in_sight

SIGHT = 3  # a robot that re-enters beside its archive may not face another robot within this many squares (R-A13.8)


# mutants: without a next flag any square is right
@kernel
def distance_to_flag(game: GameRecord, table: Table, square: int, flags: int) -> int:
    """Return the steps along rows and columns from a square to the flag after `flags` touched ones.

    Returns 0 when all flags have been touched.
    """
    if flags >= table.course.num_flags:
        return 0
    here = table.squares[square]
    goal = table.squares[game.flag_squares[flags]]
    return abs(goal.x - here.x) + abs(goal.y - here.y)


@kernel
def default_facing(game: GameRecord, table: Table, square: int, flags: int) -> int:
    """Return the facing from a square towards the next flag along the longer axis (U29).

    If both axes are equal, the east-west one counts. On the flag, or when all flags have been touched, it is north.
    """
    if flags >= table.course.num_flags:
        return NORTH
    here = table.squares[square]
    goal = table.squares[game.flag_squares[flags]]
    x = goal.x - here.x
    y = goal.y - here.y
    if x == 0 and y == 0:  # mutants (never): no rule tells the facing of a robot on its own flag
        return NORTH
    if abs(x) >= abs(y):
        return EAST if x > 0 else WEST  # mutants (boundary): the longer axis has no length 0
    return SOUTH if y > 0 else NORTH  # mutants (boundary): the longer axis has no length 0


@kernel
def taken(game: GameRecord, square: int, level: int) -> bool:
    """Tell whether a robot, real or virtual, is on a square and level (U30)."""
    for i in range(game.num_robots):
        if game.robots[i].square == square and game.robots[i].level == level:
            return True
    return False


@kernel
def place(
    game: GameRecord,
    table: Table,
    log: Log,
    robot: int,
    square: int,
    level: int,
    facing: int,
    virtual: bool,
) -> None:
    """Put a robot on a square with a fresh state: registers emptied, locks set by its damage."""
    body = game.robots[robot]
    body.level = level
    body.reset = 0
    body.alive = 1
    body.locked = LOCKED_BY_DAMAGE[body.damage]  # a robot placed with much damage has locked, empty registers (U42)
    empty_registers(body, 0)
    come_to(game, table, robot, square)
    body.virtual = 1 if virtual else 0
    body.fresh = body.virtual
    body.facing = facing
    note_at(game, log, REENTERED, robot, -1, facing, square, body.virtual)


# mutants: scenarios place robots themselves
@kernel
def start_square(table: Table, robot: int) -> int:
    """Return start square i + 1 for robot i; a robot without its own start square shares the first (U27)."""
    return table.course.starts[robot] if robot < table.course.num_starts else table.course.starts[0]


# mutants: scenarios give the state of the board
@with_elements(None)
def set_up_elements(game: GameRecord, table: Table) -> None:
    """Set the state of the board at the start of a game (U18): flip belts by a coin, and facings of turret guns.

    All other state is 0: pistons of colour a are up, rooms are as drawn, no square has crumbled.
    """
    if features_of(table) & (HAS_FLIP_BELTS | HAS_FLIP_GEARS):
        state = table.settings.flip_state
        game.flip = int(below(game, COINS, 2)) if state < 0 else state
    for k in range(table.extras.num_turrets):
        game.turret_facing[k] = table.extras.turret_facings[k]


# mutants: scenarios place robots themselves
@kernel
def set_up(
    game: GameRecord,
    table: Table,
    log: Log,
    course: int,
    num_robots: int,
    lives: int,
    seed: int,
    index: int,
    episode: int,
) -> None:
    """Set up a new game on an empty record (R-A3).

    Robots stand on their start squares, which are their archives; nothing is dealt yet.
    """
    seed_episode(game, seed, index, episode)
    game.course = course
    game.num_robots = num_robots
    game.num_bodies = num_robots
    game.start_lives = lives
    game.phase = 0
    game.step = SETUP
    for k in range(table.course.num_flags):
        game.flag_squares[k] = table.course.flag_squares[k]
    set_up_elements(game, table)
    no_tokens(game)
    for i in range(game.robots.shape[0]):
        leave_board(game, i)
    set_up_variant(game, table, log)
    for i in range(num_robots):
        robot = game.robots[i]
        square = start_square(table, i)
        shared = False
        for j in range(num_robots):
            if j != i and start_square(table, j) == square:
                shared = True
        facing = table.course.start_facing
        robot.may_face = 1 if facing < 0 else 0  # U28: the dock sets the facing if there is one
        if facing < 0:
            facing = default_facing(game, table, square, flags_before_goal(game, table, i))
        level = level_of(game, table, square)
        robot.archive = square
        robot.archive_level = level
        robot.lives = lives
        robot.damage = table.settings.start_damage
        place(game, table, log, i, square, level, facing, shared and table.settings.virtual == ON)
    set_up_options(game, table, log)


@kernel
def faces_robot(game: GameRecord, table: Table, square: int, facing: int) -> bool:
    """Tell whether a real robot is in the line of sight from a square within three squares (R-A13.8)."""
    return first_in_sight(game, table, square, facing, level_of(game, table, square), SIGHT) >= 0


@kernel
def free_facing(game: GameRecord, table: Table, square: int, wanted: int) -> int:
    """Return the wanted facing, or the next one clockwise, without a robot in sight; -1 for none."""
    for quarters in range(4):
        facing = (wanted + quarters) & 3
        if not faces_robot(game, table, square, facing):
            return facing
    return -1


@kernel
def ring_square(table: Table, centre: int, ring: int, place: int) -> int:
    """Return a square of the ring around a square, counted clockwise from the north; -1 for no floor."""
    side = (place + ring) // (2 * ring) % 4
    along = (place + ring) % (2 * ring) - ring
    x = table.squares[centre].x + ring * STEP_X[side] - along * STEP_Y[side]
    y = table.squares[centre].y + ring * STEP_Y[side] + along * STEP_X[side]
    return int(place_at(table, x, y))


@kernel
def ever_pit(game: GameRecord, table: Table, square: int) -> bool:
    """Tell whether a square is a pit now or in some phase.

    Robots are not placed on such a square if there is another choice.
    """
    return table.squares[row_at(game, table, square)].pit != 0 or is_pit(game, table, square)


@kernel
def reenter_adjacent(
    game: GameRecord, table: Table, log: Log, robot: int, chosen: int, wanted: int
) -> bool:
    """Place a robot on a free square of the nearest ring around its archive that has one (R-A13.8).

    The robot may not face another robot nearby. Returns whether there was such a square.
    """
    body = game.robots[robot]
    flags = flags_before_goal(game, table, robot)
    for ring in range(1, max(table.course.width, table.course.height)):
        best = -1
        best_distance = 0
        best_facing = 0
        for k in range(8 * ring):
            square = ring_square(table, body.archive, ring, k)
            if square < 0 or ever_pit(game, table, square):
                continue
            if taken(game, square, level_of(game, table, square)):
                continue
            facing = free_facing(
                game, table, square, wanted if wanted >= 0 else default_facing(game, table, square, flags)
            )
            if facing < 0:
                continue
            distance = distance_to_flag(game, table, square, flags)
            if k == chosen:
                distance = -1
            if best < 0 or distance < best_distance:  # mutants (boundary 2): with equal distances any square is right
                best = square
                best_distance = distance
                best_facing = facing
        if best >= 0:
            place(game, table, log, robot, best, level_of(game, table, best), best_facing, False)
            return True
    return False


@with_expansions(0)
def archive_floor(game: GameRecord, table: Table, robot: int) -> int:
    """Return the level on which a robot re-enters: that of its archive, or the floor that is now below it."""
    body = game.robots[robot]
    return floor_for(game, table, body.archive, body.archive_level)


@with_expansions(None)
def arrive_again(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Apply the effects of the square on which a robot re-enters.

    An archive that has become a pit destroys the robot again, which then re-enters after the next turn (R-E22, R-E47).
    Devices that a robot laid while it was virtual vanish once it is real (R-X1.15). A robot sets off the devices that
    it is placed on (R-O41.3).
    """
    enter(game, table, log, robot, PLACE)
    if game.num_devices:
        if not game.robots[robot].virtual:
            virtual_devices_vanish(game, table, log, robot)
        step_ends(game, table, log)
        settle(game, table, log)  # a drone may have thrown it


@kernel
def shares_archive(game: GameRecord, robot: int) -> bool:
    """Tell whether another robot re-enters on the same square in this turn.

    Both are virtual then (R-A13.6).
    """
    shared = False  # without branches, which a processor would mispredict here
    for i in range(game.num_robots):
        other = game.robots[i]
        returns = (i != robot) & (other.destroyed != 0) & (other.out == 0)
        shared = shared | returns & (other.archive == game.robots[robot].archive)
    return bool(shared)


@with_expansions(False)
def spared(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot re-enters without damage by a Superior Archive (R-O24).

    The robot lost the option when it was destroyed, and got the mark SPARED, which is cleared here.
    """
    body = game.robots[robot]
    if not body.rewired & SPARED:
        return False
    body.rewired &= ~SPARED
    return True


@kernel
def reenter(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log, robot: int) -> None:
    """Bring a destroyed robot back on its archive square (R-A13.5 to R-A13.8).

    It has two points of damage, unless the setting `reentry_damage` or a Superior Archive changes that.
    """
    body = game.robots[robot]
    body.damage = 0 if spared(game, table, robot) else table.settings.reentry_damage
    bio_options_swap(game, table, log, robot)
    by_cleanup = table.settings.reentry_facing == BY_CLEANUP
    # mutants (boundary): scenarios give no such facing: tests/rules/test_arena.py
    wanted = orders[robot].facing if by_cleanup and orders[robot].facing < 4 else -1
    body.may_face = 0 if by_cleanup else 1
    level = archive_floor(game, table, robot)
    virtual_only = table.settings.virtual == ON and table.settings.reentry != REENTRY_ADJACENT
    blocked = taken(game, body.archive, level) or (virtual_only and shares_archive(game, robot))
    beside = blocked and not virtual_only
    if not beside or not reenter_adjacent(game, table, log, robot, orders[robot].square, wanted):
        flags = flags_before_goal(game, table, robot)
        facing = wanted if wanted >= 0 else default_facing(game, table, body.archive, flags)
        place(game, table, log, robot, body.archive, level, facing, blocked)
    arrive_again(game, table, log, robot)


@kernel
def reenter_all(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log) -> None:
    """Bring destroyed robots back in the order of their destruction (F5, R-A13.8)."""
    waiting = int(game.num_destroyed)  # robots that are destroyed as they re-enter wait for the next turn
    for number in range(1, waiting + 1):
        for i in range(game.num_robots):
            if game.robots[i].destroyed == number and not game.robots[i].out and not sits_out(game, table, i):
                reenter(game, table, orders, log, i)
