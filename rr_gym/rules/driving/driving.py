"""Execute a card, as changed by elements, options and copies (R-P5)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_FREAKS, HAS_ICE, ICY, PADDING, SLIMY
from rr_gym.forms import with_elements
from rr_gym.rules.driving.flying import start_flying
from rr_gym.rules.driving.ice import (
    ALL_AHEAD,
    LAST_AHEAD,
    NOBODY_AHEAD,
    drive_by_momentum,
    note_who_is_on_ice,
    on_ice,
    slide,
    slide_pushed,
    touch,
    who_is_ahead,
)
from rr_gym.rules.driving.option_moves import combines, end_flight, energy_for, gear_change, leaps
from rr_gym.rules.elements.mirrors import executed_as, looks_into_mirror
from rr_gym.rules.elements.teleporters import QUARTERS, leap_by_chance, teleport, touches_teleporter
from rr_gym.rules.floor.ground import features_of, flies, held, surface_under
from rr_gym.rules.floor.positions import take_off
from rr_gym.rules.hazards.water import squares_lost
from rr_gym.rules.movement.movement import step
from rr_gym.rules.movement.turning import turn
from rr_gym.rules.options.options import show_option, use_up
from rr_gym.rules.robot.current_cards import current_register
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import (
    BACK_UP,
    BACK_UP_FORWARD,
    BOUNCE,
    BY_OPTION,
    CARD,
    CAUGHT,
    CRAB,
    HELD,
    ICE_CAREFUL,
    MOVE_1,
    MOVED_ON,
    REBOUND,
    REPELLED,
    REPULSE,
    U_TURN,
)
from rr_gym.rules.state.events import CARD_PLAYED, note
from rr_gym.rules.state.option_cards import CONVERTER
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

ENDED = -1  # the card has ended early
CUT_OFF = -2  # the robot, or the card on its Robo-Copter, is gone


@with_elements(None)
def repel(game: GameRecord, table: Table, log: Log, squares: int) -> None:
    """Let a repulsor field throw a robot back, away from the side that it ran against (R-E23, R-P3.6).

    Squares that goo holds back are tried one by one (R-O38.3).
    """
    robot = int(game.push.repelled)
    game.push.repelled = 0
    body = game.robots[robot]
    direction = (body.leaving + 2) & 3
    for _ in range(squares):
        result = step(game, table, log, robot, direction, REPULSE)
        if (result != MOVED_ON and result != CAUGHT) or not body.alive:
            return


@kernel
def run(
    game: GameRecord, table: Table, log: Log, robot: int, turned: int, squares: int, worth: int, cause: int, flown: bool
) -> tuple[int, int]:
    """Drive the squares of a card one by one; return the direction in which the robot drives at the end, and how many.

    `turned` is that direction relative to the front of the robot: 0 forward, 2 backward, 1 or 3 to a side. `ENDED` is
    returned instead if something has ended the card, and `CUT_OFF` if the robot, or the card, is gone. `worth` is the
    number of all squares of the card; a repulsor field throws the robot back by that many. The number returned is that
    of the squares that the robot has driven, without those that goo held back.

    The direction follows the facing, because gates bend both (R-E38). A padded wall reverses it and costs one square
    (R-E66). Squares that goo holds back are tried one by one, and those that are left when it breaks are driven
    (R-O38.3).

    With `flown`, the card is on the robot's Robo-Copter. If something stops the flight, the card is lost and no more of
    its squares are tried (U66). If the copter is lost in another way, the robot drives the rest of the card (R-O50.4).
    """
    body = game.robots[robot]
    driven = 0
    for _ in range(squares):
        in_flight = flown and body.copter != 0
        result = step(game, table, log, robot, (body.facing + turned) & 3, cause)
        if not body.alive or (in_flight and body.copter == 0 and result not in (HELD, MOVED_ON)):
            return CUT_OFF, driven
        driven += result in (MOVED_ON, REBOUND)
        if result == MOVED_ON and cause != BOUNCE:
            continue
        if result == REBOUND:
            turned ^= 2
        elif result == REPELLED:
            repel(game, table, log, worth)
            return ENDED, driven
        elif result != CAUGHT and (result != MOVED_ON or surface_under(game, table, robot) != PADDING):
            return ENDED, driven  # an obstacle, or the end of the padded squares
    return turned, driven


@kernel
def drive(game: GameRecord, table: Table, log: Log, robot: int, turned: int, worth: int, flown: bool) -> None:
    """Drive the squares of a movement card by the rules of ice and padded squares (R-E57, R-E65).

    For `flown` see `run`.
    """
    body = game.robots[robot]
    surface = int(surface_under(game, table, robot))
    squares = max(worth - squares_lost(surface), 0)
    icy = features_of(table) & HAS_ICE != 0 and table.settings.ice_mode == ICE_CAREFUL
    direction = (body.facing + turned) & 3
    begins_on_ice = icy and surface == ICY
    slides_on = icy and squares > 1  # after cards of fewer squares, robots do not slide on
    ahead = NOBODY_AHEAD
    if begins_on_ice or slides_on:
        ahead = who_is_ahead(game, table, robot, direction, squares)
    if begins_on_ice and ahead == ALL_AHEAD:
        # There are robots on all squares of the card, and on ice they cannot be pushed.
        touch(game, table, log, robot, direction, squares)
        return
    pushed_slide = slides_on and not flies(game, table, robot)
    if pushed_slide:
        note_who_is_on_ice(game, table)
    way = turned
    turned, driven = run(game, table, log, robot, turned, squares, worth, CARD, flown)
    ended = turned < 0 or body.goo != 0
    padded = not ended and surface_under(game, table, robot) == PADDING
    if slides_on and turned != ENDED:
        direction = (body.facing + (way if turned == CUT_OFF else turned)) & 3
        if pushed_slide:
            slide_pushed(game, table, log, robot, direction)
        if not ended and ahead != LAST_AHEAD:
            slide(game, table, log, robot, direction)
    if padded and body.alive:
        run(game, table, log, robot, turned, driven, worth, BOUNCE, False)  # flyers do not bounce


@kernel
def turn_by_card(game: GameRecord, table: Table, log: Log, robot: int, quarters: int) -> None:
    """Turn a robot by a rotate card; on ice a U-turn becomes a full circle (R-E57)."""
    if quarters != 2 or not on_ice(game, table, robot):
        turn(game, log, robot, quarters)


@kernel
def uses_momentum(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot's card is added to its velocity: on ice, in the mode `chart`.

    Copies drive on ice as elsewhere.
    """
    return table.settings.ice_mode != ICE_CAREFUL and not game.copies_act and on_ice(game, table, robot)


@kernel
def rotate(game: GameRecord, table: Table, log: Log, robot: int, kind: int) -> None:
    """Execute a rotate card, which does nothing on slime."""
    start_flying(game, table, robot)
    quarters = int(QUARTERS[kind])
    if surface_under(game, table, robot) == SLIMY:
        return
    if uses_momentum(game, table, robot):
        drive_by_momentum(game, table, log, robot, int(game.robots[robot].facing), 0, quarters)
    else:
        turn_by_card(game, table, log, robot, quarters)


@kernel
def with_second_card(
    game: GameRecord, table: Table, log: Log, robot: int, register: int, turned: int, worth: int, mirrored: bool
) -> tuple[int, int, int]:
    """Combine a card with the second card of its register (R-O34, R-O36).

    Return the direction relative to the front, the number of squares, and the quarter turns after them.
    """
    combination = combines(game, table, log, robot, register)
    if not combination:
        return turned, worth, 0
    beside = int(CARD_TYPE[game.robots[robot].second[register]])
    quarters = int(QUARTERS[executed_as(beside, mirrored)])
    if combination == CRAB:
        return quarters, worth, 0
    return turned, max(worth - (2 if beside == U_TURN else 1), 0), quarters


@kernel
def leap_or_drive(
    game: GameRecord, table: Table, log: Log, robot: int, kind: int, turned: int, worth: int, flown: bool
) -> None:
    """Execute the squares of a movement card: leap by a teleporter, or drive.

    A freak teleporter lets the robot leap before it drives. `kind` is the type of card that is executed; for `flown`
    see `run`.
    """
    body = game.robots[robot]
    direction = (body.facing + turned) & 3
    if kind == BACK_UP and table.settings.tele_backup == BACK_UP_FORWARD:
        direction = (direction + 2) & 3
    if teleport(game, table, log, robot, kind, direction):
        return
    if features_of(table) & HAS_FREAKS:
        leap_by_chance(game, table, log, robot)
    if body.alive:
        drive(game, table, log, robot, turned, worth, flown)


@kernel
def changed_by_options(
    game: GameRecord, table: Table, log: Log, robot: int, kind: int, mirrored: bool, in_turn: bool, stays: bool
) -> tuple[int, int, int, int, bool]:
    """Return the effect of a movement card as changed by options (R-O0.23); on a teleporter they change nothing.

    Return the direction relative to the front, the number of squares, the quarter turns after them, the squares that an
    energy counter would add, and whether the robot leaps. With `stays`, the robot does not move, so only the second
    card of its register matters.
    """
    register = int(current_register(game, table, robot))
    worth = 1 if kind == BACK_UP else kind - MOVE_1 + 1
    turned = 2 if (kind == BACK_UP) != mirrored else 0
    quarters = 0
    energy = 0
    leaping = False
    if touches_teleporter(game, table, robot):
        return turned, worth, quarters, energy, leaping
    if in_turn:
        turned, worth, quarters = with_second_card(game, table, log, robot, register, turned, worth, mirrored)
    if not stays:
        change = int(gear_change(game, table, log, robot, kind))
        leaping = in_turn and bool(leaps(game, table, log, robot, kind, register))
        worth = max(worth + change, 0)
        if leaping:
            take_off(game, robot, BY_OPTION)
        if change >= 0:
            energy = int(energy_for(game, table, robot))
    return turned, worth, quarters, energy, leaping


@kernel
def move(
    game: GameRecord, table: Table, log: Log, robot: int, kind: int, mirrored: bool, in_turn: bool, flown: bool
) -> None:
    """Execute a movement card: its squares, then the turn that a second card of its register adds.

    A robot on a mag-lock ignores the squares. One on slime moves only by two squares or more (R-E29, R-E36). For
    `flown` see `run`.
    """
    body = game.robots[robot]
    stays = bool(held(game, table, robot))
    if not stays:
        start_flying(game, table, robot)
    changed = changed_by_options(game, table, log, robot, kind, mirrored, in_turn, stays)
    turned, worth, quarters, energy, leaping = changed
    if not stays:
        if worth + energy < 2 and surface_under(game, table, robot) == SLIMY:
            return
        if energy:
            show_option(game, CONVERTER)
            use_up(game, log, robot, CONVERTER, energy)
        if uses_momentum(game, table, robot):
            drive_by_momentum(game, table, log, robot, (body.facing + turned) & 3, worth + energy, quarters)
            return
        leap_or_drive(game, table, log, robot, executed_as(kind, mirrored), turned, worth + energy, flown)
        if leaping:
            end_flight(game, table, log, robot)
    if quarters and body.alive:
        turn_by_card(game, table, log, robot, quarters)


@kernel
def drive_card(game: GameRecord, table: Table, log: Log, robot: int, card: int, in_turn: bool) -> None:
    """Execute one card of one robot (R-P5).

    With `in_turn`, it is the card of the current register, to which the orders for that register apply. The order
    `gear` applies to every card of the phase (U58).
    """
    kind = int(CARD_TYPE[card])
    note(game, log, CARD_PLAYED, robot, card)
    game.rammed = 0
    flown = bool(game.robots[robot].copter == card)
    mirrored = bool(looks_into_mirror(game, table, robot))
    if kind < BACK_UP:
        rotate(game, table, log, robot, executed_as(kind, mirrored))
    else:
        move(game, table, log, robot, kind, mirrored, in_turn, flown)
