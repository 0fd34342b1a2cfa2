"""Fields of records as plain numbers and truth values."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any


def plain_fields(record: Any, like: type[Any]) -> dict[str, Any]:
    """Return the fields of a record that a dataclass has by the same name, as whole numbers or truth values.

    Args:
        record: One element of a structured array.
        like: The dataclass; only its fields annotated as `int` or `bool` are returned, each of that type.
    """
    return {name: kind(record[name]) for name, kind in _shared(like, record.dtype.names)}  # type: ignore[arg-type]


@cache
def _shared(like: type[Any], names: tuple[str, ...]) -> list[tuple[str, type[int]]]:
    kinds = {"int": int, "bool": bool}  # annotations are strings
    return [(field.name, kinds[field.type]) for field in fields(like) if field.name in names and field.type in kinds]
