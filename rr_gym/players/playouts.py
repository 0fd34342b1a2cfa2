"""Single turns played on games whose hidden cards are redealt, to compare orders of one seat.

Whole numbers only. All orders are tried on the same deals with the same programs of the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.observe.game_states import goal_of
from rr_gym.encoding.teams import flags_done, flags_to_do
from rr_gym.players.iteration import TURN
from rr_gym.players.turn_tables import DAMAGED, FARTHEST, LIFE, STEP, ExpectedTurns
from rr_gym.records import Array as RecordArray
from rr_gym.rules.arena.hidden import determinize_one
from rr_gym.rules.floor.ground import standing_place
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.chance import GOLDEN, mix, next_word
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, DECK_SIZE, HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.state.records import GAME, Game, Log, Orders, Robot
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.dealing import deal
from rr_gym.rules.turn.end_of_turn import end_turn
from rr_gym.rules.turn.placing import distance_to_flag
from rr_gym.rules.turn.turn import next_turn, play_registers
from rr_gym.rules.variants.teams import mates

Array = np.ndarray[Any, Any]

FLAG = 4 * TURN  # the cost of a missing flag if expected turns do not value it
SURE = 1 << 20  # the value of a won game
NUM_KINDS = len(CARD_TYPE_NAMES)
LOWEST_BIT = np.array([0, *((mask & -mask).bit_length() - 1 for mask in range(1, 1 << NUM_KINDS))], np.int64)
_DOUBT = 63  # others take a program that is at most this much worse than their best


@kernel
def write_program(robot: Robot, kinds: Array, order: Orders) -> None:
    """Order cards of types, (5,) and 0 for none, for the open registers: of each type the first in the hand."""
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
    game: Game, table: Table, known: ExpectedTurns, seat: int, word: np.uint64, order: Orders
) -> None:
    """Order a program that is roughly the best for a lone robot, by expected turns; `word` chooses which one."""
    robot = game.robots[seat]
    count = np.zeros(NUM_KINDS, np.int64)
    kind = np.zeros(NUM_REGISTERS, np.int64)
    chosen = np.zeros(NUM_REGISTERS, np.int64)
    untried = np.zeros(NUM_REGISTERS, np.int64)  # masks of types of cards
    state = np.zeros(NUM_REGISTERS, np.int64)
    goal = np.zeros(NUM_REGISTERS, np.int64)
    in_hand = 0
    for slot in range(HAND_SLOTS):
        card = int(CARD_TYPE[robot.hand[slot]])
        if card:
            count[card] += 1
            in_hand |= 1 << card
    successors, flags = known.successors, known.flags
    values = known.turns[min(robot.damage, known.turns.shape[0] - 1)]
    goal[0] = goal_of(game, table, seat)
    place = standing_place(game, table, seat)
    locked = int(robot.locked)
    best = 2**30
    for facing in range(4):
        if not robot.may_face and facing != robot.facing:
            continue
        state[0] = place * 4 + facing
        depth = 0
        untried[0] = 1 << int(CARD_TYPE[robot.registers[0]]) if locked & 1 else in_hand
        while depth >= 0:
            if untried[depth] == 0:
                depth -= 1
                if depth >= 0 and not locked >> depth & 1:  # its card goes back
                    count[kind[depth]] += 1
                    in_hand |= 1 << kind[depth]
                continue
            card = LOWEST_BIT[untried[depth]]
            untried[depth] &= untried[depth] - 1
            kind[depth] = card
            after = int(successors[state[depth], depth, card])
            wanted = goal[depth]
            if after >= 0 and wanted < flags.size and after >> 2 == flags[wanted]:
                wanted += 1
            played = depth + 1
            if after >= 0 and played < NUM_REGISTERS and (wanted < flags.size or wanted == goal[0]):
                if not locked >> depth & 1:
                    count[card] -= 1
                    in_hand ^= (1 << card) * (count[card] == 0)
                depth = played
                state[depth] = after
                goal[depth] = wanted
                untried[depth] = 1 << int(CARD_TYPE[robot.registers[depth]]) if locked >> depth & 1 else in_hand
                continue
            value = int(values[wanted, after]) + (TURN // NUM_REGISTERS) * played
            word = mix(next_word(word))
            value += int(word >> np.uint64(32)) & _DOUBT
            if value < best:
                best = value
                order.facing = facing
                chosen[:] = 0
                for slot in range(played):
                    chosen[slot] = kind[slot]
    write_program(robot, chosen, order)


@kernel
def play_one_turn(game: Game, table: Table, orders: RecordArray[Orders], log: Log) -> int:
    """One turn without the next deal. The mask of the robots that were destroyed in it."""
    play_registers(game, table, orders, log)
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
def turns_to_go(
    game: Game, table: Table, known: ExpectedTurns, flag: int, seat: int, lost: bool
) -> np.int64:
    """The turns that a robot needs from the start of a turn, in 1/256, with the cost of damage and lost lives."""
    robot = game.robots[seat]
    cost = DAMAGED[robot.damage]
    if lost:
        cost += LIFE * (4 if robot.lives == 1 else 2 if robot.lives == 2 else 1)
    goal = goal_of(game, table, seat)
    if flag:
        cost += flag * max(0, flags_to_do(game, table, seat) - flags_done(game, table, seat))
    damage = min(robot.damage, known.turns.shape[0] - 1)
    if robot.square < 0:
        return np.int64(cost + known.turns[damage, goal, -1])
    state = standing_place(game, table, seat) * 4
    best = np.int64(2**30)
    for facing in range(4):
        if facing == robot.facing or robot.may_face:
            at = state + facing
            value = known.down[goal, at] if robot.down else known.turns[damage, goal, at]
            best = min(best, np.int64(value))
    if best >= FARTHEST:
        cost += STEP * distance_to_flag(game, table, robot.square, goal)
    return np.int64(cost + best)


@kernel
def chance_to_be_first(lead: np.int64) -> np.int64:
    """The probability, of `SURE`, of beating a rival that needs so many more turns (1/256); a turn is about 4 to 1."""
    power = min(abs(lead) * 2, np.int64(4095))
    odds = (256 + (power & 255)) << (power >> 8)  # 2 ** (power / 256), in 1/256
    behind = np.int64(SURE) * 256 // (256 + odds)
    return np.int64(SURE) - behind if lead > 0 else behind


@kernel
def value_of(game: Game, table: Table, known: ExpectedTurns, flag: int, seat: int, lost: int) -> np.int64:
    """The value of a game after a turn for the seat: from 0 to `SURE`."""
    side = mates(game, seat)
    if game.over:
        return np.int64(SURE) if game.winners >> seat & 1 else np.int64(0)
    own = np.int64(-1)
    for i in range(game.num_robots):
        if side >> i & 1 and not game.robots[i].out:
            need = turns_to_go(game, table, known, flag, i, lost >> i & 1 != 0)
            # Even if one robot of a side is nearer, the others' distances count a little.
            own = need if own < 0 else min(own, need) + (max(own, need) - min(own, need)) // 4
    value = np.int64(SURE)
    for i in range(game.num_robots):
        if not side >> i & 1 and not game.robots[i].out:
            need = turns_to_go(game, table, known, flag, i, lost >> i & 1 != 0)
            value = value * chance_to_be_first(need - own) >> 20
    return value if own >= 0 else np.int64(0)


@kernel
def redeal(root: Game, seat: int, word: np.uint64, first: int, games: Array) -> None:
    """Deal anew what a seat cannot see.

    Args:
        root: The game as the seat sees it.
        seat: The seat.
        word: The source of randomness.
        first: The number of the first deal; each number has its own.
        games: (deals,), dtype `GAME`: overwritten.
    """
    hidden = np.zeros(DECK_SIZE + 1, np.uint8)
    pool = np.zeros(DECK_SIZE + 1, np.int8)
    for k in range(games.shape[0]):
        games[k] = root
        seed: Any = mix(word + GOLDEN * np.uint64(first + k))
        determinize_one(games[k], seat, seed, 0, hidden, pool)


@kernel
def plan_others(
    games: Array, table: Table, known: ExpectedTurns, seat: int, word: np.uint64, first: int, orders: Any
) -> None:
    """Order programs for the others that are good for each of them alone; the arguments are those of `redeal`.

    `orders`, (deals, 8), dtype `FULL_ORDERS`, have all defaults.
    """
    for k in range(games.shape[0]):
        seed: Any = mix(word + GOLDEN * np.uint64(first + k))
        for i in range(games[k].num_robots):
            robot = games[k].robots[i]
            if i != seat and robot.alive and not robot.down:
                plan_alone(games[k], table, known, i, mix(seed + np.uint64(i + 1)), orders[k, i])


@kernel
def try_orders(
    deals: Array,
    others: Any,
    table: Table,
    known: ExpectedTurns,
    flag: int,
    log: Log,
    seat: int,
    candidates: Array,
    left: Array,
    scores: Array,
) -> None:
    """Play a turn with each candidate on each deal, and add up the values.

    Args:
        deals: (deals,), dtype `GAME`, from `redeal`.
        others: (deals, 8), dtype `FULL_ORDERS`: the orders of the others; those of the seat are overwritten.
        table: The course of the game, compiled.
        known: The expected turns of the course.
        flag: The additional cost of a missing flag.
        log: One that is off.
        seat: Whose orders are tried.
        candidates: Orders of the seat, shape (n,), dtype `FULL_ORDERS`.
        left: The numbers of the candidates to try.
        scores: int64, shape (n,), incremented by `value_of` the games after the turn.
    """
    games = np.empty(2, GAME)
    words = games.view(np.uint64)  # as plain words a game is copied at once
    size = words.size // 2
    for d in range(deals.shape[0]):
        games[0] = deals[d]
        for k in left:
            for j in range(size):
                words[size + j] = words[j]
            others[d, seat] = candidates[k]
            lost = play_one_turn(games[1], table, others[d], log)
            scores[k] += value_of(games[1], table, known, flag, seat, lost)


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
    """The same without values; the arguments are those of `try_orders`.

    `ends`, (len(left) * deals,), are overwritten with the games after the turn and the next deal, by candidate.
    """
    for k in range(left.size):
        for d in range(deals.shape[0]):
            game = ends[k * deals.shape[0] + d]
            ends[k * deals.shape[0] + d] = deals[d]
            others[d, seat] = candidates[left[k]]
            play_one_turn(game, table, others[d], log)
            if not game.over:
                deal(game, table, log)
