"""A planner with a learned model of the other players and a learned value of positions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from rr_gym.choices.observers import ChoicesObserver
from rr_gym.choices.trials import QUICK
from rr_gym.encoding.act.components import REGISTERS
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.encoding.teams import rivals_left
from rr_gym.players.planner import DEFAULT_TURNS, PlannerPlayer
from rr_gym.players.playouts import play_candidates
from rr_gym.players.protocol import SeatView, batch_of_one
from rr_gym.policies.array_player import ByArena
from rr_gym.policies.player import PolicyPlayer, layout_of
from rr_gym.policies.policy import Policy
from rr_gym.policies.spec import CHOICES, PolicyError
from rr_gym.policies.store import PolicyLike, open_policy
from rr_gym.rewards.leads import leads
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import GAME, new_log, no_orders, take_games
from rr_gym.rules.state.scratch import GameCaches, GameScratch, RobotScratch
from rr_gym.solo.turn_tables import ExpectedTurns

Array = np.ndarray[Any, Any]

# With these rewards a value is the expected reward for the place minus the lead.
REWARD = {"place": 1.0, "lead": 1.0}
GAMMA = 1.0

# The least trials of a candidate in a round for simulating 0, 1 or 2 further turns: the mean of so many trials has a
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
        milliseconds: Time budget in its place, 1 or more.
        values: The policy whose value network is used, or its folder: one that scores choices and was trained with the
            reward `REWARD` and gamma 1. It evaluates each trial and plays the further turns, so it should be fast. None
            for `policy`.

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
        _check_kind(model)
        self._others, self._own = PolicyPlayer(model, sample=True, effort=QUICK), PolicyPlayer(model)
        self._valuer = model if values is None else open_policy(values)
        _check_kind(self._valuer)
        _check_reward(self._valuer)
        self._on = PolicyPlayer(self._valuer, effort=QUICK)
        self._values = ByArena(partial(_Values, self._valuer))

    def _candidates(self, view: SeatView, known: ExpectedTurns, word: int) -> Array:
        """Return the candidates of the planner, with the policy's own program first."""
        found = super()._candidates(view, known, word)
        if not _has_rivals(view):
            return found
        own = self._own.orders(view)
        # An order without a card in an open register draws random ones: the policy always names them.
        return np.concatenate([np.array([own], found.dtype), found[found != own]]) if len(found) else found

    def _order_others(
        self, view: SeatView, known: ExpectedTurns, word: np.uint64, first: int, deals: Array, others: Array
    ) -> None:
        """Sample the orders of the other robots from the policy."""
        self._others.reset(int(word) >> 1)
        for i in range(int(view.record.num_robots)):
            robot = view.record.robots[i]
            if i != view.seat and robot.alive and not robot.down:
                others[:, i] = self._others.act(view.arena, deals, i)

    def _try(
        self, view: SeatView, known: ExpectedTurns, deals: Array, others: Array, candidates: Array, left: Array,
        ahead: int, scores: Array,
    ) -> None:  # fmt: skip
        """Add the scores of the candidates that are left, see `PlannerPlayer._try`."""
        if not _has_rivals(view):  # every position has the same value, so the fastest program is best
            super()._try(view, known, deals, others, candidates, left, ahead, scores)
            return
        ends = np.empty(len(left) * len(deals), GAME)
        log = new_log(on=False)[0]
        play_candidates(deals, others, view.table, log, view.seat, candidates, left, ends)
        distinct, which = same_games(ends, view.seat)
        self._play_on(view, distinct, ahead)
        scores[left] += self._worth(view, distinct)[which].reshape(len(left), len(deals)).sum(axis=1)

    def _further(self, view: SeatView, turns: int) -> int:
        """Return how many further turns to simulate: the most that leave enough trials, see `PlannerPlayer`."""
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

    def _worth(self, view: SeatView, games: Array) -> Array:
        """Return the expected result for the seat after a turn: float64, (n,), from 0 for the last place to 1."""
        seat = view.seat
        robots = games["robots"][:, seat]
        worth = (games["winners"] >> seat & 1).astype(np.float64)
        goes_on = np.flatnonzero((games["over"] == 0) & (robots["out"] == 0))
        if len(goes_on):
            some = take_games(games, goes_on)
            expected = leads(view.arena, some, np.ones(len(some), np.bool_))[:, seat]
            expected += self._values(view.arena, int(view.record.num_robots)).of(some, seat)
            worth[goes_on] = np.clip((1 + expected) / 2, 0, 1)
        return worth


class _Values:
    """Evaluates positions between the deal and the orders by a policy's value network."""

    def __init__(self, policy: Policy, arena: Arena, num_robots: int) -> None:
        spec = policy.spec
        self._policy = policy
        self._steps = TurnSteps(arena, layout_of(policy, "strategist", arena), spec.preview)
        assert spec.lookahead
        self._observer = ChoicesObserver(
            CHOICES, self._steps, num_robots, spec.window, spec.elements, spec.lookahead, QUICK
        )

    def of(self, games: Array, seat: int) -> Array:
        """Return the values at the choice of the first card, (n,).

        They are 0, the mean value, for robots with nothing to choose.
        """
        steps = self._steps
        steps.begin(games, np.full((len(games), 1), seat, np.int8))
        for stage in range(steps.count):
            masks = steps.masks()
            if steps.layout.components[steps.order[stage]] in REGISTERS:
                break
            steps.choose(masks.argmax(axis=-1))
        found: Array = self._policy.evaluate(self._observer.observe())[1]
        return np.where(masks.sum(axis=-1) > 1, found, 0)


def same_games(games: Array, seat: int) -> tuple[Array, Array]:
    """Merge games between the deal and the orders that differ in nothing that matters from there on.

    Args:
        games: (n,), dtype `GAME`.
        seat: The seat whose orders of the turn before do not matter.

    Returns:
        The distinct games, and for each game the index of the one that represents it, int64, (n,).
    """
    words = games.view(np.uint64).reshape(len(games), -1) & _MATTERS[seat]
    found: dict[bytes, int] = {}
    which = np.array([found.setdefault(row.tobytes(), len(found)) for row in words], np.int64)
    return take_games(games, np.unique(which, return_index=True)[1]), which


def _what_matters() -> Array:
    """Return by seat a mask of the bits of a game that can matter after a turn: uint64, (8, words).

    The other bits are scratch of that turn.
    """
    mask = np.full((MAX_ROBOTS, GAME.itemsize), 255, np.uint8)
    games = mask.view(GAME)[:, 0]
    for name in (*GameScratch.fields, *GameCaches.fields):
        games[name] = 0
    for name in RobotScratch.fields:
        games["robots"][name] = 0
    for seat in range(MAX_ROBOTS):
        games["robots"]["orders"][seat, seat] = 0
    return mask.view(np.uint64)


_MATTERS = _what_matters()


def _has_rivals(view: SeatView) -> bool:
    """Tell whether a robot of another side is left in the game."""
    return bool(rivals_left(batch_of_one(view.record), view.seat)[0])


def _check_kind(policy: Policy) -> None:
    """Raise a PolicyError if a policy does not score choices."""
    if policy.spec.network.kind != CHOICES:
        raise PolicyError(f"strategist: a network of the kind {policy.spec.network.kind}: expected {CHOICES}")


def _check_reward(policy: Policy) -> None:
    """Raise a PolicyError if the values of a policy do not predict places."""
    config = policy.spec.training.get("config", {})
    reward = config.get("environment", {}).get("reward")
    gamma = config.get("algorithm", {}).get("gamma")
    if reward != REWARD or gamma != GAMMA:
        raise PolicyError(
            f"strategist: values trained with the reward {reward} and gamma {gamma}: expected {REWARD} and {GAMMA:g}, "
            f"so that they tell places"
        )
