"""What the spaces of an environment say of its observation, which network fits it, and whether it is scaled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.encoding.act.actions import CARDS
from rr_gym.errors import short_repr
from rr_gym.policies.inputs import columns
from rr_gym.policies.scaling import scaled_tables
from rr_gym.policies.spec import KINDS, PLAIN_KINDS, SCORING_KINDS, PolicyError, PolicySpec, policy_facts

Array = np.ndarray[Any, Any]

FACTS_OF_SPACE = "rr_gym_facts"  # the attribute of a space, which its copies and pickles keep
_TABLE = "game"  # the table by whose width scaled observations are told from whole numbers
_WHOLE, _SCALED = "(observation_dtype='native' or 'float32')", "(observation_dtype='scaled')"


def described(space: spaces.Space[Any], facts: Mapping[str, Any]) -> spaces.Space[Any]:
    """Add facts to a space, as plain data that its copies keep, so that a network can be made for it; return it."""
    setattr(space, FACTS_OF_SPACE, dict(facts))
    return space


def facts_of(space: Any) -> dict[str, Any]:
    """Return the facts that `described` added to a space; none if there are none."""
    return dict(getattr(space, FACTS_OF_SPACE, {}))


def spec_of_space(observation_space: Any, action_space: Any, network: Mapping[str, Any] | None = None) -> PolicySpec:
    """Return the specification of the network for the spaces of an environment of this package.

    Args:
        observation_space: With its facts; see `described`.
        action_space: The space of the actions of a row.
        network: Sizes and kind, as in `NetworkSpec`. By default the kind is that for the observation, and where choices
            are cards of the hand, the head is ``"pointer"``.

    Raises:
        PolicyError: The spaces are not those of an environment of this package, there is no network for the
            observation, or a size is wrong.
    """
    facts = facts_of(observation_space)
    if not facts:
        raise PolicyError(
            f"observation space: {short_repr(observation_space)}: expected that of an environment of rr_gym, without a "
            "wrapper that replaces it"
        )
    facts.pop("observation_dtype", None)
    spec = _spec(facts, network)
    check_action_space(spec, action_space)
    return spec


def _spec(facts: Mapping[str, Any], network: Mapping[str, Any] | None) -> PolicySpec:
    observation, given = facts["observation"], dict(network or {})
    by_observation = {name: kind for kind, names in KINDS.items() if kind not in PLAIN_KINDS for name in names}
    if observation not in by_observation:
        expected = f"expected one that networks read: {', '.join(by_observation)}"
        raise PolicyError(f"observation: {short_repr(observation)}: {expected}")
    given.setdefault("kind", by_observation[observation])
    if given["kind"] not in (*SCORING_KINDS, *PLAIN_KINDS) and facts["action"] != "draw":
        given.setdefault("head", "pointer")
    return PolicySpec.from_json({**facts, "network": given})


def spec_of_environment(env: Any, network: Mapping[str, Any] | None = None) -> tuple[PolicySpec, Any, Array | None]:
    """Return the specification of the network for an environment, the space of a row, and the boards if it needs them.

    Raises:
        PolicyError: It is not an environment of this package, or as for `spec_of_space`.
    """
    core = getattr(getattr(env, "unwrapped", env), "core", None)
    if core is None or not hasattr(core, "observer"):
        raise PolicyError(f"env: {short_repr(env)}: expected an environment of rr_gym")
    spec = _spec(policy_facts(core), network)
    space = core.single_observation_space()
    needs_boards = isinstance(space, spaces.Dict) and "board" in space.spaces and "planes" not in space.spaces
    return spec, space, core.observer.boards if needs_boards else None


def check_action_space(spec: PolicySpec, space: Any) -> None:
    """Raise a PolicyError if the actions of a spec are not those of a space."""
    if isinstance(space, spaces.Discrete):
        found: tuple[int, ...] = (int(space.n),)
    elif isinstance(space, spaces.MultiDiscrete) and len(set(space.nvec.tolist())) == 1:
        found = (len(space.nvec), int(space.nvec[0]))
    else:
        found = ()
    if found != spec.mask_shape:
        kind = "Discrete" if spec.action == CARDS else "MultiDiscrete"
        raise PolicyError(
            f"action space: {space}: expected {kind} with masks of shape {spec.mask_shape}, for the action "
            f"'{spec.action}' with the decisions {list(spec.decisions)}"
        )


class Width:
    """The width of an observation, or of its table `game`, by which scaled ones are told from whole numbers.

    Args:
        spec: What is observed.

    Attributes:
        whole: How many whole numbers there are.
        scaled: How many they become.
    """

    def __init__(self, spec: PolicySpec) -> None:
        listed = columns(spec.observation, spec.num_robots, spec.window, spec.elements, spec.lookahead)
        self._table = "" if "" in listed else _TABLE
        self._axis = -3 if spec.observation == "planes" else -1
        self._observation = spec.observation
        self.whole, self.scaled = len(listed[self._table]), len(scaled_tables(spec.to_json())[self._table].names)

    def of(self, observation: Any) -> int:
        """Return the width of an array, a tensor or a space, or of the table of a mapping; 0 if there is none."""
        table = observation
        if self._table:
            tables = getattr(observation, "spaces", observation)
            table = tables.get(self._table) if isinstance(tables, Mapping) else None
        shape = getattr(table, "shape", None) or ()
        return int(shape[self._axis]) if len(shape) >= -self._axis else 0

    def check(self, observation: Any, scaled: bool) -> None:
        """Raise a PolicyError unless an observation is scaled, or is not."""
        found, expected = self.of(observation), self.scaled if scaled else self.whole
        if found != expected:
            raise self.error("observation", found, f"{expected} {_SCALED if scaled else _WHOLE}")

    def error(self, what: str, found: int, expected: str) -> PolicyError:
        """Return the error for an observation, or its space, of a wrong width."""
        table = f"{self._table}: " if self._table else ""
        is_other = {self.whole: f" {_WHOLE}", self.scaled: f" {_SCALED}"}.get(found, "")
        return PolicyError(
            f"{what}: {table}{found} numbers{is_other}: expected {expected}, for the observation '{self._observation}'"
        )


def is_scaled(spec: PolicySpec, space: Any) -> bool:
    """Tell whether the observations of a space are scaled.

    Raises:
        PolicyError: They are neither whole numbers as the spec's network reads them, nor these scaled.
    """
    width = Width(spec)
    found = width.of(space)
    if found not in (width.whole, width.scaled):
        expected = f"{width.whole} {_WHOLE} or {width.scaled} {_SCALED}"
        raise width.error("observation space", found, expected)
    return found == width.scaled
