"""The end of a displacement (R-P4): its consequences happen, and robots slide on until all are at rest.

Robots that stop on ramps, oil or tilted ground slide on (R-E14, R-E26, R-E52, R-E74).
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_OIL, HAS_RAMPS, HAS_TILTED, OILY, TILT
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.floor.ground import features_of, held, is_ramp, row_at, surface_under, walled
from rr_gym.rules.floor.landing import body_at, floor_for
from rr_gym.rules.floor.standing import on_ramp
from rr_gym.rules.movement.displacing import arrive, displace
from rr_gym.rules.movement.edges import OPEN, edge_from, target_from
from rr_gym.rules.movement.movement import somebody_lands, step, step_ends
from rr_gym.rules.options.condition_events import note_conditions
from rr_gym.rules.state.constants import (
    C5,
    CAUGHT,
    DISPLACED,
    HALTED,
    HELD,
    HOVERED,
    LANDS,
    OIL,
    RAMP_BACK,
    SLIDE,
    SLIPPED,
)
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

MAX_SLIDES = 50  # maximum number of attempts to slide in one settling (R-P4.4)
AT_REST = -1
DIAGONAL = 4  # direction 4 + k is the diagonal between the directions k and k + 1


# mutants (boundary): x and y are not both 0
@kernel
def tilt_direction(game: GameRecord, table: Table, robot: int) -> int:
    """Return the direction in which the ground under a robot slopes down: 0-3, or a diagonal."""
    tilt = table.ground[row_at(game, table, game.robots[robot].square)].tilt
    x, y = tilt[0], tilt[1]
    if x == 0:
        return 0 if y < 0 else 2
    if y == 0:
        return 1 if x > 0 else 3
    if y < 0:
        return DIAGONAL if x > 0 else DIAGONAL + 3
    return DIAGONAL + 1 if x > 0 else DIAGONAL + 2


@kernel
def slide_of(game: GameRecord, table: Table, robot: int) -> tuple[int, int]:
    """Return how a robot slides on: the cause, or `AT_REST`, and the direction (R-E14, R-E26, R-E52, R-E74)."""
    body = game.robots[robot]
    if not body.alive:  # mutants (never): nothing lies off the board
        return AT_REST, 0
    if is_ramp(table, body.square):
        ground = table.ground[row_at(game, table, body.square)]
        if ground.fast and game.step == C5:  # R-E52.1: a fast ramp carries the robot on in C6
            return AT_REST, 0
        return RAMP_BACK, int(ground.up) ^ 2
    if not body.marks & DISPLACED or body.goo:
        return AT_REST, 0
    surface = surface_under(game, table, robot)
    # mutants (boundary): no rule says where oil leads over a corner
    if surface == OILY and body.heading < DIAGONAL and not body.marks & HOVERED:
        return OIL, int(body.heading)
    if surface == TILT and not body.marks & SLIPPED:
        return SLIDE, int(tilt_direction(game, table, robot))
    return AT_REST, 0


@kernel
def over_corner(game: GameRecord, table: Table, square: int, direction: int) -> int:
    """Return the square diagonally beside a square.

    Return -1 unless both ways around the corner lead over squares of a board.
    """
    row = row_at(game, table, square)
    one = int(table.squares[row].neighbour[direction & 3])
    # mutants (direction -1): one way is enough in a rectangle
    other = int(table.squares[row].neighbour[(direction + 1) & 3])
    if one < 0 or other < 0:
        return -1
    return int(table.squares[row_at(game, table, one)].neighbour[(direction + 1) & 3])


@kernel
def way_is_free(game: GameRecord, table: Table, robot: int, direction: int) -> bool:
    """Tell whether the next square of a slide has no other robot that is not yet at rest (U14)."""
    body = game.robots[robot]
    if direction >= DIAGONAL:
        target = over_corner(game, table, body.square, direction)
    else:
        target = target_from(game, table, robot, body.square, direction)
    for i in range(game.num_bodies):
        other = game.robots[i]
        if i != robot and other.alive and other.square == target and other.marks & DISPLACED:
            return False
    return True


@kernel
def slip_diagonally(game: GameRecord, table: Table, log: Log, robot: int, direction: int) -> bool:
    """Let a robot slide over a corner; return whether it moved (R-E74.4).

    The target must be free, without a wall on either way around the corner. Such a slide pushes nobody.
    """
    if held(game, table, robot):
        return False
    body = game.robots[robot]
    first = direction & 3
    second = (direction + 1) & 3
    here = int(body.square)
    target = over_corner(game, table, here, direction)
    if target < 0 or walled(game, table, here, first) or walled(game, table, here, second):
        return False
    one = int(table.squares[row_at(game, table, here)].neighbour[first])
    other = int(table.squares[row_at(game, table, here)].neighbour[second])
    if walled(game, table, one, second) or walled(game, table, other, first):
        return False
    level = floor_for(game, table, target, body.level)
    if level > body.level or (not body.virtual and body_at(game, robot, target, level)):
        return False
    body.leaving = direction
    displace(game, table, log, robot, target, SLIDE, -1)
    arrive(game, table, log, robot, SLIDE)
    step_ends(game, table, log)
    return True


@kernel
def slide_on(game: GameRecord, table: Table, log: Log, robot: int, cause: int, direction: int) -> bool:
    """Let a robot slide by one square; return whether it moved."""
    if cause == SLIDE:
        game.robots[robot].marks |= SLIPPED
        if direction >= DIAGONAL:
            return slip_diagonally(game, table, log, robot, direction)
    result = step(game, table, log, robot, direction, cause)
    return result != HELD and result != CAUGHT


@kernel
def at_wall(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether something on a side of its square keeps a robot from sliding on."""
    cause, direction = slide_of(game, table, robot)
    if cause == AT_REST or direction >= DIAGONAL:  # mutants (boundary): one that tried to slip diagonally is at rest
        return False
    return edge_from(game, table, robot, game.robots[robot].square, direction, cause) != OPEN


@kernel
def still_stuck(game: GameRecord, table: Table, stuck: int) -> int:
    """Return which robots of a mask are still stopped by a wall in their slide.

    They do not run into it again when others have moved (R-E39.3).
    """
    for i in range(game.num_bodies):
        if stuck >> i & 1 and not at_wall(game, table, i):
            stuck ^= 1 << i
    return stuck


@with_elements(None)
def robots_slide(game: GameRecord, table: Table, log: Log) -> None:
    """Let robots on ramps, oil and tilted ground slide, square by square, until all are at rest (R-P4, U14)."""
    if features_of(table) & (HAS_RAMPS | HAS_OIL | HAS_TILTED):
        stuck = 0
        for _ in range(MAX_SLIDES):
            chosen = -1
            for i in range(game.num_bodies):
                if stuck >> i & 1:
                    continue
                cause, direction = slide_of(game, table, i)
                if cause == AT_REST:
                    continue
                free = way_is_free(game, table, i, direction)
                if chosen < 0 or free:
                    chosen = i
                if free:
                    break
            if chosen < 0:
                break
            cause, direction = slide_of(game, table, chosen)
            if slide_on(game, table, log, chosen, cause, direction):
                stuck = still_stuck(game, table, stuck)
            else:
                stuck |= 1 << chosen


@with_elements(False)
def somebody_is_on_ramp(game: GameRecord, table: Table) -> bool:
    """Tell whether any body stands on a ramp."""
    for i in range(game.num_bodies):
        if game.robots[i].alive and on_ramp(game, table, i):
            return True
    return False


@kernel
def somebody_moves(game: GameRecord, table: Table) -> bool:
    """Tell whether any body has been displaced, has to land, or is on a ramp; all others are at rest."""
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if robot.alive and robot.marks & (DISPLACED | LANDS):
            return True
    return bool(somebody_is_on_ramp(game, table))


@kernel
def settle_robots(game: GameRecord, table: Table, log: Log) -> None:
    """Carry out all consequences of displacements, then let robots slide until all are at rest."""
    step_ends(game, table, log)
    robots_slide(game, table, log)
    for i in range(game.num_bodies):
        game.robots[i].marks &= ~(DISPLACED | SLIPPED | HALTED | HOVERED)
    note_conditions(game, table, log)


@with_expansions(False)
def settle(game: GameRecord, table: Table, log: Log) -> bool:
    """Settle all robots after a displacement, or if a flip, explosion or device is pending; return whether it did."""
    if somebody_moves(game, table) or game.flips or game.num_blasts or game.num_devices:
        settle_robots(game, table, log)
        return True
    if log.on:
        note_conditions(game, table, log)
    return False


@with_expansions(False)
def flights_end(game: GameRecord, table: Table, log: Log) -> bool:
    """Land robots whose flight was ended in A1, B4, D1, D3 or E2, where no other rule settles robots.

    Robots that were hurt in flight land (R-E40.3), and so do robots that have lost their Robo-Copter (R-O50.6).
    Explosions caused by the damage go off (R-X2.6). Return whether a robot may have moved.
    """
    if game.num_blasts or somebody_lands(game):
        return settle(game, table, log)
    return False


@with_expansions(None)
def launches_meet(game: GameRecord, table: Table, log: Log) -> None:
    """Set off devices that were launched in D1 on the square of a robot that they do not spare (U56)."""
    if game.num_devices:
        settle(game, table, log)
