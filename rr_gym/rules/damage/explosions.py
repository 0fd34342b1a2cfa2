"""Explosions (R-X2): by distance as robots move, one at a time in the order they were caused."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_COPY_MACHINES
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.damage.damage import damage, destroy
from rr_gym.rules.devices.devices import NO_SLOT, RIDE, find_device, set_off
from rr_gym.rules.floor.ground import features_of, grid_next, row_at, walled
from rr_gym.rules.floor.landing import floor_for
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.options.giving_up import lose_option
from rr_gym.rules.options.options import may_use, owns
from rr_gym.rules.state.constants import BIG_ONE_TOKEN, BY_EXPLOSION, FATAL_DAMAGE, NOBODY
from rr_gym.rules.state.events import EXPLODED, OPTION_USED, note, note_at
from rr_gym.rules.state.option_cards import SELF_DESTRUCT
from rr_gym.rules.state.records import Game, Log, Robot
from rr_gym.rules.state.scratch import Blast
from rr_gym.rules.state.table import Table


@kernel
def is_there(game: Game, table: Table, robot: Robot, copy: bool) -> bool:
    """The robot, or its copy, is on the board; while copies act the one stands in the fields of the other."""
    if not copy:
        return robot.alive != 0
    if not features_of(table) & HAS_COPY_MACHINES:
        return False
    return robot.copy_alive != 0 if game.copies_act else robot.alive != 0 and robot.has_copy != 0


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
def way_leads(game: Game, table: Table, place: int, level: int, goal: int, altitude: int, squares: int) -> bool:
    """A way on foot of at most so many squares leads from a level of a place to a body at an altitude over another one.

    Every level up or down is a square more, and ledges are open both ways (R-X2.2, R-X2.3). The way to a flyer ends on
    the level of the square before it (R-X2.4).
    """
    here, there = table.squares[place], table.squares[goal]
    if squares < abs(int(here.x) - int(there.x)) + abs(int(here.y) - int(there.y)) + abs(altitude - level):
        return False
    if place == goal:
        return True
    for direction in range(4):
        beyond = int(grid_next(game, table, place, direction))
        if beyond < 0 or not lets_through(game, table, place, direction):
            continue
        if beyond == goal and abs(altitude - level) < squares:
            return True
        floor = int(floor_for(game, table, beyond, level))
        if way_leads(game, table, beyond, floor, goal, altitude, squares - 1 - abs(floor - level)):
            return True
    return False


@kernel
def points_at(game: Game, table: Table, blast: Blast, square: int, level: int) -> int:
    """The power of an explosion, halved for each square of the shortest way to a body (R-X2.1)."""
    start = int(place_of_square(game, table, blast.square))
    goal = int(place_of_square(game, table, square))
    points = int(blast.power)
    squares = 0
    while points and not way_leads(game, table, start, int(blast.level), goal, level, squares):
        points >>= 1
        squares += 1
    return points


@kernel
def is_hit(game: Game, table: Table, log: Log, number: int, victim: int, copy: bool) -> bool:
    """An explosion hurts a robot, where it is or where its copy is, if it is in reach."""
    blast, robot = game.blasts[number], game.robots[victim]
    if blast.only not in (NOBODY, victim) or not is_there(game, table, robot, copy):
        return False
    square, level = (robot.copy_square, robot.copy_level) if copy else (robot.square, robot.level)
    points = int(points_at(game, table, blast, int(square), int(level)))
    if points:
        damage(game, table, log, victim, points, BY_EXPLOSION, int(blast.owner))
    return points > 0


@kernel
def explode(game: Game, table: Table, log: Log, number: int) -> None:
    """One explosion: it hurts everybody in reach, robots before copies; then deaths, by index."""
    blast = game.blasts[number]
    note_at(game, log, EXPLODED, blast.owner, blast.only, blast.kind, blast.square, blast.power)
    hit = 0
    for copy in (False, True):
        for i in range(game.num_robots):
            hit |= int(is_hit(game, table, log, number, i, copy)) << i
    for i in range(game.num_robots):
        if hit >> i & 1 and game.robots[i].damage >= FATAL_DAMAGE:
            destroy(game, table, log, i, BY_EXPLOSION)


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
