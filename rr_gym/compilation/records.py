"""Records: structured NumPy types declared as classes with a line for each field.

    class Robot(Record):
        square: i2  # where it stands, -1 off the board
        registers: Array[i1] = shape(NUM_REGISTERS)

    ROBOT = Robot.dtype

Rules annotate their arguments with the class, so that type checkers know every field; at run time they get scalars of
the type `dtype`, which is built on `np.record`: fields are attributes in compiled and in interpreted code.

A record may be put together of sections, its base classes: `class Game(GameState, GameScratch)` has the fields of both,
in that order. Gaps that alignment leaves between fields are fields too, `padding_4` for the one at byte 4, always
zero: raw bytes of equal records are equal, and NumPy functions that build the type anew keep its layout.
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
    """The lengths of a field of several items.

    Of five registers: `registers: Array[i1] = shape(5)`.
    """
    return lengths


class InterpretedRecord(np.record):  # type: ignore[misc]  # NumPy says that it is final, but it is not
    """The scalars of records where rules are interpreted: those of NumPy, whose fields are found in less time.

    Fields that are records have this type too, so that they need not be made records first.
    """

    __getattribute__ = np.void.__getattribute__

    def __getattr__(self, name: str) -> Any:
        """A field, which no other attribute has the name of."""
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
    """The scalars of interpreted records, with fields that are found without a call of Python."""
    for name in names:
        if not hasattr(InterpretedRecord, name):
            setattr(InterpretedRecord, name, property(itemgetter(name)))
    return InterpretedRecord


class Record:
    """What declares a record. `dtype` is its NumPy type, `fields` the names of its fields, `padding` left out."""

    dtype: ClassVar[np.dtype[Any]]
    fields: ClassVar[tuple[str, ...]]

    if TYPE_CHECKING:  # what records of NumPy can do besides; a field is named there without a check

        def __getitem__(self, name: str) -> Any: ...

        def __setitem__(self, name: str, value: Any) -> None: ...

    def __init_subclass__(cls) -> None:
        declared = list(_declared(cls))
        cls.dtype = record(declared)
        RECORDS.setdefault(cls.__name__, cls.dtype)
        cls.fields = tuple(name for name, *_ in declared)


def _declared(cls: type[Record]) -> Iterator[tuple[Any, ...]]:
    """The fields of a class: those of its sections, then its own."""
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
    """The NumPy type of an annotation: that of a record, or of `i1` to `f8`."""
    return kind.dtype if isinstance(kind, type) and issubclass(kind, Record) else kind.__metadata__[0]


def _alignment(dtype: np.dtype[Any]) -> int:
    """The alignment a field needs. NumPy forgets that of record types, so theirs is found field by field."""
    base = dtype.base
    return max(_alignment(field[0]) for field in base.fields.values()) if base.fields else base.alignment


def record(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """An aligned structured type whose scalars give their fields as attributes, with its gaps as fields."""
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
    """Have compiled code read other records as if they were this one, so that it is translated once for all.

    Raises:
        TypeError: A field that both have stands elsewhere, or has items of another type.
    """
    fields: Any = record.dtype.fields
    for other in others:
        for name, (kind, place, *_) in (other.dtype.fields or {}).items():
            mine, there, *_ = fields.get(name, (kind, place))
            if (mine.base, there) != (kind.base, place) or mine.ndim != kind.ndim or mine.shape[1:] != kind.shape[1:]:
                raise TypeError(f"{other.__name__}.{name}: expected it as {record.__name__} has it")
        STANDS_FOR[other.__name__] = record.__name__
