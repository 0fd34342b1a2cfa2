"""The types of arguments on the command line: numbers, choices, lists and pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from glob import escape, glob
from typing import Any

import click
from click.shell_completion import CompletionItem

from rr_gym.cli.grammar.command import place
from rr_gym.cli.grammar.names import KINDS
from rr_gym.errors import RoboRallyError, did_you_mean, short_repr, whole_number

_COMMA = "\ud800"  # stands for a comma within an item; a lone surrogate, which cannot be typed


class Whole(click.ParamType[int]):
    """A whole number from `low` to `high`, both included; None means no limit. Raises RoboRallyError."""

    name = "N"

    def __init__(self, low: int | None = None, high: int | None = None) -> None:
        self.low, self.high = low, high

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number that a word stands for."""
        try:
            number = int(value)
        except ValueError:
            raise RoboRallyError(f"{place(param)}: {short_repr(value)}: expected a whole number") from None
        return number if self.low is None else whole_number(place(param), number, self.low, self.high)


class Number(click.ParamType[float]):
    """A finite number that has to meet a condition. Raises RoboRallyError.

    Args:
        expected: The condition in words, for the error.
        holds: Tells whether a number meets the condition.
    """

    name = "X"

    def __init__(self, expected: str = "", holds: Callable[[float], bool] = lambda number: True) -> None:
        self.expected, self.holds = expected, holds

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number that a word stands for."""
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise RoboRallyError(f"{place(param)}: {short_repr(value)}: expected a finite number")
        if not self.holds(number):
            raise RoboRallyError(f"{place(param)}: {number:g}: expected {self.expected}")
        return number


class OneOf(click.Choice[str]):
    """One word of a fixed set. Raises RoboRallyError, which names the word that was probably meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word if it is one of the choices."""
        if value not in self.choices:
            hint = did_you_mean(value, self.choices) or f"expected {' | '.join(self.choices)}"
            raise RoboRallyError(f"{place(param)}: {short_repr(value)}: {hint}")
        return str(value)


class Name(click.ParamType[Any]):
    """A name, which shells complete from the known names of its kind.

    Args:
        kind: The key of `KINDS` whose names shells complete; None completes no names.
        paths: Whether shells complete paths, too, because a path may be given in place of a name.
    """

    name = "text"
    is_list = False

    def __init__(self, kind: str | None = None, paths: bool = False) -> None:
        self.kind, self.paths = kind, paths

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names and paths that begin with the incomplete word or, in a list, with its last item."""
        before, comma, last = incomplete.rpartition(",") if self.is_list else ("", "", incomplete)
        found = [name for name in (KINDS[self.kind]() if self.kind else ()) if name.startswith(last)]
        if self.paths and last:
            found += sorted(glob(f"{escape(last)}*"))
        return [CompletionItem(f"{before}{comma}{name}") for name in found]


class Names(Name):
    """A list with commas between the items; an option given several times makes one list. Raises RoboRallyError."""

    is_list = True

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """Return the items of a list."""
        return value if isinstance(value, list) else split_list(value, place(param))


class Pair(Name):
    """``NAME=VALUE``, read as the name and the parsed value. Raises RoboRallyError.

    Args:
        read: Parses a value, given the name, the text of the value and the name of the option in errors. Raises
            RoboRallyError.
        example: A valid pair, which errors show.
        kind: See `Name`.
    """

    def __init__(self, read: Callable[[str, str, str], Any], example: str, kind: str | None = None) -> None:
        super().__init__(kind)
        self.read, self.example = read, example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        """Return the name and the value."""
        name, _, said = value.partition("=")
        if not (name and said):
            raise RoboRallyError(f"{place(param)} {value}: expected a name and a value, such as {self.example}")
        return name, self.read(name, said, place(param))


class Override(Name):
    """``KEY=VALUE``, an operand, read as a dotted key and its value in YAML. Raises RoboRallyError."""

    name = "KEY=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        """Return the key and the value."""
        from rr_gym import yaml12

        if isinstance(value, tuple):
            return value
        key, equals, said = value.partition("=")
        if not (key and equals and said):
            raise RoboRallyError(f"argument {value}: expected KEY=VALUE, such as algorithm.learning_rate=1e-3")
        return key, yaml12.load(said, f"argument {key}")


def _one_list(
    ctx: click.Context, param: click.Parameter, lists: Iterable[list[str]], kind: str | None, most: int | None
) -> list[str] | str | None:
    items = [item for items in lists for item in items]
    if most and len(items) > most:
        found = join_list(items) if most == 1 else f"{len(items)} {kind}"
        raise RoboRallyError(f"{place(param)}: {found}: expected {'one' if most == 1 else f'at most {most}'}")
    return (items[0] if most == 1 else items) if items else None


def _one_dict(ctx: click.Context, param: click.Parameter, pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise RoboRallyError(f"{place(param)}: '{name}' is there twice")
        values[name] = value
    return values


def names(kind: str | None = None, paths: bool = False, most: int | None = None) -> dict[str, Any]:
    """Return the arguments of `click.option` for a list of at most `most` items (see `Names`).

    The value is None if the option is not given. With `most` 1 the value is the item itself, not a list.
    """
    return {"type": Names(kind, paths), "multiple": True, "callback": partial(_one_list, kind=kind, most=most)}


def pairs(read: Callable[[str, str, str], Any], example: str, kind: str | None = None) -> dict[str, Any]:
    """Return the arguments of `click.option` for a dict of pairs (see `Pair`); a name may be given only once."""
    return {"type": Pair(read, example, kind), "multiple": True, "callback": _one_dict}


def overrides() -> dict[str, Any]:
    """Return the arguments of `click.argument` for a dict of overrides (see `Override`); None if none is given."""

    def one_dict(ctx: click.Context, param: click.Parameter, pairs: Iterable[tuple[str, Any]]) -> dict[str, Any] | None:
        values: dict[str, Any] = {}
        for key, value in pairs:
            if key in values:
                raise RoboRallyError(f"argument {key}: expected it once")
            values[key] = value
        return values or None

    return {"type": Override("keys"), "nargs": -1, "callback": one_dict, "metavar": "[KEY=VALUE]..."}


def split_list(text: str, where: str) -> list[str]:
    """Split a list at its commas; a doubled comma is a comma within an item.

    ``"greedy,program:bot --skill 1,,2"`` has two items, ``"greedy"`` and ``"program:bot --skill 1,2"``.

    Args:
        text: The list, read from left to right.
        where: The name of the list in error messages.

    Raises:
        RoboRallyError: An item is empty.
    """
    items = [item.replace(_COMMA, ",") for item in text.replace(",,", _COMMA).split(",")]
    if not all(item.strip() for item in items):
        raise RoboRallyError(f"{where}: '{text}': expected names with commas between, such as a,b,c")
    return items


def join_list(items: Iterable[str]) -> str:
    """Join items into a string that `split_list` splits into the same items."""
    return ",".join(item.replace(",", ",,") for item in items)


def read_setting(name: str, value: str, where: str) -> Any:
    """Read the value of a setting of the rules, written in YAML.

    Raises:
        RoboRallyError: There is no such setting, or it does not have such a value.
    """
    from rr_gym import yaml12
    from rr_gym.rules.state.settings import resolve_settings

    read = yaml12.load(value, f"{where} {name}")
    resolve_settings((where, {name: read}))
    return read
