"""All decisions other than the program, by name, with their possible values (R-O, docs/rules/orders.md).

One table serves the records of orders, the ranges of their fields, actions, JSON and scenarios. The orders of the base
game and of board elements are listed here; those about option cards come from the rows of `rr_gym.option_facts`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from rr_gym.option_facts import CARD_ORDERS as ROWS
from rr_gym.option_facts import CardOrder
from rr_gym.rules.state import constants
from rr_gym.rules.state.constants import (
    ALWAYS,
    BY_VALUE,
    DECK_SIZE,
    DIRECTION_NAMES,
    MAX_ROBOTS,
    NOBODY,
    NUM_REGISTERS,
)
from rr_gym.rules.state.option_cards import NO_OPTION, OPTION_NAMES

SITES = ("auto", "repair", "option")
CHOPS = ("auto", "none", "swap", "reload", "draw")  # by their numbers in the record, like the other tables here
FREAK_ORDERS = tuple(permutations(range(3)))
FIRST_RING, SECOND_RING = 8, 16  # squares of the rings around an archive


@dataclass(frozen=True, slots=True)
class OrderFormat:
    """How the value of an order is written.

    Attributes:
        kind: ``flag``, ``choice``, ``number``, ``robot``, ``card``, ``cards``, ``option``, ``options``, ``threshold``
            (a number, or true for always), ``permutation`` or ``conditional``.
        default: The value of an order that is left out; with `per_register`, that of each register.
        names: The words of a choice; their index is the number in the record.
        low, high: The range of a number.
        per_register: Whether the value is a list of up to five such values, or a single one for all registers.
        nothing: The number in the record when nothing is chosen.
        on_table: Whether the order places a token or card while robots are programmed, so that the robot must own the
          option by then (R-O.6).
    """

    kind: str
    default: Any = None
    names: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    per_register: bool = False
    nothing: int = 0
    on_table: bool = False

    def number(self, value: Any) -> int:
        """Return the number in the record for one checked value."""
        if value is None:
            return self.nothing
        match self.kind:
            case "choice":
                return self.names.index(value)
            case "option":
                return OPTION_NAMES.index(value)
            case "permutation":
                return FREAK_ORDERS.index(value)
            case "threshold":
                return ALWAYS if value is True else int(value)
        return int(value)

    def value(self, number: int) -> Any:
        """Return the value that a number in the record stands for, as the inverse of `number`.

        A number without a meaning stands for the default. Cards stay numbers.
        """
        if number == self.nothing and self.default is None:
            return None
        match self.kind:
            case "flag":
                return number > 0
            case "card":
                return number if 0 < number <= DECK_SIZE else None
            case "choice":
                return self.names[number] if 0 <= number < len(self.names) else self.default
            case "option":
                return OPTION_NAMES[number] if 0 <= number < len(OPTION_NAMES) else None
            case "permutation":
                return FREAK_ORDERS[number] if 0 <= number < len(FREAK_ORDERS) else self.default
            case "threshold":
                return True if number > self.high else max(0, number)
        return number if self.low <= number <= self.high else self.default

    @property
    def range(self) -> tuple[int, int]:
        """Return the lowest and the highest number with a meaning."""
        low, high = {
            "flag": (0, 1),
            "choice": (0, len(self.names) - 1),
            "robot": (0, MAX_ROBOTS - 1),
            "card": (0, DECK_SIZE),
            "cards": (0, DECK_SIZE),
            "conditional": (0, DECK_SIZE),
            "option": (0, len(OPTION_NAMES) - 1),
            "options": (BY_VALUE, len(OPTION_NAMES) - 1),
            "threshold": (0, ALWAYS),
            "permutation": (0, len(FREAK_ORDERS) - 1),
        }.get(self.kind, (self.low, self.high))
        return (min(low, self.nothing) if self.default is None else low), high


def _register(high: int = NUM_REGISTERS, **more: Any) -> OrderFormat:
    return OrderFormat("number", low=1, high=high, **more)


# The number in the record when nothing is chosen
_NOTHING = {"robot": NOBODY, "option": NO_OPTION, "options": NO_OPTION}


def _format_of(row: CardOrder) -> OrderFormat:
    names = getattr(constants, row.words) if isinstance(row.words, str) else row.words
    kind, low, high = row.kind, row.low, row.high
    if kind == "register":
        kind, low, high = "number", 1, NUM_REGISTERS
    elif kind == "robot":
        high = MAX_ROBOTS - 1
    return OrderFormat(
        kind, row.default, names, low, high, row.per_register, _NOTHING.get(kind, 0), on_table=row.on_table
    )


def _card_orders() -> Iterator[tuple[str, OrderFormat]]:
    for place, row in enumerate(ROWS):
        if place and row.place < ROWS[place - 1].next_place:
            raise ValueError(f"{row.name}: place: {row.place}: {ROWS[place - 1].name} has it")
        yield row.name, _format_of(row)


def values_of(row: CardOrder) -> tuple[int, ...]:
    """Return the numbers that an order's component can write into the record.

    The result is empty if they depend on the game, as with cards.
    """
    if row.values or row.choices or row.parts:
        return row.values
    order = _format_of(row)
    low, high = order.range
    numbers = [*range(order.high + 1), high] if row.kind == "threshold" else range(low, high + 1)
    default = order.number(order.default)
    return (default, *(number for number in numbers if number != default))


# Orders of the base game; all others belong to expansions
_BASE: dict[str, OrderFormat] = {
    "power_down": OrderFormat("flag", False),
    "stay_down": OrderFormat("flag", False),
    "facing": OrderFormat("choice", names=DIRECTION_NAMES, nothing=-1),
    "unlock": _register(),
    "site": OrderFormat("choice", "auto", names=SITES),
    "square": OrderFormat("number", high=SECOND_RING - 1, nothing=-1),
}
_ELEMENTS: dict[str, OrderFormat] = {
    "chop": OrderFormat("choice", "auto", names=CHOPS),
    "waste": OrderFormat("flag", True),
    "freak_order": OrderFormat("permutation", FREAK_ORDERS[0], high=2),
    "reset_card": OrderFormat("card"),
}
OF_CARDS: dict[str, OrderFormat] = dict(_card_orders())
ORDERS: dict[str, OrderFormat] = {**_BASE, **OF_CARDS, **_ELEMENTS}
BASE_ORDERS = frozenset(_BASE)
# Orders that name cards
CARD_ORDERS = tuple(name for name, order in ORDERS.items() if order.kind in ("card", "cards", "conditional"))
# The format of each field of the record. The register that a Conditional Program replaces has its own field. That a
# program was late is not the player's order.
FIELDS: dict[str, OrderFormat] = {**ORDERS, "conditional_register": _register(), "late": OrderFormat("flag", False)}

# Words for orders in files: replays and scenarios are written with them, and readers accept both words and names.
_WORDS = {row.name: row.word for row in ROWS if row.word}
_NAMES = {word: name for name, word in _WORDS.items()}


def word_of(name: str) -> str:
    """Return the word that files use for an order or a field of its record; usually the name itself."""
    return _WORDS.get(name, name)


def name_of(word: str) -> str:
    """Return the name of the order for which files use a word; names are returned unchanged."""
    return _NAMES.get(word, word)
