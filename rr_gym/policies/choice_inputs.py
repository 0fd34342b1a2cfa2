"""What a network that scores choices reads: which numbers, how they are scaled, and the shapes of its weights."""

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
Encoded = tuple[Array, Array, Array]  # factors of columns; columns and values of one-hot numbers after them

CARD = 1  # `decision` where a register's card is chosen


def _decisions(spec: PolicySpec) -> list[int]:
    """The values of `decision` that the policy is asked."""
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
    """The columns of the tables that the network reads."""
    entities = columns("entities", spec.num_robots, spec.window, spec.elements)
    assert spec.lookahead
    return {"game": entities["game"], "robots": entities["robots"], **own_columns(spec.lookahead)}


def encodings(spec: PolicySpec) -> dict[str, Encoded]:
    """How the tables of `choices` that the network reads become numbers: `game`, `robots`, `prospects`, `choices`.

    Of `choices` without the relations to others, which are summed up over them and follow.
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
    """What each number is that `encodings` makes, by table: a column, and for one-hot numbers the value."""
    found: dict[str, list[tuple[str, float | None]]] = {}
    tables = _tables(spec)
    for table, (scale, at, values) in encodings(spec).items():
        names = [name for name, _, _ in tables[table]]
        assert len(names) == len(scale)
        found[table] = [(name, None) for name in names]
        found[table] += [(names[column], float(value)) for column, value in zip(at, values, strict=True)]
    return found


def sizes(spec: PolicySpec) -> dict[str, int]:
    """The numbers that each table becomes, those of relations among those of `choices`."""
    found = {name: len(scale) + len(at) for name, (scale, at, _) in encodings(spec).items()}
    found["choices"] += NUM_RELATIONS
    return found


def weight_shapes(spec: PolicySpec) -> dict[str, tuple[int, ...]]:
    """The shapes of all weights by their names in a network of the kind `choices`."""
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
        if name != "features.context":  # that of the choice is enough
            shapes[f"{name}.bias"] = (outputs,)
    return shapes
