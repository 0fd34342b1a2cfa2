"""Conversion of plain data to typed objects: errors name the innermost value that does not fit."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct

from rr_gym.errors import RoboRallyError
from rr_gym.typed_data import among, check_fields, plain, typed

WORDS = [f"word_{i}" for i in range(20)]


class Part(Struct, frozen=True):
    """A record that allows unknown keys."""

    word: Annotated[str, among(WORDS)] = "word_0"
    size: Annotated[int, Meta(ge=1)] | None = None

    def __post_init__(self) -> None:
        if self.size == 13:
            raise ValueError("size: 13: expected a number that is not 13")


class Whole(Struct, frozen=True, forbid_unknown_fields=True):
    """A record with a list and a mapping of parts."""

    name: str
    parts: tuple[Part, ...] | dict[str, Part] = ()
    scale: Annotated[float, Meta(gt=0, le=1)] = 1.0


class Even(int):
    """A number that is converted by its own method `read`."""

    @classmethod
    def read(cls, value: Any) -> Even:
        """Return an even number; raise ValueError for anything else."""
        if value % 2:
            raise ValueError(value)
        return cls(value)


def test_what_fits_is_converted() -> None:
    read: Whole = typed({"name": "a", "parts": [{"word": "word_3", "more": 1}], "scale": 1}, Whole, "x")
    assert read == Whole("a", (Part("word_3"),), 1.0)
    assert plain(read) == {"name": "a", "parts": [{"word": "word_3", "size": None}], "scale": 1.0}
    assert typed({"a": 4}, dict[str, Even], "x") == {"a": 4}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "[]: expected keys with values: name, parts, scale"),
        ({}, "missing: name"),
        ({"nam": "a"}, "nam: unknown key: did you mean 'name'?"),
        ({"zebra": "a"}, "zebra: unknown key: expected name, parts, scale"),
        ({"name": 1}, "name: 1: expected text"),
        ({"name": "a", "scale": 2}, "scale: 2: expected a number of more than 0 and at most 1"),
        ({"name": "a", "scale": True}, "scale: True: expected a number of more than 0 and at most 1"),
        ({"name": "a", "parts": 3}, "parts: 3: expected a list, or keys with values"),
        ({"name": "a", "parts": [{}, {"size": 0}]}, "parts[1].size: 0: expected a whole number of at least 1, or null"),
        ({"name": "a", "parts": {"b": {"size": 13}}}, "parts.b: size: 13: expected a number that is not 13"),
        ({"name": "a", "parts": {"b": {"word": "wor_3"}}}, "parts.b.word: 'wor_3': did you mean 'word_3'?"),
        ({"name": "a", "parts": {"b": {"word": "word_3\n"}}}, "parts.b.word: 'word_3\\n': did you mean 'word_3'?"),
    ],
)
def test_errors_name_place_value_and_expectation(data: Any, message: str) -> None:
    with pytest.raises(RoboRallyError) as caught:
        typed(data, Whole, "x")
    assert str(caught.value) == f"x: {message}"


def test_places_may_have_lines() -> None:
    with pytest.raises(RoboRallyError, match=r"^a\.yaml:7: a: 3: expected another value$"):
        typed({"a": 3}, dict[str, Even], lambda path: "a.yaml:7" if path == ("a",) else "nowhere")


def test_records_from_python_are_checked_by_field() -> None:
    with pytest.raises(RoboRallyError, match=r"^size: 'x': expected a whole number of at least 1, or null$"):
        check_fields(Part(size="x"), RoboRallyError)  # type: ignore[arg-type]
