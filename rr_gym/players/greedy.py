"""A player that heads for the next flag as if it were alone on the board."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError, shown
from rr_gym.players.protocol import Player, SeatView, decision_pick
from rr_gym.players.search import lone_outcomes
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.distances import UNREACHABLE, path_distances
from rr_gym.rules.state.constants import BEST_CARD, FATAL_DAMAGE
from rr_gym.rules.state.records import Game, Orders, no_orders
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]


def distances_to_go(table: Table, outcomes: Array) -> Array:
    """Registers from the end of each outcome to the target flag: int64, shape (n,); 0 if there is none."""
    to_flags = path_distances(table)
    ends = np.full(len(outcomes), UNREACHABLE, np.int64)
    ends[outcomes["goal"] >= len(to_flags)] = 0
    on = np.flatnonzero((outcomes["goal"] < len(to_flags)) & (outcomes["square"] >= 0))
    chosen = outcomes[on]
    ends[on] = to_flags[chosen["goal"], chosen["place"], chosen["facing"]]
    return ends


def rank(table: Table, outcomes: Array) -> Array:
    """A ranking of outcomes, the best largest: int64, shape (n,).

    Winning counts most, then flags touched, then not being destroyed, then few registers to the next flag, then little
    damage; each criterion breaks ties of those before.
    """
    score: Array = outcomes["won"].astype(np.int64)
    score = score * 16 + outcomes["flag"]
    score = score * 2 + outcomes["alive"]
    score = score * (UNREACHABLE + 1) + UNREACHABLE - distances_to_go(table, outcomes)
    score = score * (FATAL_DAMAGE + 1) + FATAL_DAMAGE - outcomes["damage"]
    return score


class GreedyPlayer(Player):
    """Plays the program that is best for a lone robot; the seed breaks ties.

    All programs of its hand are played by the rules of the game, with the other robots removed, and ranked by `rank`.
    Where the facing may be chosen (U28), all four are tried. It announces a power-down when its best program leaves it
    with `power_down_at` or more points of damage, and stays down while it has that many. It uses option cards that
    work by themselves, and stores its best unused cards.

    Args:
        power_down_at: Points of damage, 1 to 10; 10 for never.
    """

    name = "greedy"

    def __init__(self, power_down_at: int = 5) -> None:
        if not isinstance(power_down_at, int) or not 1 <= power_down_at <= FATAL_DAMAGE:
            raise RoboRallyError(f"power_down_at: {shown(power_down_at)}: expected 1 to {FATAL_DAMAGE}")
        self.power_down_at = power_down_at

    def orders(self, view: SeatView) -> Orders:
        """The orders for one turn, see `Player.orders`."""
        return self._decide(view.table, view.record, view.seat)

    def act(self, arena: Arena, games: Array, seat: int) -> Array:
        """The orders of one seat in a batch, see `Player.act`."""
        orders = no_orders(len(games), full=True)
        for i, game in enumerate(games):
            orders[i] = self._decide(arena.tables[game.course], game, seat)
        return orders

    def _decide(self, table: Table, game: Game, seat: int) -> Orders:
        """The orders of a seat. This reads only what the seat sees: `lone_outcomes` uses nothing else."""
        order = no_orders(1, full=True)[0]
        robot = game.robots[seat]
        if not robot.alive or game.over:
            return order
        if robot.down:
            order.stay_down = robot.damage >= self.power_down_at
            return order
        outcomes, facings = lone_outcomes(table, game, seat)
        if not len(outcomes):
            return order
        scores = rank(table, outcomes)
        best = np.flatnonzero(scores == scores.max())
        pick = best[decision_pick(game, seat, self.seed, len(best))]
        order.facing = facings[pick]
        order.program[:] = np.where(robot.locked >> np.arange(5) & 1, 0, outcomes["program"][pick])
        order.power_down = outcomes["damage"][pick] >= self.power_down_at
        if robot.options:
            order.conditional = order.flywheel = BEST_CARD
        return order
