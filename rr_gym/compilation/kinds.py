"""The types that rules are compiled for: by name, widened, and what stands for them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numba
import numpy as np
from numba import types

from rr_gym.records import RECORDS, STANDS_FOR

_NUMBERS = {"bool": types.boolean, "int64": types.int64, "uint64": types.uint64, "float64": types.float64}
_stand_for: dict[Any, Any] = {}


def widened(kinds: Any) -> tuple[Any, ...]:
    """The argument types with every integer type but uint64 replaced by int64, so that a rule has one form for all.

    Fields of records come in many widths: there would be hundreds of forms of the same few lines.
    """
    known = (types.unliteral(kind) for kind in kinds)
    return tuple(types.int64 if isinstance(k, types.Integer) and k != types.uint64 else k for k in known)


def kind_of(name: str) -> Any:
    """The type of Numba for the name of a type (`rr_gym.compilation.arguments.type_name`).

    Raises:
        KeyError: A record that is not known.
    """
    if name.endswith(")"):
        kind, _, parts = name[:-1].partition("(")
        return _tuple_of(kind, [kind_of(part) for part in split_types(parts)])
    item, _, shape = name.removesuffix("]").partition("[")
    if not shape:
        return _NUMBERS.get(name) or numba.from_dtype(RECORDS[item])
    dtype = RECORDS[item] if item in RECORDS else np.dtype(item)
    return types.Array(numba.from_dtype(dtype), int(shape[0]), shape[1], readonly=shape.endswith("r"))


def split_types(text: str) -> list[str]:
    """The names of types in a list of them, some of which may be tuples."""
    parts, depth, start = [], 0, 0
    for k, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            parts.append(text[start:k].strip())
            start = k + 1
    return [*parts, text[start:].strip()] if text else []


def _tuple_of(name: str, kinds: list[Any]) -> Any:
    if not name:
        return types.Tuple(kinds)
    module, _, qualname = name.rpartition(".")
    return types.BaseTuple.from_types(kinds, getattr(import_module(module), qualname))


def read_as(kind: Any) -> Any:
    """The type that units know an argument by: that which stands for it, if it is a record that has one."""
    return _read_as().get(kind, kind) if isinstance(kind, types.Record) else kind


def stands_for_others(kind: Any) -> bool:
    """Whether units know arguments of several types by this one."""
    return kind in _read_as().values()


def _read_as() -> dict[Any, Any]:
    if len(_stand_for) != len(STANDS_FOR):
        for name, other in STANDS_FOR.items():
            _stand_for[numba.from_dtype(RECORDS[name])] = numba.from_dtype(RECORDS[other])
    return _stand_for
