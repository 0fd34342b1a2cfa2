"""Decides for whole batches of games: kernels of scripted players are called per course, split among threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.players.protocol import decision_word
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.threads import in_parts
from rr_gym.rules.state.chance import scaled
from rr_gym.rules.state.constants import BEST_CARD, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord, OrdersRecord, clone, new_log, no_orders
from rr_gym.solo.known_phases import CARD_BITS, KnownPhases, known_phases

Array = np.ndarray[Any, Any]

_SILENT = new_log(on=False)[0]


@kernel
def write_choice(
    known: KnownPhases, game: GameRecord, count: int, seat: int, seed: np.uint64, order: OrdersRecord
) -> None:
    """Write one of the first `count` choices in `known.ties` into `order`, drawn by `decision_word`.

    A choice is twice the number of a program that has been tried, plus one if a power-down is announced. Without any,
    `order` is unchanged. Option cards that store cards get the best unused ones.
    """
    if count == 0:
        return
    robot = game.robots[seat]
    choice = known.ties[scaled(decision_word(game, seat, seed), count)]
    for r in range(NUM_REGISTERS):
        lies = robot.locked >> r & 1 or robot.hand[0] == 0
        order.program[r] = 0 if lies else known.programs[choice >> 1] >> CARD_BITS * r & (1 << CARD_BITS) - 1
    order.facing = known.facings[choice >> 1]
    order.power_down = choice & 1
    if robot.options != np.uint64(0):
        order.conditional = order.flywheel = BEST_CARD


def decide(
    kernel_function: Callable[..., None],
    what_is_known: Callable[[int], tuple[Any, ...]],
    arena: Arena,
    games: Array,
    seat: int,
    seed: int,
    threads: int = 1,
) -> Array:
    """Return the orders of one seat in every game of a batch.

    Args:
        kernel_function: Called with the games, the indices of those on a course, its table, `KnownPhases`, a log, the
            values of `what_is_known`, the seat, the seed, the orders, and the first and last of the indices.
        what_is_known: Returns further arguments of the kernel, by the number of a course.
        arena: The arena of the games.
        games: Shape (n,), dtype `GAME`; not modified.
        seat: The seat, from 0.
        seed: The seed of the player.
        threads: How many threads share the batch; orders do not depend on it.

    Returns:
        Shape (n,), dtype `FULL_ORDERS`.

    Raises:
        RoboRallyError: A game has a number out of its range.
    """
    arena.check(games)
    orders = no_orders(len(games), full=True)
    games = games if games.flags.c_contiguous else clone(games)
    for course in np.unique(games["course"]).tolist():
        numbers = np.flatnonzero(games["course"] == course)
        rest = (*what_is_known(course), seat, np.uint64(seed), orders)
        in_parts(partial(_decide_some, kernel_function, arena, course, games, numbers, rest), len(numbers), threads)
    return orders


def _decide_some(
    kernel_function: Callable[..., None],
    arena: Arena,
    course: int,
    games: Array,
    numbers: Array,
    rest: tuple[Any, ...],
    first: int,
    last: int,
) -> None:
    with known_phases(arena, course) as known:
        kernel_function(games, numbers, arena.tables[course], known, _SILENT, *rest, first, last)
