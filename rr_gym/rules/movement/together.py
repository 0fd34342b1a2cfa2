"""Simultaneous displacements by belts, currents and pulls (R-P3.3).

Nobody is pushed, and robots that cannot move stay where they are (R-A9.3).
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import FLIP_BELT
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.floor.ground import flies, is_pit_for, phase_of, row_at
from rr_gym.rules.floor.landing import fall
from rr_gym.rules.floor.levels import FALLING, arrival_level
from rr_gym.rules.movement.displacing import displace
from rr_gym.rules.movement.edges import OPEN, edge_from, target_from
from rr_gym.rules.movement.entering import enter
from rr_gym.rules.movement.movement import step_ends
from rr_gym.rules.movement.turning import is_stabilized, turn
from rr_gym.rules.state.constants import BELT, BIG_ONE_BODY, C7, NOBODY
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def has_room_for_all(game: GameRecord, table: Table, rider: int) -> bool:
    """Tell whether the target of a rider has room for any number of robots (R-A9.9, U13).

    Pits, the outside of the board and squares reached by a fall have it. Flyers need room even over pits.
    """
    body = game.robots[rider]
    if body.target < 0 or (is_pit_for(game, table, rider, body.target) and not flies(game, table, rider)):
        return True
    return arrival_level(game, table, rider, body.target, body.leaving) == FALLING


@with_expansions(True)
def level_with(game: GameRecord, table: Table, rider: int, other: int) -> bool:
    """Tell whether another robot is on the level at which a rider would arrive."""
    body = game.robots[rider]
    return arrival_level(game, table, rider, body.target, body.leaving) == game.robots[other].level


@with_expansions(True)
def arrive_level(game: GameRecord, table: Table, rider: int, other: int) -> bool:
    """Tell whether two riders with the same target would arrive there on the same level.

    A robot that falls lands later and is in nobody's way (U13).
    """
    if has_room_for_all(game, table, other):
        return False
    body, its = game.robots[rider], game.robots[other]
    level = arrival_level(game, table, rider, body.target, body.leaving)
    return level == arrival_level(game, table, other, its.target, its.leaving)


@kernel
def would_go(game: GameRecord, table: Table, robot: int, direction: int, cause: int) -> bool:
    """Tell whether an element would move a real body to the next square, and that square has room for only one.

    Set the direction and the target of the body as if it moved.
    """
    body = game.robots[robot]
    if body.virtual or body.goo or edge_from(game, table, robot, body.square, direction, cause) != OPEN:
        return False
    body.heading = body.leaving = direction
    body.target = target_from(game, table, robot, body.square, direction)
    return not has_room_for_all(game, table, robot)


@with_expansions(0)
def brought_together(game: GameRecord, table: Table, bodies: int, direction: int, cause: int) -> int:
    """Return the bodies of a mask that an element would move together from one square to the next.

    None of them moves (U63). Only The Big One can be on the square of a real robot.
    """
    if not bodies >> BIG_ONE_BODY & 1 or not would_go(game, table, BIG_ONE_BODY, direction, cause):
        return 0
    big_one = game.robots[BIG_ONE_BODY]
    for i in range(game.num_robots):
        robot = game.robots[i]
        here = robot.square == big_one.square and robot.level == big_one.level
        if bodies >> i & 1 and here and would_go(game, table, i, direction, cause):
            return 1 << i | 1 << BIG_ONE_BODY
    return 0


@kernel
def stays(game: GameRecord, table: Table, going: int, rider: int) -> int:
    """Return the mask of riders that must stay because of a conflict that `rider` has (R-A9.5, R-A9.6, R-A9.8)."""
    if has_room_for_all(game, table, rider):
        return 0
    target = game.robots[rider].target
    staying = 0
    for i in range(game.num_bodies):
        other = game.robots[i]
        if i == rider or not other.alive or other.virtual:
            continue
        if not going >> i & 1:
            if other.square == target and level_with(game, table, rider, i):
                staying |= 1 << rider
        else:
            same = other.target == target and arrive_level(game, table, rider, i)
            if same or (other.square == target and other.target == game.robots[rider].square):
                staying |= 1 << rider | 1 << i
    return staying


@kernel
def conflict_free(game: GameRecord, table: Table, going: int) -> int:
    """Return the mask of riders that move, once all that have to stay are removed (R-A9.7).

    Virtual robots are in nobody's way (R-A9.10).
    """
    while True:
        staying = 0
        for i in range(game.num_bodies):
            if going >> i & 1 and not game.robots[i].virtual:
                staying |= stays(game, table, going, i)
        if staying == 0:
            return going
        going ^= staying


@with_elements(0)
def curve_of_mover(game: GameRecord, table: Table, rider: int, cause: int) -> int:
    """Return the quarter turns by which a flip belt, a current or a river turns a rider.

    It turns only riders that came to it from an element of the same family (R-E32.4).
    """
    body = game.robots[rider]
    ground = table.ground[row_at(game, table, body.square)]
    side = (body.leaving + 2) & 3
    if cause == BELT and ground.mover == FLIP_BELT and ground.flip_exits[1 - game.flip] == side:
        return ground.flip_exits[game.flip] - body.leaving
    if cause != BELT and ground.mover > FLIP_BELT and ground.mover_turns >> side & 1:
        return ground.directions[phase_of(game)] - body.leaving
    return 0


@with_elements(0)
def turned_by_now(game: GameRecord, table: Table, row: int) -> int:
    """Return the quarter turns between a rotating belt's current direction and its direction in phase 1 (R-E71)."""
    return int(table.ground[row].directions[phase_of(game)]) - int(table.squares[row].belt_direction)


@kernel
def curve(game: GameRecord, table: Table, rider: int, cause: int) -> int:
    """Return the quarter turns by which a square turns a rider that was carried onto it (R-A9.11)."""
    if cause != BELT or game.step == C7:
        return int(curve_of_mover(game, table, rider, cause))
    body = game.robots[rider]
    row = row_at(game, table, body.square)
    square = table.squares[row]
    if square.belt_turns >> ((body.leaving + 2) & 3) & 1:
        return int(square.belt_direction) + int(turned_by_now(game, table, row)) - int(body.leaving)
    return 0


@kernel
def take_curve(game: GameRecord, table: Table, log: Log, rider: int, cause: int) -> None:
    """Turn a rider if the square that it has reached is a curve for it."""
    if game.robots[rider].square >= 0:
        quarters = curve(game, table, rider, cause)
        if quarters & 3 and not (cause == BELT and is_stabilized(game, table, log, rider)):
            turn(game, log, rider, quarters)


@kernel
def move_to_targets(
    game: GameRecord, table: Table, log: Log, going: int, cause: int, curves: bool
) -> int:
    """Move the riders of the mask `going` that no conflict stops to their `target`; return their mask.

    They keep their facing except in curves. Walls are ignored here, since `move_together` has checked them.
    """
    going = int(conflict_free(game, table, going))
    for i in range(game.num_bodies):
        if going >> i & 1:
            displace(game, table, log, i, int(game.robots[i].target), cause, NOBODY)
            if curves and game.robots[i].drop == 0:
                take_curve(game, table, log, i, cause)
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if going >> i & 1 and robot.alive:  # a trapdoor may have opened under it
            falls = robot.drop > 0
            fall(game, table, log, i)
            if curves and falls:  # R-E13.6: only the square on which it lands turns it
                take_curve(game, table, log, i, cause)
            enter(game, table, log, i, cause)
    step_ends(game, table, log)
    return going


@kernel
def move_together(game: GameRecord, table: Table, log: Log, going: int, cause: int, curves: bool) -> int:
    """Move the robots of the mask `going` one square in the direction `leaving`.

    With `curves`, belts and currents turn their riders. Return the mask of the robots that have moved.
    """
    for i in range(game.num_bodies):
        if going >> i & 1:
            body = game.robots[i]
            if edge_from(game, table, i, int(body.square), int(body.leaving), cause) != OPEN:
                going ^= 1 << i
            else:
                body.target = target_from(game, table, i, int(body.square), int(body.leaving))
    return int(move_to_targets(game, table, log, going, cause, curves)) if going else 0
