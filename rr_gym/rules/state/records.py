"""The records: one game is one fixed-size NumPy record, a batch of games is one structured array.

Fields for options, devices, levels and the state of board elements are there from the start: what a game does not
use stays zero and is never touched.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from rr_gym.compilation.records import Array, Record, i1, i2, i4, shape, u1, u2, u4, u8
from rr_gym.errors import RoboRallyError, shown, truth_value
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

# Changes with every change of these types or of their meaning; saved games of another version are refused.
STATE_VERSION = 11


class OptionDecisions(Record):
    """What a player decides about option cards besides the program; noted at T4 for sub-steps that ask for it later."""

    movement_option: Array[i1] = shape(NUM_REGISTERS)  # an index of MOVEMENT_OPTION_NAMES
    gadget: Array[i1] = shape(NUM_REGISTERS)  # the token on each register, an index of GADGET_NAMES
    weapon: Array[i1] = shape(NUM_REGISTERS)  # an index of WEAPON_NAMES
    wcond: Array[i1] = shape(NUM_REGISTERS)  # 1: fire the main laser if the weapon has no target
    fire_control: Array[i1] = shape(NUM_REGISTERS)  # an index of FIRE_CONTROL_NAMES
    turret: Array[i1] = shape(NUM_REGISTERS)  # 0-3, a side
    shield: Array[i1] = shape(NUM_REGISTERS)  # 0 off, 1 + side
    gear: Array[i1] = shape(NUM_REGISTERS)  # Brakes, Reverse Gears or Fourth Gear, whichever fits the card
    frog: Array[i1] = shape(NUM_REGISTERS)
    gyro: Array[i1] = shape(NUM_REGISTERS)
    target: i1  # of Radio Control: a robot, -1 for the nearest
    abort: i1  # register (1-5) from which on Abort Switch works, 0 for none
    conditional_register: i1  # register (1-5) that the stored card replaces, 0 for none
    reflector: i1  # 0 off, 1 + side
    damping: i1
    homing: i1
    buzz: i1  # launch a buzz bomb
    self_destruct: i1  # register (1-5), 0 for none
    recompile: i1  # next hand: deal anew if it has fewer movement cards than this
    intercept: i1  # next hand: swap it likewise
    reengineering: i1  # 0 never, 1 for a better option, 2 always
    arm: i1
    superior_archive: i1
    sac_thr: i1  # options are given up for points that would bring the damage to this or more
    give_up: Array[i1] = shape(MAX_OWNED)  # options to give up, in this order, then -1; BY_VALUE in front: by `sac_thr`
    lose: i1  # the option lost when destroyed or over the limit, -1 for the least valuable
    keep: i1  # of several options on offer the k-th by value, the best first; 0 for the best


class ElementDecisions(Record):
    """What elements of the board ask a player."""

    chop: i1  # at a chop shop: 0 auto, 1 nothing, 2 swap, 3 reload, 4 draw
    chop_option: i1  # the option that is swapped or reloaded, -1 auto
    waste: i1  # on radioactive waste: 1 draw an option, 0 do not
    freak_order: i1  # order of the three cards of a freak teleporter: 0-5, a permutation in lexicographic order
    reset_card: i1  # the card wanted from a reset site, 0 for none


class Decisions(OptionDecisions, ElementDecisions):
    """All that a player decides besides the program and powering down."""


class RobotState(Record):
    """What a robot is, owns and has programmed.

    What nearly every sub-step reads comes first: a processor fetches 64 bytes at a time.
    """

    options: u8  # bit i: owns option i
    square: i2  # where it stands, -1 when it is off the board
    marks: i2  # what happened to it in this phase
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
    heading: i1  # direction of its last displacement, 4 + k between k and k + 1; the base game keeps none
    shields: u1  # sides of its shield already used in this phase
    asleep: i1  # phases that it still sleeps through
    energized: i1  # the phase in which an energizer took hold of it in this turn, 0 for none
    pointer: i1  # energized: the register (0-4) that it executes next
    rewired: i1  # SCRAMBLED | ABORTED | REPROGRAMMED: what has befallen its program in this turn; | SPARED
    fired: i1  # its weapon of this phase's segment D, an index of WEAPON_NAMES, -1 for none
    fired_at: i1  # the robot that the weapon is aimed at, -1 for none
    fired_to: i1  # the direction of its shots
    modified: u1  # DOUBLE | HIGH_POWER | CONTROLLED | REARWARD | REFLECTING | DAMPENING: its options in D1
    registers: Array[i1] = shape(NUM_REGISTERS)  # cards, 0 for none
    second: Array[i1] = shape(NUM_REGISTERS)  # second cards of registers
    copied: Array[i1] = shape(NUM_REGISTERS)  # cards that Radio Control has copied over its program, 0 for none
    conditional: i1  # the card on the option
    flywheel: i1  # likewise; while it programs the card lies in its hand too
    copter: i1
    hand: Array[i1] = shape(HAND_SLOTS)  # cards, 0 for none
    archive: i2  # where it comes back after its destruction
    archive_level: i1
    lives: i1  # the one on the board included; -1 without limit
    announced: u1  # powers down next turn
    may_face: u1  # its next orders may set its facing (U28)
    fresh: u1  # placed as virtual and not yet tested at an end of turn
    destroyed: i1  # its place in this turn's order of destruction, 0 for not destroyed
    out_phase: i1
    out_turn: i4
    team: i1
    on_ramp: i1
    burning: i1  # points at the start of each phase
    speed: i1  # on the ring of a particle accelerator
    velocity: Array[i1] = shape(3)  # on ice of the mode `chart`: x, y and spin
    reset: u1  # a reset site owes it a card of its choice
    bio: i1  # the option that Bio Option grants, -1 for none
    flags_met: u1  # bit k: has taken its option from the pile of flag k + 1
    sits_out: i1  # turns that it stays off the board
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
    """A robot, or the body of a device (`BIG_ONE_BODY`, `RIDER`)."""


class Device(Record):
    """A device of an option card that is on the board."""

    kind: i1  # an index of DEVICE_NAMES, 0 for a free slot
    owner: i1  # the robot that launched it
    square: i2
    target: i2  # the square a drone flies to
    priority: i2  # of a missile or drone
    level: i1
    facing: i1
    power: i1
    virtual: u1  # launched by a virtual robot: acts on that one alone
    spares: u2  # bit i: body i does not set it off yet | BY_HAND
    left: i1  # goo: squares of movement until it breaks


class GameState(Record):
    """What has happened so far, as far as it matters."""

    course: i2  # which of the batch's tables it is played on
    num_robots: i1
    phase: i1  # 1-5 during a turn, 0 between turns
    step: i1  # the sub-step being resolved
    over: u1
    winners: u1  # bit i: robot i has won
    num_destroyed: i1  # in this turn
    start_lives: i1
    turn: i4  # 0 during the first turn
    seed: u8  # what the user gave
    salt: Array[u8] = shape(2)  # likewise, its low word first; zeros without one
    index: u4  # the game's place in its batch
    episode: u4  # how often it was started anew
    key: u8  # the generator's word, made of the four above
    salted_key: u8  # its second word; 0 without a salt
    draws: Array[u4] = shape(NUM_CHANCES)  # how often each use of chance has drawn
    deck_left: i1
    deck_known: i1  # so many cards on top lie in a set order; the rest is drawn at random
    discards_left: i1
    deck: Array[i1] = shape(DECK_SIZE)  # undealt cards; the top is the last of deck_left
    discards: Array[i1] = shape(DECK_SIZE)
    num_bodies: i1  # as many entries of `robots` may be on the board: more than robots while devices are there
    robots: Array[Robot] = shape(MAX_BODIES)  # the robots, then the bodies of devices (BIG_ONE_BODY, RIDER)
    flag_squares: Array[i2] = shape(MAX_FLAGS)
    flag_owner: Array[i1] = shape(MAX_FLAGS)
    flip: i1  # 0 or 1
    flip_pending: u1
    flip_blocked: u1  # the verdict of C7: a barrier was occupied
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
    payload: Array[i1] = shape(NUM_OPTIONS)  # what is left in each option; each card is there once
    pile_of: Array[i1] = shape(NUM_OPTIONS)  # k: the option lies face up beside flag k
    secret: u8  # bit i: the owner of option i has not shown it yet
    buzz_program: Array[i1] = shape(NUM_REGISTERS)  # cards of the buzz bomb in play, in the order they are executed
    homing_target: i1  # the robot that carries the token, -1 for none
    intercept_target: i1
    radio_owner: i1  # the robot that has replaced another one's program in this turn by Radio Control, -1 for nobody
    radio_target: i1  # whose program Radio Control has replaced in this turn, -1 for nobody's
    damping: i1  # whose Option Damping Field is on, -1 for nobody's
    superbot: i1  # the robot that is the SuperBot, -1 for none
    shares_hands: u1  # team mates know each other's hands
    culprit: i1  # the robot that shot or pushed the SuperBot last in this phase, or whose device did; -1 for nobody
    boards_touched: u1  # bit i: a flag of the board with the number of room i was touched since the last E1
    bombed: u1  # bit i: a scrambler bomb has caught robot i in this turn
    asked: i1  # a turn that is decided step by step: what comes next, 0 for none
    asked_register: i1  # for which register (1-5)
    num_devices: i1  # slots in use
    devices: Array[Device] = shape(MAX_DEVICES)


class Game(GameState, GameScratch, GameCaches):
    """One game."""


class TurnOrders(Record):
    """What every game asks a player."""

    program: Array[i1] = shape(NUM_REGISTERS)  # cards of the hand; 0: any unused card of the hand
    power_down: i1  # announce a power-down for the next turn
    stay_down: i1  # stay, or come back, powered down
    facing: i1  # -1: as recorded; used where the robot may choose (U28)
    unlock: i1  # 1-5: this register is unlocked first; 0: the lowest
    site: i1  # at a two-wrench site: 0 by damage, 1 repair, 2 option
    square: i1  # re-entry beside the archive: a square of the ring, clockwise from the north; -1: nearest


class ShortOrders(TurnOrders, ElementDecisions):
    """The decisions of one player for one turn without option cards; a batch stays in a processor's fast memory."""


class OptionCardOrders(Record):
    """Cards that options ask for in an order."""

    second: Array[i1] = shape(NUM_REGISTERS)  # the extra card of a two-card register, 0 for none
    conditional: i1  # card to store; 0 none, BEST_CARD the best unused one
    flywheel: i1  # likewise
    copter: i1  # likewise
    buzz_program: Array[i1] = shape(NUM_REGISTERS)  # order of the buzz bomb's cards; 0: as dealt


class Orders(TurnOrders, ElementDecisions, OptionCardOrders, OptionDecisions):
    """The decisions of one player for one turn; `no_orders` makes records with every default."""


class Event(Record):
    """Something that happened."""

    turn: i4
    phase: i1
    step: u1  # sub-step, an index of STEP_NAMES
    kind: u1  # an index of rr_gym.rules.state.events.EVENT_NAMES
    robot: i1  # the robot that it happened to, -1 for none
    other: i1  # the other robot in it, -1 for none
    value: i1
    square: i2
    target: i2


class Seen(Record):
    """What a log has told of one robot."""

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
    """What has happened, for observers."""

    on: u1
    full: u1  # events were dropped
    count: i4
    seen: Array[Seen] = shape(MAX_ROBOTS)
    events: Array[Event] = shape(LOG_CAPACITY)


DECISIONS = Decisions.dtype
ROBOT = Robot.dtype
DEVICE = Device.dtype
GAME = Game.dtype
ORDERS = ShortOrders.dtype
FULL_ORDERS = Orders.dtype
EVENT = Event.dtype
LOG = Log.dtype


def default_decisions() -> np.ndarray[Any, Any]:
    """What the rules decide for a player who does not (R-O): shape (), dtype `DECISIONS`."""
    decisions = np.zeros((), DECISIONS)
    for name in Decisions.fields:
        order = FIELDS[name]
        decisions[name] = order.nothing if order.kind == "options" else order.number(order.default)
    decisions["give_up"][0] = BY_VALUE
    return decisions


if unlike := {*Decisions.fields, *Orders.fields} - {"program"} ^ FIELDS.keys():
    raise TypeError(f"{', '.join(sorted(unlike))}: expected a field of a record and a row of the order table for each")
DEFAULT_DECISIONS = default_decisions()


def no_orders(*shape: int, full: bool = False) -> Array[Orders]:
    """Orders with every default: nothing chosen, everything automatic.

    Shape as given, dtype `ORDERS`, or `FULL_ORDERS` with the decisions about option cards where `full` is set.
    """
    orders = cast("Array[Orders]", np.zeros(shape, FULL_ORDERS if full else ORDERS))
    orders["facing"] = orders["square"] = -1
    for name in set(DECISIONS.names or ()) & set(orders.dtype.names or ()):
        orders[name] = DEFAULT_DECISIONS[name]
    return orders


def orders_as(orders: np.ndarray[Any, Any], full: bool) -> np.ndarray[Any, Any]:
    """The same orders in the other form: decisions about option cards are added with their defaults, or left out."""
    dtype = FULL_ORDERS if full else ORDERS
    if orders.dtype == dtype:
        return orders
    converted = np.empty(orders.shape, dtype)
    # Full orders begin with the fields of short ones. As bytes they are copied in a tenth of the time.
    shared = ORDERS.itemsize
    _bytes_of(converted)[...] = _bytes_of(no_orders(1, full=full))
    _bytes_of(converted)[..., :shared] = _bytes_of(np.ascontiguousarray(orders))[..., :shared]
    return converted


def _bytes_of(records: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The bytes of contiguous records, with an axis for those of each."""
    return records.reshape(-1).view(np.uint8).reshape(*records.shape, records.dtype.itemsize)


def new_log(on: bool = True) -> np.ndarray[Any, Any]:
    """One event log, shape (1,), dtype `LOG`; with `on=False` rules write nothing to it."""
    log = np.zeros(1, LOG)
    log["on"] = truth_value("on", on)
    return log


def clone(games: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An exact copy of games, hidden cards and generator included: for undo, saving and tests, not for players.

    One block of memory: NumPy's own `copy` goes through nested records field by field and takes ten times as long.
    """
    if not isinstance(games, np.ndarray | np.generic):
        raise RoboRallyError(f"games: {shown(games)}: expected an array of dtype GAME")
    if games.ndim == 0 or not games.flags.c_contiguous:
        return games.copy()
    copies = np.empty_like(games)
    copies.view(np.uint8)[...] = games.view(np.uint8)
    return copies


def take_games(games: np.ndarray[Any, Any], chosen: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Copies of some games, by number or by a mask, each as one block of memory like those of `clone`."""
    taken: np.ndarray[Any, Any] = games.view(np.uint64).reshape(len(games), -1)[chosen].reshape(-1).view(GAME)
    return taken
