"""The flights of missiles, drones and buzz bombs (R-O32, R-O35, R-O42, R-X1.4, R-X1.13)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_PORTALS, LOOPHOLE, PLAIN, TURRET_GUN
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.devices.devices import NO_SLOT, aim_drone, move_device, remove_device, set_off, turn_device
from rr_gym.rules.elements.teleporters import QUARTERS
from rr_gym.rules.floor.grid import STEP_X, STEP_Y, direction_of
from rr_gym.rules.floor.ground import (
    NO_FLOOR,
    covered,
    device_acts_on,
    features_of,
    floor_at,
    grid_next,
    is_locked,
    level_of,
    row_at,
    walled,
)
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.floor.turned import end_of_link
from rr_gym.rules.movement.entering import twin_is_free
from rr_gym.rules.movement.movement import step_ends
from rr_gym.rules.movement.settling import settle
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import (
    BACK_UP,
    BUZZ_TOKEN,
    DRONE_TOKEN,
    MISSILE_TOKEN,
    MOVE_1,
    NOBODY,
    PORTAL_ANY,
)
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.weapons.targets import first_in_sight

MISSILE_SQUARES, DRONE_SQUARES = 2, 3
ABOVE_ALL = 1001  # higher than the priority of any device


@with_elements(False)
def has_loophole(game: GameRecord, table: Table, slot: int, direction: int) -> bool:
    """Tell whether a side of a device's square is walled only by a loophole, which does not stop shots."""
    device = game.devices[slot]
    if covered(game, table, device.square, direction):
        return False
    near = int(table.ground[row_at(game, table, device.square)].kinds[direction])
    beyond_it = int(grid_next(game, table, device.square, direction))
    far = int(table.ground[row_at(game, table, beyond_it)].kinds[direction ^ 2]) if beyond_it >= 0 else PLAIN
    kinds = 1 << near | 1 << far
    return kinds >> LOOPHOLE & 1 == 1 and kinds & ~(1 << PLAIN | 1 << LOOPHOLE) == 0


@kernel
def stops_flight(game: GameRecord, table: Table, slot: int, direction: int) -> bool:
    """Tell whether a wall stops a flying device.

    A loophole does not stop a missile, which counts as a robot's weapon (K16, R-E59.2).
    """
    device = game.devices[slot]
    if not walled(game, table, device.square, direction):
        return False
    return device.kind != MISSILE_TOKEN or not has_loophole(game, table, slot, direction)


@kernel
def is_closed(game: GameRecord, table: Table, slot: int, direction: int, target: int) -> bool:
    """Tell whether a wall, a ledge from below or a turret gun is in the way of a flying device (R-X1.13)."""
    device = game.devices[slot]
    if stops_flight(game, table, slot, direction):
        return True
    if not table.squares[target].exists:  # mutants (never): no gun and no higher floor is off the board
        return False
    gun = table.ground[row_at(game, table, target)].overlays & TURRET_GUN != 0
    return gun or floor_at(game, table, target, device.level) == NO_FLOOR


@kernel
def beyond(game: GameRecord, table: Table, slot: int, direction: int) -> int:
    """Return the next place in a direction, even if no board covers it (U16); -1 outside the layout."""
    here = table.squares[game.devices[slot].square]
    x, y = int(here.x) + STEP_X[direction], int(here.y) + STEP_Y[direction]
    # mutants (boundary 4): numbers beyond the last row belong to no square
    if x < 0 or y < 0 or x >= table.course.width or y >= table.course.height:
        return -1
    return int(y * table.course.width + x)


@kernel
def passes_portal(game: GameRecord, table: Table, log: Log, slot: int) -> None:
    """Transport a flying device through the portal that it has reached (R-X1.4)."""
    device = game.devices[slot]
    here = table.ground[row_at(game, table, device.square)]
    if table.settings.portal_trigger != PORTAL_ANY or not here.portal or here.twin < 0:
        return
    twin = int(end_of_link(game, table, int(device.square), int(here.twin)))
    if twin_is_free(game, table, NOBODY, twin):
        move_device(game, log, slot, twin, level_of(game, table, twin))


@kernel
def fly_on(game: GameRecord, table: Table, log: Log, slot: int, direction: int) -> int:
    """Fly a device by one square; return 1 if it is still in play and may fly on, 0 otherwise.

    Missiles and buzz bombs explode at walls; drones wait there (R-O35.6).
    """
    device = game.devices[slot]
    kind = int(device.kind)
    if is_locked(game, table, device.square):
        return 0
    target = beyond(game, table, slot, direction)
    if target < 0 and not stops_flight(game, table, slot, direction):
        move_device(game, log, slot, -1, int(device.level))  # mutants: only writes an event
        remove_device(game, log, slot)
        return 0
    if target < 0 or is_closed(game, table, slot, direction, target):
        if kind != DRONE_TOKEN:
            set_off(game, log, slot)
            step_ends(game, table, log)
        return 0
    level = floor_at(game, table, target, device.level) if table.squares[target].exists else int(device.level)
    move_device(game, log, slot, target, level)
    if kind != BUZZ_TOKEN:
        device.spares = 0  # D27
    step_ends(game, table, log)
    if device.kind == kind and features_of(table) & HAS_PORTALS and table.squares[target].exists:
        passes_portal(game, table, log, slot)
        step_ends(game, table, log)  # mutants: nobody stands where a portal lets a device through
    return 1 if device.kind == kind else 0


@kernel
def aim(game: GameRecord, table: Table, slot: int) -> int:
    """Return the direction in which a drone flies.

    It flies towards its counter if the counter lies in its row or column, otherwise straight on.
    """
    device = game.devices[slot]
    here, there = table.squares[device.square], table.squares[device.target]
    x, y = int(there.x) - int(here.x), int(there.y) - int(here.y)
    straight = (x == 0) != (y == 0)
    return int(direction_of(x, y)) if straight else int(device.facing)


@kernel
def drone_flies(game: GameRecord, table: Table, log: Log, slot: int) -> None:
    """Fly a drone up to three squares towards its target counter, but not beyond it (R-O35.3).

    A drone that a portal transports keeps its heading (U64).
    """
    device = game.devices[slot]
    if device.target < 0:  # mutants (never): every drone has a counter
        return
    transported = False
    for _ in range(DRONE_SQUARES):
        if device.square == device.target:
            return
        if not transported:
            turn_device(game, log, slot, aim(game, table, slot))
        ahead = int(beyond(game, table, slot, int(device.facing)))
        if not fly_on(game, table, log, slot, int(device.facing)):
            return
        transported = transported or device.square != ahead


@kernel
def missile_flies(game: GameRecord, table: Table, log: Log, slot: int) -> None:
    """Fly a missile two squares straight on (R-O42.2)."""
    for _ in range(MISSILE_SQUARES):
        if not fly_on(game, table, log, slot, int(game.devices[slot].facing)):
            return


@kernel
def buzz_bomb_flies(game: GameRecord, table: Table, log: Log, slot: int) -> None:
    """Let a buzz bomb execute its card of this phase (R-O32.2)."""
    device = game.devices[slot]
    kind = int(CARD_TYPE[game.buzz_program[game.phase - 1]])
    if kind < BACK_UP:
        turn_device(game, log, slot, (int(device.facing) + int(QUARTERS[kind])) & 3)
        return
    direction = (int(device.facing) + 2) & 3 if kind == BACK_UP else int(device.facing)
    for _ in range(1 if kind == BACK_UP else kind - MOVE_1 + 1):
        if not fly_on(game, table, log, slot, direction):
            return


@kernel
def priority_of(game: GameRecord, slot: int) -> int:
    """Return the priority at which a device flies in this phase, -1 if it does not fly."""
    device = game.devices[slot]
    if device.kind == MISSILE_TOKEN or device.kind == DRONE_TOKEN:
        return int(device.priority)
    if device.kind == BUZZ_TOKEN:
        card = int(game.buzz_program[game.phase - 1])
        return 10 * card if card else -1
    return -1


@kernel
def fly(game: GameRecord, table: Table, log: Log, slot: int) -> None:
    """Fly one device through its part of this phase."""
    kind = game.devices[slot].kind
    if kind == MISSILE_TOKEN:
        missile_flies(game, table, log, slot)
    elif kind == DRONE_TOKEN:
        drone_flies(game, table, log, slot)
    else:
        buzz_bomb_flies(game, table, log, slot)


@kernel
def is_launched(game: GameRecord, slot: int) -> bool:
    """Tell whether a device is a missile that was launched in this phase and has not flown yet (D27, D28).

    Such a missile still spares the robot that launched it.
    """
    device = game.devices[slot]
    return device.kind == MISSILE_TOKEN and device.spares != 0


@kernel
def next_flyer(game: GameRecord, priority: int, last: int, launched: bool) -> int:
    """Return the device that flies after device `last`, which has the given priority; `NO_SLOT` if none is left.

    Devices fly by descending priority, and devices of equal priority by ascending slot. With `launched`, only missiles
    that were launched in this phase fly.
    """
    following = NO_SLOT
    best = -1
    for k in range(game.num_devices):
        own = int(priority_of(game, k))
        comes_later = own < priority or (own == priority and k > last)
        if own > best and comes_later and (not launched or is_launched(game, k)):
            following = k
            best = own
    return following


@with_expansions(None)
def devices_fly(game: GameRecord, table: Table, log: Log, above: int, below: int) -> None:
    """Fly the devices with priorities from `above` (included) to `below` (excluded), the highest first (B1)."""
    slot = int(next_flyer(game, above, NO_SLOT, False))
    flown = False
    while slot != NO_SLOT:
        priority = int(priority_of(game, slot))
        if priority <= below:
            break
        fly(game, table, log, slot)
        flown = True
        slot = int(next_flyer(game, priority, slot, False))
    if flown:
        settle(game, table, log)


@with_expansions(None)
def launched_missiles_fly(game: GameRecord, table: Table, log: Log) -> None:
    """Fly the missiles launched in this phase over their first two squares, the highest priority first (D2, D28)."""
    slot = int(next_flyer(game, ABOVE_ALL, NO_SLOT, True))
    while slot != NO_SLOT:
        priority = int(priority_of(game, slot))
        missile_flies(game, table, log, slot)
        slot = int(next_flyer(game, priority, slot, True))


@with_expansions(None)
def drones_retarget(game: GameRecord, table: Table, log: Log) -> None:
    """Turn each drone that is on its target counter left, and aim it at the robot that it then sees (D4, R-O35.5)."""
    for k in range(game.num_devices):
        device = game.devices[k]
        if device.kind != DRONE_TOKEN or device.square != device.target:
            continue
        turn_device(game, log, k, (int(device.facing) + 3) & 3)
        reach = max(int(table.course.width), int(table.course.height))
        seen = first_in_sight(game, table, int(device.square), int(device.facing), int(device.level), reach)
        if seen >= 0 and device_acts_on(game, k, seen):
            aim_drone(game, log, k, int(place_of_square(game, table, game.robots[seen].square)))
