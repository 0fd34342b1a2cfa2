"""The types of Numba that rules are compiled for: read and write their names, widen them, and merge types of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

import numba
import numpy as np
from numba import types

from rr_gym.compilation.numba_internals import as_dtype
from rr_gym.compilation.records import RECORDS, STANDS_FOR

_NUMBERS = {
    "none": types.none, "bool": types.boolean,
    **{str(kind): kind for kind in (*types.signed_domain, *types.unsigned_domain, *types.real_domain)},
}  # fmt: skip
_stand_for: dict[Any, Any] = {}


def widened(kinds: Any) -> tuple[Any, ...]:
    """Return argument types with every integer type but uint64 replaced by int64.

    Fields of records have many widths; without this there would be hundreds of versions of the same few lines.
    """
    known = (types.unliteral(kind) for kind in kinds)
    return tuple(types.int64 if isinstance(k, types.Integer) and k != types.uint64 else k for k in known)


def kind_of(name: str, module: Callable[[str], Any] = import_module) -> Any:
    """Return the type of Numba with a name that `rr_gym.compilation.arguments.type_name` or `name_of` has given.

    Args:
        name: The name of the type.
        module: Returns the module of a named tuple by its name.

    Raises:
        KeyError: The name has a record that is not known.
    """
    if name.endswith(")"):
        kind, _, parts = name[:-1].partition("(")
        return _tuple_of(kind, [kind_of(part, module) for part in split_types(parts)], module)
    item, _, shape = name.removesuffix("]").partition("[")
    if not shape:
        return _NUMBERS.get(name) or numba.from_dtype(RECORDS[item])
    dtype = numba.from_dtype(RECORDS[item] if item in RECORDS else np.dtype(item))
    if shape.startswith(_WITHIN):  # a field of several items
        return types.NestedArray(dtype, tuple(map(int, shape.removeprefix(_WITHIN).split(" "))))
    return types.Array(dtype, int(shape[0]), shape[1], readonly=shape.endswith("r"))


_WITHIN = "within "


@cache
def name_of(kind: Any) -> str:
    """Return the name of a type of Numba, which `kind_of` can read.

    Raises:
        KeyError: The type has no such name.
    """
    name = _name_of(kind)
    try:
        if kind_of(name) == kind:
            return name
    except (ImportError, AttributeError, TypeError, ValueError):
        pass
    raise KeyError(name)


def _name_of(kind: Any) -> str:
    if isinstance(kind, types.BaseTuple):
        made = getattr(kind, "instance_class", None)
        name = "" if made is None else f"{made.__module__}.{made.__qualname__}"
        return f"{name}({', '.join(map(_name_of, kind.types))})"
    if isinstance(kind, types.NestedArray):
        return f"{_item_name(kind.dtype)}[{_WITHIN}{' '.join(map(str, kind.shape))}]"
    if isinstance(kind, types.Array):
        return f"{_item_name(kind.dtype)}[{kind.ndim}{kind.layout}{'' if kind.mutable else 'r'}]"
    return _record_names()[kind] if isinstance(kind, types.Record) else str(kind)


def _item_name(kind: Any) -> str:
    return _record_names()[kind] if isinstance(kind, types.Record) else as_dtype(kind).str


def records_in(kinds: Iterable[Any]) -> Iterator[str]:
    """Yield the names of the records among types of Numba, including items of arrays and tuples."""
    for kind in kinds:
        if isinstance(kind, types.Array):
            yield from records_in([kind.dtype])
        elif isinstance(kind, types.Record):
            if kind in _record_names():
                yield _record_names()[kind]
        elif isinstance(kind, types.BaseTuple):
            yield from records_in(kind.types)


def _record_names() -> dict[Any, str]:
    if len(_names) != len(RECORDS):
        _names.update({numba.from_dtype(dtype): name for name, dtype in reversed(RECORDS.items())})
    return _names


_names: dict[Any, str] = {}


def split_types(text: str) -> list[str]:
    """Split a list of type names at its commas, except those within tuples."""
    parts, depth, start = [], 0, 0
    for k, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            parts.append(text[start:k].strip())
            start = k + 1
    return [*parts, text[start:].strip()] if text else []


def _tuple_of(name: str, kinds: list[Any], module: Callable[[str], Any]) -> Any:
    if not name:
        return types.Tuple(kinds)
    home, _, qualname = name.rpartition(".")
    return types.BaseTuple.from_types(kinds, getattr(module(home), qualname))


def read_as(kind: Any) -> Any:
    """Return the type by which units know an argument: for a record, the record that stands for it if there is one."""
    return _read_as().get(kind, kind) if isinstance(kind, types.Record) else kind


def stands_for_others(kind: Any) -> bool:
    """Tell whether units use this type for arguments of several types."""
    return kind in _read_as().values()


def _read_as() -> dict[Any, Any]:
    if len(_stand_for) != len(STANDS_FOR):
        for name, other in STANDS_FOR.items():
            _stand_for[numba.from_dtype(RECORDS[name])] = numba.from_dtype(RECORDS[other])
    return _stand_for
