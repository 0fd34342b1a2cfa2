"""Movement by options: flights before the card of a register, homing, and changes of a card (R-O0.15)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.devices.devices import strain_goo
from rr_gym.rules.floor.grid import STEP_X, STEP_Y, place_at
from rr_gym.rules.floor.ground import floor_at, held, phase_of
from rr_gym.rules.floor.positions import take_off
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.movement.displacing import arrive, displace
from rr_gym.rules.movement.edges import OPEN, edge_from
from rr_gym.rules.movement.movement import land, relocate, step, step_ends
from rr_gym.rules.movement.settling import settle
from rr_gym.rules.movement.turning import turn
from rr_gym.rules.options.options import in_damping_field, note_use, works
from rr_gym.rules.robot.current_cards import current_register
from rr_gym.rules.state.constants import (
    BACK_UP,
    BOOSTED,
    BY_FALL,
    BY_OPTION,
    CAUGHT,
    CRAB,
    DUAL,
    HALTED,
    JET,
    JUMP,
    MOVE_1,
    MOVE_2,
    MOVE_3,
    MOVED_ON,
    NO_MOVEMENT_OPTION,
    OPTION,
    REPROGRAMMED,
    RETRO_1,
)
from rr_gym.rules.state.events import OPTION_USED
from rr_gym.rules.state.option_cards import (
    BIG_JET,
    BRAKES,
    CONVERTER,
    CRAB_LEGS,
    DUAL_PROCESSOR,
    FOURTH_GEAR,
    FROG_LEGS,
    HOMING_DEVICE,
    NO_OPTION,
    RETRO_ROCKETS,
    REVERSE_GEARS,
)
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

HOMING_PRIORITY = 850
HOMING_REACH = 3  # squares of one phase
JET_FLIGHT = 8  # squares of a Big Jet
JET_IMPACT = 2  # points of damage by the landing of a Big Jet
RETRO_FLIGHT = 2  # squares for each counter of Retro-Rockets


@kernel
def struggle(game: GameRecord, log: Log, robot: int, squares: int) -> None:
    """Count the squares of an option's movement as attempts to leave goo.

    Squares that are left when the goo breaks are lost (R-O38.3, R-X3.9).
    """
    for _ in range(squares):
        if game.robots[robot].goo:
            strain_goo(game, log, robot)


@kernel
def move_by_option(game: GameRecord, table: Table, log: Log, robot: int, turned: int, squares: int) -> None:
    """Move a robot by an option, on the ground or flying, in a direction relative to its front.

    If goo holds it and breaks, the remaining squares are lost.
    """
    body = game.robots[robot]
    game.rammed = 0
    stuck = body.goo > 0
    for _ in range(squares):
        if stuck and body.goo == 0:
            return
        result = step(game, table, log, robot, (body.facing + turned) & 3, OPTION)
        stuck = stuck or body.goo > 0
        # mutants (never): what stops the first square stops the next one too
        if not body.alive or (result != MOVED_ON and result != CAUGHT):
            return


@with_expansions(None)
def end_flight(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Land a robot that flies by an option for a single movement (R-X3.6)."""
    body = game.robots[robot]
    if body.alive and body.flying == BY_OPTION:
        land(game, table, log, robot, body.heading)


@kernel
def lift(game: GameRecord, robot: int) -> None:
    """Let a robot take off by a booster, even if it flies already (R-O28.1, R-O49.1)."""
    body = game.robots[robot]
    body.marks |= BOOSTED
    if not body.flying:
        take_off(game, robot, BY_OPTION)


@kernel
def set_down(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """End the flight of a booster: the robot lands.

    If it was flying before, and that flight has not been ended, it flies on (U62).
    """
    game.robots[robot].marks &= ~BOOSTED
    end_flight(game, table, log, robot)


@kernel
def fly_backward(game: GameRecord, table: Table, log: Log, robot: int, counters: int) -> None:
    """Fly a robot backward by Retro-Rockets, two squares for each counter, and land it (R-O49).

    A robot in goo does not get away (R-X3.9).
    """
    body = game.robots[robot]
    note_use(game, log, OPTION_USED, robot, RETRO_ROCKETS)
    if body.goo:  # mutants (never): the flight tries squares one by one too
        struggle(game, log, robot, RETRO_FLIGHT * counters)
        return
    lift(game, robot)
    move_by_option(game, table, log, robot, 2, RETRO_FLIGHT * counters)
    set_down(game, table, log, robot)
    settle(game, table, log)


@kernel
def fly_over(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Fly the squares of a Big Jet over walls and bodies, as far as squares are on the same level (R-O28.2, R-O28.3).

    Portals, flames and mag-locks also act on flyers (R-O28.4). The robot may cross places without a board, but not land
    there (U16).
    """
    body = game.robots[robot]
    direction = int(body.facing)
    here = table.squares[place_of_square(game, table, body.square)]
    x, y = int(here.x), int(here.y)
    for _ in range(JET_FLIGHT):
        x += STEP_X[direction]
        y += STEP_Y[direction]
        square = place_at(table, x, y)
        if square < 0:  # mutants (never): no way leads back from beyond the layout
            continue
        if floor_at(game, table, square, body.level) != body.level:
            return
        body.leaving = direction
        displace(game, table, log, robot, square, OPTION, -1)
        arrive(game, table, log, robot, OPTION)
        step_ends(game, table, log)
        if not body.alive or body.marks & HALTED:
            body.marks &= ~HALTED
            return
        if body.square != square:  # a portal has taken it elsewhere
            x, y = int(table.squares[body.square].x), int(table.squares[body.square].y)
    if place_at(table, x, y) < 0:
        relocate(game, table, log, robot, -1, int(body.level), JUMP)


@kernel
def fly_by_jet(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Fly a robot eight squares forward by Big Jet; its landing costs two points of damage (R-O28).

    In goo, the jet only breaks the goo (R-O28.6). On a mag-lock it does nothing, since without a flight there is no
    landing (*ruling*).
    """
    body = game.robots[robot]
    note_use(game, log, OPTION_USED, robot, BIG_JET)
    if body.goo or held(game, table, robot):
        struggle(game, log, robot, JET_FLIGHT)
        return
    lift(game, robot)
    fly_over(game, table, log, robot)
    set_down(game, table, log, robot)
    if body.alive:
        hurt(game, table, log, robot, JET_IMPACT, BY_FALL)
    step_ends(game, table, log)
    settle(game, table, log)


@with_expansions(None)
def fly_first(game: GameRecord, table: Table, log: Log, robot: int, register: int) -> None:
    """Fly a robot by the counters on a register before its card (R-O0.37).

    They act even if the robot has lost the option, but a damping field removes them without effect (R-O43.3).
    """
    body = game.robots[robot]
    movement = int(body.orders.movement_option[register])
    if movement < JET:
        return
    body.orders.movement_option[register] = NO_MOVEMENT_OPTION
    if in_damping_field(game, table, robot):
        return
    if movement == JET:
        fly_by_jet(game, table, log, robot)
    else:
        fly_backward(game, table, log, robot, movement - RETRO_1 + 1)


@kernel
def homes_in(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot's Homing Device is active, with a target on the board (R-O39.2, R-O39.4).

    An option that was activated later and has put another card into the register takes precedence (R-O39.6).
    """
    body = game.robots[robot]
    target = game.homing_target
    if not body.orders.homing or target < 0 or not game.robots[target].alive:
        return False
    if body.rewired & REPROGRAMMED or body.copied[current_register(game, table, robot)]:
        return False
    return works(game, table, robot, HOMING_DEVICE)


@kernel
def homing_squares(ahead: int, aside: int) -> int:
    """Return how many squares a homing robot goes forward, 0 if it turns instead (R-O39.2, U47).

    If the target is at most three squares ahead, the robot moves level with it; otherwise it moves three squares if
    that brings it nearer. `ahead` and `aside` are the offset of the target in squares.
    """
    if ahead > 0 and ahead + aside < HOMING_REACH:
        return ahead
    return HOMING_REACH if abs(ahead - HOMING_REACH) < ahead else 0


@with_expansions(None)
def home_in(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Move a homing robot forward if this brings it nearer and no wall is ahead; else turn it left (R-O39, U47)."""
    body = game.robots[robot]
    note_use(game, log, OPTION_USED, robot, HOMING_DEVICE)
    here = table.squares[place_of_square(game, table, body.square)]
    there = table.squares[place_of_square(game, table, game.robots[game.homing_target].square)]
    away_x, away_y = int(there.x) - int(here.x), int(there.y) - int(here.y)
    ahead = away_x * STEP_X[body.facing] + away_y * STEP_Y[body.facing]
    squares = homing_squares(ahead, abs(away_x) + abs(away_y) - abs(ahead))
    stays = body.goo > 0 or held(game, table, robot)
    if squares and (stays or edge_from(game, table, robot, body.square, body.facing, OPTION) == OPEN):
        move_by_option(game, table, log, robot, 0, squares)
    else:
        turn(game, log, robot, 3)
    settle(game, table, log)


@with_expansions(0)
def gear_change(game: GameRecord, table: Table, log: Log, robot: int, kind: int) -> int:
    """Return how many squares Brakes, Reverse Gears or Fourth Gear add to a card of this phase.

    See R-O3, R-O10, R-O21, U58.
    """
    option = NO_OPTION
    if kind == MOVE_1:
        option = BRAKES
    elif kind == BACK_UP:
        option = REVERSE_GEARS
    elif kind == MOVE_3:
        option = FOURTH_GEAR
    if not game.robots[robot].orders.gear[phase_of(game)] or not works(game, table, robot, option):
        return 0
    note_use(game, log, OPTION_USED, robot, option)
    return -1 if option == BRAKES else 1


@with_expansions(0)
def combines(game: GameRecord, table: Table, log: Log, robot: int, register: int) -> int:
    """Return `CRAB` or `DUAL` if the two cards of a register are executed as one, otherwise 0 (R-O34, R-O36).

    In a damping field only the primary card is executed (R-O43.3).
    """
    body = game.robots[robot]
    movement = int(body.orders.movement_option[register])
    if movement not in (CRAB, DUAL) or body.second[register] == 0 or in_damping_field(game, table, robot):
        return NO_MOVEMENT_OPTION
    # mutants: only changes the event
    note_use(game, log, OPTION_USED, robot, CRAB_LEGS if movement == CRAB else DUAL_PROCESSOR)
    return movement


@with_expansions(0)
def energy_for(game: GameRecord, table: Table, robot: int) -> int:
    """Return how many squares an energy counter of the Converter adds to a movement card: 1 or 0 (R-O33.2)."""
    return 1 if works(game, table, robot, CONVERTER) and game.payload[CONVERTER] > 0 else 0


@with_expansions(False)
def leaps(game: GameRecord, table: Table, log: Log, robot: int, kind: int, register: int) -> bool:
    """Tell whether a robot flies its Move 2 or Move 3 with Frog Legs; not if it flies already (R-O37)."""
    body = game.robots[robot]
    if kind < MOVE_2 or not body.orders.frog[register] or body.flying or not works(game, table, robot, FROG_LEGS):
        return False
    note_use(game, log, OPTION_USED, robot, FROG_LEGS)
    return True
