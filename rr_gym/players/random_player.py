"""A player that decides at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.act.components import COMPONENTS, KIND, REGISTER
from rr_gym.encoding.act.option_actions import DECODED, choose, make_draft
from rr_gym.encoding.act.option_choices import choices_of, may_decide
from rr_gym.players.protocol import BatchPlayer, decision_word
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.cards import cards_in_hand
from rr_gym.rules.state.chance import mix, next_word, random_bit, scaled
from rr_gym.rules.state.constants import HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.state.records import GAME, no_orders


@kernel
def choose_at_random(games: np.ndarray, seat: int, seed: np.uint64, orders: np.ndarray) -> None:
    """Write uniformly random legal programs, and a random facing where it may be chosen."""
    for g in range(games.shape[0]):
        robot = games[g].robots[seat]
        order = orders[g]
        word = decision_word(games[g], seat, seed)
        left = cards_in_hand(robot)
        used = 0
        for r in range(NUM_REGISTERS):
            if robot.locked >> r & 1 or left == 0:
                continue
            word = mix(next_word(word))
            pick = scaled(word, left)
            for slot in range(HAND_SLOTS):
                if robot.hand[slot] and not used >> slot & 1:
                    if pick == 0:
                        order.program[r] = robot.hand[slot]
                        used |= 1 << slot
                        break
                    pick -= 1
            left -= 1
        if robot.may_face:
            order.facing = np.int64(mix(word) >> np.uint64(62))


@kernel
def choose_options_at_random(
    games: np.ndarray, tables: np.ndarray, seat: int, seed: np.uint64, orders: np.ndarray
) -> None:
    """Write uniformly random choices about option cards, for decisions that learners make by default.

    The programs in `orders` are chosen before and stay.
    """
    drafts = np.empty(1, GAME)
    for g in range(games.shape[0]):
        game = games[g]
        table = tables[game.course]
        robot = game.robots[seat]
        if game.over or not robot.alive or robot.options == np.uint64(0):
            continue
        word = mix(decision_word(game, seat, seed) ^ np.uint64(1))  # other random bits than for the program
        drafts[0] = game
        make_draft(seat, orders[g], drafts[0])
        for k in range(OPTIONAL.size):
            kind, r = KIND[OPTIONAL[k]], REGISTER[OPTIONAL[k]]
            choice = 0
            if may_decide(drafts[0], table, seat, kind, r):
                legal = choices_of(drafts[0], table, seat, kind, r, orders[g], robot.hand, True)
                word = mix(next_word(word))
                choice = random_bit(legal, word)
            choose(drafts[0], table, seat, kind, r, choice, orders[g], robot.hand)


# In the order in which actions are decoded; rare decisions keep their defaults.
OPTIONAL = np.array([what for what in DECODED.tolist() if not COMPONENTS[KIND[what]].rare], np.int16)


class RandomPlayer(BatchPlayer):
    """Plays uniformly random legal programs; never powers down.

    Where the facing may be chosen (U28), it is random. So are choices about option cards, for the decisions that
    learners make by default; all others stay automatic.
    """

    name = "random"

    def act(self, arena: Arena, games: np.ndarray[Any, Any], seat: int) -> np.ndarray[Any, Any]:
        """Return the orders of one seat in a batch; see `Player.act`."""
        arena.check(games)
        orders = no_orders(len(games), full=True)
        choose_at_random(games, seat, np.uint64(self.seed), orders)
        if any(settings.option_cards == "on" for settings in arena.settings):
            choose_options_at_random(games, arena.tables, seat, np.uint64(self.seed), orders)
        return orders
