"""The records: one game is one fixed-size NumPy record, a batch of games is one structured array.

Fields for options, devices, levels and the state of board elements always exist: those that a game does not use stay
zero and are never accessed.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from rr_gym.compilation.records import Array, Record, i1, i2, i4, shape, u1, u2, u4, u8
from rr_gym.errors import RoboRallyError, short_repr, truth_value
from rr_gym.rules.state.constants import (
    BY_VALUE,
    DECK_SIZE,
    HAND_SLOTS,
    MAX_BODIES,
    MAX_DEVICES,
    MAX_FLAGS,
    MAX_OWNED,
    MAX_ROBOTS,
    NUM_CHANCES,
    NUM_OPTIONS,
    NUM_REGISTERS,
)
from rr_gym.rules.state.order_table import FIELDS
from rr_gym.rules.state.scratch import GameCaches, GameScratch, RobotScratch

# Raise it with every change of these types or of their meaning; saved games of another version are refused.
STATE_VERSION = 11


class OptionDecisions(Record):
    """A player's decisions about option cards other than the program.

    They are stored in T4 for the sub-steps that read them later.
    """

    movement_option: Array[i1] = shape(NUM_REGISTERS)  # an index of MOVEMENT_OPTION_NAMES
    gadget: Array[i1] = shape(NUM_REGISTERS)  # the token on each register, an index of GADGET_NAMES
    weapon: Array[i1] = shape(NUM_REGISTERS)  # an index of WEAPON_NAMES
    fallback_to_laser: Array[i1] = shape(NUM_REGISTERS)  # 1: fire the main laser if the weapon has no target
    fire_control: Array[i1] = shape(NUM_REGISTERS)  # an index of FIRE_CONTROL_NAMES
    turret: Array[i1] = shape(NUM_REGISTERS)  # the side that it points to, 0-3
    shield: Array[i1] = shape(NUM_REGISTERS)  # 0 off, 1 + side
    gear: Array[i1] = shape(NUM_REGISTERS)  # 1: use Brakes, Reverse Gears or Fourth Gear, whichever fits the card
    frog: Array[i1] = shape(NUM_REGISTERS)
    gyro: Array[i1] = shape(NUM_REGISTERS)
    target: i1  # the robot that Radio Control aims at, -1 for the nearest
    abort: i1  # the register (1-5) at which Abort Switch is used, 0 for none
    conditional_register: i1  # register (1-5) that the stored card replaces, 0 for none
    reflector: i1  # 0 off, 1 + side
    damping: i1
    homing: i1
    buzz: i1  # launch a buzz bomb
    self_destruct: i1  # the register (1-5) in which it goes off, 0 for none
    recompile: i1  # deal the next hand again if it has fewer movement cards than this
    intercept: i1  # swap the next hand if it has fewer movement cards than this
    reengineering: i1  # 0 never, 1 for a better option, 2 always
    arm: i1
    superior_archive: i1
    sacrifice_threshold: i1  # an option is given up for each point that would bring the damage to this or more
    give_up: Array[i1] = shape(
        MAX_OWNED
    )  # options to give up, in this order, then -1; BY_VALUE in front: by `sacrifice_threshold`
    lose: i1  # the option lost when destroyed or over the limit, -1 for the least valuable
    keep: i1  # rank by value of the option to keep of several; 0, like 1, for the most valuable


class ElementDecisions(Record):
    """A player's decisions about board elements."""

    chop: i1  # at a chop shop: 0 auto, 1 nothing, 2 swap, 3 reload, 4 draw
    chop_option: i1  # the option that is swapped or reloaded, -1 auto
    waste: i1  # on radioactive waste: 1 draw an option, 0 do not
    freak_order: i1  # order of the three cards of a freak teleporter: 0-5, a permutation in lexicographic order
    reset_card: i1  # the card wanted from a reset site, 0 for none


class Decisions(OptionDecisions, ElementDecisions):
    """All decisions of a player other than the program and powering down."""


class RobotState(Record):
    """The state of a robot, with its options and its program.

    The fields that nearly every sub-step reads come first, so that they share a cache line of 64 bytes.
    """

    options: u8  # bit i: owns option i
    square: i2  # the square on which it stands, -1 when it is off the board
    marks: i2  # DISPLACED and other marks: what happened to it in this phase
    alive: u1  # it is on the board
    virtual: u1
    down: u1  # powered down in this turn
    out: u1  # eliminated
    facing: i1
    level: i1
    damage: i1  # 0-9 while alive
    locked: u1  # bit r: register r + 1 is locked
    flag: i1  # the number of flags touched
    flying: i1
    goo: i1
    heading: i1  # direction of its last displacement, 4 + k halfway from k to k + 1; unused in the base game
    shields: u1  # sides of its shield already used in this phase
    asleep: i1  # how many more phases it sleeps
    energized: i1  # the phase of this turn in which an energizer charged it, 0 for none
    pointer: i1  # energized: the register (0-4) that it executes next
    rewired: i1  # SCRAMBLED and other bits: what has happened to its program in this turn
    fired: i1  # its weapon of this phase's segment D, an index of WEAPON_NAMES, -1 for none
    fired_at: i1  # the robot that the weapon is aimed at, -1 for none
    fired_to: i1  # the direction of its shots
    modified: u1  # DOUBLE and other bits: effects of its options in D1
    registers: Array[i1] = shape(NUM_REGISTERS)  # cards, 0 for none
    second: Array[i1] = shape(NUM_REGISTERS)  # second cards of registers
    copied: Array[i1] = shape(NUM_REGISTERS)  # cards that Radio Control has copied over its program, 0 for none
    conditional: i1  # the card on Conditional Program, 0 for none
    flywheel: i1  # the card on the Flywheel; during programming it is in the hand too
    copter: i1  # the card on Robo-Copter, 0 for none
    hand: Array[i1] = shape(HAND_SLOTS)  # cards, 0 for none
    archive: i2  # the square where it re-enters after its destruction
    archive_level: i1
    lives: i1  # lives left, the one on the board included; -1 for no limit
    announced: u1  # it powers down next turn
    may_face: u1  # its next orders may set its facing (U28)
    fresh: u1  # placed as virtual and not yet tested at an end of turn
    destroyed: i1  # its place in this turn's order of destruction, 0 if it was not destroyed
    out_phase: i1
    out_turn: i4
    team: i1
    on_ramp: i1
    burning: i1  # points of damage at the start of each phase
    speed: i1  # squares per phase on the ring of a particle accelerator
    velocity: Array[i1] = shape(3)  # on ice, by `ice_mode = chart`: x, y and spin
    reset: u1  # it will get a card of its choice from a reset site
    bio: i1  # the option that Bio Option grants, -1 for none
    flags_met: u1  # bit k: it has taken its option from the pile beside flag k + 1
    sits_out: i1  # how many more turns it stays off the board
    carries: i1  # the flag it carries, 0 for none
    lit_on: Array[i2] = shape(2)  # the last squares of napalm that set it on fire in this phase, plus 1; 0 for none
    orders: Decisions  # its decisions of this turn


class RobotCopy(Record):
    """The copy that a copy machine has made of a robot (R-E45)."""

    has_copy: u1  # it has a copy
    copy_square: i2
    copy_birth: i2  # the square on which the copy appeared
    copy_side: i1  # the side of that square on which the machine hangs
    copy_level: i1
    copy_facing: i1
    copy_heading: i1
    copy_flying: i1
    copy_marks: i2
    copy_alive: u1
    copy_speed: i1


class Robot(RobotState, RobotCopy, RobotScratch):
    """A robot, or a device that moves like a robot (`BIG_ONE_BODY`, `RIDER`)."""


class Device(Record):
    """A device of an option card that is on the board."""

    kind: i1  # an index of DEVICE_NAMES, 0 for a free slot
    owner: i1  # the robot that launched it
    square: i2
    target: i2  # the square a drone flies to
    priority: i2  # at which a missile or drone flies
    level: i1
    facing: i1
    power: i1
    virtual: u1  # launched by a virtual robot: acts only on that robot
    spares: u2  # bit i: body i cannot set it off yet; the highest bit is BY_HAND
    left: i1  # squares of movement until goo breaks


class GameState(Record):
    """The complete state of a game."""

    course: i2  # the index of the table that it is played on
    num_robots: i1
    phase: i1  # 1-5 during a turn, 0 between turns
    step: i1  # the sub-step being resolved
    over: u1
    winners: u1  # bit i: robot i has won
    num_destroyed: i1  # how many robots were destroyed in this turn
    start_lives: i1
    turn: i4  # 0 during the first turn
    seed: u8  # the seed that the user gave
    salt: Array[u8] = shape(2)  # the salt that the user gave, its low word first; zeros for none
    index: u4  # the game's place in its batch
    episode: u4  # number of earlier episodes
    key: u8  # the first word of the generator's key, made of the four fields above
    salted_key: u8  # the second word of that key; 0 without a salt
    draws: Array[u4] = shape(NUM_CHANCES)  # number of draws by each use of chance
    deck_left: i1
    deck_known: i1  # how many cards on top are in a fixed order; the rest are drawn at random
    discards_left: i1
    deck: Array[i1] = shape(DECK_SIZE)  # the draw pile: its first `deck_left` entries, the last of which is the top
    discards: Array[i1] = shape(DECK_SIZE)
    num_bodies: i1  # how many entries of `robots` may be on the board: more than `num_robots` with bodies of devices
    robots: Array[Robot] = shape(MAX_BODIES)  # the robots, then the bodies of devices (BIG_ONE_BODY, RIDER)
    flag_squares: Array[i2] = shape(MAX_FLAGS)
    flag_owner: Array[i1] = shape(MAX_FLAGS)
    flip: i1  # 0 or 1
    flip_pending: u1
    flip_blocked: u1  # the result of C7: a light barrier was occupied
    barrier_broken: u1
    piston_up: i1  # colour that is up: 0 for a, 1 for b
    crumbled: Array[u8] = shape(4)  # bit k: crumbly square k is a pit
    rooms: Array[i1] = shape(8)
    turret_facing: Array[i1] = shape(8)
    turret_cards: Array[i1] = shape(NUM_REGISTERS)
    option_deck_left: i1
    option_discards_left: i1
    option_deck: Array[i1] = shape(NUM_OPTIONS)
    option_discards: Array[i1] = shape(NUM_OPTIONS)
    payload: Array[i1] = shape(NUM_OPTIONS)  # tokens and counters left on each option card; each card exists once
    pile_of: Array[i1] = shape(NUM_OPTIONS)  # the flag beside which the option lies face up, 0 for none
    secret: u8  # bit i: the owner of option i is not known yet
    buzz_program: Array[i1] = shape(NUM_REGISTERS)  # the buzz bomb's cards, in the order in which it executes them
    homing_target: i1  # the robot with the token of the Homing Device, -1 for none
    intercept_target: i1
    radio_owner: i1  # the robot that has replaced another robot's program in this turn by Radio Control, -1 for nobody
    radio_target: i1  # the robot whose program Radio Control has replaced in this turn, -1 for nobody
    damping: i1  # the robot whose Option Damping Field is on, -1 for nobody
    superbot: i1  # the robot that is the SuperBot, -1 for none
    shares_hands: u1  # teammates know each other's hands
    culprit: i1  # the last robot of this phase that shot or pushed the SuperBot, itself or by a device; -1 for nobody
    boards_touched: u1  # bit i: a flag of the board with the number of room i was touched since the last E1
    bombed: u1  # bit i: a scrambler bomb has caught robot i in this turn
    asked: i1  # in a turn that is decided step by step: the next question, 0 for none
    asked_register: i1  # the register (1-5) that the question is about
    num_devices: i1  # slots in use
    devices: Array[Device] = shape(MAX_DEVICES)


class GameRecord(GameState, GameScratch, GameCaches):
    """One game: its state, the temporary values of the rules and the caches of accelerators."""


class TurnOrders(Record):
    """The decisions of a player in every game."""

    program: Array[i1] = shape(NUM_REGISTERS)  # a card in the hand for each register; 0: any unused card
    power_down: i1  # announce a power-down for the next turn
    stay_down: i1  # stay powered down, or re-enter powered down
    facing: i1  # the new facing where the robot may choose (U28); -1: the recorded one
    unlock: i1  # 1-5: the register to unlock first; 0: the lowest locked one
    site: i1  # at a two-wrench site: 0 by damage, 1 repair, 2 option
    square: i1  # re-entry beside the archive: a square of the ring, clockwise from the north; -1: nearest


class ShortOrders(TurnOrders, ElementDecisions):
    """The decisions of one player for one turn, without those about option cards.

    These records are so small that a batch of them fits into a processor's cache.
    """


class OptionCardOrders(Record):
    """Cards that a player chooses for options."""

    second: Array[i1] = shape(NUM_REGISTERS)  # the extra card of a two-card register, 0 for none
    conditional: i1  # card to put on Conditional Program; 0 for none, BEST_CARD for the best unused one
    flywheel: i1  # card to put on the Flywheel, with the same numbers
    copter: i1  # card to put on Robo-Copter, with the same numbers
    buzz_program: Array[i1] = shape(NUM_REGISTERS)  # order of the buzz bomb's cards; 0: as dealt


class VariantOrders(Record):
    """What only settings of variants ask for."""

    breaker: i1  # 0: the Circuit Breaker does not act at the end of this turn
    late: i1  # 1: the program was late; whoever keeps the time says so, not the player


class OrdersRecord(TurnOrders, ElementDecisions, OptionCardOrders, OptionDecisions, VariantOrders):
    """The decisions of one player for one turn; `no_orders` makes records with every default."""


class EventRecord(Record):
    """Something that happened in a turn."""

    turn: i4
    phase: i1
    step: u1  # sub-step, an index of STEP_NAMES
    kind: u1  # an index of rr_gym.rules.state.events.EVENT_NAMES
    robot: i1  # the robot concerned, -1 for none
    other: i1  # the other robot involved, -1 for none
    value: i1
    square: i2
    target: i2


class ReportedState(Record):
    """The values that a log reported last about one robot."""

    level: i1
    flying: i1
    burning: i1
    asleep: i1
    energized: i1
    copy_square: i2
    copy_facing: i1
    shield: i1  # 0 off, 1 + side
    reflector: i1
    turret: i1


LOG_CAPACITY = 2048


class Log(Record):
    """The events of a turn, for observers."""

    on: u1
    full: u1  # events were dropped
    count: i4
    seen: Array[ReportedState] = shape(MAX_ROBOTS)
    events: Array[EventRecord] = shape(LOG_CAPACITY)


DECISIONS = Decisions.dtype
ROBOT = Robot.dtype
DEVICE = Device.dtype
GAME = GameRecord.dtype
ORDERS = ShortOrders.dtype
FULL_ORDERS = OrdersRecord.dtype
EVENT = EventRecord.dtype
LOG = Log.dtype


def default_decisions() -> np.ndarray[Any, Any]:
    """Return the decisions for a player who makes none (R-O): shape (), dtype `DECISIONS`."""
    decisions = np.zeros((), DECISIONS)
    for name in Decisions.fields:
        order = FIELDS[name]
        decisions[name] = order.nothing if order.kind == "options" else order.number(order.default)
    decisions["give_up"][0] = BY_VALUE
    return decisions


if unlike := {*Decisions.fields, *OrdersRecord.fields} - {"program"} ^ FIELDS.keys():
    raise TypeError(f"{', '.join(sorted(unlike))}: expected a field of a record and a row of the order table for each")
DEFAULT_DECISIONS = default_decisions()


def no_orders(*shape: int, full: bool = False) -> Array[OrdersRecord]:
    """Return orders with every default: nothing chosen, everything automatic.

    They have the shape given, and dtype `ORDERS`, or `FULL_ORDERS` with the decisions about option cards if `full` is
    set.
    """
    orders = cast("Array[OrdersRecord]", np.zeros(shape, FULL_ORDERS if full else ORDERS))
    orders["facing"] = orders["square"] = -1
    for name in set(DECISIONS.names or ()) & set(orders.dtype.names or ()):
        orders[name] = DEFAULT_DECISIONS[name]
    if full:
        orders["breaker"] = 1
    return orders


def orders_as(orders: np.ndarray[Any, Any], full: bool) -> np.ndarray[Any, Any]:
    """Return orders in the other form: decisions about option cards are added with their defaults, or left out."""
    dtype = FULL_ORDERS if full else ORDERS
    if orders.dtype == dtype:
        return orders
    converted = np.empty(orders.shape, dtype)
    # Full orders begin with the fields of short ones. Copying them as bytes is ten times as fast.
    shared = ORDERS.itemsize
    _bytes_of(converted)[...] = _bytes_of(no_orders(1, full=full))
    _bytes_of(converted)[..., :shared] = _bytes_of(np.ascontiguousarray(orders))[..., :shared]
    return converted


def _bytes_of(records: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the bytes of contiguous records, with a last axis for the bytes of each record."""
    return records.reshape(-1).view(np.uint8).reshape(*records.shape, records.dtype.itemsize)


def new_log(on: bool = True) -> np.ndarray[Any, Any]:
    """Return one event log, shape (1,), dtype `LOG`; with `on=False` the rules write nothing to it."""
    log = np.zeros(1, LOG)
    log["on"] = truth_value("on", on)
    return log


def clone(games: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an exact copy of games, with hidden cards and random keys: for undo, saving and tests, not for players.

    All games are copied as one block of memory, because NumPy's own `copy` handles nested records field by field, which
    takes ten times as long.
    """
    if not isinstance(games, np.ndarray | np.generic):
        raise RoboRallyError(f"games: {short_repr(games)}: expected an array of dtype GAME")
    if games.ndim == 0 or not games.flags.c_contiguous:
        return games.copy()
    copies = np.empty_like(games)
    copies.view(np.uint8)[...] = games.view(np.uint8)
    return copies


def take_games(games: np.ndarray[Any, Any], chosen: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return copies of games, chosen by number or by a mask, in one block of memory like those of `clone`."""
    taken: np.ndarray[Any, Any] = games.view(np.uint64).reshape(len(games), -1)[chosen].reshape(-1).view(GAME)
    return taken
