"""Explosions (R-X2): their power decreases with walking distance, and they go off one by one in order of cause."""

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
from rr_gym.rules.state.records import GameRecord, Log, Robot
from rr_gym.rules.state.scratch import Blast
from rr_gym.rules.state.table import Table


@kernel
def is_there(game: GameRecord, table: Table, robot: Robot, copy: bool) -> bool:
    """Tell whether a robot, or with `copy` its copy, is on the board.

    While copies act, the fields of a robot describe its copy, and those of the copy describe the robot.
    """
    if not copy:
        return robot.alive != 0
    if not features_of(table) & HAS_COPY_MACHINES:
        return False
    # mutants: robot and copy are on the board together
    return robot.copy_alive != 0 if game.copies_act else robot.alive != 0 and robot.has_copy != 0


@with_elements(True)
def ramp_lets_through(game: GameRecord, table: Table, place: int, direction: int) -> bool:
    """Tell whether the ramp that rises in a direction, if there is one, has no wall at its upper end."""
    ramp = int(table.ground[row_at(game, table, place)].ramp[direction])
    return ramp < 0 or not walled(game, table, ramp, direction)  # mutants: a ramp's hidden square never has number 0


@kernel
def lets_through(game: GameRecord, table: Table, place: int, direction: int) -> bool:
    """Tell whether a robot could walk from a place in a direction, ignoring ledges (R-X2.2)."""
    return not walled(game, table, place, direction) and bool(ramp_lets_through(game, table, place, direction))


@kernel
def way_leads(game: GameRecord, table: Table, place: int, level: int, goal: int, altitude: int, squares: int) -> bool:
    """Tell whether a robot could walk from a place and level to a body at `altitude` over `goal` in at most `squares`.

    Every level up or down counts as a square, and ledges block in neither direction (R-X2.2, R-X2.3). For the last step
    to a flyer, its altitude counts instead of the floor below it (R-X2.4).
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
def points_at(game: GameRecord, table: Table, blast: Blast, square: int, level: int) -> int:
    """Return the points of an explosion at a body: its power, halved for each square of distance (R-X2.1).

    The distance is that of the shortest way on foot.
    """
    start = int(place_of_square(game, table, blast.square))
    goal = int(place_of_square(game, table, square))
    points = int(blast.power)
    squares = 0
    while points and not way_leads(game, table, start, int(blast.level), goal, level, squares):
        points >>= 1
        squares += 1
    return points


@kernel
def is_hit(game: GameRecord, table: Table, log: Log, number: int, victim: int, copy: bool) -> bool:
    """Hurt a robot if an explosion reaches it (with `copy`: if it reaches its copy); return whether it did."""
    blast, robot = game.blasts[number], game.robots[victim]
    if blast.only not in (NOBODY, victim) or not is_there(game, table, robot, copy):
        return False
    square, level = (robot.copy_square, robot.copy_level) if copy else (robot.square, robot.level)
    points = int(points_at(game, table, blast, int(square), int(level)))
    if points:
        damage(game, table, log, victim, points, BY_EXPLOSION, int(blast.owner))
    return points > 0


@kernel
def explode(game: GameRecord, table: Table, log: Log, number: int) -> None:
    """Let an explosion hurt all robots in its reach, then all copies; destroy those with ten points, by index."""
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
def all_explode(game: GameRecord, table: Table, log: Log) -> None:
    """Let all queued explosions go off one by one; explosions that they cause are appended to the queue."""
    number = 0
    while number < game.num_blasts:
        explode(game, table, log, number)
        number += 1
    game.num_blasts = 0


@with_expansions(None)
def blasts_go_off(game: GameRecord, table: Table, log: Log) -> None:
    """Let all queued explosions go off, and those that they cause (R-X2.6).

    While flat devices move, robots are hidden and cannot be hurt, so explosions wait until they are back.
    """
    if game.num_blasts and game.devices_act != RIDE:
        all_explode(game, table, log)


@kernel
def destructs_itself(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot's Self-Destruct is programmed for this phase and works (R-O52.1)."""
    body = game.robots[robot]
    if not owns(body, SELF_DESTRUCT) or body.orders.self_destruct != game.phase:
        return False
    return may_use(game, table, robot, SELF_DESTRUCT)


@with_expansions(None)
def timed_explosions(game: GameRecord, table: Table, log: Log) -> None:
    """Set off The Big One in phase 1, then Self-Destructs robot by robot (A1, U2, R-O29.1, R-O52.1).

    Each explosion is over before the next.
    """
    if game.phase == 1:
        slot = find_device(game, BIG_ONE_TOKEN)
        if slot != NO_SLOT:
            set_off(game, log, slot)
            blasts_go_off(game, table, log)
    for i in range(game.num_robots):
        if destructs_itself(game, table, i):
            note(game, log, OPTION_USED, i, SELF_DESTRUCT)
            lose_option(game, log, i, SELF_DESTRUCT)
            blasts_go_off(game, table, log)  # mutants: only burning robots explode after it, and their points add up
