"""Declare records: structured NumPy types written as classes with a line for each field.

    class Robot(Record):
        square: i2  # where it stands, -1 off the board
        registers: Array[i1] = shape(NUM_REGISTERS)

    ROBOT = Robot.dtype

Rules annotate their arguments with the class, so that type checkers know every field; at run time they get scalars of
the type `dtype`, which is built on `np.record`: fields are attributes in compiled and in interpreted code.

A record may be composed of sections, its base classes: `class Game(GameState, GameScratch)` has the fields of both, in
that order. Gaps that alignment leaves between fields are fields too, `padding_4` for the one at byte 4, and always
zero: so equal records have equal bytes, and NumPy functions that rebuild the type keep its layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from inspect import get_annotations
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, TypeAlias, TypeVar, get_args, get_origin, overload

import numpy as np

from rr_gym.compilation.settings import COMPILED

i1: TypeAlias = Annotated[int, "i1"]
i2: TypeAlias = Annotated[int, "i2"]
i4: TypeAlias = Annotated[int, "i4"]
i8: TypeAlias = Annotated[int, "i8"]
u1: TypeAlias = Annotated[int, "u1"]
u2: TypeAlias = Annotated[int, "u2"]
u4: TypeAlias = Annotated[int, "u4"]
u8: TypeAlias = Annotated[Any, "u8"]  # rules mix it with np.uint64, so only its name is checked
f8: TypeAlias = Annotated[float, "f8"]

Item = TypeVar("Item")
RECORDS: dict[str, np.dtype[Any]] = {}  # the types of all records by the names of their classes
STANDS_FOR: dict[str, str] = {}  # records that compiled code reads as if they were another, by name (`stand_for`)
PADDING = "padding_"


if TYPE_CHECKING:

    class Array(np.ndarray[Any, Any], Generic[Item]):
        """A field of several items: an ndarray of which type checkers know what its items are."""

        @overload  # type: ignore[override]
        def __getitem__(self, place: int | np.integer[Any]) -> Item: ...

        @overload
        def __getitem__(self, place: Any) -> Any: ...

        def __getitem__(self, place: Any) -> Any: ...

        def __iter__(self) -> Iterator[Item]: ...  # type: ignore[override]

else:

    class Array(Generic[Item]):
        """A field of several items. At run time it only declares; the field is an ndarray of its `shape`."""


def shape(*lengths: int) -> Any:
    """Return the lengths of a field of several items.

    A field with a number for each of five registers is `registers: Array[i1] = shape(5)`.
    """
    return lengths


class InterpretedRecord(np.record):  # type: ignore[misc]  # NumPy says that it is final, but it is not
    """Scalars of records for interpreted rules: those of NumPy, with a faster look-up of fields.

    Fields that are records have this type too, so that they need not be converted.
    """

    __getattribute__ = np.void.__getattribute__

    def __getattr__(self, name: str) -> Any:
        """Return a field that has no property of its own; other attributes are found before this is called."""
        try:
            return np.void.__getitem__(self, name)
        except ValueError:
            raise AttributeError(f"a record has no field {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field."""
        try:
            np.void.__setitem__(self, name, value)
        except ValueError:
            raise AttributeError(f"a record has no field {name!r}") from None

    __getitem__ = np.void.__getitem__  # type: ignore[assignment]


def _known(names: Iterable[str]) -> type[InterpretedRecord]:
    """Return the scalar type of interpreted records, after giving it a fast property for each of these fields."""
    for name in names:
        if not hasattr(InterpretedRecord, name):
            setattr(InterpretedRecord, name, property(itemgetter(name)))
    return InterpretedRecord


class Record:
    """The base class of record declarations. `dtype` is its NumPy type, `fields` names its fields without `padding`."""

    dtype: ClassVar[np.dtype[Any]]
    fields: ClassVar[tuple[str, ...]]

    if TYPE_CHECKING:  # NumPy's records allow this too; type checkers do not check the name

        def __getitem__(self, name: str) -> Any: ...

        def __setitem__(self, name: str, value: Any) -> None: ...

    def __init_subclass__(cls) -> None:
        declared = list(_declared(cls))
        cls.dtype = record(declared)
        RECORDS.setdefault(cls.__name__, cls.dtype)
        cls.fields = tuple(name for name, *_ in declared)


def _declared(cls: type[Record]) -> Iterator[tuple[Any, ...]]:
    """Yield the fields of a class: those of its sections, then its own."""
    for section in cls.__bases__:
        if section is not Record and issubclass(section, Record):
            yield from _declared(section)
    annotations: dict[str, Any] = get_annotations(cls, eval_str=True)
    for name, kind in annotations.items():
        origin: Any = get_origin(kind)
        if origin is ClassVar:
            continue
        if origin is Array:
            (item,) = get_args(kind)
            yield name, _type(item), cls.__dict__[name]
        else:
            yield name, _type(kind)


def _type(kind: Any) -> Any:
    """Return the NumPy type of an annotation, which is a record or one of `i1` to `f8`."""
    return kind.dtype if isinstance(kind, type) and issubclass(kind, Record) else kind.__metadata__[0]


def _alignment(dtype: np.dtype[Any]) -> int:
    """Return the alignment that a field needs; NumPy forgets it for record types, so their fields are searched."""
    base = dtype.base
    return max(_alignment(field[0]) for field in base.fields.values()) if base.fields else base.alignment


def record(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """Return an aligned structured type whose scalars have fields as attributes, and whose gaps are fields."""
    names: list[str] = []
    formats: list[np.dtype[Any]] = []
    end, widest = 0, 1

    def pad(alignment: int) -> None:
        nonlocal end
        if gap := -end % alignment:
            names.append(f"{PADDING}{end}")
            formats.append(np.dtype(("u1", (gap,))))
            end += gap

    for field in fields:
        dtype = np.dtype(field[1:] if len(field) == 3 else field[1])
        alignment = _alignment(dtype)
        widest = max(widest, alignment)
        pad(alignment)
        names.append(field[0])
        formats.append(dtype)
        end += dtype.itemsize
    pad(widest)
    layout: Any = {"names": names, "formats": formats}
    return np.dtype((np.record if COMPILED else _known(names), np.dtype(layout, align=True)))


def stand_for(record: type[Record], *others: type[Record]) -> None:
    """Have compiled code read other records as if they were this one, so that rules are translated once for all.

    Raises:
        TypeError: A field that both have lies elsewhere in the other, or has items of another type.
    """
    fields: Any = record.dtype.fields
    for other in others:
        for name, (kind, place, *_) in (other.dtype.fields or {}).items():
            mine, there, *_ = fields.get(name, (kind, place))
            if (mine.base, there) != (kind.base, place) or mine.ndim != kind.ndim or mine.shape[1:] != kind.shape[1:]:
                raise TypeError(f"{other.__name__}.{name}: expected it as {record.__name__} has it")
        STANDS_FOR[other.__name__] = record.__name__
