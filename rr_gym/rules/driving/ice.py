"""Driving on ice (R-E57, K17): slides in the mode `careful`, momentum in the mode `chart`."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_GATES, HAS_ICE, ICY
from rr_gym.forms import with_elements
from rr_gym.rules.devices.devices import strain_goo
from rr_gym.rules.floor.grid import STEP_X, STEP_Y, place_at
from rr_gym.rules.floor.ground import features_of, held, level_of, surface_under
from rr_gym.rules.floor.landing import body_at, find_landing, floor_for
from rr_gym.rules.floor.levels import FALLING, arrival_level
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.movement.edges import OPEN, heading_from, obstacle, target_from
from rr_gym.rules.movement.entering import portal_leads_to
from rr_gym.rules.movement.movement import relocate, step, step_ends
from rr_gym.rules.movement.pushing import run_into
from rr_gym.rules.movement.turning import turn
from rr_gym.rules.robot.health import NUM_LOCKED
from rr_gym.rules.state.constants import (
    CARD,
    CAUGHT,
    DISPLACED,
    EAST,
    HAND_SIZE,
    ICE,
    ICE_CAREFUL,
    MOVED_ON,
    NORTH,
    NUM_REGISTERS,
    SOUTH,
    WEST,
)
from rr_gym.rules.state.events import BLOCKED, note
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

# Which squares of a card are taken by other robots when it begins (R-E57.3, R-E57.6, R-E57.5, R-E57.4)
NOBODY_AHEAD, ALL_AHEAD, LAST_AHEAD, SOMEBODY_AHEAD = range(4)
MAX_SLIDE = 50  # squares of one slide (R-P4.4)
TOP_SPEED = 6  # along either axis


@with_elements(False)
def on_ice(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot stands on ice."""
    return features_of(table) & HAS_ICE != 0 and surface_under(game, table, robot) == ICY


# mutants: scenarios deal nothing: tests/rules/test_dealing.py
@with_elements(0)
def fewer_cards(game: GameRecord, table: Table, robot: int) -> int:
    """Return by how many cards the hand of a robot on ice is reduced in T3, in the mode `careful` (R-E57).

    It is 1, unless the robot could not fill its registers then.
    """
    body = game.robots[robot]
    if not body.alive or table.settings.ice_mode != ICE_CAREFUL or not on_ice(game, table, robot):
        return 0
    return 1 if HAND_SIZE - body.damage - 1 >= NUM_REGISTERS - NUM_LOCKED[body.locked] else 0


@kernel
def go_ahead(game: GameRecord, table: Table, robot: int) -> bool:
    """Look one square ahead: place the robot alone where its next step along its `heading` would end (U51).

    Gates and ledges have their effect on the step. Return whether there is a next square.
    """
    body = game.robots[robot]
    direction = int(body.heading)
    if held(game, table, robot) or obstacle(game, table, robot, body.square, direction, CARD) != OPEN:
        return False
    target = int(target_from(game, table, robot, body.square, direction))
    if target < 0:  # mutants (never): a robot that moves off the board is destroyed in any case
        return False
    body.heading = heading_from(game, table, body.square, direction)
    level = int(arrival_level(game, table, robot, target, direction))
    body.square = target
    if level == FALLING:
        body.square = find_landing(game, table, robot, body.heading)
        if body.square < 0:
            return False
        level = int(floor_for(game, table, body.square, body.level))
    body.level = level
    return True


@kernel
def go_through_portal(game: GameRecord, table: Table, robot: int) -> None:
    """Put a robot that looks ahead from a portal on the twin of the portal (U51)."""
    body = game.robots[robot]
    twin = int(portal_leads_to(game, table, robot, int(body.square)))
    if twin >= 0:
        body.square, body.level = twin, level_of(game, table, twin)


@with_elements(NOBODY_AHEAD)
def who_is_ahead(game: GameRecord, table: Table, robot: int, direction: int, squares: int) -> int:
    """Return which squares of a card are taken by real robots when it begins: `NOBODY_AHEAD` ... (R-E57.11).

    Virtual robots meet nobody.
    """
    body = game.robots[robot]
    if body.virtual:
        return NOBODY_AHEAD
    square, level, heading = int(body.square), int(body.level), int(body.heading)
    body.heading = direction
    taken = 0
    last_taken = False
    for k in range(squares):
        if not go_ahead(game, table, robot):
            break
        if body_at(game, robot, body.square, body.level):
            taken += 1
            last_taken = k == squares - 1
        go_through_portal(game, table, robot)
    body.square, body.level, body.heading = square, level, heading
    if taken == 0:
        return NOBODY_AHEAD
    if taken == squares:
        return ALL_AHEAD
    return LAST_AHEAD if last_taken and taken == 1 else SOMEBODY_AHEAD


@with_elements(None)
def touch(game: GameRecord, table: Table, log: Log, robot: int, direction: int, squares: int) -> None:
    """Execute a card on ice whose squares are all taken: nobody moves, but the robot touches the one ahead.

    The robot ahead may be rammed, and each square counts as an attempt to leave goo for both robots (U20, U51).
    """
    body = game.robots[robot]
    for _ in range(squares):
        if body.goo:
            strain_goo(game, log, robot)
            continue
        target = int(target_from(game, table, robot, body.square, direction))
        level = int(arrival_level(game, table, robot, target, direction))
        note(game, log, BLOCKED, robot, direction)
        caught = False
        for i in range(game.num_bodies):
            other = game.robots[i]
            there = other.alive and not other.virtual and other.square == target and other.level == level
            if there and i != robot:
                caught = run_into(game, table, log, robot, i, CARD, True) == CAUGHT
        step_ends(game, table, log)
        if not caught or not body.alive:
            return


@with_elements(None)
def slide(game: GameRecord, table: Table, log: Log, robot: int, direction: int) -> None:
    """Let a robot slide on until it is off the ice, at a wall or behind another robot; it pushes nobody.

    Goo holds the robot, and a slide is not an attempt to leave the goo (R-E57.12; for oil see U61).
    """
    body = game.robots[robot]
    for _ in range(MAX_SLIDE):
        if not body.alive or body.goo or not on_ice(game, table, robot):
            return
        if step(game, table, log, robot, direction, ICE) != MOVED_ON:
            return


@with_elements(None)
def note_who_is_on_ice(game: GameRecord, table: Table) -> None:
    """Record which robots are on ice when a card begins; these may slide on after it (R-E57.8)."""
    for i in range(game.num_bodies):
        robot = game.robots[i]
        robot.on_ice = robot.alive and on_ice(game, table, i)


@kernel
def would_slide(game: GameRecord, table: Table, robot: int, direction: int) -> bool:
    """Tell whether a card has pushed a robot that was on ice in the direction of the card.

    Gates may change the directions of the two robots at different times, so on courses with gates any orthogonal
    heading counts.
    """
    body = game.robots[robot]
    straight = body.heading == direction or (features_of(table) & HAS_GATES != 0 and body.heading <= WEST)
    return bool(body.alive and body.on_ice and body.marks & DISPLACED and straight)


@kernel
def foremost_on_ice(game: GameRecord, table: Table) -> int:
    """Return the foremost of the robots that have still to slide in a direction; -1 if all have slid."""
    front = -1
    reach = 0
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if robot.on_ice:
            here = table.squares[place_of_square(game, table, robot.square)]
            ahead = here.x * STEP_X[robot.heading] + here.y * STEP_Y[robot.heading]
            if front < 0 or ahead > reach:  # mutants (boundary 2): two robots are never equally far
                front = i
                reach = ahead
    return front


@with_elements(None)
def slide_pushed(game: GameRecord, table: Table, log: Log, mover: int, direction: int) -> None:
    """Let robots that were on ice when a card began, and that the card has pushed, slide on, the foremost first.

    They slide even if something has ended the card of the mover (R-E57.12).
    """
    for i in range(game.num_bodies):
        game.robots[i].on_ice = i != mover and would_slide(game, table, i, direction)
    while True:
        front = int(foremost_on_ice(game, table))
        if front < 0:
            return
        game.robots[front].on_ice = 0
        slide(game, table, log, front, int(game.robots[front].heading))


@kernel
def glide_over_corner(game: GameRecord, table: Table, log: Log, robot: int, x: int, y: int) -> bool:
    """Let a robot glide one diagonal step by (x, y); return whether it has moved.

    Walls at the corner do not stop it; robots, other floors and mag-locks do.
    """
    if held(game, table, robot):
        return False
    body = game.robots[robot]
    here = table.squares[body.square]
    square = place_at(table, here.x + x, here.y + y)
    if square >= 0:
        if level_of(game, table, square) != body.level:
            return False
        if not body.virtual and body_at(game, robot, square, body.level):
            return False
    # mutants: any diagonal would do
    if x > 0:
        body.heading = 4 if y < 0 else 5
    else:
        body.heading = 6 if y > 0 else 7
    relocate(game, table, log, robot, square, int(body.level), ICE)
    return True


@kernel
def glide(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Move a robot along the straight line of its velocity, from the centre of its square.

    It passes the squares whose edges the line crosses one by one. A robot or a wall stops it, and dry ground ends the
    glide. Goo stops it too: each square is an attempt to leave, and the squares that are left when the goo breaks are
    passed (R-E57.13).
    """
    body = game.robots[robot]
    x = int(body.velocity[0])
    y = int(body.velocity[1])
    wide = abs(x)
    high = abs(y)
    i = 0
    j = 0
    while i < wide or j < high:
        # Edges between columns are crossed at (2i+1) / 2wide of the line, those between rows at (2j+1) / 2high.
        lead = (2 * i + 1) * high - (2 * j + 1) * wide
        i += lead <= 0
        j += lead >= 0
        if body.goo:
            strain_goo(game, log, robot)
            continue
        if lead < 0:
            # mutants (boundary): x is not 0 here
            moved = step(game, table, log, robot, EAST if x > 0 else WEST, ICE) == MOVED_ON
        elif lead > 0:
            # mutants (boundary): y is not 0 here
            moved = step(game, table, log, robot, SOUTH if y > 0 else NORTH, ICE) == MOVED_ON
        else:
            # mutants (boundary): neither is 0 here
            moved = glide_over_corner(game, table, log, robot, 1 if x > 0 else -1, 1 if y > 0 else -1)
        if not body.alive or not on_ice(game, table, robot):
            return
        if not moved:
            body.velocity[0] = 0
            body.velocity[1] = 0
            return
    if body.goo:
        body.velocity[0] = 0
        body.velocity[1] = 0


@with_elements(None)
def drive_by_momentum(
    game: GameRecord, table: Table, log: Log, robot: int, direction: int, squares: int, quarters: int
) -> None:
    """Add a card to a robot's velocity and spin, then execute both, the move first (R-E57, K17).

    This is how cards work on ice in the mode `chart`: the squares are added to the velocity, the turn to the spin.
    """
    body = game.robots[robot]
    body.velocity[0] = min(max(body.velocity[0] + squares * STEP_X[direction], -TOP_SPEED), TOP_SPEED)
    body.velocity[1] = min(max(body.velocity[1] + squares * STEP_Y[direction], -TOP_SPEED), TOP_SPEED)
    spin = body.velocity[2] + (-1 if quarters == 3 else quarters)
    body.velocity[2] = min(max(spin, -TOP_SPEED), TOP_SPEED)
    glide(game, table, log, robot)
    if body.alive and body.velocity[2] & 3:
        turn(game, log, robot, int(body.velocity[2]))
