"""A player that plays each turn by an equilibrium of that turn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rr_gym.choices.trials import QUICK
from rr_gym.encoding.teams import rivals_left
from rr_gym.equilibrium.bayesian_game import BayesianGame
from rr_gym.equilibrium.payoffs import Hands, turn_game
from rr_gym.equilibrium.regret_matching import solve
from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.players.best_programs import best_programs, screened
from rr_gym.players.likely_orders import plan_others
from rr_gym.players.planner import EQUILIBRIUM_TURNS, LEAST_TURNS, PlannerPlayer
from rr_gym.players.playouts import redeal
from rr_gym.players.protocol import Player, SeatView, batch_of_one, chooses, decision_word
from rr_gym.policies.player import PolicyPlayer
from rr_gym.policies.position_values import PositionValues, check_kind
from rr_gym.policies.store import PolicyLike, open_policy
from rr_gym.rewards.lead import leads
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.chance import mix
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import GAME, GameRecord, OrdersRecord, no_orders
from rr_gym.solo.turn_tables import expected_turns

Array = np.ndarray[Any, Any]

_MAX_SCREENED = 64  # how many of the robot's own programs are screened
_MAX_SAME_END = 8  # at most this many of them may lead a lone robot to the same end
_WITH_POWER_DOWN = 4  # how many of the best are also tried with a power-down
_SCREENING_DEALS = 32  # number of deals on which programs are screened
_MIN_PROBABILITY = 0.02  # programs to which the average strategy gives a lower probability are dropped


class Sizes(NamedTuple):
    """How the budget of a decision is spent.

    Attributes:
        own: Programs considered for the hand that the robot holds.
        likely: Programs considered for every other hand.
        own_hands: Hands that the robot might hold from the rival's point of view, besides the real one.
        rival_hands: Hands that the rival might hold.
    """

    own: int
    likely: int
    own_hands: int
    rival_hands: int

    @property
    def turns(self) -> int:
        """The number of simulated turns: one for each pair of programs."""
        return self.rival_hands * self.likely * (self.own + self.own_hands * self.likely)

    @classmethod
    def of(cls, turns: int) -> Sizes:
        """Divide a budget in simulated turns; a larger budget mainly allows more hands of the rival."""
        own, likely, own_hands = (8, 2, 3) if turns < 1000 else (16, 3, 4) if turns < 5000 else (24, 4, 6)
        return cls(own, likely, own_hands, max(1, turns // (likely * (own + own_hands * likely))))


class EquilibriumPlayer(Player):
    """Draws its program from an approximate equilibrium of the turn.

    A turn is a Bayesian game: types are the hands, which the other robot does not know, and actions are programs.
    Besides the hand that the robot holds, hands of both robots are sampled. For a sampled hand, the programs are the
    one that a policy would play and some of the best for a lone robot. For the hand that is held, they are the policy's
    program and the best of many in simulated turns, by the expected turns of all robots. Every pair of programs is
    played for one turn; its payoff is the value that a network predicts for the position after it, with the next hands
    dealt. Regret matching then computes strategies for all hands, and the player draws its program from the average
    strategy of the hand that it holds. Within the turn, and measured by these values, a rival that knew these
    strategies could gain little.

    With more than two robots, the rival is the one that is farthest ahead, and the policy plays the others. A robot
    without rivals plays like `PlannerPlayer`. Orders about option cards keep their defaults.

    Args:
        policy: A policy that scores choices, or the folder of one.
        turns: Budget per decision in simulated turns, 100 or more. At least one hand of the rival is always sampled.
        values: The policy whose value network is used, or its folder; see `PositionValues`. None for `policy`.

    Raises:
        PolicyError: There is no such policy, it is of another kind, or its values were trained with other rewards.
    """

    name = "equilibrium"

    def __init__(self, policy: PolicyLike, turns: int = EQUILIBRIUM_TURNS, values: PolicyLike | None = None) -> None:
        if not isinstance(turns, int) or isinstance(turns, bool) or turns < LEAST_TURNS:
            raise RoboRallyError(f"turns: {short_repr(turns)}: expected a whole number, {LEAST_TURNS} or more")
        self.turns = turns
        self.sizes = Sizes.of(turns)
        model = open_policy(policy)
        check_kind(model, self.name)
        self._own, self._likely = PolicyPlayer(model), PolicyPlayer(model, effort=QUICK)
        self._others = PolicyPlayer(model, sample=True, effort=QUICK)
        self._values = PositionValues(model if values is None else values, self.name)
        self._alone = PlannerPlayer(turns)

    def reset(self, seed: int = 0) -> None:
        """Start over with this seed."""
        super().reset(seed)
        self._alone.reset(seed)

    def orders(self, view: SeatView) -> OrdersRecord:
        """Return the orders for one turn; see `Player.orders`."""
        programs, chances = self.strategy(view)
        word = int(decision_word(view.record, view.seat, np.uint64(self.seed)))
        drawn = int(mix(np.uint64(word))) / 2**64
        number = int(np.searchsorted(chances.cumsum(), drawn * chances.sum(), side="right"))
        order: OrdersRecord = programs[min(number, len(programs) - 1)]
        return order

    def strategy(self, view: SeatView) -> tuple[Array, Array]:
        """Return the programs that the player considers, and the probabilities with which it draws them.

        Returns:
            The orders, (n,), dtype `FULL_ORDERS`, and float64, (n,).
        """
        rival = foremost_rival(view.arena, view.record, view.seat)
        if rival is None:
            alone = no_orders(1, full=True)
            alone[0] = self._alone.orders(view)
            return alone, np.ones(1)
        if not chooses(view.record, view.seat):
            return no_orders(1, full=True), np.ones(1)
        programs, game = self.game(view, rival)
        chances = solve(game)[0][0, : len(programs)]
        chances = np.where(chances < min(_MIN_PROBABILITY, chances.max()), 0, chances)
        return programs, chances / chances.sum()

    def game(self, view: SeatView, rival: int) -> tuple[Array, BayesianGame]:
        """Return the programs for the hand that is held, and the game of the turn, in which that hand is type 0."""
        word = np.uint64(int(decision_word(view.record, view.seat, np.uint64(self.seed))))
        sizes, arena, seat = self.sizes, view.arena, view.seat
        deals = np.empty(sizes.rival_hands, GAME)
        redeal(view.record, seat, word, 0, deals)
        known = batch_of_one(view.record)
        held = self._held_programs(view, word)
        rivals = Hands(deals, self._likely_programs(arena, deals, rival, seat, word))
        # The rival does not see the robot's hand, so it must consider others.
        other = np.empty(sizes.own_hands, GAME)
        redeal(deals[0], rival, np.uint64(int(mix(word))), 0, other)
        likely = self._likely_programs(arena, other, seat, rival, word)
        own = Hands(np.concatenate([known, other]), [held, *likely])
        orders = no_orders(len(deals), MAX_ROBOTS, full=True)
        deals["index"] = np.arange(len(deals))  # a player draws by the seed and the index of a game
        self._others.reset(int(word) >> 1)
        for i in range(int(view.record.num_robots)):
            if i not in (seat, rival) and chooses(view.record, i):
                orders[:, i] = self._others.act(arena, deals, i)
        return held, turn_game(arena, own, rivals, seat, rival, orders, self._values.worth)

    def _held_programs(self, view: SeatView, word: np.uint64) -> Array:
        """Return the orders considered for the hand that is held, with the policy's own first.

        The others are the best against likely programs of the other robots, by expected turns.
        """
        arena, seat = view.arena, view.seat
        limits = _MAX_SCREENED, _MAX_SAME_END, _WITH_POWER_DOWN
        programs = np.concatenate(best_programs(arena, view.record, seat, *limits))
        deals, orders = np.empty(_SCREENING_DEALS, GAME), no_orders(_SCREENING_DEALS, MAX_ROBOTS, full=True)
        first = self.sizes.rival_hands
        redeal(view.record, seat, word, first, deals)
        plan_others(deals, view.table, expected_turns(arena, int(view.record.course)), seat, word, first, orders)
        best = screened(arena, deals, orders, seat, programs, self.sizes.own - 1)
        return _with_first(self._own.orders(view), best)

    def _likely_programs(self, arena: Arena, games: Array, seat: int, rival: int, word: np.uint64) -> list[Array]:
        """Return for each game the likely orders of a seat, with the policy's own first.

        The others are good programs for a lone robot; see `plan_others`.
        """
        if not chooses(games[0], seat):
            return [no_orders(1, full=True)] * len(games)
        course = int(games["course"][0])
        known, columns = expected_turns(arena, course), [self._likely.act(arena, games, seat)]
        for number in range(1, self.sizes.likely):
            orders = no_orders(len(games), MAX_ROBOTS, full=True)
            plan_others(games, arena.tables[course], known, rival, word, number * len(games), orders)
            columns.append(orders[:, seat])
        return [_distinct(np.array(orders)) for orders in zip(*columns, strict=True)]


def _distinct(orders: Array) -> Array:
    """Return orders without duplicates."""
    kept = [k for k in range(len(orders)) if not (orders[:k] == orders[k]).any()]
    return np.asarray(orders[kept])


def _with_first(named: OrdersRecord, programs: Array) -> Array:
    """Return orders with the given one moved, or added, to the front."""
    return np.concatenate([np.array([named], programs.dtype), programs[programs != named]])


def foremost_rival(arena: Arena, game: GameRecord, seat: int) -> int | None:
    """Return the robot of another side that is farthest ahead by expected turns; None if none is left."""
    games = batch_of_one(game)
    if not rivals_left(games, seat)[0]:
        return None
    ahead, team = leads(arena, games, np.ones(1, np.bool_))[0], int(game.robots[seat].team)
    others = [i for i in range(int(game.num_robots)) if i != seat and not game.robots[i].out]
    return max((i for i in others if not team or game.robots[i].team != team), key=lambda i: float(ahead[i]))
