"""What a square does at once to a robot that comes to it (R-P2), in the order of the rulebook."""

from __future__ import annotations

from rr_gym.compilation.jit import compiled_once, kernel, with_elements, with_expansions
from rr_gym.courses.tables.ground import ACTS, LINE_MELTING, PORTALS
from rr_gym.rules.damage.damage import destroy, hurt
from rr_gym.rules.devices.contacts import met_in_passing
from rr_gym.rules.devices.watch import mark_coming
from rr_gym.rules.floor.ground import features_of, flies, held, is_pit_for, is_ramp, level_of, row_at
from rr_gym.rules.floor.standing import line_through, on_floor, on_ramp
from rr_gym.rules.floor.turned import end_of_link
from rr_gym.rules.hazards.passing import has_come_down, pass_through
from rr_gym.rules.options.supply import flag_gives_option
from rr_gym.rules.state.constants import (
    B1,
    B3,
    BY_COPY,
    BY_EDGE,
    BY_FALL,
    BY_PIT,
    BY_TRAPDOOR,
    C13,
    CARD,
    CARRY,
    FALL,
    FLAMED,
    HALTED,
    ICE_CHART,
    JUMP,
    MAX_ROBOTS,
    PLACE,
    PORTAL_CARD,
    SLIDE,
    TOUCH_PASS,
)
from rr_gym.rules.state.events import ARCHIVED, FLAG_TOUCHED, MOVED, note, note_at
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.variants import has_flag, next_flag, note_turning_board, share_flags

FALL_DAMAGE = 2  # per level (R-E13.2)


@kernel
def count_flag(game: Game, table: Table, log: Log, robot: int, flag: int) -> None:
    """A robot has touched its next flag."""
    game.robots[robot].flag += 1
    note(game, log, FLAG_TOUCHED, robot, flag)
    share_flags(game, table, robot)
    note_turning_board(game, table, flag)


@kernel
def touch_flag(game: Game, table: Table, log: Log, robot: int) -> None:
    """A robot on its next flag touches it; other flags mean nothing to it (R-A12.2)."""
    flag = next_flag(game, table, robot)
    if flag > 0 and has_flag(game, table, int(game.robots[robot].square), flag):
        count_flag(game, table, log, robot, flag)
        flag_gives_option(game, table, log, robot, flag)


@kernel
def move_archive(game: Game, log: Log, robot: int, square: int) -> None:
    """The robot's archive marker moves to a square of its own level (R-A12.1)."""
    body = game.robots[robot]
    body.archive_level = body.level
    if body.archive != square:
        body.archive = square
        note_at(game, log, ARCHIVED, robot, -1, 0, square, -1)


@kernel
def archive(game: Game, log: Log, robot: int) -> None:
    """It moves to where the robot stands."""
    move_archive(game, log, robot, int(game.robots[robot].square))


@with_elements(None)
def break_barrier(game: Game, table: Table, robot: int) -> None:
    """A real robot that enters or leaves the beam of a light barrier breaks it (R-E33)."""
    body = game.robots[robot]
    real = robot < MAX_ROBOTS and not body.virtual
    if real and body.square >= 0 and table.ground[row_at(game, table, body.square)].barrier:
        game.barrier_broken = 1


@with_elements(None)
def press_piston(game: Game, table: Table, robot: int) -> None:
    """A real robot that comes onto a raised piston presses its colour down; worked out after the step (R-E68, U15)."""
    body = game.robots[robot]
    if table.ground[row_at(game, table, body.square)].piston == game.piston_up + 1 and not body.virtual:
        game.flips = 1


@kernel
def trapdoor_of(game: Game, table: Table, square: int) -> int:
    """The number of the giant trapdoor that a place is part of, -1 for none."""
    return int(table.ground[row_at(game, table, square)].trapdoor) if square >= 0 else -1


@with_elements(None)
def load_trapdoor(game: Game, table: Table, log: Log, robot: int) -> None:
    """A robot too many opens a giant trapdoor under all others, and ends its move there (R-E75)."""
    body = game.robots[robot]
    door = trapdoor_of(game, table, body.square)
    if door < 0 or body.virtual or robot >= MAX_ROBOTS:
        return
    if not has_come_down(body) and trapdoor_of(game, table, body.origin) == door:
        return
    load = 0
    for i in range(game.num_bodies):
        other = game.robots[i]
        if i != robot and i < MAX_ROBOTS and other.alive and not other.virtual and not flies(game, table, i):
            load += trapdoor_of(game, table, other.square) == door
    if load < table.extras.capacities[door]:
        return
    body.marks |= HALTED
    for i in range(game.num_bodies):
        other = game.robots[i]
        if i == robot or not other.alive:
            continue
        if trapdoor_of(game, table, other.square) == door and not flies(game, table, i):
            destroy(game, table, log, i, BY_TRAPDOOR)
        elif other.has_copy and trapdoor_of(game, table, other.copy_square) == door:
            destroy(game, table, log, i, BY_COPY)


@kernel
def touch_ground(game: Game, table: Table, log: Log, robot: int) -> None:
    """R-P2.4 and R-P2.5: state that all share, then what acts on robots that come or pass."""
    break_barrier(game, table, robot)
    if not flies(game, table, robot):
        load_trapdoor(game, table, log, robot)
        press_piston(game, table, robot)
    pass_through(game, table, log, robot)


@kernel
def twin_is_free(game: Game, table: Table, robot: int, twin: int) -> bool:
    """No real robot stands on the other portal of the pair (K6)."""
    for i in range(game.num_bodies):
        other = game.robots[i]
        if i != robot and other.alive and not other.virtual and other.square == twin:
            return False
    return True


@kernel
def portal_leads_to(game: Game, table: Table, robot: int, square: int) -> int:
    """The twin to which a portal on a square takes the robot that comes onto it; -1 for none."""
    here = table.ground[row_at(game, table, square)]
    if not here.portal or here.twin < 0 or game.devices_act:  # flat devices do not pass (R-X1.4)
        return -1
    twin = int(end_of_link(game, table, square, int(here.twin)))
    return twin if twin_is_free(game, table, robot, twin) else -1


@kernel
def pass_portal(game: Game, table: Table, log: Log, robot: int, cause: int) -> None:
    """A robot that comes onto a portal is at once on its twin, where everything but the portal acts (R-E27)."""
    body = game.robots[robot]
    if cause > FALL or has_come_down(body) or (table.settings.portal_trigger == PORTAL_CARD and cause != CARD):
        return
    twin = int(portal_leads_to(game, table, robot, int(body.square)))
    if twin < 0:
        return
    met_in_passing(game, table, log, robot)
    body.origin = body.square
    body.square = twin
    mark_coming(game, table, robot)
    body.level = level_of(game, table, twin)
    note_at(game, log, MOVED, robot, -1, JUMP, twin, body.origin)
    if is_pit_for(game, table, robot, twin) and not flies(game, table, robot):
        destroy(game, table, log, robot, BY_PIT)
    else:
        touch_ground(game, table, log, robot)


@with_elements(True)
def is_plain(game: Game, table: Table, robot: int) -> bool:
    """Nothing acts on who comes here from another square: what follows may be left out."""
    body = game.robots[robot]
    if table.special[row_at(game, table, body.square)] & ACTS or body.origin == body.square:
        return False
    if is_ramp(table, body.origin) or table.settings.ice_mode == ICE_CHART:
        return False
    return not line_through(game, table, body.square, LINE_MELTING)


@with_elements(False)
def slid_off_platform(game: Game, table: Table, robot: int, cause: int) -> bool:
    """A balancing platform has tipped it off: also down a ledge that does no damage (R-E41.4, U49)."""
    origin = game.robots[robot].origin
    if game.step != B3 or cause != SLIDE or origin < 0:
        return False
    return table.ground[row_at(game, table, origin)].platform >= 0


@with_expansions(True)
def survives_ground(game: Game, table: Table, log: Log, robot: int, cause: int) -> bool:
    """R-P2.2 to R-P2.7; whether the robot is still there."""
    body = game.robots[robot]
    mark_coming(game, table, robot)
    if body.drop > 0:
        points = 0 if slid_off_platform(game, table, robot, cause) else FALL_DAMAGE * body.drop
        body.drop = 0
        hurt(game, table, log, robot, points, BY_FALL)
        if not body.alive:
            return False
    if cause in (CARRY, PLACE):
        return True
    if is_plain(game, table, robot):
        if not on_ramp(game, table, robot):  # from a ramp it may slide back into the flames
            body.marks &= ~FLAMED
        return True
    touch_ground(game, table, log, robot)
    if body.alive and features_of(table) & PORTALS:
        pass_portal(game, table, log, robot, cause)
    if body.alive and held(game, table, robot):
        body.marks |= HALTED
    return body.alive != 0


@with_expansions(True)
def counts_in_passing(game: Game, table: Table, robot: int, cause: int) -> bool:
    """Flags of a robot's level are crossed by movement in segments B and C, and never by copies."""
    moves = B1 <= game.step <= C13 and cause < CARRY
    return moves and robot < MAX_ROBOTS and not game.copies_act and on_floor(game, table, robot)


@kernel
def enter_square(game: Game, table: Table, log: Log, robot: int, cause: int) -> None:
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


@with_elements(enter_square, compiled_once)
def enter(game: Game, table: Table, log: Log, robot: int, cause: int) -> None:
    """`enter_square`, compiled apart where expansions make it large."""
    enter_square(game, table, log, robot, cause)
