"""What expansions add to a step of one square: edges, levels, ramps, gates, and who may push whom (R-P3.1, R-P3.2)."""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.jit import kernel, with_elements, with_expansions
from rr_gym.courses.tables.ground import (
    BUTTON,
    GATE,
    OILY,
    PADDED_WALL,
    PADDING,
    PLAIN,
    REPULSOR,
    SLOPES,
    SPIKED,
    TURRET_GUN,
)
from rr_gym.rules.damage.damage import damage, destroy, hurt
from rr_gym.rules.devices.devices import strain_goo
from rr_gym.rules.floor.copies import VANISHED
from rr_gym.rules.floor.ground import (
    NO_FLOOR,
    flies,
    floor_at,
    grid_next,
    held,
    is_ramp,
    level_of,
    next_place,
    phase_bit,
    row_at,
    surface_under,
    walled,
)
from rr_gym.rules.floor.levels import (
    FALLING,
    arrival_level,
    beyond_gate,
    goes_down_ramp,
    level_there,
    passes_gate,
    through_gate,
)
from rr_gym.rules.floor.turned import heading_of_link
from rr_gym.rules.movement.entering import break_barrier
from rr_gym.rules.movement.turning import turn
from rr_gym.rules.options.options import note_use, works
from rr_gym.rules.options.reengineering import exchange_unit
from rr_gym.rules.state.constants import (
    BOUNCE,
    BY_COPTER,
    BY_RAMMING,
    BY_SPIKES,
    CARD,
    CAUGHT,
    CAUSE_NAMES,
    DISPLACED,
    FATAL_DAMAGE,
    HALTED,
    HELD,
    HOVERED,
    ICE,
    JUMP,
    LANDS,
    MAX_ROBOTS,
    MOVED_ON,
    OIL,
    OPTION,
    PUSH,
    PUSHER,
    RAMP_BACK,
    REBOUND,
    REPELLED,
    RING,
    STOPPED,
)
from rr_gym.rules.state.events import OPTION_USED
from rr_gym.rules.state.option_cards import RAMMING_GEAR, REENGINEERING_UNIT
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table

OPEN = -1  # nothing in the way
# Causes that press a body against a wall without hurting it on spikes (table of causes, R-E39)
GENTLE = np.array([name in ("belt", "current", "pull", "ring", "slide", "ramp_back") for name in CAUSE_NAMES])


@kernel
def plain_wall(game: Game, table: Table, robot: int, square: int, direction: int, cause: int) -> int:
    return PLAIN if walled(game, table, square, direction) else OPEN


@with_elements(plain_wall)
def obstacle(game: Game, table: Table, robot: int, square: int, direction: int, cause: int) -> int:
    """What is in the way at the edge of a square, with gates, ledges, ramps and turret guns."""
    row = row_at(game, table, square)
    if walled(game, table, square, direction):
        kind = int(table.ground[row].kinds[direction])
        return OPEN if kind == GATE and cause == CARD else kind
    target = next_place(game, table, square, direction, game.robots[robot].level)
    if target < 0 or is_ramp(table, target):
        return OPEN
    there = row_at(game, table, target)
    if flies(game, table, robot) and table.ground[there].overlays & TURRET_GUN:
        return PLAIN
    slopes = table.special[row] & SLOPES and table.ground[row].ramp[direction] >= 0
    if slopes and table.ground[there].in_wall[direction ^ 2] & phase_bit(game):
        return PLAIN  # over a ramp to a wall at its top
    ledge = level_there(game, table, square, direction, target, game.robots[robot].level) == NO_FLOOR
    return PLAIN if ledge else OPEN


@with_expansions(plain_wall)
def edge_from(game: Game, table: Table, robot: int, square: int, direction: int, cause: int) -> int:
    """What the robot meets that leaves a square in a direction: `OPEN` or the kind of the obstacle (PLAIN ...); R-P3.1.

    `cause` is that of the first mover: gates open for cards only (R-E38).
    """
    if held(game, table, robot) or game.robots[robot].goo:
        return PLAIN
    return obstacle(game, table, robot, square, direction, cause)


@kernel
def neighbour_of(game: Game, table: Table, robot: int, square: int, direction: int) -> int:
    return int(table.squares[square].neighbour[direction])


@with_expansions(neighbour_of)
def target_from(game: Game, table: Table, robot: int, square: int, direction: int) -> int:
    """The square that a step over an open edge leads to, -1 off the board."""
    if through_gate(game, table, square, direction):
        return int(beyond_gate(game, table, square, direction))
    return next_place(game, table, square, direction, game.robots[robot].level)


@kernel
def same_heading(
    game: Game, table: Table, chain: int, square: int, direction: int, target: int
) -> int:
    return direction


@with_expansions(same_heading)
def prepare(game: Game, table: Table, chain: int, square: int, direction: int, target: int) -> int:
    """Note for the robots of a chain that stand on `square` where they go. The heading after it: gates bend it."""
    heading = direction
    if through_gate(game, table, square, direction):
        gate = table.ground[row_at(game, table, square)]
        end = int(gate.gate_to[direction])
        heading = int(heading_of_link(game, table, square, end, int(gate.gate_heading[direction])))
    while chain:
        body = game.robots[(chain & 15) - 1]
        if body.square != square:
            break
        body.leaving = direction
        body.heading = heading
        body.target = target
        chain >>= 4
    return heading


@kernel
def straight_on(game: Game, table: Table, robot: int, direction: int) -> int:
    return int(table.squares[game.robots[robot].square].neighbour[direction])


@with_expansions(straight_on)
def prepared_target(game: Game, table: Table, robot: int, direction: int) -> int:
    """Where `prepare` sends a robot."""
    return int(game.robots[robot].target)


@with_elements(False)
def ends_chain(game: Game, table: Table, front: int, target: int) -> bool:
    """The front robot falls there: it pushes nobody, it lands beyond (R-E13.3)."""
    body = game.robots[front]
    return arrival_level(game, table, front, target, body.leaving) == FALLING


@with_expansions(True)
def stands_in_way(game: Game, table: Table, front: int, other: int) -> bool:
    """The other robot is on the level on which the front one arrives."""
    body = game.robots[front]
    return game.robots[other].level == arrival_level(game, table, front, body.target, body.leaving)


@kernel
def moves_itself(cause: int) -> bool:
    """The displacement is the mover's own movement: no slide, no beam, no board element (R-O18.4, R-O47.2)."""
    return cause in (CARD, OPTION, BOUNCE)


@kernel
def ram(game: Game, table: Table, log: Log, mover: int, other: int) -> None:
    """A Ramming Gear hurts whom its owner runs into, once per card (R-O18, U20)."""
    if other >= MAX_ROBOTS or game.rammed >> other & 1 or not works(game, table, mover, RAMMING_GEAR):
        return
    game.rammed |= 1 << other
    note_use(game, log, OPTION_USED, mover, RAMMING_GEAR)
    damage(game, table, log, other, 1, BY_RAMMING, mover)
    if game.robots[other].damage >= FATAL_DAMAGE:
        destroy(game, table, log, other, BY_RAMMING)


@kernel
def may_push(game: Game, table: Table, other: int, cause: int, chain: int) -> bool:
    """Whether a displacement may push the robot: not one on a mag-lock, nor one that is in the chain already (R-P3.2).

    Slides on oil push robots on oil only, runs on padded squares those on padded squares, slides on ice nobody.
    """
    if held(game, table, other) or cause == ICE:
        return False
    if cause == OIL and surface_under(game, table, other) != OILY:
        return False
    if cause == BOUNCE and surface_under(game, table, other) != PADDING:
        return False
    while chain:
        if (chain & 15) - 1 == other:
            return False
        chain >>= 4
    return True


@with_expansions(MOVED_ON)
def run_into(
    game: Game, table: Table, log: Log, mover: int, other: int, cause: int, chain: int
) -> int:
    """What becomes of a robot in the way of a chain: `MOVED_ON` if it is pushed, `HELD` or `CAUGHT` if nobody moves.

    `OPEN` if it is no longer there. The robot that the mover touches may be rammed. Goo holds whom it has caught;
    each square of a push counts as one that it has tried to move (R-O38.4).
    """
    body = game.robots[other]
    if chain == mover + 1 and moves_itself(cause):
        ram(game, table, log, mover, other)
        if not body.alive:
            return OPEN
    if not may_push(game, table, other, cause, chain):
        return HELD
    if body.goo:
        strain_goo(game, log, other)
        return CAUGHT
    return MOVED_ON


@with_expansions(None)
def push_begins(game: Game, table: Table, log: Log, mover: int, chain: int, cause: int) -> None:
    """Nothing stops a chain: who really pushes another robot may exchange its Reengineering Unit (R-O47, U20)."""
    if chain < 16 or not moves_itself(cause) or not works(game, table, mover, REENGINEERING_UNIT):
        return
    while chain >= 256:
        chain >>= 4
    touched = (chain & 15) - 1
    if touched < MAX_ROBOTS:
        exchange_unit(game, log, mover, touched)


@with_expansions(None)
def was_pushed(game: Game, table: Table, robot: int, cause: int) -> None:
    """A push by a robot or a pusher ends a flight with the Robo-Copter (R-O50.3)."""
    body = game.robots[robot]
    if body.flying == BY_COPTER and cause in (PUSH, PUSHER):
        body.marks |= LANDS


@kernel
def was_stopped(game: Game, table: Table, robot: int, result: int) -> None:
    """So does a wall or a robot in its way (R-O50.3); a mag-lock only keeps it on the ground (R-E29.3)."""
    body = game.robots[robot]
    if body.flying == BY_COPTER and result in (HELD, REBOUND, CAUGHT) and not held(game, table, robot):
        body.marks |= LANDS


@kernel
def press_button(game: Game, table: Table, robot: int, direction: int) -> None:
    """A robot that runs against the button of a copy machine gets a copy on the other side, facing the wall (R-E45)."""
    body = game.robots[robot]
    beyond = grid_next(game, table, body.square, direction)
    if body.has_copy or game.copies_act or beyond < 0:
        return
    body.has_copy = 1
    body.copy_square = body.copy_birth = beyond
    body.copy_side = body.copy_facing = body.copy_heading = direction ^ 2
    body.copy_level = level_of(game, table, beyond)
    body.copy_flying = 0
    body.copy_marks = 0
    body.copy_speed = 0


@with_elements(HELD)
def bump(
    game: Game, table: Table, log: Log, mover: int, front: int, direction: int, met: int, cause: int
) -> int:
    """What running into an obstacle does, and how the step ends by it."""
    body = game.robots[front]
    if met == SPIKED:
        reason = cause if front == mover else PUSH
        again = cause == RAMP_BACK and not game.robots[mover].marks & DISPLACED  # one that waits on a ramp (R-E14.6)
        if not GENTLE[reason] and not again:
            hurt(game, table, log, front, 1, BY_SPIKES)
        return HELD
    if front == mover and cause == CARD:
        if met == BUTTON:
            press_button(game, table, mover, direction)
        if game.copies_act and body.square == body.copy_birth and direction == body.copy_side:
            body.has_copy = VANISHED  # it has touched its machine
            body.alive = 0
            body.square = -1
            body.marks = 0
            return HELD
    if met == REPULSOR and cause == CARD:
        body.heading = direction
        return REPELLED | front
    if met == PADDED_WALL and front == mover and cause in (CARD, BOUNCE):
        return REBOUND
    return HELD


@with_elements(None)
def change_level(game: Game, table: Table, log: Log, robot: int, target: int, cause: int) -> None:
    """The level on which a robot comes to `target`, by ramps and falls, and the turn of a gate."""
    body = game.robots[robot]
    if body.heading != body.leaving and cause != RING:
        turn(game, log, robot, body.heading - body.leaving)
    if target < 0:
        return
    if body.flying or passes_gate(game, table, body.square, body.leaving, target):
        body.level = arrival_level(game, table, robot, target, body.leaving)
        return
    if table.ground[target].up >= 0:
        body.level = table.squares[target].level
        return
    if cause == RING:
        level = floor_at(game, table, target, body.level)
    else:
        level = level_there(game, table, body.square, body.leaving, target, body.level)
    if level == NO_FLOOR:
        return
    if level < body.level and (cause == RING or not goes_down_ramp(game, table, body.square, body.leaving, body.level)):
        body.drop = body.level - level
    body.level = level


@with_expansions(None)
def on_the_way(game: Game, table: Table, log: Log, robot: int, target: int, cause: int) -> None:
    """Leaving a square for `target`: it is noted where from, light barriers and levels see to it."""
    body = game.robots[robot]
    break_barrier(game, table, robot)
    body.origin = body.square
    body.drop = 0
    if cause <= JUMP:
        body.marks = body.marks & ~HOVERED | DISPLACED
        game.unsettled = 1
    change_level(game, table, log, robot, target, cause)


@with_elements(MOVED_ON)
def outcome(game: Game, table: Table, mover: int) -> int:
    """How a step ended for its mover: something may hold it where it has come to."""
    body = game.robots[mover]
    if body.marks & HALTED:
        body.marks &= ~HALTED
        return STOPPED
    return MOVED_ON
