"""A player that tries its programs against likely programs of the others."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from rr_gym.encoding.act.random_orders import random_options_range
from rr_gym.errors import RoboRallyError, short_repr, whole_number
from rr_gym.players.best_programs import best_programs
from rr_gym.players.likely_orders import plan_others
from rr_gym.players.pair_network import no_network
from rr_gym.players.playouts import redeal, try_orders
from rr_gym.players.protocol import Player, SeatView, chooses, decision_word
from rr_gym.players.race_values import FLAG_COST, WIN
from rr_gym.players.racer import flags_stay
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.threads import in_parts
from rr_gym.rules.state.records import GAME, OrdersRecord, new_log, no_orders
from rr_gym.solo.turn_tables import ExpectedTurns, expected_turns

Array = np.ndarray[Any, Any]

LEAST_TURNS = 100
DEFAULT_TURNS = 1500
EQUILIBRIUM_TURNS = 2500  # of `EquilibriumPlayer`; it then takes about as long as a strategist with its default
_PROGRAMS = 64  # programs tried against the others
_ALIKE = 8  # at most this many of them with the same end state
_RESTING = 4  # of the best programs, tried with a power-down too
_EQUIPPED = 8  # of the best programs, tried with other uses of the option cards
_USES = 3  # other uses of the option cards, for each of these programs
_LEAST_TRIALS = 8  # mean number of trials of a candidate, so that it has at least one in each round
_DEALS = 64  # deals played in one call
_HELD_OUT = 1 << 40  # number of the first deal on which given orders are weighed
_DEALS_AT_ONCE = 4  # with a time limit: deals between two checks of the clock
_BUDGET = re.compile(r"(?P<turns>\d{1,9})(?P<unit>[km]?)|(?P<ms>\d{1,6})ms")


def read_budget(text: str, player: str = "planner") -> dict[str, int]:
    """Return the options of a planner from the text after the colon of its name, such as ``20k`` or ``100ms``.

    Raises:
        RoboRallyError: The text is not a budget.
    """
    found = _BUDGET.fullmatch(text)
    if not found:
        raise RoboRallyError(
            f"{player}:{text}: expected simulated turns (at most nine digits), such as "
            f"5000 or 20k, or a time such as 100ms"
        )
    if found["ms"]:
        return {"milliseconds": int(found["ms"])}
    return {"turns": int(found["turns"]) * {"": 1, "k": 1000, "m": 1_000_000}[found["unit"]]}


class PlannerPlayer(Player):
    """Simulates its best programs for a turn against likely programs of the others, and plays the one that does best.

    Candidates are the programs that are best for a lone robot (by the values of `RacerPlayer`), some with a power-down,
    and some with other uses of its option cards. Each is played for one turn on games in which the cards that the seat
    cannot see are redealt and the others play programs that are good for each of them alone. The probability of being
    first is then estimated from the turns that every robot still needs. The worse half of the candidates is dropped,
    and the rest is tried on further deals, until the budget is spent (sequential halving).

    Args:
        turns: Budget per decision in simulated turns, 100 or more.
        milliseconds: Time budget to use instead, 1 or more. Decisions then differ from run to run.
        threads: How many threads share a batch; without a time budget decisions do not depend on it.
    """

    name = "planner"

    def __init__(self, turns: int = DEFAULT_TURNS, milliseconds: int | None = None, threads: int = 1) -> None:
        if not isinstance(turns, int) or isinstance(turns, bool) or turns < LEAST_TURNS:
            raise RoboRallyError(f"turns: {short_repr(turns)}: expected a whole number, {LEAST_TURNS} or more")
        if milliseconds is not None and (not isinstance(milliseconds, int) or milliseconds < 1):
            raise RoboRallyError(f"milliseconds: {short_repr(milliseconds)}: expected a whole number, 1 or more")
        self.turns = turns
        self.milliseconds = milliseconds
        self.reproducible = milliseconds is None
        self.threads = whole_number("threads", threads, 1)

    def act(self, arena: Arena, games: Array, seat: int) -> Array:
        """Return the orders of one seat in a batch; see `Player.act`."""
        orders = no_orders(len(games), full=True)

        def decide(first: int, last: int) -> None:
            for i in range(first, last):
                orders[i] = self.orders(SeatView.of(arena, games[i], seat))

        in_parts(decide, len(games), self.threads)
        return orders

    def orders(self, view: SeatView) -> OrdersRecord:
        """Return the orders for one turn; see `Player.orders`."""
        best: OrdersRecord = self.values(view)[0][0]
        return best

    def values(self, view: SeatView) -> tuple[Array, Array]:
        """Return the candidates for one turn and their estimated values.

        Returns:
            The candidates, the best first, (n,), dtype `FULL_ORDERS`, and their mean values on the deals on which they
            were tried, float64, (n,): the probability of being first, from 0 to 1. Candidates that were dropped early
            were tried on few deals, and with a shorter horizon if the player simulates further turns. If there is
            nothing to decide, one candidate with the value 0.
        """
        start = time.monotonic()
        if not chooses(view.record, view.seat):
            return no_orders(1, full=True), np.zeros(1)
        word = int(decision_word(view.record, view.seat, np.uint64(self.seed)))
        known = expected_turns(view.arena, int(view.record.course))
        candidates = self._candidates(view, word)
        if len(candidates) < 2:
            return candidates if len(candidates) else no_orders(1, full=True), np.zeros(1)
        order, means = self._ranked(view, known, candidates, np.uint64(word), start)
        return candidates[order], means[order]

    def weigh(self, view: SeatView, orders: Array, deals: int = _DEALS) -> Array:
        """Return the mean values of given orders for one turn, all tried on the same deals.

        These are other deals than those of `values`, so that orders chosen by it are not valued too highly.

        Args:
            view: The position.
            orders: (n,), dtype `FULL_ORDERS`.
            deals: The number of times that the cards that the seat cannot see are redealt.

        Returns:
            float64, (n,), from 0 to 1.
        """
        word = np.uint64(decision_word(view.record, view.seat, np.uint64(self.seed)))
        known = expected_turns(view.arena, int(view.record.course))
        scores, every = np.zeros(len(orders)), np.arange(len(orders))
        buffers, numbers = _new_buffers(), range(_HELD_OUT, _HELD_OUT + deals)
        for games, others in self._redealt(view, known, word, numbers, buffers):
            self._try(view, known, games, others, orders, every, 0, scores)
        return scores / deals

    def _candidates(self, view: SeatView, word: int) -> Array:
        """Return orders worth trying, the most promising first: shape (n,), dtype `FULL_ORDERS`."""
        orders, resting = best_programs(view.arena, view.record, view.seat, _PROGRAMS, _ALIKE, _RESTING)
        more: list[Array] = [orders, resting]
        if view.robot.options and view.arena.full:
            more.append(self._other_uses(view, orders[:_EQUIPPED], word))
        return np.concatenate(more)[: self.turns // _LEAST_TRIALS]

    def _other_uses(self, view: SeatView, orders: Array, word: int) -> Array:
        """Return orders with the same programs and random uses of option cards, `_USES` for each."""
        seat, count = view.seat, len(orders) * _USES
        games, trial = np.zeros(count, GAME), no_orders(count, 8, full=True)
        games[:] = view.record
        others = np.arange(games["robots"].shape[1]) != seat
        games["robots"]["options"][:, others] = 0
        trial[:, seat] = np.repeat(orders, _USES)
        words = np.arange(count, dtype=np.uint64) + np.uint64(word)
        random_options_range(games, view.arena.tables, trial, words, 0, count)
        used: Array = trial[:, seat]
        return used

    def _ranked(
        self, view: SeatView, known: ExpectedTurns, candidates: Array, word: np.uint64, start: float
    ) -> tuple[Array, Array]:
        """Return the indices of the candidates, best first, and their mean values; half are dropped each round."""
        scores, tried = np.zeros(len(candidates)), np.zeros(len(candidates), np.int64)
        left = np.arange(len(candidates))
        dropped: list[Array] = []
        rounds = int(len(left) - 1).bit_length()
        buffers, count, ahead = _new_buffers(), 0, 0
        spent = 0 if self.milliseconds else self.turns // rounds  # turns simulated in the last round

        def play(more: int) -> int:
            nonlocal count
            tried[left] += more
            for deals, others in self._redealt(view, known, word, range(count, count + more), buffers):
                self._try(view, known, deals, others, candidates, left, ahead, scores)
            count += more
            return more * len(left) * (1 + ahead)

        for number in range(1, rounds + 1):
            further = self._further(view, spent // len(left))
            if further > ahead:  # values with a shorter horizon are not comparable
                ahead, scores[left], tried[left] = further, 0, 0
            if not self.milliseconds:
                play(spent // (len(left) * (1 + ahead)))
            else:
                until = start + self.milliseconds / 1000 * number / rounds
                spent = play(1)
                while time.monotonic() < until:
                    spent += play(_DEALS_AT_ONCE)
            keep = (len(left) + 1) // 2
            left = left[np.argsort(-scores[left], kind="stable")]
            dropped.append(left[keep:])
            left = left[:keep]
        return np.concatenate([left, *reversed(dropped)]), scores / np.maximum(tried, 1)

    def _redealt(
        self, view: SeatView, known: ExpectedTurns, word: np.uint64, numbers: range, buffers: tuple[Array, Array]
    ) -> Iterator[tuple[Array, Array]]:
        """Yield batches of deals, by their numbers, with likely orders of the others; each overwrites the last one."""
        deals, others = buffers
        for first in range(numbers.start, numbers.stop, _DEALS):
            n = min(_DEALS, numbers.stop - first)
            redeal(view.record, view.seat, word, first, deals[:n])
            self._order_others(view, known, word, first, deals[:n], others[:n])
            yield deals[:n], others[:n]

    def _further(self, view: SeatView, turns: int) -> int:
        """Return how many turns after this one to simulate, given the budget in turns for each candidate left."""
        return 0

    def _order_others(
        self, view: SeatView, known: ExpectedTurns, word: np.uint64, first: int, deals: Array, others: Array
    ) -> None:
        """Write likely orders of the other robots on each deal; see `plan_others`."""
        plan_others(deals, view.table, known, view.seat, word, first, others)

    def _try(
        self, view: SeatView, known: ExpectedTurns, deals: Array, others: Array, candidates: Array, left: Array,
        ahead: int, scores: Array,
    ) -> None:  # fmt: skip
        """Add the value of each candidate left on each deal, from 0 to 1, to its score, float64, (n,)."""
        flag = 0 if flags_stay(view.record, view.table) else FLAG_COST
        found = np.zeros(len(scores), np.int64)
        log = new_log(on=False)[0]
        try_orders(deals, others, view.table, known, no_network(), flag, log, view.seat, candidates, left, found)
        scores += found / WIN


def _new_buffers() -> tuple[Array, Array]:
    """Allocate a batch of deals and the orders of all seats on them."""
    return np.empty(_DEALS, GAME), no_orders(_DEALS, 8, full=True)
