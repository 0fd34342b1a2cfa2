"""What a seat cannot see, dealt anew: games that players may search without learning anything hidden."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError
from rr_gym.jit import kernel, run
from rr_gym.rules.cards import add_to_hand
from rr_gym.rules.chance import mix, seed_episode
from rr_gym.rules.constants import CHOP_AUTO, DECK_SIZE, HAND_SLOTS, NUM_OPTIONS, NUM_REGISTERS
from rr_gym.rules.options import NO_OPTION
from rr_gym.rules.records import GAME, GameRecord, clone

Array = np.ndarray[Any, Any]


class SeatError(RoboRallyError):
    """A seat that the game does not have, or seats and seeds that do not fit a batch."""


@kernel
def num_revealed(game: GameRecord, robot: int) -> int:
    """How many of a robot's registers have been turned over in this turn, or before it fell asleep."""
    body = game.robots[robot]
    if body.asleep and game.phase + body.asleep > NUM_REGISTERS:  # in this turn, so many phases ago (R-E73)
        return int(game.phase + body.asleep - NUM_REGISTERS)
    if body.energized:  # it has gone through two in each phase since then (R-E50)
        return int(2 * game.phase - body.energized)
    return int(game.phase)


@kernel
def hides_register(game: GameRecord, robot: int, register: int) -> bool:
    """Cards of open registers are face down until their phase; locked registers and old programs are public."""
    body = game.robots[robot]
    face_up = body.down or body.locked >> register & 1
    return body.registers[register] > 0 and not face_up and register >= num_revealed(game, robot)


@kernel
def collect_hidden(game: GameRecord, seat: int, hidden: Array) -> int:
    """Mark the cards that the seat cannot see: uint8 by card. How many there are."""
    for k in range(game.deck_left):
        hidden[game.deck[k]] = 1
    for k in range(game.discards_left):
        hidden[game.discards[k]] = 1
    for i in range(game.num_robots):
        if i == seat:
            continue
        robot = game.robots[i]
        for slot in range(HAND_SLOTS):
            hidden[robot.hand[slot]] = 1
        for r in range(NUM_REGISTERS):
            if hides_register(game, i, r):
                hidden[robot.registers[r]] = 1
    for r in range(game.phase, NUM_REGISTERS):
        hidden[game.turret_cards[r]] = 1
    hidden[0] = 0
    count = 0
    for card in range(1, DECK_SIZE + 1):
        if hidden[card]:
            count += 1
    return count


@kernel
def shuffle_hidden(game: GameRecord, hidden: Array, count: int, pool: Array) -> None:
    """The marked cards in an order that depends on the game's new key alone: from the lowest up, then shuffled."""
    k = 0
    for card in range(1, DECK_SIZE + 1):
        if hidden[card]:
            pool[k] = card
            k += 1
    word = mix(game.key)
    for k in range(count - 1, 0, -1):
        word += np.uint64(0x9E3779B97F4A7C15)
        other = np.int64(((mix(word) >> np.uint64(32)) * np.uint64(k + 1)) >> np.uint64(32))
        card = pool[k]
        pool[k] = pool[other]
        pool[other] = card


@kernel
def deal_hidden(game: GameRecord, seat: int, pool: Array) -> None:
    """Every hidden place gets a card of the pool; hands stay sorted."""
    top = 0
    for i in range(game.num_robots):
        if i == seat:
            continue
        robot = game.robots[i]
        size = 0
        for slot in range(HAND_SLOTS):
            if robot.hand[slot]:
                size += 1
        robot.hand[:] = 0
        for slot in range(size):
            add_to_hand(robot, slot, pool[top])
            top += 1
        for r in range(NUM_REGISTERS):
            if hides_register(game, i, r):
                robot.registers[r] = pool[top]
                top += 1
    for r in range(game.phase, NUM_REGISTERS):
        if game.turret_cards[r]:
            game.turret_cards[r] = pool[top]
            top += 1
    for k in range(game.deck_left):
        game.deck[k] = pool[top]
        top += 1
    for k in range(game.discards_left):
        game.discards[k] = pool[top]
        top += 1
    game.deck_known = 0


@kernel
def shuffle_hidden_options(game: GameRecord) -> None:
    """The undealt option cards in an order that depends on the game's new key alone."""
    left = game.option_deck_left
    for k in range(1, left):  # sorted first
        option = game.option_deck[k]
        j = k
        while j > 0 and game.option_deck[j - 1] > option:
            game.option_deck[j] = game.option_deck[j - 1]
            j -= 1
        game.option_deck[j] = option
    word = mix(game.key ^ np.uint64(NUM_OPTIONS))
    for k in range(left - 1, 0, -1):
        word += np.uint64(0x9E3779B97F4A7C15)
        other = np.int64(((mix(word) >> np.uint64(32)) * np.uint64(k + 1)) >> np.uint64(32))
        option = game.option_deck[k]
        game.option_deck[k] = game.option_deck[other]
        game.option_deck[other] = option


@kernel
def forget_decisions(game: GameRecord, seat: int) -> None:
    """What others have decided for later in the turn, besides their cards, becomes the default."""
    for i in range(game.num_robots):
        if i != seat and game.phase > 0:
            robot = game.robots[i]
            robot.chop = CHOP_AUTO
            robot.chop_option = NO_OPTION
            robot.waste = 1
            robot.freak = 0
            robot.reset_card = 0


@kernel
def determinize_one(game: GameRecord, seat: int, seed: int, index: int, hidden: Array, pool: Array) -> None:
    """Deal anew, in place, what `seat` cannot see; chance comes from (seed, index) alone.

    Scratch arrays by card: `hidden` uint8 (85,), `pool` int8 (85,).
    """
    hidden[:] = 0
    count = collect_hidden(game, seat, hidden)
    seed_episode(game, seed, index, 0)
    shuffle_hidden(game, hidden, count, pool)
    deal_hidden(game, seat, pool)
    shuffle_hidden_options(game)
    forget_decisions(game, seat)


@kernel
def determinize_range(games: Array, seats: Array, seeds: Array) -> None:
    """Deal anew, in place, what the seat of each game cannot see."""
    hidden = np.zeros(DECK_SIZE + 1, np.uint8)
    pool = np.zeros(DECK_SIZE + 1, np.int8)
    for g in range(games.shape[0]):
        determinize_one(games[g], seats[g], seeds[g], g, hidden, pool)


def determinize(games: Array, seat: int | Array, seed: int | Array) -> Array:
    """Copies that the player of a seat may search: everything it cannot see is dealt anew by chance.

    Other robots' hands and face-down registers, cards of turret guns, the undealt pile and unseen discards are put
    together and dealt again to the same places in the same numbers; undealt option cards are shuffled. The own hand,
    locked registers and all that lies open stay. The new chance comes from `seed` alone, so a copy tells nothing about
    the real game's cards to come.

    Args:
        games: Shape (n,), dtype `GAME`; left as they were.
        seat: Whose sight decides: one for all, or an array of shape (n,).
        seed: Any whole number: one for all (each game draws differently), or an array of shape (n,).

    Returns:
        Shape (n,), dtype `GAME`.

    Raises:
        SeatError: No such seat, or arrays of a wrong shape.
    """
    if not isinstance(games, np.ndarray) or games.dtype != GAME or games.ndim != 1:
        found = f"{games.dtype.name} {games.shape}" if isinstance(games, np.ndarray) else type(games).__name__
        raise SeatError(f"games: {found}: expected an array of dtype GAME and shape (n,)")
    copies = clone(games)
    seats = _per_game("seat", seat, len(games)).astype(np.int64)
    wrong = np.flatnonzero((seats < 0) | (seats >= games["num_robots"]))
    if wrong.size:
        raise SeatError(f"seat: {seats[wrong[0]]}: expected 0 to {games['num_robots'][wrong[0]] - 1}")
    seeds = np.array([int(s) % 2**64 for s in _per_game("seed", seed, len(games))], np.uint64)
    run(determinize_range, copies, seats, seeds)
    return copies


def _per_game(name: str, value: int | Array, count: int) -> Array:
    values = np.asarray(value)
    if values.dtype.kind not in "iuO" or values.shape not in ((), (count,)):
        raise SeatError(f"{name}: {value!r}: expected a whole number, or an array of them of shape ({count},)")
    return np.broadcast_to(values, (count,))
