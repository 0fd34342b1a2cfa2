"""Redeal what a seat cannot see, so that players can search games without learning hidden information."""

# mutants: no rules: tests/encoding/test_hidden.py
from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.rules.arena.game_checks import check_games
from rr_gym.rules.arena.ranges import ANYWHERE
from rr_gym.rules.options.buzz_bombs import knows_bomb
from rr_gym.rules.options.options import lay_on_undealt, owns
from rr_gym.rules.state.cards import add_to_hand, cards_in_hand, discard, take_from_hand
from rr_gym.rules.state.chance import mix, seed_episode, shuffle
from rr_gym.rules.state.constants import DECK_SIZE, HAND_SLOTS, NUM_OPTIONS, NUM_REGISTERS
from rr_gym.rules.state.option_cards import ABLATIVE_COAT, ABLATIVE_POINTS, BIO_OPTION, INITIAL_PAYLOAD, NO_OPTION
from rr_gym.rules.state.records import DEFAULT_DECISIONS, GAME, GameRecord, clone

Array = np.ndarray[Any, Any]

DEFAULTS = DEFAULT_DECISIONS.reshape(1)


class SeatError(RoboRallyError):
    """A game does not have a seat, or seats or seeds do not fit a batch."""


@kernel
def num_revealed(game: GameRecord, robot: int) -> int:
    """Return how many of a robot's registers have been revealed, in this turn or before it fell asleep."""
    body = game.robots[robot]
    if body.asleep and game.phase + body.asleep > NUM_REGISTERS:  # it fell asleep in this turn (R-E73)
        return int(game.phase + body.asleep - NUM_REGISTERS)
    if body.energized:  # it has executed two registers in each phase since then (R-E50)
        return max(0, int(2 * game.phase - body.energized))
    return int(game.phase)


@kernel
def hides_register(game: GameRecord, robot: int, register: int) -> bool:
    """Tell whether the card of a register is face down.

    Cards of open registers are face down until their phase; locked registers and old programs are public.
    """
    body = game.robots[robot]
    face_up = body.down or body.locked >> register & 1
    return body.registers[register] > 0 and not face_up and register >= num_revealed(game, robot)


@kernel
def knows_hand(game: GameRecord, seat: int, robot: int) -> bool:
    """Tell whether a seat knows a robot's hand: its own, and those of teammates who share theirs (R-G2.3)."""
    return robot == seat or (game.shares_hands != 0 and game.robots[robot].team == game.robots[seat].team > 0)


@kernel
def drop_second_cards(game: GameRecord, seat: int) -> None:
    """Discard the face-down second cards of others, which would make no sense with redealt first cards."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        first = num_revealed(game, i) if game.phase > 0 else 0
        for r in range(first, NUM_REGISTERS):
            if i != seat and robot.second[r]:
                discard(game, robot.second[r])
                robot.second[r] = 0


@kernel
def collect_hidden(game: GameRecord, seat: int, hidden: Array) -> int:
    """Mark the cards that a seat cannot see in `hidden` (uint8, by card); return how many there are."""
    for k in range(game.deck_left):
        hidden[game.deck[k]] = 1
    for k in range(game.discards_left):
        hidden[game.discards[k]] = 1
    for i in range(game.num_robots):
        if i == seat:
            continue
        robot = game.robots[i]
        if not knows_hand(game, seat, i):
            for slot in range(HAND_SLOTS):
                hidden[robot.hand[slot]] = 1
            hidden[robot.flywheel] = 1
        hidden[robot.conditional] = 1
        for r in range(NUM_REGISTERS):
            if hides_register(game, i, r):
                hidden[robot.registers[r]] = 1
    for r in range(game.phase, NUM_REGISTERS):
        hidden[game.turret_cards[r]] = 1
        if not knows_bomb(game, seat):
            hidden[game.buzz_program[r]] = 1
    hidden[0] = 0
    count = 0
    for card in range(1, DECK_SIZE + 1):
        if hidden[card]:
            count += 1
    return count


@kernel
def shuffle_hidden(game: GameRecord, hidden: Array, count: int, pool: Array) -> None:
    """Write the marked cards into `pool`, in a random order that depends only on the game's new key.

    They are listed in ascending order, then shuffled.
    """
    k = 0
    for card in range(1, DECK_SIZE + 1):
        if hidden[card]:
            pool[k] = card
            k += 1
    shuffle(pool, count, mix(game.key))


@kernel
def deal_hand(game: GameRecord, robot: int, pool: Array, top: int) -> int:
    """Deal a robot's hand and the card on its Flywheel from the pool; return the index of the pool's next card.

    The hand is sorted. The card on the Flywheel may be in the hand too.
    """
    body = game.robots[robot]
    joined = take_from_hand(body, body.flywheel)
    size = cards_in_hand(body)
    body.hand[:] = 0
    for slot in range(size):
        add_to_hand(body, slot, pool[top])
        top += 1
    if body.flywheel:
        body.flywheel = pool[top]
        top += 1
        if joined:
            add_to_hand(body, size, body.flywheel)
    return top


@kernel
def deal_hidden(game: GameRecord, seat: int, pool: Array) -> None:
    """Put a card of the pool into every hidden place; hands stay sorted."""
    top = 0
    for i in range(game.num_robots):
        if i == seat:
            continue
        robot = game.robots[i]
        if not knows_hand(game, seat, i):
            top = deal_hand(game, i, pool, top)
        if robot.conditional:
            robot.conditional = pool[top]
            top += 1
        for r in range(NUM_REGISTERS):
            if hides_register(game, i, r):
                robot.registers[r] = pool[top]
                top += 1
    for r in range(game.phase, NUM_REGISTERS):
        if game.turret_cards[r]:
            game.turret_cards[r] = pool[top]
            top += 1
        if game.buzz_program[r] and not knows_bomb(game, seat):
            game.buzz_program[r] = pool[top]
            top += 1
    for k in range(game.deck_left):
        game.deck[k] = pool[top]
        top += 1
    for k in range(game.discards_left):
        game.discards[k] = pool[top]
        top += 1
    game.deck_known = 0
    copy_controlled(game)


@kernel
def copy_controlled(game: GameRecord) -> None:
    """Copy the rest of the controlling robot's program to the robot under Radio Control (R-O17)."""
    if game.radio_owner < 0 or game.radio_target < 0:
        return
    owner, victim = game.robots[game.radio_owner], game.robots[game.radio_target]
    for r in range(game.phase, NUM_REGISTERS):
        if victim.copied[r] > 0:
            victim.copied[r] = owner.registers[r]


@kernel
def hides_option(game: GameRecord, seat: int, robot: int, option: int) -> bool:
    """Tell whether a robot of another team owns an option that it has not revealed yet (R-G2.6)."""
    body = game.robots[robot]
    mate = robot == seat or body.team == game.robots[seat].team > 0
    return not mate and owns(body, option) and game.secret >> np.uint64(option) & np.uint64(1) != 0


@kernel
def take_secret_options(game: GameRecord, seat: int) -> int:
    """Put options that a seat does not know back on the draw pile; return how many were taken from each robot.

    The result has four bits for each robot.
    """
    counts = 0
    if game.secret == np.uint64(0):
        return counts
    for i in range(game.num_robots):
        robot = game.robots[i]
        for option in range(NUM_OPTIONS):
            if hides_option(game, seat, i, option):
                robot.options &= ~(np.uint64(1) << np.uint64(option))
                game.secret &= ~(np.uint64(1) << np.uint64(option))
                game.payload[option] = 0
                left = game.option_deck_left
                lay_on_undealt(game, option)
                counts += (game.option_deck_left - left) << 4 * i
                if option == BIO_OPTION:
                    robot.bio = NO_OPTION
                if option == robot.bio:
                    robot.bio = NO_OPTION
    return counts


@kernel
def deal_secret_options(game: GameRecord, counts: int) -> None:
    """Deal each robot as many options, new and full, as `take_secret_options` has taken from it."""
    for i in range(game.num_robots):
        for _ in range(counts >> 4 * i & 15):
            game.option_deck_left -= 1
            option = int(game.option_deck[game.option_deck_left])
            game.option_deck[game.option_deck_left] = 0
            game.robots[i].options |= np.uint64(1) << np.uint64(option)
            game.secret |= np.uint64(1) << np.uint64(option)
            game.payload[option] = ABLATIVE_POINTS if option == ABLATIVE_COAT else INITIAL_PAYLOAD[option]


@kernel
def shuffle_hidden_options(game: GameRecord) -> None:
    """Shuffle the draw pile of option cards; the order depends only on the game's new key."""
    left = game.option_deck_left
    for k in range(1, left):  # sorted first
        option = game.option_deck[k]
        j = k
        while j > 0 and game.option_deck[j - 1] > option:
            game.option_deck[j] = game.option_deck[j - 1]
            j -= 1
        game.option_deck[j] = option
    shuffle(game.option_deck, left, mix(game.key ^ np.uint64(NUM_OPTIONS)))


@kernel
def forget_decisions(game: GameRecord, seat: int) -> None:
    """Set the decisions of others, except for their cards, to the defaults, and remove tokens from their registers."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if i != seat and (game.phase > 0 or robot.options != np.uint64(0)):
            robot.orders = DEFAULTS[0]


@kernel
def determinize_one(game: GameRecord, seat: int, seed: int, index: int, hidden: Array, pool: Array) -> None:
    """Redeal, in place, what `seat` cannot see; randomness comes only from (seed, index).

    `hidden` (uint8) and `pool` (int8) are scratch arrays by card, with room for 85 and more.
    """
    hidden[:] = 0
    drop_second_cards(game, seat)
    count = collect_hidden(game, seat, hidden)
    game.salt[:] = 0
    seed_episode(game, seed, index, 0)
    shuffle_hidden(game, hidden, count, pool)
    deal_hidden(game, seat, pool)
    secret = take_secret_options(game, seat)
    shuffle_hidden_options(game)
    deal_secret_options(game, secret)
    forget_decisions(game, seat)


@kernel
def determinize_range(games: Array, seats: Array, seeds: Array) -> None:
    """Redeal, in place, what the seat of each game cannot see."""
    hidden = np.zeros(256, np.uint8)  # longer than needed, so that games edited by users cannot do harm
    pool = np.zeros(512, np.int8)
    for g in range(games.shape[0]):
        determinize_one(games[g], seats[g], seeds[g], g, hidden, pool)


def determinize(games: Array, seat: int | Array, seed: int | Array) -> Array:
    """Return copies of games that the player of a seat may search, with everything that it cannot see redealt.

    Hands and face-down registers of other robots, cards on options, of a buzz bomb and of turret guns, the draw pile
    and unseen discards are shuffled together and dealt to the same places in the same numbers. Undealt option cards are
    shuffled with those that other teams have not revealed. All other decisions of others are forgotten, and face-down
    tokens and second cards on their registers are removed. The player's own hand, those of mates who share theirs,
    locked registers and everything public stay. Randomness comes only from `seed`, so a copy reveals nothing about
    future cards of the real game.

    Args:
        games: Shape (n,), dtype `GAME`; not changed.
        seat: The seat of the player: one for all, or an array of shape (n,).
        seed: Any whole number: one for all (each game draws differently), or an array of shape (n,).

    Returns:
        Shape (n,), dtype `GAME`.

    Raises:
        SeatError: There is no such seat, an array has a wrong shape, or a game has a number out of range.
    """
    if not isinstance(games, np.ndarray) or games.dtype != GAME or games.ndim != 1:
        found = f"{games.dtype.name} {games.shape}" if isinstance(games, np.ndarray) else type(games).__name__
        raise SeatError(f"games: {found}: expected an array of dtype GAME and shape (n,)")
    check_games(games, ANYWHERE, SeatError)
    return redeal(games, seat, seed)


def redeal(games: Array, seat: int | Array, seed: int | Array) -> Array:
    """Return copies like `determinize`, without checking the games.

    Only the rules may have changed the games since they began or were last checked.
    """
    copies = clone(games)
    seats = _per_game("seat", seat, len(games))
    wrong = np.flatnonzero((seats < 0) | (seats >= games["num_robots"]))
    if wrong.size:
        raise SeatError(f"seat: {seats[wrong[0]]}: expected 0 to {games['num_robots'][wrong[0]] - 1}")
    seats = seats.astype(np.int64)
    seeds = np.array([int(s) % 2**64 for s in _per_game("seed", seed, len(games))], np.uint64)
    determinize_range(copies, seats, seeds)
    return copies


def games_for(player: Any, games: Array) -> Array:
    """Return the games that a player is given to decide in.

    A player from outside the package (`Player.outside`) gets copies without the state of the random generators; a
    player of the package gets the games themselves.

    Args:
        player: The player; without an attribute `outside` it counts as from outside.
        games: Shape (n,), dtype `GAME`; left as they are.
    """
    if not getattr(player, "outside", True):
        return games
    copies = clone(games)
    for name in ("seed", "salt", "key", "salted_key", "draws"):
        copies[name] = 0
    return copies


def _per_game(name: str, value: int | Array, count: int) -> Array:
    try:
        values = np.asarray(value)
    except ValueError:  # lists of different lengths
        values = np.empty(0)
    whole = values.dtype.kind in "iu"
    if values.dtype.kind == "O":  # whole numbers of more than 64 bits
        whole = all(isinstance(v, Integral) and not isinstance(v, bool) for v in values.flat)
    if not whole or values.shape not in ((), (count,)):
        raise SeatError(
            f"{name}: {short_repr(value)}: expected a whole number, or an array of them of shape ({count},)"
        )
    return np.broadcast_to(values, (count,))
