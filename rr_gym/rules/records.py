"""The records: one game is one fixed-size NumPy record, a batch of games is one structured array.

The types are built on `np.record`, so `game.robots[i].damage` reads the same in compiled and in interpreted code.
Fields for options, devices, levels and the state of board elements are there from the start: what a game does not
use stays zero and is never touched.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from rr_gym.courses.records import record
from rr_gym.rules.constants import (
    DECK_SIZE,
    HAND_SLOTS,
    MAX_DEVICES,
    MAX_FLAGS,
    MAX_ROBOTS,
    NUM_CHANCES,
    NUM_OPTIONS,
    NUM_REGISTERS,
)

# Changes with every change of these types or of their meaning; saved games of another version are refused.
STATE_VERSION = 2

# What rule functions take: one scalar of a structured array. Numba needs no annotation; the name tells readers which.
GameRecord: TypeAlias = Any
TableRecord: TypeAlias = Any
LogRecord: TypeAlias = Any
OrdersRecords: TypeAlias = Any
RobotRecord: TypeAlias = Any

ROBOT = record([
    ("square", "i2"),  # where it stands, -1 when it is off the board
    ("archive", "i2"),  # where it comes back after its destruction
    ("alive", "u1"),  # it is on the board
    ("virtual", "u1"),
    ("down", "u1"),  # powered down in this turn
    ("facing", "i1"),
    ("level", "i1"),
    ("damage", "i1"),  # 0-9 while alive
    ("locked", "u1"),  # bit r: register r + 1 is locked
    ("flag", "i1"),  # the number of flags touched
    ("registers", "i1", (NUM_REGISTERS,)),  # cards, 0 for none
    ("hand", "i1", (HAND_SLOTS,)),  # cards, 0 for none
    ("lives", "i1"),  # the one on the board included; -1 without limit
    ("out", "u1"),  # eliminated
    ("announced", "u1"),  # powers down next turn
    ("may_face", "u1"),  # its next orders may set its facing (U28)
    ("fresh", "u1"),  # placed as virtual and not yet tested at an end of turn
    ("pusher_square", "i2"),  # where an active pusher found it in C10, -1 for none
    ("destroyed", "i1"),  # its place in this turn's order of destruction, 0 for not destroyed
    ("out_phase", "i1"),
    ("out_turn", "i4"),
    ("team", "i1"),
    ("archive_level", "i1"),
    ("flying", "i1"),
    ("on_ramp", "i1"),
    ("marks", "i2"),  # what happened to it in this phase
    ("shields", "u1"),  # sides of its shield already used in this phase
    ("asleep", "i1"),  # phases that it still sleeps through
    ("energized", "i1"),  # the phase in which an energizer took hold of it in this turn, 0 for none
    ("pointer", "i1"),  # energized: the register (0-4) that it executes next
    ("burning", "i1"),  # points at the start of each phase
    ("speed", "i1"),  # on the ring of a particle accelerator
    ("goo", "i1"),
    ("velocity", "i1", (3,)),  # on ice of the mode `chart`: x, y and spin
    ("heading", "i1"),  # direction of its last displacement, 4 + k for a diagonal between k and k + 1
    ("target", "i2"),  # of the displacement being worked out
    ("origin", "i2"),
    ("leaving", "i1"),  # the side over which it leaves; a gate changes the heading on the way
    ("drop", "i1"),  # levels that it falls
    ("has_copy", "u1"),  # it has a copy
    ("copy_square", "i2"),
    ("copy_birth", "i2"),  # the square on which the copy appeared
    ("copy_side", "i1"),  # the side of that square on which the machine hangs
    ("copy_level", "i1"),
    ("copy_facing", "i1"),
    ("copy_heading", "i1"),
    ("copy_flying", "i1"),
    ("copy_marks", "i2"),
    ("copy_virtual", "u1"),  # while they are swapped: what the robot is
    ("copy_alive", "u1"),
    ("copy_speed", "i1"),
    ("reset", "u1"),  # a reset site owes it a card of its choice
    ("chop", "i1"),  # its decisions of this turn, as in ORDERS
    ("chop_option", "i1"),
    ("waste", "i1"),
    ("freak", "i1"),
    ("reset_card", "i1"),
    ("second", "i1", (NUM_REGISTERS,)),  # second cards of registers
    ("conditional", "i1"),
    ("flywheel", "i1"),
    ("copter", "i1"),
    ("buzz", "i1", (NUM_REGISTERS,)),
    ("options", "u8"),  # bit i: owns option i
    ("payload", "i1", (NUM_OPTIONS,)),  # what is left in it
])  # fmt: skip

DEVICE = record([
    ("kind", "i1"),  # 0 for a free slot
    ("owner", "i1"),
    ("square", "i2"),
    ("target", "i2"),
    ("priority", "i2"),
    ("level", "i1"),
    ("facing", "i1"),
    ("power", "i1"),
    ("live", "u1"),  # bit i: robot i sets it off
    ("program", "i1", (NUM_REGISTERS,)),
])  # fmt: skip

GAME = record([
    ("course", "i2"),  # which of the batch's tables it is played on
    ("num_robots", "i1"),
    ("phase", "i1"),  # 1-5 during a turn, 0 between turns
    ("step", "i1"),  # the sub-step being resolved
    ("over", "u1"),
    ("winners", "u1"),  # bit i: robot i has won
    ("num_destroyed", "i1"),  # in this turn
    ("start_lives", "i1"),
    ("turn", "i4"),  # 0 during the first turn
    ("seed", "u8"),  # what the user gave
    ("index", "u4"),  # the game's place in its batch
    ("episode", "u4"),  # how often it was started anew
    ("key", "u8"),  # the generator's word, made of the three above
    ("draws", "u4", (NUM_CHANCES,)),  # how often each use of chance has drawn
    ("deck_left", "i1"),
    ("deck_known", "i1"),  # so many cards on top lie in a set order; the rest is drawn by chance
    ("discards_left", "i1"),
    ("deck", "i1", (DECK_SIZE,)),  # undealt cards; the top is the last of deck_left
    ("discards", "i1", (DECK_SIZE,)),
    ("robots", ROBOT, (MAX_ROBOTS,)),
    ("flag_squares", "i2", (MAX_FLAGS,)),
    ("flag_owner", "i1", (MAX_FLAGS,)),
    ("flip", "i1"),  # 0 or 1
    ("flip_pending", "u1"),
    ("flip_blocked", "u1"),  # the verdict of C7: a barrier was occupied
    ("barrier_broken", "u1"),
    ("piston_up", "i1"),  # colour that is up: 0 for a, 1 for b
    ("flips", "i1"),  # colours (bit 0 a, bit 1 b) of the pistons pressed and not yet worked out
    ("copies_act", "u1"),  # the robots are swapped with their copies
    ("crumbled", "u8", (4,)),  # bit k: crumbly square k is a pit
    ("rooms", "i1", (8,)),
    ("turret_facing", "i1", (8,)),
    ("turret_cards", "i1", (NUM_REGISTERS,)),
    ("option_deck_left", "i1"),
    ("option_discards_left", "i1"),
    ("option_deck", "i1", (NUM_OPTIONS,)),
    ("option_discards", "i1", (NUM_OPTIONS,)),
    ("num_devices", "i1"),
    ("devices", DEVICE, (MAX_DEVICES,)),
])  # fmt: skip

# The decisions of one player for one turn; `no_orders` makes records with every default.
ORDERS = record([
    ("program", "i1", (NUM_REGISTERS,)),  # cards of the hand; 0: any unused card of the hand
    ("power_down", "i1"),  # announce a power-down for the next turn
    ("stay_down", "i1"),  # stay, or come back, powered down
    ("facing", "i1"),  # -1: as recorded; used where the robot may choose (U28)
    ("unlock", "i1"),  # 1-5: this register is unlocked first; 0: the lowest
    ("site", "i1"),  # at a two-wrench site: 0 by damage, 1 repair, 2 option
    ("chop", "i1"),  # at a chop shop: 0 auto, 1 nothing, 2 swap, 3 reload, 4 draw
    ("chop_option", "i1"),  # the option that is swapped or reloaded, -1 auto
    ("waste", "i1"),  # on radioactive waste: 1 draw an option, 0 do not
    ("freak", "i1"),  # order of the three cards of a freak teleporter: 0-5, a permutation in lexicographic order
    ("reset_card", "i1"),  # the card wanted from a reset site, 0 for none
    ("square", "i1"),  # re-entry beside the archive: a square of the ring, clockwise from the north; -1: nearest
])  # fmt: skip

EVENT = record([
    ("turn", "i4"),
    ("phase", "i1"),
    ("step", "u1"),  # sub-step, an index of STEP_NAMES
    ("kind", "u1"),  # an index of rr_gym.rules.events.EVENT_NAMES
    ("robot", "i1"),  # whom it happened to, -1 for nobody
    ("other", "i1"),  # the other robot in it, -1 for none
    ("value", "i1"),
    ("square", "i2"),
    ("target", "i2"),
])  # fmt: skip

# What a log has told of one robot
SEEN = record([
    ("level", "i1"),
    ("flying", "i1"),
    ("burning", "i1"),
    ("asleep", "i1"),
    ("energized", "i1"),
    ("copy_square", "i2"),
    ("copy_facing", "i1"),
])  # fmt: skip

LOG_CAPACITY = 2048
LOG = record([
    ("on", "u1"),
    ("full", "u1"),  # events were dropped
    ("count", "i4"),
    ("seen", SEEN, (MAX_ROBOTS,)),
    ("events", EVENT, (LOG_CAPACITY,)),
])  # fmt: skip


def no_orders(*shape: int) -> np.ndarray[Any, Any]:
    """Orders with every default: nothing chosen, everything automatic. Shape as given, dtype `ORDERS`."""
    orders = np.zeros(shape, ORDERS)
    orders["facing"] = orders["square"] = orders["chop_option"] = -1
    orders["waste"] = 1
    return orders


def new_log(on: bool = True) -> np.ndarray[Any, Any]:
    """One event log, shape (1,), dtype `LOG`; with `on=False` rules write nothing to it."""
    log = np.zeros(1, LOG)
    log["on"] = on
    return log


def clone(games: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An exact copy of games, hidden cards and generator included: for undo, saving and tests, not for players.

    One block of memory: NumPy's own `copy` goes through nested records field by field and takes ten times as long.
    """
    if games.ndim == 0 or not games.flags.c_contiguous:
        return games.copy()
    copies = np.empty_like(games)
    copies.view(np.uint8)[...] = games.view(np.uint8)
    return copies


def take_games(games: np.ndarray[Any, Any], chosen: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Copies of some games, by number or by a mask, each as one block of memory like those of `clone`."""
    return games.view(np.uint64).reshape(len(games), -1)[chosen].reshape(-1).view(GAME)
