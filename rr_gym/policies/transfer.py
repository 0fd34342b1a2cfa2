"""Adapts a policy that scores choices to other decisions, elements and lookahead, to train it further."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from rr_gym.policies.choice_inputs import inputs, weight_shapes
from rr_gym.policies.policy import Policy
from rr_gym.policies.spec import PolicySpec

Array = np.ndarray[Any, Any]

# The tables that a layer reads, in the order of its inputs; the inputs after these are the same for all specs
_READS = {
    "features.other.0.weight": ("robots", "prospects"),
    "features.position.0.weight": ("game", "robots", "prospects"),
    "features.choice.weight": ("choices",),
}


def transfer(policy: Policy, spec: PolicySpec) -> Policy:
    """Return a copy of a policy for the decisions, elements and lookahead of another spec.

    Inputs are matched by name: those that are new have the weight 0 at first, and those that the other spec lacks are
    left out. In all other situations the copy decides as the policy does.

    Args:
        policy: A policy of the kind `choices`.
        spec: A spec with the same network and observation.
    """
    spec = replace(policy.spec, decisions=spec.decisions, elements=spec.elements, lookahead=spec.lookahead)
    shapes, weights = weight_shapes(spec), dict(policy.weights())
    before, after = inputs(policy.spec), inputs(spec)
    for layer, tables in _READS.items():
        had, has = ([(table, *one) for table in tables for one in names[table]] for names in (before, after))
        weights[layer] = _matched(weights[layer], had, has, shapes[layer])
    return Policy(spec, weights=weights)


def _matched(weights: Array, had: list[Any], has: list[Any], shape: tuple[int, ...]) -> Array:
    """Return weights, (outputs, inputs), with the named inputs reordered; the inputs after the named ones stay last."""
    moved = np.zeros(shape, weights.dtype)
    place = {name: column for column, name in enumerate(had)}
    for column, name in enumerate(has):
        if name in place:
            moved[:, column] = weights[:, place[name]]
    moved[:, len(has) :] = weights[:, len(had) :]
    return moved
