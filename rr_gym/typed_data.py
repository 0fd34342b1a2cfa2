"""Convert plain data from YAML, JSON or a caller to typed objects with msgspec, and write readable errors.

Errors describe the expected type with its bounds, or use the `title` of its `msgspec.Meta`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import inspect, structs

from rr_gym.errors import RoboRallyError, did_you_mean, short_repr

FINITE = sys.float_info.max  # the upper bound of numbers that must be finite, but have no other bound
_MOST_WORDS = 10  # the most allowed words that an error lists beside a suggestion

Path = tuple[Any, ...]  # the keys and indices that lead to a value
Where = str | Callable[[Path], str]
Kind = TypeVar("Kind")


def typed(data: Any, kind: type[Kind] | Any, where: Where, error: type[RoboRallyError] = RoboRallyError) -> Kind:
    """Convert plain data to a type.

    Args:
        data: Mappings, lists, tuples and scalars.
        kind: A type that msgspec can convert to, or a class whose method `read` creates an object from a value.
        where: See `at`.
        error: The class of error to raise.

    Raises:
        RoboRallyError: The data do not fit, of the class `error`; the message names
                place, key, value and what was expected.
    """
    try:
        converted: Kind = _convert(data, kind)
    except msgspec.ValidationError as failure:
        path, problem = _innermost(data, kind, failure)
        raise error(f"{at(where, path)}: {problem}") from None
    return converted


def among(words: Iterable[str]) -> msgspec.Meta:
    """Return the annotation of a string that must be one of `words`, for words that are computed at run time.

    Do not use it in a union with lists or mappings, which crashes msgspec 0.22.
    """
    words = list(words)
    return msgspec.Meta(pattern=rf"^({'|'.join(map(re.escape, words))})(?!.|\n)", extra_json_schema={"enum": words})


def check_fields(record: msgspec.Struct, error: type[RoboRallyError]) -> None:
    """Convert and check all fields of a record that was created in Python, which msgspec itself does not check.

    Raises:
        RoboRallyError: A field does not fit, of the class `error`.
    """
    for field in structs.fields(record):
        value = typed(getattr(record, field.name), field.type, field.name, error)
        structs.force_setattr(record, field.name, value)


def at(where: Where, path: Path) -> str:
    """Return the place of a value for error messages, such as ``a.yaml:3: network.hidden[1]``.

    Args:
        where: The place of all the data, or a function that returns the file and line of the value at a path.
        path: The keys and indices that lead to the value.
    """
    place = where if isinstance(where, str) else where(path)
    key = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")
    return ": ".join(filter(None, (place, key)))


def plain(value: Any) -> Any:
    """Convert records, mappings and tuples into dicts and lists; fields that are not set are left out."""
    if isinstance(value, msgspec.Struct):
        value = structs.asdict(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items() if item is not msgspec.UNSET}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def _convert(data: Any, kind: Any) -> Any:
    return msgspec.convert(data, kind, dec_hook=lambda custom, value: custom.read(value))


def _innermost(data: Any, kind: Any, failure: Exception) -> tuple[Path, str]:
    """Return the path of the innermost value that does not fit, and what is wrong with it."""
    for key, value, inner in _parts(data, kind):
        try:
            _convert(value, inner)
        except msgspec.ValidationError as deeper:
            path, problem = _innermost(value, inner, deeper)
            return (key, *path), problem
    record = next(filter(_is_record, _alternatives(kind)), None)
    if record is not None and isinstance(data, Mapping):
        known = record.__struct_fields__
        for key in data if record.__struct_config__.forbid_unknown_fields else ():
            if key not in known:
                return (key,), f"unknown key: {did_you_mean(key, known) or 'expected ' + ', '.join(known)}"
        missing = [field.name for field in structs.fields(record) if field.required and field.name not in data]
        return (), f"missing: {', '.join(missing)}" if missing else str(failure.__cause__ or failure)
    info = inspect.type_info(kind)
    words = _words_of(info)
    hint = did_you_mean(data, words)
    expected = "" if hint and len(words) > _MOST_WORDS else f"expected {_expected(info)}"
    return (), f"{short_repr(data)}: {'; '.join(filter(None, (expected, hint)))}"


def _alternatives(kind: Any) -> Iterator[Any]:
    """Yield the types of a union, or the type itself if it is not a union, without annotations."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) in (Union, UnionType):
        for one in get_args(kind):
            yield from _alternatives(one)
    else:
        yield kind


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _parts(data: Any, kind: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the key, value and type of each part of a record, mapping or list."""
    for one in _alternatives(kind):
        origin, inner = get_origin(one), get_args(one)
        if isinstance(data, Mapping) and _is_record(one):
            types = {field.name: field.type for field in structs.fields(one)}
            yield from ((key, value, types[key]) for key, value in data.items() if key in types)
        elif isinstance(data, Mapping) and origin is dict:
            yield from ((key, value, inner[1]) for key, value in data.items())
        elif isinstance(data, list | tuple) and origin in (list, tuple):
            yield from ((i, value, inner[0]) for i, value in enumerate(data))


def _words_of(kind: inspect.Type) -> list[str]:
    """List the words that a type allows, if it allows only some."""
    match kind:
        case inspect.Metadata(extra_json_schema={"enum": words}) | inspect.LiteralType(values=words):
            return [*map(str, words)]
        case inspect.Metadata():
            return _words_of(kind.type)
        case inspect.UnionType():
            return [word for one in kind.types for word in _words_of(one)]
    return []


def _expected(kind: inspect.Type) -> str:
    """Say in words what a type allows."""
    match kind:
        case inspect.Metadata(extra_json_schema={"title": str(title)}):
            return title
        case inspect.Metadata(extra_json_schema={"enum": words}) | inspect.LiteralType(values=words):
            return " | ".join(map(str, words))
        case inspect.Metadata():
            return _expected(kind.type)
        case inspect.UnionType():
            return ", or ".join(map(_expected, sorted(kind.types, key=lambda one: isinstance(one, inspect.NoneType))))
        case inspect.IntType(ge=int(low), le=int(high)):
            return f"a whole number from {low} to {high}"
        case inspect.IntType():
            return "a whole number" if kind.ge is None else f"a whole number of at least {kind.ge}"
        case inspect.FloatType():
            bounds = (("more than", kind.gt), ("at least", kind.ge), ("at most", kind.le))
            said = [f"{word} {bound:g}" for word, bound in bounds if bound is not None and bound < FINITE]
            return "a number" + (f" of {' and '.join(said)}" if said else "")
        case inspect.StructType():
            return f"keys with values: {', '.join(field.name for field in kind.fields)}"
    return _PLAIN.get(type(kind), "another value")


_PLAIN = {
    inspect.BoolType: "true or false",
    inspect.StrType: "text",
    inspect.NoneType: "null",
    inspect.VarTupleType: "a list",
    inspect.ListType: "a list",
    inspect.DictType: "keys with values",
}
