"""What a square does at once to a robot that comes to it (R-P2), in the order of the rulebook."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_elements, with_expansions
from rr_gym.courses.tables.ground import ACTS, HAS_PORTALS, LINE_MELTING
from rr_gym.rules.damage.damage import destroy, hurt
from rr_gym.rules.floor.ground import features_of, flies, held, is_pit_for, is_ramp, row_at
from rr_gym.rules.floor.standing import line_through, on_floor, on_ramp, place_of_square
from rr_gym.rules.hazards.passing import has_come_down
from rr_gym.rules.hazards.water import stand_in_deep_water
from rr_gym.rules.movement.portals import pass_portal
from rr_gym.rules.movement.touching_flags import archive, touch_flag
from rr_gym.rules.movement.touching_ground import touch_ground
from rr_gym.rules.state.constants import (
    B1,
    B3,
    BY_EDGE,
    BY_FALL,
    BY_PIT,
    C13,
    CARRY,
    FLAMED,
    HALTED,
    ICE_CHART,
    MAX_ROBOTS,
    PLACE,
    RAMP_BACK,
    SLIDE,
    TOUCH_PASS,
)
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.flags import has_flag
from rr_gym.rules.variants.goals import next_flag

FALL_DAMAGE = 2  # per level (R-E13.2)


@with_elements(True)
def is_plain(game: Game, table: Table, robot: int) -> bool:
    """Nothing acts on a robot that comes here from another square: what follows may be left out."""
    body = game.robots[robot]
    if table.special[row_at(game, table, body.square)] & ACTS or has_come_down(body):
        return False
    if table.settings.ice_mode == ICE_CHART:
        return False
    return not line_through(game, table, body.square, LINE_MELTING)


@with_elements(False)
def slid_off_platform(game: Game, table: Table, robot: int, cause: int) -> bool:
    """A balancing platform has tipped it off: also down a ledge that does no damage (R-E41.4, U49)."""
    origin = game.robots[robot].origin
    if game.step != B3 or cause != SLIDE or origin < 0:
        return False
    return table.ground[row_at(game, table, origin)].platform >= 0


@with_elements(False)
def slides_back(game: Game, table: Table, robot: int, cause: int) -> bool:
    """The robot slides back from a ramp to its foot, which it does not enter by that (R-E14.8); those it pushes do."""
    body = game.robots[robot]
    if cause != RAMP_BACK or not is_ramp(table, body.origin):
        return False
    return place_of_square(game, table, body.origin) == body.square


@with_expansions(True)
def survives_ground(game: Game, table: Table, log: Log, robot: int, cause: int) -> bool:
    """R-P2.2 to R-P2.7; whether the robot is still there."""
    body = game.robots[robot]
    if body.drop > 0:
        points = 0 if slid_off_platform(game, table, robot, cause) else FALL_DAMAGE * body.drop
        body.drop = 0
        hurt(game, table, log, robot, points, BY_FALL)
        if not body.alive:
            return False
    if cause in (CARRY, PLACE):
        return True
    if slides_back(game, table, robot, cause):
        stand_in_deep_water(game, table, robot)
        return True
    if is_plain(game, table, robot):
        if not on_ramp(game, table, robot):  # from a ramp it may slide back into the flames
            body.marks &= ~FLAMED
        return True
    touch_ground(game, table, log, robot)
    if body.alive and features_of(table) & HAS_PORTALS:
        pass_portal(game, table, log, robot, cause)
    if body.alive and held(game, table, robot):
        body.marks |= HALTED
    return body.alive != 0


@with_expansions(True)
def counts_in_passing(game: Game, table: Table, robot: int, cause: int) -> bool:
    """Flags of a robot's level are crossed by movement in segments B and C, and never by copies."""
    moves = B1 <= game.step <= C13 and cause < CARRY and not slides_back(game, table, robot, cause)
    return moves and robot < MAX_ROBOTS and not game.copies_act and on_floor(game, table, robot)


@kernel
def base_enter(game: Game, table: Table, log: Log, robot: int, cause: int) -> None:
    """What the square a robot has come to does at once: edges and pits destroy (R-A8.3, R-A8.6, R-E2.1, R-E3.1)."""
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
    if flag > 0 and has_flag(game, table, int(body.square), flag):
        touch_flag(game, table, log, robot)  # R-A12.6, K1: crossing the next flag counts and moves the archive
        archive(game, log, robot)


@with_elements(base_enter)
def enter(game: Game, table: Table, log: Log, robot: int, cause: int) -> None:
    """`base_enter`, compiled apart where expansions make it large."""
    base_enter(game, table, log, robot, cause)
