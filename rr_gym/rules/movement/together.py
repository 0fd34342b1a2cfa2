"""Displacements at one time (R-P3.3): belts, currents, pulls; nobody is pushed, robots that cannot go stay (R-A9.3)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_elements, with_expansions
from rr_gym.courses.tables.ground import FLIP_BELT
from rr_gym.rules.floor.ground import flies, is_pit_for, phase_of, row_at
from rr_gym.rules.floor.landing import fall
from rr_gym.rules.floor.levels import FALLING, arrival_level
from rr_gym.rules.movement.chains import displace
from rr_gym.rules.movement.edges import OPEN, edge_from, target_from
from rr_gym.rules.movement.entering import enter
from rr_gym.rules.movement.movement import step_ends
from rr_gym.rules.movement.turning import is_stabilized, turn
from rr_gym.rules.state.constants import BELT, BIG_ONE_BODY, C7
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@kernel
def base_has_room_for_all(game: Game, table: Table, rider: int) -> bool:
    """Pits and the outside take any number: nobody flies or falls."""
    target = game.robots[rider].target
    return target < 0 or is_pit_for(game, table, rider, target)


@with_expansions(base_has_room_for_all)
def has_room_for_all(game: Game, table: Table, rider: int) -> bool:
    """Pits, the outside and squares that are reached by a fall take any number (R-A9.9, U13).

    Flyers need room over pits.
    """
    body = game.robots[rider]
    if body.target < 0 or (is_pit_for(game, table, rider, body.target) and not flies(game, table, rider)):
        return True
    return arrival_level(game, table, rider, body.target, body.leaving) == FALLING


@with_expansions(True)
def level_with(game: Game, table: Table, rider: int, other: int) -> bool:
    """The other stands where the rider would arrive, as far as levels go."""
    body = game.robots[rider]
    return arrival_level(game, table, rider, body.target, body.leaving) == game.robots[other].level


@with_expansions(True)
def arrive_level(game: Game, table: Table, rider: int, other: int) -> bool:
    """Two riders with one target would stand on one level; a robot that falls there lands later (U13)."""
    if has_room_for_all(game, table, other):
        return False
    body, its = game.robots[rider], game.robots[other]
    level = arrival_level(game, table, rider, body.target, body.leaving)
    return level == arrival_level(game, table, other, its.target, its.leaving)


@kernel
def would_go(game: Game, table: Table, robot: int, direction: int, cause: int) -> bool:
    """A machine would bring a real body to the next square, on which there is room for one."""
    body = game.robots[robot]
    if body.virtual or body.goo or edge_from(game, table, robot, body.square, direction, cause) != OPEN:
        return False
    body.heading = body.leaving = direction
    body.target = target_from(game, table, robot, body.square, direction)
    return not has_room_for_all(game, table, robot)


@with_expansions(0)
def brought_together(game: Game, table: Table, bodies: int, direction: int, cause: int) -> int:
    """Those of a mask of bodies that a machine would bring from one square to one other: none of them goes (U63).

    Only The Big One can lie where a real robot stands.
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
def stays(game: Game, table: Table, going: int, rider: int) -> int:
    """The mask of riders that cannot leave because of what rider `rider` meets (R-A9.5, R-A9.6, R-A9.8)."""
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
def crowded(game: Game, going: int) -> int:
    """The riders that may meet somebody: bodies stand on their targets, or others go there too (R-A9.5 to R-A9.8).

    Squares 64 apart count as one: it only spares looks.
    """
    taken = 0  # by who stands there, or by two that go there; a bit for each square
    targets = 0
    for i in range(game.num_bodies):
        body = game.robots[i]
        real = int((body.alive != 0) & (body.virtual == 0))  # without branches: who rides is never foreseen
        going &= ~(1 << i) | real << i
        target = (going >> i & 1) << int(body.target & 63)
        taken |= real << int(body.square & 63) | targets & target
        targets |= target
    riders = 0
    for i in range(game.num_bodies):
        riders |= (going >> i & taken >> int(game.robots[i].target & 63) & 1) << i
    return riders


@kernel
def conflict_free(game: Game, table: Table, going: int) -> int:
    """The riders left when all have stayed that must (R-A9.7). Virtual robots are in nobody's way (R-A9.10)."""
    near = crowded(game, going)
    while near:
        staying = 0
        for i in range(game.num_bodies):
            if near >> i & 1:
                staying |= stays(game, table, going, i)
        if staying == 0:
            break
        going ^= staying
        near &= going
    return going


@kernel
def base_curve(game: Game, table: Table, rider: int, cause: int) -> int:
    """Quarter turns by which the belt square under a rider turns it, if a belt has carried it in (R-A9.11)."""
    body = game.robots[rider]
    square = table.squares[body.square]
    if square.belt_turns >> ((body.leaving + 2) & 3) & 1:
        return square.belt_direction - body.leaving
    return 0


@with_elements(base_curve)
def curve(game: Game, table: Table, rider: int, cause: int) -> int:
    """Likewise; movers turn riders of their own family only: belts, flip belts, currents with rivers (R-E32.4)."""
    body = game.robots[rider]
    row = row_at(game, table, body.square)
    ground = table.ground[row]
    side = (body.leaving + 2) & 3
    if cause != BELT:
        turns = ground.mover > FLIP_BELT and ground.mover_turns >> side & 1
        return ground.directions[phase_of(game)] - body.leaving if turns else 0
    if game.step == C7:
        if ground.mover == FLIP_BELT and ground.flip_exits[1 - game.flip] == side:
            return ground.flip_exits[game.flip] - body.leaving
        return 0
    if table.squares[row].belt_turns >> side & 1:
        return ground.directions[phase_of(game)] - body.leaving
    return 0


@kernel
def take_curve(game: Game, table: Table, log: Log, rider: int, cause: int) -> None:
    """The square that it has come to turns a rider, if it is a curve for it."""
    if game.robots[rider].square >= 0:
        quarters = curve(game, table, rider, cause)
        if quarters & 3 and not (cause == BELT and is_stabilized(game, table, log, rider)):
            turn(game, log, rider, quarters)


@kernel
def base_move_to_targets(game: Game, table: Table, log: Log, going: int, cause: int, curves: bool) -> int:
    """Those of the mask `going` that nothing stops move to their `target`; their mask."""
    going = conflict_free(game, table, going)
    for i in range(game.num_bodies):
        if going >> i & 1:
            displace(game, table, log, i, game.robots[i].target, cause, -1)
            if curves and game.robots[i].drop == 0:
                take_curve(game, table, log, i, cause)
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if going >> i & 1 and robot.alive:  # a trapdoor may have opened under it
            falls = robot.drop > 0
            fall(game, table, log, i)
            if curves and falls:  # R-E13.6: not on a square that it only falls past
                take_curve(game, table, log, i, cause)
            enter(game, table, log, i, cause)
    return going


@with_expansions(base_move_to_targets)
def move_to_targets(
    game: Game, table: Table, log: Log, going: int, cause: int, curves: bool
) -> int:
    """Those of the mask `going` that nothing stops move to their `target`, facing kept but for curves; their mask.

    Nothing here looks at walls: `move_together` does.
    """
    going = base_move_to_targets(game, table, log, going, cause, curves)
    step_ends(game, table, log)
    return going


@kernel
def base_move_together(game: Game, table: Table, log: Log, going: int, cause: int, curves: bool) -> int:
    """Move the robots of the mask `going` one square in the direction `leaving`; the mask of those that moved.

    `curves`: belts and currents turn their riders.
    """
    for i in range(game.num_bodies):
        if going >> i & 1:
            body = game.robots[i]
            if edge_from(game, table, i, body.square, body.leaving, cause) != OPEN:
                going ^= 1 << i
            else:
                body.target = target_from(game, table, i, body.square, body.leaving)
    return move_to_targets(game, table, log, going, cause, curves) if going else 0


@with_elements(base_move_together)
def move_together(game: Game, table: Table, log: Log, going: int, cause: int, curves: bool) -> int:
    """`base_move_together`, compiled apart where expansions make it large."""
    return base_move_together(game, table, log, going, cause, curves)
