"""Lists and pairs as they are written on the command line, and the actions of argparse that read them."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable
from typing import Any

from rr_gym.errors import RoboRallyError


def finite(text: str) -> float:
    """A finite number, as argparse reads it."""
    number = float(text)
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text}: expected a finite number")
    return number


def split_list(text: str, where: str) -> list[str]:
    """The items of a list with commas between; a comma that is part of an item is written twice.

    ``"greedy,program:bot --skill 1,,2"`` has two items, ``"greedy"`` and ``"program:bot --skill 1,2"``.

    Args:
        text: The list, read from left to right.
        where: Named in the error.

    Raises:
        RoboRallyError: An item is empty.
    """
    items, start, i = [""], 0, 0
    while (i := text.find(",", start)) >= 0:
        items[-1] += text[start:i]
        if text[i : i + 2] == ",,":
            items[-1] += ","
            start = i + 2
        else:
            items.append("")
            start = i + 1
    items[-1] += text[start:]
    if not all(item.strip() for item in items):
        raise RoboRallyError(f"{where}: '{text}': expected names with commas between, such as a,b,c")
    return items


def join_list(items: Iterable[str]) -> str:
    """The list that `split_list` reads as these items."""
    return ",".join(item.replace(",", ",,") for item in items)


class ListAction(argparse.Action):
    """A list with commas; where the option stands several times, one list of all."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        """Add the items to those before."""
        items = split_list(values, option_string or str(self.metavar))
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, items if before is self.default else [*before, *items])


class PairsAction(argparse.Action):
    """``NAME=VALUE``, once for each name: a dict by name.

    Attributes:
        read: Makes of a name, a value and the place for errors what the dict holds. Raises RoboRallyError.
        example: A pair, for errors.
    """

    def __init__(self, *args: Any, read: Callable[[str, str, str], Any], example: str, **options: Any) -> None:
        super().__init__(*args, **{"default": {}, **options})
        self.read, self.example = read, example

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        """Add the pair to those before."""
        name, equals, value = values.partition("=")
        if not (name and equals and value):
            raise RoboRallyError(f"{option_string} {values}: expected a name and a value, such as {self.example}")
        pairs = getattr(namespace, self.dest)
        if name in pairs:
            raise RoboRallyError(f"{option_string}: '{name}' is there twice")
        setattr(namespace, self.dest, {**pairs, name: self.read(name, value, str(option_string))})


def read_setting(name: str, value: str, where: str) -> Any:
    """The value of a setting, which is YAML.

    Raises:
        RoboRallyError: There is no such setting, or it does not have such a value.
    """
    from rr_gym import yaml12
    from rr_gym.rules.state.settings import resolve_settings

    read = yaml12.load(value, f"{where} {name}")
    resolve_settings((where, {name: read}))
    return read
