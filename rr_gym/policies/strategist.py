"""A planner that has learned what the others do and what a position is worth."""

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
from rr_gym.players.turn_tables import ExpectedTurns
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

Array = np.ndarray[Any, Any]

# With these rewards a value is what a place is likely to be worth, less the lead.
REWARD = {"place": 1.0, "lead": 1.0}
GAMMA = 1.0

# Trials of a candidate in a round from which on they go 0, 1, 2 turns further: the mean of so many trials errs by less
# than a value network does. A third further turn told nothing more about who wins.
_TRIALS = (0, 100, 250)


class StrategistPlayer(PlannerPlayer):
    """Searches as `PlannerPlayer` does, with what was learned in place of what that one believes.

    The others play as the policy would with the cards that they are dealt. A turn is worth what a value network says of
    the position after it, with the next hand dealt. Where the budget allows enough trials of a candidate, they go one
    or two turns further before the network is asked; in these its policy plays for everybody. Among the candidates is
    what the policy would play itself. A robot that races alone plays as `PlannerPlayer` does.

    A policy that observes trials of programs is asked with fewer of them, except for what it would play itself: it is
    asked hundreds of times a decision, and what its answers err by evens out.

    Args:
        policy: A policy that scores choices, or its folder.
        turns: Budget per decision in simulated turns, as for `PlannerPlayer`.
        milliseconds: Time budget instead, 1 or more.
        values: The policy whose values are asked, or its folder: one that scores choices and was trained with the
            reward `REWARD` and gamma 1. It is asked after each trial and plays the further turns, so it should be a
            quick one. None: the first.

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
        """Those of the planner, after what the policy would play."""
        found = super()._candidates(view, known, word)
        if not _has_rivals(view):
            return found
        own = self._own.orders(view)
        # An order without a card in an open register draws random ones: the policy always names them.
        return np.concatenate([np.array([own], found.dtype), found[found != own]]) if len(found) else found

    def _order_others(
        self, view: SeatView, known: ExpectedTurns, word: np.uint64, first: int, deals: Array, others: Array
    ) -> None:
        """What the policy draws for the others."""
        self._others.reset(int(word) >> 1)
        for i in range(int(view.record.num_robots)):
            robot = view.record.robots[i]
            if i != view.seat and robot.alive and not robot.down:
                others[:, i] = self._others.act(view.arena, deals, i)

    def _try(
        self, view: SeatView, known: ExpectedTurns, deals: Array, others: Array, candidates: Array, left: Array,
        ahead: int, scores: Array,
    ) -> None:  # fmt: skip
        """See `PlannerPlayer`."""
        if not _has_rivals(view):  # then every position is worth the same: the best program is the quickest
            super()._try(view, known, deals, others, candidates, left, ahead, scores)
            return
        ends = np.empty(len(left) * len(deals), GAME)
        log = new_log(on=False)[0]
        play_candidates(deals, others, view.table, log, view.seat, candidates, left, ends)
        distinct, which = same_games(ends, view.seat)
        self._play_on(view, distinct, ahead)
        scores[left] += self._worth(view, distinct)[which].reshape(len(left), len(deals)).sum(axis=1)

    def _further(self, view: SeatView, turns: int) -> int:
        """See `PlannerPlayer`: as far as leaves trials enough."""
        if not _has_rivals(view):
            return 0
        return max((k for k, trials in enumerate(_TRIALS) if trials * (1 + k) <= turns), default=0)

    def _play_on(self, view: SeatView, games: Array, turns: int) -> None:
        """Play games on for so many turns, in place; the policy that is asked for values decides for everybody."""
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
        """What games are worth for the seat after a turn: float64, (n,), 1 for the first place, 0 for the last."""
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
    """A policy's values of positions between the deal and the orders."""

    def __init__(self, policy: Policy, arena: Arena, num_robots: int) -> None:
        spec = policy.spec
        self._policy = policy
        self._steps = TurnSteps(arena, layout_of(policy, "strategist", arena), spec.preview)
        assert spec.lookahead
        self._observer = ChoicesObserver(
            CHOICES, self._steps, num_robots, spec.window, spec.elements, spec.lookahead, QUICK
        )

    def of(self, games: Array, seat: int) -> Array:
        """The values where the first card is chosen, (n,); 0, their mean, for robots with nothing to choose."""
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
    """Games between the deal and the orders, each once if they differ in nothing that matters from there on.

    Args:
        games: (n,), dtype `GAME`.
        seat: Whose decisions of the turn before do not matter.

    Returns:
        The games, and int64, (n,): which of them stands for each.
    """
    words = games.view(np.uint64).reshape(len(games), -1) & _MATTERS[seat]
    found: dict[bytes, int] = {}
    which = np.array([found.setdefault(row.tobytes(), len(found)) for row in words], np.int64)
    return take_games(games, np.unique(which, return_index=True)[1]), which


def _what_matters() -> Array:
    """By seat, the bits of a game that may matter after a turn: uint64, (8, words). The rest was of that turn."""
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
    """Whether anybody of another side is left."""
    return bool(rivals_left(batch_of_one(view.record), view.seat)[0])


def _check_kind(policy: Policy) -> None:
    """Raise PolicyError if a policy does not score choices."""
    if policy.spec.network.kind != CHOICES:
        raise PolicyError(f"strategist: a network of the kind {policy.spec.network.kind}: expected {CHOICES}")


def _check_reward(policy: Policy) -> None:
    """Raise PolicyError if the values of a policy do not tell places."""
    config = policy.spec.training.get("config", {})
    reward = config.get("environment", {}).get("reward")
    gamma = config.get("algorithm", {}).get("gamma")
    if reward != REWARD or gamma != GAMMA:
        raise PolicyError(
            f"strategist: values trained with the reward {reward} and gamma {gamma}: expected {REWARD} and {GAMMA:g}, "
            f"so that they tell places"
        )
