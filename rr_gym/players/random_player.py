"""A player that programs by chance."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym import jit
from rr_gym.jit import kernel
from rr_gym.players.protocol import Player, SeatView, decision_word
from rr_gym.rules.arena import Arena
from rr_gym.rules.chance import mix
from rr_gym.rules.constants import HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.records import GAME, OrdersRecords, no_orders


@kernel
def choose_by_chance(games: np.ndarray, seat: int, seed: int, orders: np.ndarray) -> None:
    """Every legal program with the same chance, a facing by chance where it may be chosen; all else by default."""
    for g in range(games.shape[0]):
        robot = games[g].robots[seat]
        order = orders[g]
        word = decision_word(games[g], seat, seed)
        left = 0
        for slot in range(HAND_SLOTS):
            if robot.hand[slot]:
                left += 1
        used = 0
        for r in range(NUM_REGISTERS):
            if robot.locked >> r & 1 or left == 0:
                continue
            word = mix(word + np.uint64(0x9E3779B97F4A7C15))
            pick = np.int64((word >> np.uint64(32)) * np.uint64(left) >> np.uint64(32))
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


class RandomPlayer(Player):
    """Plays every legal program of its hand with the same chance; never powers down.

    Where the facing may be chosen (U28) it faces any way; all other decisions stay automatic.
    """

    name = "random"

    def orders(self, view: SeatView) -> OrdersRecords:
        games = np.zeros(1, GAME)
        games[0] = view.record
        return self.act(view.arena, games, view.seat)[0]

    def act(self, arena: Arena, games: np.ndarray[Any, Any], seat: int) -> np.ndarray[Any, Any]:
        orders = no_orders(len(games))
        jit.run(choose_by_chance, games, seat, np.uint64(self.seed), orders)
        return orders
