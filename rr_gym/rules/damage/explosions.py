"""Explosions (R-X2): by distance as robots move, one at a time in the order they were caused."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import FARTHEST
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.damage.damage import damage, destroy
from rr_gym.rules.devices.devices import NO_SLOT, RIDE, find_device, set_off
from rr_gym.rules.floor.ground import NO_FLOOR, floor_at, grid_next, level_of, row_at, walled
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.options.giving_up import lose_option
from rr_gym.rules.options.options import may_use, owns
from rr_gym.rules.state.bits import lowest_bit, without_lowest
from rr_gym.rules.state.constants import BIG_ONE_TOKEN, BY_EXPLOSION, FATAL_DAMAGE, MAX_ROBOTS, NOBODY
from rr_gym.rules.state.events import EXPLODED, OPTION_USED, note, note_at
from rr_gym.rules.state.option_cards import SELF_DESTRUCT
from rr_gym.rules.state.records import Game, Log, Robot
from rr_gym.rules.state.table import Table

FAR = 7  # squares: out of reach of every explosion
ALL_FAR = (1 << 6 * MAX_ROBOTS) - 1


@with_elements(MAX_ROBOTS)
def num_figures(game: Game, table: Table) -> int:
    """Robots and, after them, their copies."""
    return 2 * MAX_ROBOTS


@kernel
def is_body(game: Game, robot: Robot, copy: int) -> bool:
    """The robot (0), or its copy (1), is on the board; while copies act the one stands in the fields of the other."""
    if copy:
        return robot.copy_alive != 0 if game.copies_act else robot.alive != 0 and robot.has_copy != 0
    return robot.alive != 0


@kernel
def place_of_figure(game: Game, table: Table, k: int) -> int:
    """Where robot `k` stands, or copy `k - 8`. Of who is not on the board: any."""
    robot = game.robots[k & (MAX_ROBOTS - 1)]
    return int(place_of_square(game, table, max(int(robot.copy_square if k >> 3 else robot.square), 0)))


@kernel
def steps_between(game: Game, table: Table, place: int, k: int) -> int:
    """Rows and columns from a place to robot `k`, or to copy `k - 8`: no way to it is shorter. Of nobody: any."""
    here, there = table.squares[place], table.squares[place_of_figure(game, table, k)]
    return abs(int(here.x) - int(there.x)) + abs(int(here.y) - int(there.y))


@kernel
def leads_closer(game: Game, table: Table, place: int, distance: int, bodies: int, known: int) -> bool:
    """A way that has come to a place may still be the shortest one to somebody."""
    left: Any = np.uint64(bodies)
    while left != np.uint64(0):
        k = int(lowest_bit(left))
        left = without_lowest(left)
        if distance + steps_between(game, table, place, k) < (known >> 3 * k & FAR):
            return True
    return False


@kernel
def meet_bodies(
    game: Game, table: Table, place: int, level: int, distance: int, most: int, bodies: int, known: int
) -> int:
    """`known`, the distances of robots and copies in three bits each, with those of `bodies` that are on a place.

    `level` is the level of the path before it: flyers are at the distance of their own level (R-X2.3, R-X2.4).
    """
    left: Any = np.uint64(bodies)
    while left != np.uint64(0):
        k = int(lowest_bit(left))
        left = without_lowest(left)
        robot = game.robots[k & (MAX_ROBOTS - 1)]
        copy = k >> 3
        square = int(robot.copy_square if copy else robot.square)
        there = int(robot.copy_level if copy else robot.level)
        away = distance + abs(there - level)
        if away <= most and away < (known >> 3 * k & FAR) and place_of_square(game, table, square) == place:
            known = known & ~(FAR << 3 * k) | away << 3 * k
    return known


@with_elements(True)
def ramp_lets_through(game: Game, table: Table, place: int, direction: int) -> bool:
    """No wall at the upper end of the ramp that rises there, if one does."""
    ramp = int(table.ground[row_at(game, table, place)].ramp[direction])
    return ramp < 0 or not walled(game, table, ramp, direction)


@kernel
def lets_through(game: Game, table: Table, place: int, direction: int) -> bool:
    """A robot could walk there, were it not for ledges (R-X2.2)."""
    return not walled(game, table, place, direction) and bool(ramp_lets_through(game, table, place, direction))


@kernel
def floor_beyond(game: Game, table: Table, place: int, level: int) -> int:
    """The floor on which a path that comes from a level goes on: the highest not above it, else the lowest there is."""
    floor = floor_at(game, table, place, level)
    return int(level_of(game, table, place) if floor == NO_FLOOR else floor)


@kernel
def distances(game: Game, table: Table, square: int, level: int, most: int) -> int:
    """How far robots and copies are from a place, up to `most` (6): three bits each, `FAR` for out of reach.

    The shortest way on foot; every level up or down is a square more, ledges are open both ways (R-X2.2, R-X2.3). Where
    ways are clear no way is looked for. Without branches: nobody foresees who is in reach.
    """
    place = int(place_of_square(game, table, square))
    on_floor = int(level == level_of(game, table, place))
    here, ground = table.squares[place], table.ground[place]
    known = ALL_FAR
    others = 0
    for k in range(num_figures(game, table)):
        robot = game.robots[k & (MAX_ROBOTS - 1)]
        there = table.squares[place_of_figure(game, table, k)]
        x, y = int(there.x) - int(here.x), int(there.y) - int(here.y)
        away = abs(x) + abs(y) + abs(int(robot.copy_level if k >> 3 else robot.level) - level)
        near = int(is_body(game, robot, k >> 3)) & int(away <= most)
        row = ground.clear[min(max(y, -FARTHEST), FARTHEST) + FARTHEST]
        in_clear = near & on_floor & int(row >> (min(max(x, -FARTHEST), FARTHEST) + FARTHEST))
        known ^= (FAR ^ min(away, FAR)) * in_clear << 3 * k
        others |= near - in_clear << k
    return int(distances_on_foot(game, table, place, level, most, others, known)) if others else known


@kernel
def distances_on_foot(game: Game, table: Table, place: int, level: int, most: int, bodies: int, known: int) -> int:
    """`known` with the distances of `bodies`, to which walls or levels may make ways longer.

    All ways are tried that may be the shortest to somebody; those that are begun lie on a stack in one number:
    direction, level + 8 and length of each step.
    """
    known = meet_bodies(game, table, place, level, 0, most, bodies, known)
    stack = 0
    direction = 0
    length = 0
    while True:
        if direction == 4 or length >= most:
            if stack == 0:
                return known
            frame = stack & 1023
            stack >>= 10
            place = int(grid_next(game, table, place, (frame & 3) ^ 2))
            level = (frame >> 2 & 31) - 8
            length = frame >> 7
            direction = (frame & 3) + 1
            continue
        back = stack != 0 and direction == (stack & 3) ^ 2
        beyond = -1 if back else int(grid_next(game, table, place, direction))
        if beyond < 0 or not lets_through(game, table, place, direction):
            direction += 1
            continue
        known = meet_bodies(game, table, beyond, level, length + 1, most, bodies, known)
        floor = floor_beyond(game, table, beyond, level)
        longer = length + 1 + abs(floor - level)
        if longer < most and leads_closer(game, table, beyond, longer, bodies, known):
            stack = stack << 10 | length << 7 | level + 8 << 2 | direction
            place = beyond
            level = floor
            length = longer
            direction = 0
        else:
            direction += 1


@kernel
def explode(game: Game, table: Table, log: Log, number: int) -> None:
    """One explosion: everybody in reach takes the power, halved for each square (R-X2.1), then deaths, by index."""
    blast = game.blasts[number]
    note_at(game, log, EXPLODED, blast.owner, blast.only, blast.kind, blast.square, blast.power)
    power = int(blast.power)
    only = int(blast.only)
    for_all = only == NOBODY
    owner = int(blast.owner)
    most = 0
    while power >> (most + 1):
        most += 1
    known = distances(game, table, int(blast.square), int(blast.level), most)
    struck = 0
    for k in range(num_figures(game, table)):
        robot = k & (MAX_ROBOTS - 1)
        away = known >> 3 * k & FAR
        if away != FAR and (for_all or only == robot):
            damage(game, table, log, robot, power >> away, BY_EXPLOSION, owner)
            struck |= 1 << robot
    for robot in range(game.num_robots):
        if struck >> robot & 1 and game.robots[robot].damage >= FATAL_DAMAGE:
            destroy(game, table, log, robot, BY_EXPLOSION)


@kernel
def all_explode(game: Game, table: Table, log: Log) -> None:
    """Explosions one after the other; those that they cause come last."""
    number = 0
    while number < game.num_blasts:
        explode(game, table, log, number)
        number += 1
    game.num_blasts = 0


@with_expansions(None)
def blasts_go_off(game: Game, table: Table, log: Log) -> None:
    """Every explosion that waits in the queue, and those that they cause (R-X2.6).

    While devices have the board to themselves, robots are not there to be hurt: it waits until they are back.
    """
    if game.num_blasts and game.devices_act != RIDE:
        all_explode(game, table, log)


@kernel
def destructs_itself(game: Game, table: Table, robot: int) -> bool:
    """Self-Destruct is programmed for this phase, and nothing keeps it from working (R-O52.1)."""
    body = game.robots[robot]
    if not owns(body, SELF_DESTRUCT) or body.orders.self_destruct != game.phase:
        return False
    return may_use(game, table, robot, SELF_DESTRUCT)


@with_expansions(None)
def timed_explosions(game: Game, table: Table, log: Log) -> None:
    """A1: in phase 1 The Big One, then Self-Destructs by robot; each is over before the next (U2, R-O29.1, R-O52.1)."""
    if game.phase == 1:
        slot = find_device(game, BIG_ONE_TOKEN)
        if slot != NO_SLOT:
            set_off(game, log, slot)
            blasts_go_off(game, table, log)
    for i in range(game.num_robots):
        if destructs_itself(game, table, i):
            note(game, log, OPTION_USED, i, SELF_DESTRUCT)
            lose_option(game, log, i, SELF_DESTRUCT)
            blasts_go_off(game, table, log)
