"""Board elements move devices in segment C, and devices become live in D0 (R-X1.5, R-X1.6, R-X1.10, R-X1.12).

The Big One is a body like a robot, so elements move it like robots. To move a flat device, all bodies are hidden and
the device takes the form of the body RIDER, on which the rules for board elements then act. RIDER is virtual, so that
it meets nobody.
"""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import (
    HAS_BIG_GEARS,
    HAS_CURRENTS,
    HAS_ELEVATORS,
    HAS_FLIP_BELTS,
    HAS_FLIP_GEARS,
    HAS_GOLD_BELTS,
    HAS_OIL,
    HAS_RAMPS,
    HAS_TILTED,
)
from rr_gym.courses.tables.tables import HAS_BELTS, HAS_CRUSHERS, HAS_EXPRESS, HAS_GEARS, HAS_PUSHERS
from rr_gym.forms import with_expansions
from rr_gym.rules.devices.devices import (
    BY_HAND,
    HAVE_RIDDEN,
    RIDE,
    crush_device,
    lies_on_ground,
    move_device,
    remove_device,
    set_off,
    turn_device,
)
from rr_gym.rules.elements.conveyors import GOLD, belt_under, flip_belt_under
from rr_gym.rules.elements.currents import current_under
from rr_gym.rules.elements.elevators import elevators_carry
from rr_gym.rules.elements.gears import big_gear_carries, loaded
from rr_gym.rules.elements.pushers import pushers_at
from rr_gym.rules.floor.ground import features_of, floor_at, phase_bit, row_at
from rr_gym.rules.floor.positions import leave_board
from rr_gym.rules.launching.flying_devices import fly_on
from rr_gym.rules.movement.movement import step_ends
from rr_gym.rules.movement.settling import settle_robots
from rr_gym.rules.movement.together import move_together
from rr_gym.rules.state.constants import (
    BELT,
    BUZZ_TOKEN,
    C4,
    C5,
    C6,
    C7,
    C8,
    C10,
    C11,
    C12,
    C13,
    DRONE_TOKEN,
    GOO_TOKEN,
    MISSILE_TOKEN,
    RIDER,
)
from rr_gym.rules.state.constants import CURRENT as BY_CURRENT
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

# By sub-step: features that act on devices. Fast belts have the features of slower ones too.
_ACTS_ON_DEVICES = {
    C4: HAS_GOLD_BELTS, C5: HAS_EXPRESS, C6: HAS_BELTS, C7: HAS_FLIP_BELTS, C8: HAS_CURRENTS, C10: HAS_PUSHERS,
    C11: HAS_GEARS | HAS_FLIP_GEARS | HAS_BIG_GEARS, C12: HAS_CRUSHERS, C13: HAS_ELEVATORS,
}  # fmt: skip
ACTS_ON_DEVICES = np.array([_ACTS_ON_DEVICES.get(step, 0) for step in range(C13 + 1)], np.int64)


@kernel
def on_turning_gear(game: GameRecord, table: Table, slot: int) -> bool:
    """Tell whether a device is on a big gear that turns, because a robot is on it (R-E42).

    Flat devices alone do not make it turn.
    """
    gear = int(table.ground[row_at(game, table, game.devices[slot].square)].big_gear)
    return gear >= 0 and bool(loaded(game, table, gear))


@kernel
def stream_under(game: GameRecord, table: Table, step: int) -> int:
    """Return the direction in which the belt or current of a sub-step carries the RIDER, -1 for none."""
    if step <= C6:
        return int(belt_under(game, table, RIDER, GOLD - (step - C4)))
    return int(flip_belt_under(game, table, RIDER) if step == C7 else current_under(game, table, RIDER))


@kernel
def gears_under(game: GameRecord, table: Table) -> int:
    """Return the quarter turns that the gears under the RIDER make."""
    row = row_at(game, table, game.robots[RIDER].square)
    gear = int(table.squares[row].gear)
    flip_gear = 0 if game.flip_blocked else int(table.ground[row].flip_gear)
    return gear - flip_gear if game.flip else gear + flip_gear


@kernel
def elements_act(game: GameRecord, table: Table, log: Log, step: int, turns: bool) -> None:
    """Apply a sub-step to the RIDER; `turns` tells whether it is on a big gear that turns."""
    body = game.robots[RIDER]
    if step <= C8:
        direction = stream_under(game, table, step)
        if direction >= 0:
            body.leaving = direction
            move_together(game, table, log, 1 << RIDER, BY_CURRENT if step == C8 else BELT, True)
    elif step == C11:
        body.facing = (body.facing + gears_under(game, table)) & 3
        if turns:
            big_gear_carries(game, table, log, table.ground[row_at(game, table, body.square)].big_gear)
    else:
        elevators_carry(game, table, log)
    if features_of(table) & (HAS_RAMPS | HAS_OIL | HAS_TILTED):
        settle_robots(game, table, log)


@kernel
def get_in(game: GameRecord, slot: int) -> None:
    """Set up the body RIDER in place of a flat device."""
    device = game.devices[slot]
    body = game.robots[RIDER]
    body.alive = body.virtual = body.down = 1
    body.square = body.origin = device.square
    body.level = device.level
    body.facing = body.heading = device.facing
    body.marks = body.drop = body.flying = body.speed = body.goo = 0


@kernel
def get_out(game: GameRecord, log: Log, slot: int) -> None:
    """Move a device to where the RIDER is now, or remove it if the RIDER was destroyed (R-X1.11)."""
    body = game.robots[RIDER]
    if body.alive:
        turn_device(game, log, slot, int(body.facing))
        move_device(game, log, slot, int(body.square), int(body.level))
    else:
        remove_device(game, log, slot)
    leave_board(game, RIDER)


@kernel
def hide_bodies(game: GameRecord) -> None:
    """Take all bodies off the board for the RIDER."""
    for i in range(game.num_bodies):
        game.hidden |= int(game.robots[i].alive) << i
        game.robots[i].alive = 0


@kernel
def show_bodies(game: GameRecord, num_bodies: int) -> None:
    """Put all bodies back on the board, unchanged."""
    game.num_bodies = num_bodies
    for i in range(num_bodies):
        game.robots[i].alive = game.hidden >> i & 1
    game.hidden = 0


@kernel
def rides(game: GameRecord, table: Table, slot: int, step: int) -> bool:
    """Tell whether a sub-step moves a device: it is flat, and on an element that acts in the sub-step.

    Belts and currents do not carry goo.
    """
    kind = game.devices[slot].kind
    if not lies_on_ground(kind) or (kind == GOO_TOKEN and step < C11):
        return False
    return bool(table.active_features[row_at(game, table, game.devices[slot].square)] & ACTS_ON_DEVICES[step] != 0)


@kernel
def ride(game: GameRecord, table: Table, log: Log, slot: int, step: int) -> None:
    """Apply a sub-step to one flat device, alone on the board."""
    turns = step == C11 and features_of(table) & HAS_BIG_GEARS != 0 and on_turning_gear(game, table, slot)
    num_bodies = int(game.num_bodies)
    hide_bodies(game)
    game.devices_act = RIDE
    game.num_bodies = RIDER + 1
    get_in(game, slot)
    elements_act(game, table, log, step, turns)
    get_out(game, log, slot)
    game.devices_act = 0
    show_bodies(game, num_bodies)


@kernel
def flat_devices_ride(game: GameRecord, table: Table, log: Log, step: int) -> None:
    """Let belts, currents, gears and elevators move flat devices, one by one (R-X1.10)."""
    for k in range(game.num_devices):
        if rides(game, table, k, step):
            ride(game, table, log, k, step)


@kernel
def push_flyer(game: GameRecord, table: Table, log: Log, slot: int) -> None:
    """Let active pushers set off a missile or drone, or push a buzz bomb (C10, R-X1.12)."""
    device = game.devices[slot]
    square = int(device.square)
    # mutants (never): flyers that cross a ledge descend (R-X1.13), and no pusher is off the board
    if not table.squares[square].exists or floor_at(game, table, square, device.level) != device.level:
        return
    for side in range(4):
        phases = pushers_at(game, table, square, side)
        if not phases & phase_bit(game):
            continue
        if device.kind != BUZZ_TOKEN:
            set_off(game, log, slot)
            return
        hydraulic = table.ground[row_at(game, table, square)].hydraulics[side] & phase_bit(game)
        flies_on = fly_on(game, table, log, slot, (side + 2) & 3)
        while hydraulic and flies_on:
            flies_on = fly_on(game, table, log, slot, (side + 2) & 3)
        if device.square != square or device.kind != BUZZ_TOKEN:
            return


@kernel
def machines_act(game: GameRecord, table: Table, log: Log, step: int) -> None:
    """Let pushers act on flying devices (C10), or crushers on flying and flat devices except bridges (C12).

    The Big One is crushed as a body.
    """
    for k in range(game.num_devices):
        device = game.devices[k]
        flies = MISSILE_TOKEN <= device.kind <= BUZZ_TOKEN
        if step == C10:
            if flies:
                push_flyer(game, table, log, k)
        elif flies or lies_on_ground(device.kind):
            row = row_at(game, table, device.square)
            low = floor_at(game, table, device.square, device.level) == device.level
            if low and table.squares[row].exists and table.squares[row].crusher & phase_bit(game):
                crush_device(game, log, k)


@kernel
def device_elements_act(game: GameRecord, table: Table, log: Log, step: int) -> None:
    """Apply a sub-step of segment C that may act on devices."""
    if C4 <= step <= C8 or step in (C11, C13):
        flat_devices_ride(game, table, log, step)
    elif step in (C10, C12):
        machines_act(game, table, log, step)


@with_expansions(None)
def devices_ride(game: GameRecord, table: Table, log: Log, step: int) -> None:
    """Apply sub-step `step` of segment C to devices, after the robots; let devices act on robots that they reach.

    Nothing moves devices while copies act, since they have been moved already.
    """
    game.step = step
    if not game.copies_act:
        device_elements_act(game, table, log, step)
    game.devices_act = HAVE_RIDDEN
    step_ends(game, table, log)
    game.devices_act = 0


@with_expansions(None)
def devices_arm(game: GameRecord, table: Table, log: Log) -> None:
    """Make devices live for their owners too, and set off those whose owners are too near (D0, R-X1.6, U5).

    Goo now also holds robots that it has spared, such as one that other goo there has just released (R-O38.1). Missiles
    and drones spare their owners until they have left their square (D27).
    """
    for k in range(game.num_devices):
        device = game.devices[k]
        if device.kind not in (MISSILE_TOKEN, DRONE_TOKEN) or device.spares & BY_HAND:
            device.spares = 0
    step_ends(game, table, log)
