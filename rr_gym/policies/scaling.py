"""Observations as networks want them: numbers scaled to about [-1, 1] by known bounds, and categories one-hot.

A scaled table has, in this order, every column of the table of whole numbers times its scale, clipped at ±`LIMIT`; a 0
or 1 for every value of each categorical column; and, where the table has the offset to the next flag, its direction:
two signs and a nearness. The networks of `rr_gym.policies` compute the same numbers when they get whole ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rr_gym.choices.columns import LEGAL, RELATION_SCALES
from rr_gym.policies.choice_inputs import Encoded, encodings
from rr_gym.policies.inputs import LIMIT, Column, columns, scales, words
from rr_gym.policies.spec import CHOICES, NetworkSpec, PolicySpec
from rr_gym.rules.state.constants import HAND_SLOTS, NUM_REGISTERS

Array = np.ndarray[Any, Any]

NATIVE, FLOAT32, SCALED = OBSERVATION_DTYPES = "native", "float32", "scaled"  # the values of `observation_dtype`
NEXT_FLAG = ("next_flag_forward", "next_flag_right")
DIRECTION = ("next_flag_sign_forward", "next_flag_sign_right", "next_flag_nearness")


def decision_words(listed: Sequence[Column]) -> list[str]:
    """Return the names of the columns that tell which decision is asked for; none if the observation lacks them."""
    return [name for name, _, _ in listed if name in ("decision", "decision_register")]


def card_words(last: str) -> list[str]:
    """Return the names of the columns of a hand in one row of numbers that end with a word, slot by slot."""
    return [f"hand_{slot}_{last}" for slot in range(HAND_SLOTS)]


def flat_categories(listed: Sequence[Column], num_robots: int) -> list[str]:
    """Return the names of the categorical columns of `flat`."""
    return [
        *card_words("type"),
        *(f"robot_0_locked_{r + 1}_type" for r in range(NUM_REGISTERS)),
        *(f"robot_{k}_facing" for k in range(1, num_robots)),
        "robot_0_flag",
        "phase",
        *decision_words(listed),
    ]


def planes_categories(listed: Sequence[Column]) -> list[str]:
    """Return the names of the categorical columns of `planes`."""
    return [*(name for name, _, _ in listed if name.endswith("_type")), *decision_words(listed)]


def table_categories(table: str, listed: Sequence[Column]) -> list[str]:
    """Return the names of the categorical columns of a table of `entities`."""
    return {
        "game": ["phase", *decision_words(listed)],
        "robots": ["facing", "flag", *(f"locked_{r + 1}_type" for r in range(NUM_REGISTERS))],
        "cards": ["type"],
        "devices": ["kind", "owner"],
    }.get(table, [])


@dataclass(frozen=True, slots=True)
class ScaledTable:
    """How a table of whole numbers is scaled.

    Attributes:
        names: The names of the numbers that it becomes; those of categories end with ``=VALUE``.
        scale: Factors of all columns, float32.
        word_columns: The column of each one-hot number.
        word_values: The value of the column for which each one-hot number is 1.
        flag: The two columns of the offset to the next flag, where its direction is appended; else empty.
        axis: The axis of the columns: -1, or -3 for `planes`.
        of_choices: Whether a row is a choice, and all zeros if it is illegal.
    """

    names: tuple[str, ...]
    scale: Array
    word_columns: Array
    word_values: Array
    flag: tuple[int, ...] = ()
    axis: int = -1
    of_choices: bool = False

    def shape(self, native: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape for a table of whole numbers of a shape."""
        at = len(native) + self.axis
        return (*native[:at], len(self.names), *native[at + 1 :])

    def bounds(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Return the lowest and the highest scaled numbers, from those of the whole ones."""
        found = []
        for bound, sign, word in ((low, -1, 0), (high, 1, 1)):
            numbers = np.full(self.shape(bound.shape), word, np.float32)
            last = np.moveaxis(numbers, self.axis, -1)
            last[..., : len(self.scale)] = self._scaled(np.moveaxis(bound, self.axis, -1))
            if self.flag:
                last[..., -3:-1] = sign
            found.append(numbers)
        return found[0], found[1]

    def write(self, native: Array, out: Array) -> None:
        """Write the scaled numbers of a table of whole ones."""
        native, out = np.moveaxis(native, self.axis, -1), np.moveaxis(out, self.axis, -1)
        count, categories = len(self.scale), len(self.word_values)
        scaled = out[..., :count]
        np.multiply(native, self.scale, out=scaled)
        np.clip(scaled, -LIMIT, LIMIT, out=scaled)
        chosen = native[..., self.word_columns]
        np.equal(chosen, self.word_values, out=out[..., count : count + categories], casting="unsafe")
        if self.flag:
            offset = native[..., list(self.flag)]
            np.sign(offset, out=out[..., -3:-1], casting="unsafe")
            out[..., -1] = 1 / (1 + np.abs(offset.astype(np.float32)).sum(-1))
        if self.of_choices:
            out *= native[..., LEGAL, None] > 0

    def _scaled(self, numbers: Array) -> Array:
        return np.asarray(np.clip(numbers * self.scale, -LIMIT, LIMIT))


def scaled_tables(facts: Mapping[str, Any]) -> dict[str, ScaledTable]:
    """Return how the tables of an observation are scaled, by name; one without tables has one, named ``""``.

    There is always `planes` for a board, and never `board`, since that is an index into boards that lie elsewhere.

    Args:
        facts: From `rr_gym.policies.spec.policy_facts`.
    """
    observation = str(facts["observation"])
    own = observation.removesuffix(f"+{CHOICES}")
    listed = columns(own, facts["num_robots"], facts["window"], tuple(facts["elements"]), facts["lookahead"])
    tables: dict[str, ScaledTable] = {}
    if own == "flat":
        tables[own] = _table(listed[""], flat_categories(listed[""], facts["num_robots"]))
    elif own == "planes":
        tables[own] = _table(listed[""], planes_categories(listed[""]), axis=-3)
    else:
        tables = {name: _table(of_one, table_categories(name, of_one)) for name, of_one in listed.items()}
    if observation.endswith(CHOICES):
        return tables | _choice_tables(facts, own)
    return {"": tables[own]} if own in tables else tables


def _choice_tables(facts: Mapping[str, Any], own: str) -> dict[str, ScaledTable]:
    """Return the tables of choices; with the observation `choices` also the others that its network encodes."""
    spec = PolicySpec.from_json({**facts, "observation": CHOICES, "network": NetworkSpec(CHOICES)})
    listed = columns(CHOICES, spec.num_robots, spec.window, spec.elements, spec.lookahead)
    encoded = encodings(spec)
    scale, at, values = encoded["choices"]
    scale = np.concatenate([scale, np.tile(RELATION_SCALES, spec.num_robots - 1)])
    encoded["choices"] = scale, at, values
    wanted = encoded if own == CHOICES else {name: encoded[name] for name in ("choices", "prospects")}
    return {name: _encoded_table(listed[name], one, of_choices=name == "choices") for name, one in wanted.items()}


def _table(listed: Sequence[Column], wanted: Sequence[str], axis: int = -1) -> ScaledTable:
    at, values = words(listed, wanted)
    return _encoded_table(listed, (scales(listed), np.array(at, np.int64), np.array(values, np.float32)), axis)


def _encoded_table(listed: Sequence[Column], encoded: Encoded, axis: int = -1, of_choices: bool = False) -> ScaledTable:
    names = [name for name, _, _ in listed]
    scale, at, values = encoded
    flag = tuple(names.index(name) for name in NEXT_FLAG) if axis == -1 and NEXT_FLAG[0] in names else ()
    one_hot = [f"{names[column]}={value:g}" for column, value in zip(at, values, strict=True)]
    return ScaledTable((*names, *one_hot, *(DIRECTION if flag else ())), scale, at, values, flag, axis, of_choices)
