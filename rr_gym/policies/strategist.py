"""A planner with a learned model of the other players and a learned value of positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.choices.trials import QUICK
from rr_gym.encoding.teams import rivals_left
from rr_gym.players.planner import DEFAULT_TURNS, PlannerPlayer
from rr_gym.players.playouts import play_candidates
from rr_gym.players.protocol import SeatView, batch_of_one, chooses
from rr_gym.policies.player import PolicyPlayer
from rr_gym.policies.position_values import PositionValues, check_kind
from rr_gym.policies.same_games import same_games
from rr_gym.policies.store import PolicyLike, open_policy
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import GAME, new_log, no_orders, take_games
from rr_gym.solo.turn_tables import ExpectedTurns

Array = np.ndarray[Any, Any]

# The fewest trials of a candidate in a round for simulating 0, 1 or 2 further turns: the mean of so many trials has a
# smaller error than a value network. A third further turn did not predict winners better.
TRIALS = (0, 100, 250)


class StrategistPlayer(PlannerPlayer):
    """Searches like `PlannerPlayer`, with learned models of the other players and of the value of positions.

    The others are simulated by the policy with the cards that they are dealt. The outcome of a turn is the prediction
    of a value network for the position after it, with the next hand dealt. Where the budget allows enough trials of a
    candidate, they are simulated one or two turns further before the network is queried, with its policy playing every
    robot. The policy's own program is among the candidates. A robot without rivals plays like `PlannerPlayer`.

    If the policy observes trials of programs, fewer of these are run in the simulations, where it is queried hundreds
    of times per decision and its errors average out; its own program is computed with all of them.

    Args:
        policy: A policy that scores choices, or its folder.
        turns: Budget per decision in simulated turns, as for `PlannerPlayer`.
        milliseconds: Time budget to use instead, 1 or more.
        values: The policy whose value network is used, or its folder; see `PositionValues`. It evaluates each trial
            and plays the further turns, so it should be fast. None for `policy`.

    Raises:
        PolicyError: There is no such policy, it is of another kind, or its values were trained with other rewards.
    """

    name = "strategist"

    def __init__(
        self, policy: PolicyLike, turns: int = DEFAULT_TURNS, milliseconds: int | None = None,
        values: PolicyLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(turns, milliseconds)
        model = open_policy(policy)
        check_kind(model, self.name)
        self._others, self._own = PolicyPlayer(model, sample=True, effort=QUICK), PolicyPlayer(model)
        self._valuer = model if values is None else open_policy(values)
        self._values = PositionValues(self._valuer, self.name)
        self._on = PolicyPlayer(self._valuer, effort=QUICK)

    def _candidates(self, view: SeatView, word: int) -> Array:
        """Return the candidates of the planner, with the policy's own program first."""
        found = super()._candidates(view, word)
        if not _has_rivals(view):
            return found
        own = self._own.orders(view)
        # An order without a card in an open register draws random ones: the policy always names them.
        return np.concatenate([np.array([own], found.dtype), found[found != own]]) if len(found) else found

    def _order_others(
        self, view: SeatView, known: ExpectedTurns, word: np.uint64, first: int, deals: Array, others: Array
    ) -> None:
        """Sample the orders of the other robots from the policy, independently in each deal."""
        deals["index"] = first + np.arange(len(deals))  # a player draws by the seed and the index of a game
        self._others.reset(int(word) >> 1)
        for i in range(int(view.record.num_robots)):
            if i != view.seat and chooses(view.record, i):
                others[:, i] = self._others.act(view.arena, deals, i)

    def _try(
        self, view: SeatView, known: ExpectedTurns, deals: Array, others: Array, candidates: Array, left: Array,
        ahead: int, scores: Array,
    ) -> None:  # fmt: skip
        """Add the scores of the candidates that are left; see `PlannerPlayer._try`."""
        if not _has_rivals(view):  # every position has the same value, so the fastest program is best
            super()._try(view, known, deals, others, candidates, left, ahead, scores)
            return
        ends = np.empty(len(left) * len(deals), GAME)
        log = new_log(on=False)[0]
        play_candidates(deals, others, view.table, log, view.seat, candidates, left, ends)
        distinct, which = same_games(ends, view.seat)
        self._play_on(view, distinct, ahead)
        worth = self._values.worth(view.arena, distinct, view.seat)[which]
        scores[left] += worth.reshape(len(left), len(deals)).sum(axis=1)

    def _further(self, view: SeatView, turns: int) -> int:
        """Return how many further turns to simulate: the most that leave enough trials; see `PlannerPlayer`."""
        if not _has_rivals(view):
            return 0
        return max((k for k, trials in enumerate(TRIALS) if trials * (1 + k) <= turns), default=0)

    def _play_on(self, view: SeatView, games: Array, turns: int) -> None:
        """Play games for further turns, in place; the value network's policy decides for every robot."""
        for _ in range(turns):
            going = np.flatnonzero((games["over"] == 0) & (games["robots"]["out"][:, view.seat] == 0))
            if not len(going):
                return
            some = take_games(games, going)
            orders = no_orders(len(some), MAX_ROBOTS, full=True)
            for i in range(int(view.record.num_robots)):
                orders[:, i] = self._on.act(view.arena, some, i)
            view.arena.play(some, orders)
            games[going] = some


def _has_rivals(view: SeatView) -> bool:
    """Tell whether a robot of another side is left in the game."""
    return bool(rivals_left(batch_of_one(view.record), view.seat)[0])
