"""B1: robots execute the cards of the current register, highest priority first (R-A4.4, R-A8)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.driving.driving import drive_card
from rr_gym.rules.driving.option_moves import HOMING_PRIORITY, fly_first, gear_change, home_in, homes_in, struggle
from rr_gym.rules.driving.priority import FIRST_PRIORITY
from rr_gym.rules.elements.teleporters import SQUARES, touches_teleporter
from rr_gym.rules.floor.copies import has_copy, swap_copies
from rr_gym.rules.floor.positions import come_to
from rr_gym.rules.launching.flying_devices import devices_fly
from rr_gym.rules.launching.gadgets import gadget_is_laid_before_card
from rr_gym.rules.movement.entering import enter
from rr_gym.rules.movement.movement import step_ends
from rr_gym.rules.movement.settling import settle
from rr_gym.rules.options.options import in_damping_field, note_use
from rr_gym.rules.robot.current_cards import card_in, current_register, first_card
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import (
    BY_COPTER,
    BY_OVERLOAD,
    NOBODY,
    NUM_REGISTERS,
    OVERLOAD,
    OVERLOAD_EMPTY,
    PLACE,
)
from rr_gym.rules.state.events import OPTION_USED
from rr_gym.rules.state.option_cards import OVERLOAD_OVERRIDE
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def execute(game: GameRecord, table: Table, log: Log, robot: int, card: int, in_turn: bool) -> None:
    """Let a robot execute a card, then its copy if it had one before (R-E45); after each, all robots settle.

    A copy that the card itself has made enters its square (R-E45.8). With `in_turn`, it is the card of the current
    register, to which the orders for that register apply.
    """
    body = game.robots[robot]
    had_copy = has_copy(game, table, robot)
    drive_card(game, table, log, robot, card, in_turn)
    settle(game, table, log)
    if body.alive and has_copy(game, table, robot):
        swap_copies(game, table)
        if body.alive and had_copy:
            drive_card(game, table, log, robot, card, in_turn)
            settle(game, table, log)
        elif body.alive:
            come_to(game, table, robot, int(body.square))
            enter(game, table, log, robot, PLACE)
            step_ends(game, table, log)
        swap_copies(game, table)


@with_expansions(False)
def is_overloaded(game: GameRecord, table: Table, robot: int, register: int) -> bool:
    """Tell whether Overload Override acts on a register (R-O44.5).

    On a teleporter and in a damping field, only the primary card is executed.
    """
    body = game.robots[robot]
    movement = int(body.orders.movement_option[register])
    if not OVERLOAD <= movement <= OVERLOAD_EMPTY or (movement != OVERLOAD_EMPTY and body.second[register] == 0):
        return False
    return not in_damping_field(game, table, robot) and not touches_teleporter(game, table, robot)


@with_expansions(None)
def overload(game: GameRecord, table: Table, log: Log, robot: int, register: int) -> None:
    """Execute both cards of a register one after the other, or none; then the robot takes a point of damage (R-O44)."""
    body = game.robots[robot]
    movement = body.orders.movement_option[register]
    note_use(game, log, OPTION_USED, robot, OVERLOAD_OVERRIDE)
    if movement != OVERLOAD_EMPTY:
        primary, second = int(body.registers[register]), int(body.second[register])
        execute(game, table, log, robot, primary if movement == OVERLOAD else second, True)
        if body.alive:
            execute(game, table, log, robot, second if movement == OVERLOAD else primary, True)
    if body.alive:
        hurt(game, table, log, robot, 1, BY_OVERLOAD)
        step_ends(game, table, log)
        settle(game, table, log)


@with_expansions(None)
def fly_copter(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Execute the card on a robot's Robo-Copter, before that of the register (R-O50.1).

    A robot in goo stays; the squares of the card count as attempts to leave (R-X3.9).
    """
    body = game.robots[robot]
    card = int(body.copter)
    if body.flying != BY_COPTER or card == 0:
        return
    if body.goo:
        kind = int(CARD_TYPE[card])
        struggle(game, log, robot, abs(int(SQUARES[kind])) + gear_change(game, table, log, robot, kind))
    else:
        execute(game, table, log, robot, card, False)


@with_elements(None)
def act_again(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Let an energized robot execute the card of the next register too, without the orders for it (R-E50)."""
    body = game.robots[robot]
    card = int(card_in(body, (body.pointer + 1) % NUM_REGISTERS))
    if card:
        execute(game, table, log, robot, card, False)
    body.pointer = (body.pointer + 2) % NUM_REGISTERS


@kernel
def act(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Let a robot that is on the board and powered up act in B1: one card, two when energized (R-E50).

    Flights by options come first. For an energized robot, these flights and the orders for registers apply to the first
    of its two cards.
    """
    body = game.robots[robot]
    if sleeping(game, table, robot):
        return
    register = int(current_register(game, table, robot))
    fly_first(game, table, log, robot, register)
    if body.alive:
        fly_copter(game, table, log, robot)
    card = int(card_in(body, register))
    if body.alive and is_overloaded(game, table, robot, register):
        overload(game, table, log, robot, register)
    elif body.alive and card:
        execute(game, table, log, robot, card, True)
    if body.alive and body.energized:
        act_again(game, table, log, robot)


@with_expansions(NOBODY)
def homing_robot(game: GameRecord, table: Table) -> int:
    """Return the robot whose Homing Device moves it in this phase, `NOBODY` if there is none."""
    for i in range(game.num_robots):
        if homes_in(game, table, i) and not sleeping(game, table, i):
            return i
    return NOBODY


@kernel
def robots_move(game: GameRecord, table: Table, log: Log) -> None:
    """Let every robot that is on the board and powered up execute its card, in the order of `by_priority` (B1).

    Flying devices move in between by their priorities, and a homing robot moves at the priority of its Homing Device
    (R-O39.2).
    """
    devices_fly(game, table, log, FIRST_PRIORITY, HOMING_PRIORITY)
    reached = HOMING_PRIORITY  # devices of higher priorities have flown
    homing = int(homing_robot(game, table))
    if homing != NOBODY:
        home_in(game, table, log, homing)
    for place in range(game.num_robots):
        robot = int(game.order[place])
        priority = min(10 * int(first_card(game, table, robot)), reached)  # the priority printed on the card
        devices_fly(game, table, log, reached, priority)
        reached = priority
        body = game.robots[robot]
        if body.alive and not body.down:
            gadget_is_laid_before_card(game, table, log, robot)
            if not body.alive:
                continue  # it has destroyed itself
            if robot == homing:  # the cards of the register are ignored, but not the counters on it
                fly_first(game, table, log, robot, int(current_register(game, table, robot)))
            else:
                act(game, table, log, robot)
    devices_fly(game, table, log, reached, 0)
