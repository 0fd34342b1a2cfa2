"""The immediate effects of a square on a robot that comes to it (R-P2), in the order of the rulebook.

The ground acts first (R-P2.4, R-P2.5): light barriers, giant trapdoors, pistons, then hazards and water. Next, a portal
(R-E27) may put the robot on another square, whose ground acts too. Flags come last.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_PORTALS
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.damage.damage import destroy, hurt
from rr_gym.rules.devices.contacts import met_in_passing
from rr_gym.rules.floor.ground import features_of, flies, held, is_pit_for, is_ramp, level_of, row_at
from rr_gym.rules.floor.positions import come_to
from rr_gym.rules.floor.standing import on_floor, place_of_square
from rr_gym.rules.floor.turned import end_of_link
from rr_gym.rules.hazards.giant_trapdoors import load_trapdoor
from rr_gym.rules.hazards.passing import has_come_down, pass_through
from rr_gym.rules.hazards.water import stand_in_deep_water
from rr_gym.rules.movement.touching_flags import archive, touch_flag
from rr_gym.rules.state.constants import (
    B1,
    B3,
    BY_EDGE,
    BY_FALL,
    BY_PIT,
    C13,
    CARD,
    CARRY,
    FALL,
    HALTED,
    JUMP,
    MAX_ROBOTS,
    PLACE,
    PORTAL_CARD,
    RAMP_BACK,
    SLIDE,
    TOUCH_PASS,
)
from rr_gym.rules.state.events import MOVED, note_at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.flags import has_flag
from rr_gym.rules.variants.goals import next_flag

FALL_DAMAGE = 2  # points for each level (R-E13.2)


@with_elements(None)
def break_barrier(game: GameRecord, table: Table, robot: int) -> None:
    """Let a real robot that enters or leaves the beam of a light barrier break it (R-E33)."""
    body = game.robots[robot]
    real = robot < MAX_ROBOTS and not body.virtual
    if real and body.square >= 0 and table.ground[row_at(game, table, body.square)].barrier:
        game.barrier_broken = 1


@with_elements(None)
def press_piston(game: GameRecord, table: Table, robot: int) -> None:
    """Let a real robot press down the raised pistons by coming onto one of them.

    The pistons flip once the robot's step is over (R-E68, U15).
    """
    body = game.robots[robot]
    if table.ground[row_at(game, table, body.square)].piston == game.piston_up + 1 and not body.virtual:
        game.flips = 1


@kernel
def touch_ground(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Let the ground of a square act on a robot that comes to it (R-P2.4, R-P2.5).

    Barriers, trapdoors and pistons, which change the board for everybody, come first; then hazards, which act only on
    this robot.
    """
    break_barrier(game, table, robot)
    if not flies(game, table, robot):
        load_trapdoor(game, table, log, robot)
        if not game.robots[robot].alive:
            return
        press_piston(game, table, robot)
    pass_through(game, table, log, robot)


@kernel
def twin_is_free(game: GameRecord, table: Table, robot: int, twin: int) -> bool:
    """Tell whether no other real robot stands on the other portal of the pair (K6)."""
    for i in range(game.num_bodies):
        other = game.robots[i]
        if i != robot and other.alive and not other.virtual and other.square == twin:
            return False
    return True


@kernel
def portal_leads_to(game: GameRecord, table: Table, robot: int, square: int) -> int:
    """Return the twin to which the portal on a square takes a robot that comes onto it, -1 for none."""
    here = table.ground[row_at(game, table, square)]
    if not here.portal or here.twin < 0 or game.devices_act:  # portals do not take flat devices (R-X1.4)
        return -1
    twin = int(end_of_link(game, table, square, int(here.twin)))
    return twin if twin_is_free(game, table, robot, twin) else -1


@kernel
def pass_portal(game: GameRecord, table: Table, log: Log, robot: int, cause: int) -> None:
    """Transport a robot that comes onto a portal to its twin, where everything except the portal acts (R-E27).

    A flyer comes out as high above the floor as it went in (R-E13.4).
    """
    body = game.robots[robot]
    if cause > FALL or has_come_down(body) or (table.settings.portal_trigger == PORTAL_CARD and cause != CARD):
        return
    twin = int(portal_leads_to(game, table, robot, int(body.square)))
    if twin < 0:
        return
    met_in_passing(game, table, log, robot)
    height = int(body.level) - level_of(game, table, body.square) if body.flying else 0
    body.origin = body.square
    come_to(game, table, robot, twin)
    body.level = level_of(game, table, twin) + height
    note_at(game, log, MOVED, robot, -1, JUMP, twin, body.origin)
    if is_pit_for(game, table, robot, twin) and not flies(game, table, robot):
        destroy(game, table, log, robot, BY_PIT)
    else:
        touch_ground(game, table, log, robot)


@with_elements(False)
def slid_off_platform(game: GameRecord, table: Table, robot: int, cause: int) -> bool:
    """Tell whether a tipped balancing platform has slid a robot off.

    This causes no damage, even down a ledge (R-E41.4, U49).
    """
    origin = game.robots[robot].origin
    if game.step != B3 or cause != SLIDE or origin < 0:
        return False
    return table.ground[row_at(game, table, origin)].platform >= 0


@with_elements(False)
def slides_back(game: GameRecord, table: Table, robot: int, cause: int) -> bool:
    """Tell whether a robot slides back from a ramp to its foot.

    This does not count as entering the square at the foot; the robots that it pushes do enter theirs (R-E14.8).
    """
    body = game.robots[robot]
    if cause != RAMP_BACK or not is_ramp(table, body.origin):
        return False
    return place_of_square(game, table, body.origin) == body.square


@with_expansions(True)
def survives_ground(game: GameRecord, table: Table, log: Log, robot: int, cause: int) -> bool:
    """Let a fall, the ground and a portal act on a robot (R-P2.2 to R-P2.7); return whether it is still there."""
    body = game.robots[robot]
    if body.drop > 0:  # mutants (boundary): a fall by no level costs nothing
        points = 0 if slid_off_platform(game, table, robot, cause) else FALL_DAMAGE * body.drop
        body.drop = 0
        hurt(game, table, log, robot, points, BY_FALL)
        if not body.alive:  # mutants (never): nothing acts off the board
            return False
    if cause in (CARRY, PLACE):
        return True
    if slides_back(game, table, robot, cause):
        stand_in_deep_water(game, table, robot)
        return True
    touch_ground(game, table, log, robot)
    if body.alive and features_of(table) & HAS_PORTALS:
        pass_portal(game, table, log, robot, cause)
    if body.alive and held(game, table, robot):
        body.marks |= HALTED
    return body.alive != 0


@with_expansions(True)
def counts_in_passing(game: GameRecord, table: Table, robot: int, cause: int) -> bool:
    """Tell whether a robot touches flags that it only crosses by this displacement.

    It does in movements of segments B and C, but not if it is carried or placed, or slides back to the foot of a ramp.
    Copies touch no flags.
    """
    # mutants (boundary 2, boundary 3): belts carry onto flags that E1 counts, elevators over none
    moves = B1 <= game.step <= C13 and cause < CARRY and not slides_back(game, table, robot, cause)
    return moves and robot < MAX_ROBOTS and not game.copies_act and on_floor(game, table, robot)


@kernel
def enter(game: GameRecord, table: Table, log: Log, robot: int, cause: int) -> None:
    """Let the square to which a robot has come act on it at once.

    Edges and pits destroy the robot (R-A8.3, R-A8.6, R-E2.1, R-E3.1).
    """
    body = game.robots[robot]
    if body.square < 0:
        destroy(game, table, log, robot, BY_EDGE)
        return
    if is_pit_for(game, table, robot, body.square) and not flies(game, table, robot):
        destroy(game, table, log, robot, BY_PIT)
        return
    if not survives_ground(game, table, log, robot, cause):
        return
    if table.settings.flag_touch != TOUCH_PASS or not counts_in_passing(game, table, robot, cause):
        return
    flag = next_flag(game, table, robot)
    if flag > 0 and has_flag(game, table, int(body.square), flag):  # mutants (boundary): the next flag is never flag 0
        touch_flag(game, table, log, robot)  # R-A12.6, K1: crossing the next flag counts and moves the archive
        archive(game, log, robot)
