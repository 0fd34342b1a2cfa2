"""What positions between two turns are worth to a robot, as a value network predicts it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from rr_gym.choices.observers import ChoicesObserver
from rr_gym.choices.trials import QUICK
from rr_gym.encoding.act.components import REGISTERS
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.policies.array_player import ByArena
from rr_gym.policies.player import layout_of
from rr_gym.policies.policy import Policy
from rr_gym.policies.spec import CHOICES, PolicyError
from rr_gym.policies.store import PolicyLike, open_policy
from rr_gym.rewards.lead import leads
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import take_games

Array = np.ndarray[Any, Any]

# With these rewards a value is the expected reward for the place minus the lead.
REWARD = {"place": 1.0, "lead": 1.0}
GAMMA = 1.0


class PositionValues:
    """Values positions between the deal and the orders by a policy's value network.

    Args:
        policy: A policy that scores choices and was trained with the reward `REWARD` and gamma 1, or its folder. None
            values positions by the expected turns of all robots alone, without a network.
        user: The name of the caller, for error messages.

    Raises:
        PolicyError: There is no such policy, it is of another kind, or its values were trained with other rewards.
    """

    def __init__(self, policy: PolicyLike | None, user: str = "values") -> None:
        self._networks: ByArena[_Network] | None = None
        if policy is not None:
            opened = open_policy(policy)
            check_kind(opened, user)
            _check_reward(opened, user)
            self._networks = ByArena(partial(_Network, opened, user))

    def worth(self, arena: Arena, games: Array, seat: int) -> Array:
        """Return the expected result of a seat: float64, (n,), from 0 for the last place to 1, as in a won game.

        Args:
            arena: Where the games are played.
            games: (n,), dtype `GAME`, between the deal and the orders or over; all with the same number of robots.
            seat: The seat.
        """
        robots = games["robots"][:, seat]
        worth = (games["winners"] >> seat & 1).astype(np.float64)
        goes_on = np.flatnonzero((games["over"] == 0) & (robots["out"] == 0))
        if len(goes_on):
            some = take_games(games, goes_on)
            expected = leads(arena, some, np.ones(len(some), np.bool_))[:, seat]
            if self._networks:
                expected += self._networks(arena, int(some["num_robots"][0])).of(some, seat)
            worth[goes_on] = np.clip((1 + expected) / 2, 0, 1)
        return worth


class _Network:
    """The value network of a policy, for games on one arena with one number of robots."""

    def __init__(self, policy: Policy, user: str, arena: Arena, num_robots: int) -> None:
        spec = policy.spec
        self._policy = policy
        self._steps = TurnSteps(arena, layout_of(policy, user, arena), spec.preview)
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


def check_kind(policy: Policy, user: str) -> None:
    """Raise a PolicyError if a policy does not score choices."""
    if policy.spec.network.kind != CHOICES:
        raise PolicyError(f"{user}: a network of the kind {policy.spec.network.kind}: expected {CHOICES}")


def _check_reward(policy: Policy, user: str) -> None:
    """Raise a PolicyError if the values of a policy do not predict places."""
    config = policy.spec.training.get("config", {})
    reward = config.get("environment", {}).get("reward")
    gamma = config.get("algorithm", {}).get("gamma")
    if reward != REWARD or gamma != GAMMA:
        raise PolicyError(
            f"{user}: values trained with the reward {reward} and gamma {gamma}: expected {REWARD} and {GAMMA:g}, "
            "so that they predict places"
        )
