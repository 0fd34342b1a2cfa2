"""Compare orders of one seat by simulating one turn of games whose hidden cards are dealt again.

All orders are tried on the same deals, against the same programs of the other robots. All arithmetic is on integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array as RecordArray
from rr_gym.forms import with_expansions
from rr_gym.players.pair_network import PairNetwork, network_value
from rr_gym.rules.arena.hidden import determinize_one
from rr_gym.rules.options.condition_events import begin_conditions
from rr_gym.rules.state.chance import GOLDEN, mix
from rr_gym.rules.state.constants import DECK_SIZE, HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.state.option_cards import RADIO_CONTROL
from rr_gym.rules.state.records import GAME, ROBOT, GameRecord, Log, OrdersRecord, Robot
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.dealing import deal
from rr_gym.rules.turn.end_of_turn import end_turn
from rr_gym.rules.turn.planning import program
from rr_gym.rules.turn.turn import next_turn, play_registers, register_phase
from rr_gym.solo.turn_tables import ExpectedTurns

Array = np.ndarray[Any, Any]

_CURRENT = NUM_REGISTERS  # the index of the game that is being played; those before it are kept for reuse
_GAME_WORDS = GAME.itemsize // 8
_ROBOTS = GAME.fields["robots"][1]  # type: ignore[index]
_ROBOT_SIZE = ROBOT.itemsize


@kernel
def play_one_turn(game: GameRecord, table: Table, orders: RecordArray[OrdersRecord], log: Log) -> int:
    """Play one turn without the next deal; return the mask of the robots that were destroyed in it."""
    play_registers(game, table, orders, log)
    return int(finish_turn(game, table, orders, log))


@kernel
def finish_turn(game: GameRecord, table: Table, orders: RecordArray[OrdersRecord], log: Log) -> int:
    """Play the part of a turn after its phases, without the next deal.

    Returns the mask of the robots that were destroyed in the turn.
    """
    if game.over:
        return 0
    end_turn(game, table, orders, log)
    lost = 0
    for i in range(game.num_robots):
        lost |= (1 << i) * (game.robots[i].destroyed > 0)
    if not game.over:
        next_turn(game, table, orders, log)
    return lost


@kernel
def redeal(root: GameRecord, seat: int, word: np.uint64, first: int, games: Array) -> None:
    """Deal again the cards that a seat cannot see.

    Args:
        root: The game as the seat sees it.
        seat: The seat.
        word: The seed of all deals.
        first: The number of the first deal; each number gives another deal.
        games: (deals,), dtype `GAME`; overwritten with the game on each deal.
    """
    hidden = np.zeros(DECK_SIZE + 1, np.uint8)
    pool = np.zeros(DECK_SIZE + 1, np.int8)
    for k in range(games.shape[0]):
        games[k] = root
        seed: Any = mix(word + GOLDEN * np.uint64(first + k))
        determinize_one(games[k], seat, seed, 0, hidden, pool)


@kernel
def sort_programs(candidates: Array, left: Array, order: Array, common: Array) -> None:
    """Sort orders so that programs with a common beginning are adjacent.

    Args:
        candidates: dtype `FULL_ORDERS`.
        left: The indices of the candidates to sort, (n,).
        order: int64, (n,), written: the sorted indices.
        common: int64, (n,), written: how many first registers each program shares with the next one.
    """
    keys = np.empty(left.size, np.int64)
    for k in range(left.size):
        candidate = candidates[left[k]]
        key = (int(candidate.facing) + 1) * 2 + int(candidate.power_down)
        for r in range(NUM_REGISTERS):
            key = key << 8 | int(candidate.program[r])
        place = k
        while place > 0 and keys[place - 1] > key:
            keys[place] = keys[place - 1]
            order[place] = order[place - 1]
            place -= 1
        keys[place] = key
        order[place] = left[k]
    for k in range(left.size - 1):
        different = keys[k] ^ keys[k + 1]
        common[k] = 0
        while common[k] < NUM_REGISTERS - 1 and different >> 8 * (NUM_REGISTERS - 1 - common[k]) == 0:
            common[k] += 1


@kernel
def base_words_in_play(game: GameRecord, table: Table) -> int:
    """Return the number of words of a game up to the end of its last robot; in the base game no later word changes."""
    return (_ROBOTS + int(game.num_robots) * _ROBOT_SIZE + 7) // 8


@with_expansions(base_words_in_play)
def words_in_play(game: GameRecord, table: Table) -> int:
    """Return how many 64-bit words of a game a turn may change, counted from the first word."""
    return _GAME_WORDS


@kernel
def shared_phases(games: Array, words: Array, size: int, seat: int, kept: int) -> int:
    """Return how many of the kept phases of the previous turn also hold for the turn that begins in `games[_CURRENT]`.

    `games[0]` is the beginning of the previous turn. If the two turns begin differently, it is overwritten with the
    beginning of the new one.
    """
    shared = 0
    difference = np.uint64(0)
    if kept:
        before, now = games[0].robots[seat], games[_CURRENT].robots[seat]
        while shared < kept and before.registers[shared] == now.registers[shared]:
            shared += 1
        before.registers[:] = now.registers
        before.hand[:] = now.hand
        for w in range(size):
            difference |= words[0, w] ^ words[_CURRENT, w]
    if kept and difference == np.uint64(0):
        return shared
    for w in range(size):
        words[0, w] = words[_CURRENT, w]
    return 0


@kernel
def play_phases(
    games: Array, words: Array, size: int, table: Table, orders: RecordArray[OrdersRecord], log: Log, seat: int,
    kept: int, common: int,
) -> int:  # fmt: skip
    """Play the phases of a turn, but reuse the first ones if the turn tried before played them in the same way.

    Args:
        games: At 0 the start of the previous turn, with its program; at k the game after its phase k, if that is kept;
            and at `_CURRENT` the game to play.
        words: The same memory as words of 64 bits, (games, words).
        size: The number of words that a turn may change; see `words_in_play`.
        table: The course.
        orders: The orders of all seats.
        log: A log that is off.
        seat: The only seat whose orders change from turn to turn.
        kept: How many phases of the previous turn are kept.
        common: How many phases the next turn will probably share with this one, so that they are worth keeping.

    Returns:
        How many phases of this turn are kept now.
    """
    now = games[_CURRENT]
    begin_conditions(now, table, log)
    program(now, table, orders, log)
    robot, planned = now.robots[seat], games[0].robots[seat]
    shared = int(shared_phases(games, words, size, seat, kept))
    if shared:
        for w in range(size):
            words[_CURRENT, w] = words[shared, w]
        for r in range(shared, NUM_REGISTERS):
            robot.registers[r] = planned.registers[r]
        robot.hand[:] = planned.hand
    kept = shared
    for phase in range(shared + 1, NUM_REGISTERS + 1):
        now.phase = phase
        register_phase(now, table, log)
        if now.over:
            break
        if phase > common or kept < phase - 1 or not may_share(now, table, seat):
            continue
        if is_as_planned(robot, planned, phase):
            for w in range(size):
                words[phase, w] = words[_CURRENT, w]
            kept = phase
    return kept


@kernel
def is_as_planned(robot: Robot, planned: Robot, phase: int) -> bool:
    """Tell whether a robot's hand, and its cards for the phases to come, are still those that were programmed."""
    same = True
    for r in range(phase, NUM_REGISTERS):
        same &= robot.registers[r] == planned.registers[r]
    for slot in range(HAND_SLOTS):
        same &= robot.hand[slot] == planned.hand[slot]
    return same


@with_expansions(True)
def may_share(game: GameRecord, table: Table, seat: int) -> bool:
    """Tell whether the phases so far did not depend on the cards of later registers, so that turns can share them.

    Phases do depend on them if Radio Control copies the program, or if the robot is energized and executes registers
    ahead of their phase (R-E50). A robot becomes energized before it does so, so that phase is not shared either.
    """
    if game.radio_owner == seat or game.robots[seat].energized:
        return False
    return bool(game.robots[seat].options >> np.uint64(RADIO_CONTROL) & np.uint64(1) == np.uint64(0))


@kernel
def try_orders(
    deals: Array,
    others: Any,
    table: Table,
    known: ExpectedTurns,
    network: PairNetwork,
    flag: int,
    log: Log,
    seat: int,
    candidates: Array,
    left: Array,
    scores: Array,
) -> None:
    """Play a turn with each candidate on each deal, and add the values of the games to the candidates' scores.

    Args:
        deals: (deals,), dtype `GAME`, from `redeal`.
        others: (deals, 8), dtype `FULL_ORDERS`: the orders of the others; those of the seat are overwritten.
        table: The course of the game, compiled.
        known: The expected turns of the course.
        network: Values the games after the turn; an empty network values them by expected turns alone.
        flag: The additional cost of a flag not yet touched.
        log: A log that records nothing.
        seat: The seat whose orders are tried.
        candidates: Orders of the seat, shape (n,), dtype `FULL_ORDERS`.
        left: The indices of the candidates to try.
        scores: int64, shape (n,), incremented by `network_value` of the games after the turn.
    """
    games = np.empty(_CURRENT + 1, GAME)
    words = games.view(np.uint64).reshape(_CURRENT + 1, _GAME_WORDS)  # copying words is faster than copying fields
    sources = deals.view(np.uint64)
    order = np.empty(left.size, np.int64)
    common = np.zeros(left.size, np.int64)
    sort_programs(candidates, left, order, common)
    for d in range(deals.shape[0]):
        games[_CURRENT] = deals[d]
        size = words_in_play(games[_CURRENT], table)
        kept = 0
        for k in range(left.size):
            for w in range(size):
                words[_CURRENT, w] = sources[d * _GAME_WORDS + w]
            others[d, seat] = candidates[order[k]]
            kept = play_phases(games, words, size, table, others[d], log, seat, kept, int(common[k]))
            lost = finish_turn(games[_CURRENT], table, others[d], log)
            scores[order[k]] += network_value(network, games[_CURRENT], table, known, flag, seat, lost)


@kernel
def play_candidates(
    deals: Array,
    others: Any,
    table: Table,
    log: Log,
    seat: int,
    candidates: Array,
    left: Array,
    ends: Array,
) -> None:
    """Play a turn with each candidate on each deal, and keep the games.

    The arguments are those of `try_orders`, but for `ends`, (len(left) * deals,), dtype `GAME`. It is overwritten with
    the games after the turn and the next deal: all games of the first candidate, then those of the next.
    """
    for k in range(left.size):
        for d in range(deals.shape[0]):
            game = ends[k * deals.shape[0] + d]
            ends[k * deals.shape[0] + d] = deals[d]
            others[d, seat] = candidates[left[k]]
            play_one_turn(game, table, others[d], log)
            if not game.over:
                deal(game, table, log)
