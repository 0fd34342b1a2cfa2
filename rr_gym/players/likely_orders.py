"""Likely orders of the other robots: programs that are good for each of them alone.

A small random number, the noise, is added to the cost of each program of a robot: it decides between programs of about
the same value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array as RecordArray
from rr_gym.encoding.observe.game_states import goal_of
from rr_gym.rules.floor.ground import standing_place
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.chance import GOLDEN, mix
from rr_gym.rules.state.constants import HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord, OrdersRecord, Robot
from rr_gym.rules.state.table import Table
from rr_gym.solo.programs import NO_BOUND, NUM_STOPS, STOP, Stop, begin, lost_turns, next_end, packed_kinds, take_hand
from rr_gym.solo.turn_tables import ExpectedTurns

Array = np.ndarray[Any, Any]

_MAX_NOISE = 63  # in 1/256 of a turn: robots may choose programs that are up to this much worse than their best


@kernel
def noise_of(word: Any, program: int) -> int:
    """Return the noise of a program, from 0 to `_MAX_NOISE`, given the random word of its robot (uint64)."""
    return int(mix(word + GOLDEN * np.uint64(program)) >> np.uint64(32)) & _MAX_NOISE


@kernel
def write_program(robot: Robot, kinds: Array, order: OrdersRecord) -> None:
    """Order cards of the given types, (5,), 0 for none, in the open registers, the first of each type in the hand."""
    used = 0
    for r in range(NUM_REGISTERS):
        order.program[r] = 0
        if kinds[r] and not robot.locked >> r & 1:
            for slot in range(HAND_SLOTS):
                if not used >> slot & 1 and CARD_TYPE[robot.hand[slot]] == kinds[r]:
                    order.program[r] = robot.hand[slot]
                    used |= 1 << slot
                    break


@kernel
def plan_alone(
    game: GameRecord,
    table: Table,
    known: ExpectedTurns,
    seat: int,
    word: Any,
    walk: RecordArray[Stop],
    order: OrdersRecord,
) -> None:
    """Order a program that is about the best for a lone robot by expected turns; a random word decides which one."""
    robot = game.robots[seat]
    take_hand(walk, robot)
    place, goal = int(standing_place(game, table, seat)), int(goal_of(game, table, seat))
    lost = lost_turns(known, goal, int(robot.lives), int(robot.archive))
    kinds = np.zeros(NUM_REGISTERS, np.int64)
    best = NO_BOUND
    for facing in range(4):
        if not robot.may_face and facing != robot.facing:
            continue
        begin(walk, 0, place * 4 + facing, goal, int(robot.damage), lost)
        played = next_end(known, walk, 0, 1, best)
        while played:
            turns = int(walk[played].turns)
            if turns < best:
                turns += noise_of(word, packed_kinds(walk, played) * 4 + facing)
            if turns < best:
                best, order.facing = turns, facing
                for r in range(NUM_REGISTERS):
                    kinds[r] = walk[r].kind if r < played else 0
            played = next_end(known, walk, 0, played, best)
    write_program(robot, kinds, order)


@kernel
def plan_others(
    games: Array, table: Table, known: ExpectedTurns, seat: int, word: np.uint64, first: int, orders: Any
) -> None:
    """Order programs for the other robots that are good for each of them alone.

    Args:
        games: (deals,), dtype `GAME`, from `redeal`.
        table: The course of the games.
        known: The expected turns of the course.
        seat: The seat to leave out.
        word: The source of randomness.
        first: The number of the first deal; each number has its own randomness.
        orders: (deals, 8), dtype `FULL_ORDERS`, with all defaults; written.
    """
    walk: Any = np.zeros(NUM_STOPS, STOP)
    for k in range(games.shape[0]):
        seed: Any = mix(word + GOLDEN * np.uint64(first + k))
        for i in range(games[k].num_robots):
            robot = games[k].robots[i]
            if i != seat and robot.alive and not robot.down:
                plan_alone(games[k], table, known, i, mix(seed + np.uint64(i + 1)), walk, orders[k, i])

