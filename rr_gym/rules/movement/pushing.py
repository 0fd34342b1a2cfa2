"""Which robots may be pushed, and what a push does besides (R-P3.2): rams, goo, Reengineering Units, ended flights."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_expansions
from rr_gym.courses.tables.ground import OILY, PADDING
from rr_gym.rules.damage.damage import damage, destroy
from rr_gym.rules.devices.devices import strain_goo
from rr_gym.rules.floor.ground import held, surface_under
from rr_gym.rules.movement.edges import OPEN
from rr_gym.rules.options.options import copter_card_goes, note_use, owns, works
from rr_gym.rules.options.reengineering import exchange_unit
from rr_gym.rules.state.constants import (
    BOUNCE,
    BY_COPTER,
    BY_RAMMING,
    CARD,
    CAUGHT,
    FATAL_DAMAGE,
    HELD,
    ICE,
    MAX_ROBOTS,
    MOVED_ON,
    NOBODY,
    OIL,
    OPTION,
    PUSH,
    PUSHER,
    REBOUND,
)
from rr_gym.rules.state.events import OPTION_USED
from rr_gym.rules.state.option_cards import RAMMING_GEAR, REENGINEERING_UNIT
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@kernel
def moves_itself(cause: int) -> bool:
    """The displacement is the mover's own movement: no slide, no beam, no board element (R-O18.4, R-O47.2)."""
    return cause in (CARD, OPTION, BOUNCE)


@kernel
def ram(game: Game, table: Table, log: Log, mover: int, other: int) -> None:
    """A Ramming Gear hurts the robot that its owner runs into, once per card (R-O18, U20)."""
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

    `OPEN` if it is no longer there. The robot that the mover touches may be rammed. Goo holds what it has caught;
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


@with_expansions(NOBODY)
def push_begins(game: Game, table: Table, mover: int, chain: int, cause: int) -> int:
    """Nothing stops a chain: whom a robot with a Reengineering Unit really pushes, else NOBODY (R-O47, U20).

    See `push_ends`.
    """
    if chain < 16 or not moves_itself(cause) or not works(game, table, mover, REENGINEERING_UNIT):
        return NOBODY
    while chain >= 256:
        chain >>= 4
    touched = (chain & 15) - 1
    return touched if touched < MAX_ROBOTS else NOBODY


@with_expansions(None)
def push_ends(game: Game, table: Table, log: Log, mover: int, touched: int) -> None:
    """The whole chain has moved, with the options that its robots had before: now the Reengineering Unit is exchanged,
    if its robot is still there and has not given it up (U61, U67).
    """
    robot = game.robots[mover]
    if touched != NOBODY and robot.alive and owns(robot, REENGINEERING_UNIT):
        exchange_unit(game, log, mover, touched)


@with_expansions(None)
def was_pushed(game: Game, table: Table, robot: int, cause: int) -> None:
    """A push by a robot or a pusher ends a flight with the Robo-Copter (R-O50.3)."""
    body = game.robots[robot]
    if body.flying == BY_COPTER and cause in (PUSH, PUSHER):
        copter_card_goes(game, body)


@kernel
def was_stopped(game: Game, table: Table, robot: int, result: int) -> None:
    """So does a wall or a robot in its way (R-O50.3); a mag-lock only keeps it on the ground (R-E29.3)."""
    body = game.robots[robot]
    if body.flying == BY_COPTER and result in (HELD, REBOUND, CAUGHT) and not held(game, table, robot):
        copter_card_goes(game, body)
