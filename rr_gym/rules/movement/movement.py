"""Displacements of robots, one square at a time, with all that follows at once (R-A8, R-P3, U15).

`chains` moves a robot and all that it pushes; `edges`, `leaving`, `pushing` and `bumping` say what expansions add to
that; what a square does to a robot that enters it stands in `entering`.
"""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel, seldom, with_expansions
from rr_gym.rules.damage.explosions import blasts_go_off
from rr_gym.rules.devices.contacts import big_one_follows, big_one_has_moved, devices_meet, pits_take_devices
from rr_gym.rules.devices.devices import HAVE_RIDDEN, strain_goo
from rr_gym.rules.floor.positions import come_to
from rr_gym.rules.movement.chains import base_move_chain, move_chain
from rr_gym.rules.movement.entering import enter
from rr_gym.rules.movement.landings import come_to_ground, land_robots_hit, somebody_lands
from rr_gym.rules.movement.pistons import pistons_flip
from rr_gym.rules.movement.pushing import was_stopped
from rr_gym.rules.movement.touching_ground import break_barrier
from rr_gym.rules.state.constants import C4, C8, C11, C13, CARRY, CAUGHT, DISPLACED, HOVERED, JUMP, MAX_ROBOTS, WEAPON
from rr_gym.rules.state.events import MOVED, note_at
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table

MAX_FLIPS = 8  # of the pistons after one step (U15)


@kernel
def meet_devices(game: Game, table: Table, log: Log) -> None:
    """Devices that a body has met act, explosions follow, and a drone pushes on the robots it has hit (R-X1.8, R-X2.6).

    Where belts and the like move robots and flat devices at one time, only the end of the sub-step counts.
    """
    together = C4 <= game.step <= C8 or C11 <= game.step <= C13
    settled = game.devices_act == HAVE_RIDDEN or (game.devices_act == 0 and not together)
    while game.num_devices or game.num_blasts:
        thrown = 0
        if settled and big_one_has_moved(game):
            big_one_follows(game, log)
        if settled and game.shifted:
            pits_take_devices(game, table, log)
        if settled and game.stirred & game.danger:
            came = game.stirred
            game.stirred = 0
            thrown = devices_meet(game, table, log, came)
            if thrown:
                game.stirred |= came  # the devices after the drone wait for it
        blasts_go_off(game, table, log)
        if thrown == 0:
            return
        for robot in range(game.num_robots):
            if thrown >> robot & 1 and game.robots[robot].goo:
                strain_goo(game, log, robot)
            elif thrown >> robot & 1 and game.robots[robot].alive:
                move_chain(game, table, log, robot, thrown >> MAX_ROBOTS, WEAPON)


@seldom
@kernel
def all_follows(game: Game, table: Table, log: Log) -> None:
    """See `step_ends`."""
    flips = 0
    while True:
        if game.aloft:
            land_robots_hit(game, table, log)
        if game.num_devices or game.num_blasts:
            meet_devices(game, table, log)
            if game.aloft and somebody_lands(game):
                continue
        if game.flips == 0 or flips == MAX_FLIPS:
            break
        flips += 1
        pistons_flip(game, table, log)
    game.flips = 0


@kernel
def devices_wait(game: Game) -> bool:
    """Somebody may meet a device, fall with it into a pit, or be The Big One: see `meet_devices`."""
    if game.num_devices == 0:
        return False
    return bool(game.stirred & game.danger | game.shifted != np.uint64(0))


@with_expansions(None)
def step_ends(game: Game, table: Table, log: Log) -> None:
    """What follows each displacement at once: landings, devices, explosions; pressed pistons flip (U15)."""
    if game.aloft | game.num_blasts | game.flips or devices_wait(game):
        all_follows(game, table, log)


@kernel
def base_step(game: Game, table: Table, log: Log, mover: int, direction: int, cause: int) -> int:
    """Nothing holds the mover, and nothing follows."""
    return base_move_chain(game, table, log, mover, direction, cause)


@with_expansions(base_step)
def step(game: Game, table: Table, log: Log, mover: int, direction: int, cause: int) -> int:
    """One square in a direction, pushing the robots in the way: `HELD`, `MOVED_ON` or another outcome (R-P3.2).

    The mover may be destroyed by it: see `alive`. In goo it stays; each square that it tries counts (R-O38.2).
    """
    if game.robots[mover].goo:
        strain_goo(game, log, mover)
        return CAUGHT
    result = move_chain(game, table, log, mover, direction, cause)
    was_stopped(game, table, mover, result)
    step_ends(game, table, log)
    return result


@kernel
def relocate(
    game: Game, table: Table, log: Log, robot: int, square: int, level: int, cause: int
) -> None:
    """Take a robot elsewhere without a way between: JUMP, CARRY or PLACE (R-P3.4). `heading` is the caller's."""
    body = game.robots[robot]
    break_barrier(game, table, robot)
    body.origin = body.square
    body.drop = 0
    come_to(game, table, robot, square)
    body.level = level
    if cause != CARRY:
        body.goo = 0
    if cause <= JUMP:
        body.marks = body.marks & ~HOVERED | DISPLACED
        game.unsettled = 1
    note_at(game, log, MOVED, robot, -1, cause, square, body.origin)
    enter(game, table, log, robot, cause)
    step_ends(game, table, log)


@kernel
def land(game: Game, table: Table, log: Log, robot: int, direction: int) -> None:
    """The end of a flight: the robot comes down on the first open square in a direction, its own first (R-P3.5)."""
    come_to_ground(game, table, log, robot, direction)
    step_ends(game, table, log)
