"""Orders as people and programs write them, in Python or JSON, with strict checks of their form (docs/game.md)."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import takewhile
from typing import Any

import numpy as np

from rr_gym.encoding.orders.order_words import Card, Conditional
from rr_gym.errors import RoboRallyError, did_you_mean, short_repr
from rr_gym.option_facts import CARD_ORDERS
from rr_gym.rules.state.cards import CARD_TYPE, CardError, parse_card
from rr_gym.rules.state.constants import BY_VALUE, DECK_SIZE, MAX_OWNED, MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.state.option_cards import NO_OPTION, OPTION_NAMES
from rr_gym.rules.state.order_table import FREAK_ORDERS, ORDERS, OrderFormat, name_of
from rr_gym.rules.state.records import OrdersRecord


class OrderError(RoboRallyError):
    """The rules do not allow an order; the message names the seat, the field, the value and what was expected."""


BY_RULE: Any = None  # placeholder: `_with_defaults` replaces it by the default from the table of orders


def _with_defaults(orders: type[Any]) -> type[Any]:
    """Fill in the default of every field, and add a line to the docstring for each order about option cards.

    Raises:
        TypeError: The fields do not match the table of orders.
    """
    if unlike := orders.__annotations__.keys() ^ {"program", *ORDERS}:
        raise TypeError(
            f"{', '.join(sorted(unlike))}: expected a field of Orders and a row of the order table for each"
        )
    for name, order in ORDERS.items():
        setattr(orders, name, (order.default,) * NUM_REGISTERS if order.per_register else order.default)
    order_lines = [textwrap.fill(f"{row.name}: {row.says}.", 100, initial_indent=" " * 8, subsequent_indent=" " * 12)
            for row in CARD_ORDERS]  # fmt: skip
    orders.__doc__ = "\n".join([str(orders.__doc__).rstrip(), *order_lines, "    "])
    return orders


@dataclass(frozen=True, slots=True)
@_with_defaults
class Orders:
    """What one player decides for one turn. A field that is left out has the default that the rules give.

    Fields with five entries have one for each of the registers 1 to 5. `from_json` also accepts fewer entries, where
    the other registers keep the default, or a single value for all five registers. A card is given by type and
    priority, such as ``"move_1@490"``; by type alone, such as ``"move_1"``, for the highest card of that type in the
    hand that is not used elsewhere; or by its number (1-84).

    Attributes:
        program: Five cards; None for a random card of the hand. For locked registers None or the locked card.
        power_down: Announce a power-down for the next turn.
        stay_down: Stay powered down; for a robot that is destroyed in this turn, return powered down.
        facing: ``"n"``, ``"e"``, ``"s"`` or ``"w"`` if the robot may choose its facing; None keeps the present one.
        unlock: The register (1-5) that a repair unlocks first; None for the lowest.
        site: What to take on two wrenches: ``"repair"``, ``"option"``, or ``"auto"``, which decides by the damage.
        square: Where to return if the archive is occupied: a square of the ring around it (0-7, clockwise from the
          north) or of the second ring (0-15); None for the square nearest to the next flag.
        chop: What to do at a chop shop: ``"none"``, ``"swap"``, ``"reload"``, ``"draw"`` (after phase 5), or
            ``"auto"``.
        waste: Draw an option card on radioactive waste.
        freak_order: The order in which the three cards of a freak teleporter are used, such as ``(2, 0, 1)``.
        reset_card: The card wanted from a reset site; None for no card.
    """

    program: tuple[Card, ...] = (None,) * NUM_REGISTERS
    power_down: bool = BY_RULE
    stay_down: bool = BY_RULE
    facing: str | None = BY_RULE
    unlock: int | None = BY_RULE
    site: str = BY_RULE
    square: int | None = BY_RULE
    weapon: tuple[str, ...] = BY_RULE
    fallback_to_laser: tuple[bool, ...] = BY_RULE
    gadget: tuple[str, ...] = BY_RULE
    movement_option: tuple[str, ...] = BY_RULE
    second: tuple[Card, ...] = BY_RULE
    gear: tuple[bool, ...] = BY_RULE
    frog: tuple[bool, ...] = BY_RULE
    gyro: tuple[bool, ...] = BY_RULE
    turret: tuple[str, ...] = BY_RULE
    shield: tuple[str, ...] = BY_RULE
    fire_control: tuple[str, ...] = BY_RULE
    target: int | None = BY_RULE
    abort: int | None = BY_RULE
    conditional: Conditional | None = BY_RULE
    flywheel: Card = BY_RULE
    reflector: str = BY_RULE
    damping: bool = BY_RULE
    homing: bool = BY_RULE
    copter: Card = BY_RULE
    buzz: bool = BY_RULE
    buzz_program: tuple[Card, ...] = BY_RULE
    self_destruct: int | None = BY_RULE
    recompile: int = BY_RULE
    intercept: int = BY_RULE
    reengineering: str = BY_RULE
    arm: bool = BY_RULE
    superior_archive: bool = BY_RULE
    sacrifice_threshold: int = BY_RULE
    give_up: tuple[str, ...] | None = BY_RULE
    lose: str | None = BY_RULE
    keep: int | None = BY_RULE
    chop: str = BY_RULE
    chop_option: str | None = BY_RULE
    breaker: bool = BY_RULE
    waste: bool = BY_RULE
    freak_order: tuple[int, ...] = BY_RULE
    reset_card: Card = BY_RULE

    @classmethod
    def from_json(cls, value: Any, where: str = "orders") -> Orders:
        """Make orders from parsed JSON: an object with the fields above, or just the list of cards.

        Args:
            value: A mapping, a sequence of cards, or `Orders`.
            where: The name of these orders in error messages.

        Raises:
            OrderError: A field is unknown, or a value has the wrong type or range.
        """
        match value:
            case Orders():
                given = {name: getattr(value, name) for name in FIELDS}
            case Mapping():
                given = {name_of(name): entry for name, entry in value.items()}
            case (Sequence() | np.ndarray()) if not isinstance(value, str | bytes):
                given = {"program": value}
            case _:
                raise OrderError(
                    f"{where}: {short_repr(value)}: expected Orders, a mapping of fields, or a list of cards"
                )
        for name in given:
            if name not in FIELDS:
                hint = did_you_mean(name, FIELDS)
                otherwise = f": expected {', '.join(FIELDS)}"
                raise OrderError(f"{where}: there is no field {short_repr(name)}{f'; {hint}' if hint else otherwise}")
        return cls(**{name: _checked(name, entry, where) for name, entry in given.items()})

    def to_json(self) -> dict[str, Any]:
        """Return only the fields that differ from their defaults, in types that JSON has."""
        chosen = {name: getattr(self, name) for name in FIELDS if getattr(self, name) != getattr(_DEFAULTS, name)}
        return {name: _plain(value) for name, value in chosen.items()}

    @classmethod
    def from_record(cls, record: OrdersRecord) -> Orders:
        """Make orders from a record; the inverse of `write`. Numbers without a meaning become defaults."""
        card = ORDERS["flywheel"].value
        values: dict[str, Any] = {"program": tuple(card(int(number)) for number in record["program"])}
        for name, order in ORDERS.items():
            number = record[name]
            match order.kind:
                case "conditional":
                    register = ORDERS["abort"].value(int(record["conditional_register"])) or 0
                    stored = card(int(number))
                    values[name] = Conditional(stored, register) if stored else None
                case "cards":
                    values[name] = tuple(int(entry) for entry in number if card(int(entry)))
                case "options":
                    listed = takewhile(lambda option: 0 <= option < len(OPTION_NAMES), number)
                    values[name] = None if number[0] == BY_VALUE else tuple(OPTION_NAMES[option] for option in listed)
                case _:
                    each = [order.value(int(entry)) for entry in np.atleast_1d(number)]
                    values[name] = tuple(each) if order.per_register else each[0]
        return cls(**values)

    def write(self, record: OrdersRecord) -> None:
        """Write all fields into a record of the dtype `FULL_ORDERS`; the orders must give their cards by number."""
        record["program"] = [card or 0 for card in self.program]
        for name, order in ORDERS.items():
            value = getattr(self, name)
            match order.kind:
                case "conditional":
                    record["conditional"], record["conditional_register"] = value or (0, 0)
                case "cards":
                    record[name] = [*value, *[0] * (NUM_REGISTERS - len(value))]
                case "options":
                    listed = [BY_VALUE] if value is None else [OPTION_NAMES.index(option) for option in value]
                    record[name] = [*listed, *[NO_OPTION] * (MAX_OWNED - len(listed))]
                case _:
                    record[name] = [order.number(v) for v in value] if order.per_register else order.number(value)


FIELDS = tuple(f.name for f in fields(Orders))
_DEFAULTS = Orders()


def wrong(where: str, name: str, value: Any, expected: str) -> OrderError:
    """Return the error for a value that is not what was expected."""
    return OrderError(f"{where}: {name}: {short_repr(value)}: expected {expected}")


def _plain(value: Any) -> Any:
    if isinstance(value, Conditional):
        return value._asdict()
    return list(value) if isinstance(value, tuple) else value


def is_number(value: Any) -> bool:
    """Tell whether a value is a Python or NumPy integer, but not a bool."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _entries(value: Any) -> list[Any] | None:
    """Return the entries of any iterable except texts and mappings; None for anything else."""
    listed = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    return list(value) if listed else None


def _checked(name: str, value: Any, where: str) -> Any:
    """Return the value of a field, converted to the type of the field; raise an OrderError if the value is wrong."""
    if name == "program":
        cards = _entries(value)
        if cards is None:
            raise wrong(where, name, value, f"a list of {NUM_REGISTERS} cards")
        if len(cards) != NUM_REGISTERS:
            raise wrong(where, name, cards, f"{NUM_REGISTERS} entries, None for a random card")
        return tuple(int(card) if isinstance(card, np.integer) else card for card in cards)
    order = ORDERS[name]
    if not order.per_register:
        return _value(order, name, value, where)
    values = _entries(value)
    if values is None:
        return (_value(order, name, value, where),) * NUM_REGISTERS
    if len(values) > NUM_REGISTERS:
        raise wrong(where, name, values, f"at most {NUM_REGISTERS} entries, one for each register")
    given = [_value(order, f"{name}, register {r + 1}", entry, where) for r, entry in enumerate(values)]
    return (*given, *[order.default] * (NUM_REGISTERS - len(given)))


def _value(order: OrderFormat, name: str, value: Any, where: str) -> Any:
    """Check one value against the kind of its order (flag, card, ...), and return it as a plain Python value."""
    if value is None and order.default is None:
        return None
    or_null = ", or null" if order.default is None else ""
    match order.kind:
        case "flag":
            if not isinstance(value, bool | np.bool_):
                raise wrong(where, name, value, "true or false")
            return bool(value)
        case "choice":
            if not isinstance(value, str) or value not in order.names:
                raise wrong(where, name, value, " | ".join(order.names) + or_null)
        case "number" | "robot" | "threshold":
            if order.kind == "threshold" and isinstance(value, bool):
                return value
            high = MAX_ROBOTS - 1 if order.kind == "robot" else order.high
            if not is_number(value) or not order.low <= value <= high:
                kinds = {"robot": "a seat", "threshold": "true, false or a whole number"}
                what = kinds.get(order.kind, "a whole number")
                raise wrong(where, name, value, f"{what} from {order.low} to {high}{or_null}")
            return int(value)
        case "card":
            return _card(value, name, where)
        case "cards":
            cards = _entries(value)
            if cards is None or len(cards) > NUM_REGISTERS:
                raise wrong(where, name, value, f"a list of at most {NUM_REGISTERS} cards")
            return tuple(_card(card, name, where) for card in cards)
        case "option":
            return _option(value, name, where, or_null)
        case "options":
            options = _entries(value)
            if options is None or len(options) > MAX_OWNED:
                raise wrong(where, name, value, f"a list of at most {MAX_OWNED} option cards{or_null}")
            return tuple(_option(option, name, where, "") for option in options)
        case "permutation":
            chosen = tuple(_entries(value) or ())
            if not all(map(is_number, chosen)) or chosen not in FREAK_ORDERS:
                raise wrong(where, name, value, "each of 0, 1 and 2 once, such as [2, 0, 1]")
            return tuple(map(int, chosen))
        case "conditional":
            return _conditional(value, name, where)
    return value


def _conditional(value: Any, name: str, where: str) -> Conditional:
    card: Any
    register: Any
    match value:
        case {"card": card, **rest} if set(rest) <= {"register"}:
            register = rest.get("register", 0)
        case (card, register) if not isinstance(value, str):
            pass
        case _:
            raise wrong(where, name, value, "{card, register}, such as {'card': 'move_1', 'register': 3}, or null")
    if not is_number(register) or not 0 <= register <= NUM_REGISTERS:
        raise wrong(where, f"{name}, register", register, f"a whole number from 0 to {NUM_REGISTERS}")
    return Conditional(_card(card, name, where), int(register))


def _option(value: Any, name: str, where: str, or_null: str) -> str:
    if not isinstance(value, str) or value not in OPTION_NAMES:
        hint = did_you_mean(value, OPTION_NAMES)
        raise wrong(where, name, value, f"an option card such as 'brakes'{or_null}" + f"; {hint}" * bool(hint))
    return value


def _card(value: Any, name: str, where: str) -> Card:
    parse(value, where, name)
    return int(value) if isinstance(value, np.integer) else value


def parse(entry: Any, where: str, field: str) -> tuple[int, int]:
    """Return the type and the number of a card that is written in orders; the number is 0 if only the type is given."""
    if is_number(entry):
        if not 1 <= entry <= DECK_SIZE:
            raise wrong(where, field, entry, f"the number of a card, 1 to {DECK_SIZE}")
        return int(CARD_TYPE[entry]), int(entry)
    if not isinstance(entry, str):
        raise wrong(where, field, entry, "a card such as 'move_1@490', a type, a number, or null")
    try:
        return parse_card(entry)
    except CardError as error:
        raise OrderError(f"{where}: {field}: {error}") from error
