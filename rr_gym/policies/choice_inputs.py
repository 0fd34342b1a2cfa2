"""The inputs of a network that scores choices: what it reads, how numbers are scaled, and the shapes of its weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rr_gym.choices.columns import CHOICE_FEATURES, NUM_RELATIONS, own_columns
from rr_gym.encoding.act.components import KIND, OPTIONAL_COMPONENTS
from rr_gym.encoding.act.plans import FIRST_ASKED
from rr_gym.policies.inputs import Column, columns, place, scales, words
from rr_gym.policies.spec import PolicySpec

Array = np.ndarray[Any, Any]
Encoded = tuple[Array, Array, Array]  # scale factors of columns, then columns and values of one-hot numbers

CARD = 1  # value of the column `decision` when a register's card is chosen


def _decisions(spec: PolicySpec) -> list[int]:
    """Return the values that the column `decision` can take for this policy, in order."""
    return sorted({CARD, *(FIRST_ASKED + int(KIND[OPTIONAL_COMPONENTS.index(name)]) for name in spec.decisions)})


def _encoded(listed: Sequence[Column], wanted: Sequence[str], more: Sequence[tuple[int, int]] = ()) -> Encoded:
    at, values = words(listed, wanted)
    pairs = [*zip(at, values, strict=True), *more]
    return (
        scales(listed),
        np.array([column for column, _ in pairs], np.int64),
        np.array([value for _, value in pairs], np.float32),
    )


def _tables(spec: PolicySpec) -> dict[str, Sequence[Column]]:
    """Return the columns of the tables that the network reads, by table."""
    entities = columns("entities", spec.num_robots, spec.window, spec.elements)
    assert spec.lookahead
    return {"game": entities["game"], "robots": entities["robots"], **own_columns(spec.lookahead)}


def encodings(spec: PolicySpec) -> dict[str, Encoded]:
    """Return how the tables that the network reads are encoded: `game`, `robots`, `prospects` and `choices`.

    `choices` is without its relations to other robots: the network adds these up over the robots and appends the sums.
    """
    tables = _tables(spec)
    asked = [(place(CHOICE_FEATURES, "decision"), value) for value in _decisions(spec)]
    return {
        "game": _encoded(tables["game"], ["phase"]),
        "robots": _encoded(tables["robots"], ["facing", "flag"]),
        "prospects": _encoded(tables["prospects"], []),
        "choices": _encoded(tables["choices"], ["type", "facing", "choice"], asked),
    }


def inputs(spec: PolicySpec) -> dict[str, list[tuple[str, float | None]]]:
    """Name each number that `encodings` makes, by table: its column, and for a one-hot number also the value."""
    found: dict[str, list[tuple[str, float | None]]] = {}
    tables = _tables(spec)
    for table, (scale, at, values) in encodings(spec).items():
        names = [name for name, _, _ in tables[table]]
        assert len(names) == len(scale)
        found[table] = [(name, None) for name in names]
        found[table] += [(names[column], float(value)) for column, value in zip(at, values, strict=True)]
    return found


def sizes(spec: PolicySpec) -> dict[str, int]:
    """Return how many numbers each table is encoded as; `choices` includes the summed relations."""
    found = {name: len(scale) + len(at) for name, (scale, at, _) in encodings(spec).items()}
    found["choices"] += NUM_RELATIONS
    return found


def weight_shapes(spec: PolicySpec) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all weights, by name, of a network of the kind `choices`."""
    network, size = spec.network, sizes(spec)
    first, second = network.hidden
    assert network.value_hidden
    (value,) = network.value_hidden
    robot = size["robots"] + size["prospects"]
    layers = {
        "features.other.0": (robot, network.embed),
        "features.position.0": (size["game"] + robot + 2 * network.embed, network.features),
        "features.choice": (size["choices"], first),
        "features.context": (network.features, first),
        "features.last.0": (first, second),
        "features.value.0": (network.features + 2 * second, value),
        "action_net.score": (second, 1),
        "value_net": (value, 1),
    }
    shapes: dict[str, tuple[int, ...]] = {}
    for name, (inputs, outputs) in layers.items():
        shapes[f"{name}.weight"] = outputs, inputs
        if name != "features.context":  # the bias of the choice serves both
            shapes[f"{name}.bias"] = (outputs,)
    return shapes
