"""Orders of people and programs: plain Python and JSON, checked strictly, made into records (docs/game.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import permutations
from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError, did_you_mean
from rr_gym.rules.cards import CARD_TYPE, FIRST_MOVEMENT, CardError, card_name, parse_card
from rr_gym.rules.constants import DECK_SIZE, DIRECTION_NAMES, NUM_REGISTERS
from rr_gym.rules.options import NO_OPTION, OPTION_NAMES
from rr_gym.rules.records import GameRecord, OrdersRecords, no_orders
from rr_gym.rules.settings import Settings

Card = str | int | None
SITES = ("auto", "repair", "option")
CHOPS = ("auto", "none", "swap", "reload", "draw")  # by the number in `ORDERS`, as the other tables here
FREAK_ORDERS = tuple(permutations(range(3)))
RING = 16  # squares of the second ring around an archive; the first has 8


class OrderError(RoboRallyError):
    """Orders that the rules do not allow: the message names the seat, the field, the value and what was expected."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What one player decides for one turn. Every field has the default of the rules.

    Attributes:
        program: Five entries, for registers 1 to 5: a card such as ``"move_1@490"``, a type such as ``"move_1"`` (the
            highest such card of the hand that the program does not name elsewhere), the number of a card (1-84), or
            None for a card of the hand by chance. For locked registers None or the locked card.
        power_down: Announce a power-down for the next turn.
        stay_down: Stay powered down, or come back powered down if destroyed in this turn.
        facing: ``"n"``, ``"e"``, ``"s"`` or ``"w"`` where the robot may choose; None keeps what it has.
        unlock: The register (1-5) that a repair unlocks first; None for the lowest.
        site: On two wrenches ``"repair"``, ``"option"``, or ``"auto"`` by damage.
        square: Beside an occupied archive the square of the ring (clockwise from the north, 0-7, in the second
            ring 0-15) to come back on; None for the one nearest to the next flag.
        chop: At a chop shop ``"none"``, ``"swap"``, ``"reload"``, ``"draw"`` (after phase 5), or ``"auto"``.
        chop_option: The option card that is swapped or reloaded, such as ``"brakes"``; None for the least valuable,
            or the emptiest.
        waste: Draw an option card on radioactive waste.
        freak_order: In which order the three cards of a freak teleporter are used, such as ``(2, 0, 1)``.
        reset_card: The card wanted from a reset site, written as in a program; None for no card.
    """

    program: tuple[Card, ...] = (None,) * NUM_REGISTERS
    power_down: bool = False
    stay_down: bool = False
    facing: str | None = None
    unlock: int | None = None
    site: str = "auto"
    square: int | None = None
    chop: str = "auto"
    chop_option: str | None = None
    waste: bool = True
    freak_order: tuple[int, ...] = FREAK_ORDERS[0]
    reset_card: Card = None

    @classmethod
    def from_json(cls, value: Any, where: str = "orders") -> Orders:
        """Orders from what JSON holds: an object with the fields above, or only the list of cards.

        Args:
            value: A mapping, a sequence of cards, or `Orders`.
            where: Named in errors.

        Raises:
            OrderError: An unknown field, or a value of the wrong type or range.
        """
        match value:
            case Orders():
                given = {name: getattr(value, name) for name in FIELDS}
            case Mapping():
                given = dict(value)
            case (Sequence() | np.ndarray()) if not isinstance(value, str | bytes):
                given = {"program": value}
            case _:
                raise OrderError(f"{where}: {value!r}: expected Orders, a mapping of fields, or a list of cards")
        for name in given:
            if name not in FIELDS:
                hint = did_you_mean(name, FIELDS)
                otherwise = f": expected {', '.join(FIELDS)}"
                raise OrderError(f"{where}: there is no field {name!r}{f'; {hint}' if hint else otherwise}")
        return cls(**{name: _checked(name, entry, where) for name, entry in given.items()})

    def to_json(self) -> dict[str, Any]:
        """Only what differs from the defaults, in types that JSON has."""
        chosen = {name: value for name, value in asdict(self).items() if value != getattr(_DEFAULTS, name)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in chosen.items()}


FIELDS = tuple(f.name for f in fields(Orders))
_DEFAULTS = Orders()


def _wrong(where: str, name: str, value: Any, expected: str) -> OrderError:
    return OrderError(f"{where}: {name}: {value!r}: expected {expected}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _checked(name: str, value: Any, where: str) -> Any:
    """The value of a field in its own type; an OrderError for any other."""
    match name:
        case "program":
            if isinstance(value, str | bytes) or not isinstance(value, Iterable):
                raise _wrong(where, name, value, f"a list of {NUM_REGISTERS} cards")
            cards = tuple(int(card) if isinstance(card, np.integer) else card for card in value)
            if len(cards) != NUM_REGISTERS:
                raise _wrong(where, name, list(cards), f"{NUM_REGISTERS} entries, None for a card by chance")
            return cards
        case "power_down" | "stay_down" | "waste":
            if not isinstance(value, bool | np.bool_):
                raise _wrong(where, name, value, "true or false")
            return bool(value)
        case "facing":
            if value is not None and value not in DIRECTION_NAMES:
                raise _wrong(where, name, value, "n, e, s, w or null")
        case "unlock" | "square":
            low, high = (1, NUM_REGISTERS) if name == "unlock" else (0, RING - 1)
            if value is not None and not (_is_number(value) and low <= value <= high):
                raise _wrong(where, name, value, f"a whole number from {low} to {high}, or null")
            return None if value is None else int(value)
        case "site":
            if value not in SITES:
                raise _wrong(where, name, value, " | ".join(SITES))
        case "chop":
            if value not in CHOPS:
                raise _wrong(where, name, value, " | ".join(CHOPS))
        case "chop_option":
            if value is not None and value not in OPTION_NAMES:
                hint = did_you_mean(value, OPTION_NAMES)
                raise _wrong(where, name, value, "an option card such as 'brakes', or null" + f"; {hint}" * bool(hint))
        case "freak_order":
            order = tuple(value) if isinstance(value, Sequence | np.ndarray) else ()
            if not all(map(_is_number, order)) or order not in FREAK_ORDERS:
                raise _wrong(where, name, value, "each of 0, 1 and 2 once, such as [2, 0, 1]")
            return tuple(map(int, order))
        case "reset_card":
            if value is not None:
                _parse(value, where, name)
            return int(value) if isinstance(value, np.integer) else value
    return value


def resolve_orders(orders: Mapping[int, Any], game: GameRecord, settings: Settings) -> OrdersRecords:
    """The records of one turn, checked against the rules and the hands.

    Args:
        orders: By seat: `Orders`, a mapping of its fields, or a list of cards. Seats left out get every default.
        game: The game between two turns.
        settings: What it is played by.

    Returns:
        Shape (8,), dtype `ORDERS`.

    Raises:
        OrderError: The first order that the rules do not allow.
    """
    if not isinstance(orders, Mapping):
        raise OrderError(f"orders: {type(orders).__name__}: expected a mapping from seats to orders")
    records = no_orders(8)
    for seat, value in orders.items():
        if not _is_number(seat) or not 0 <= seat < game["num_robots"]:
            raise OrderError(f"seat {seat!r}: expected 0 to {game['num_robots'] - 1}")
        where = f"seat {seat}"
        robot = game["robots"][seat]
        if robot["out"]:
            raise OrderError(f"{where}: its robot is out of the game: expected no orders")
        order = Orders.from_json(value, where)
        _check_choices(order, robot, settings, where)
        record = records[seat]
        record["program"] = _program(order, game, robot, settings, where)
        record["power_down"] = order.power_down
        record["stay_down"] = order.stay_down
        record["facing"] = -1 if order.facing is None else DIRECTION_NAMES.index(order.facing)
        record["unlock"] = order.unlock or 0
        record["site"] = SITES.index(order.site)
        record["square"] = -1 if order.square is None else order.square
        record["chop"] = CHOPS.index(order.chop)
        record["chop_option"] = NO_OPTION if order.chop_option is None else OPTION_NAMES.index(order.chop_option)
        record["waste"] = order.waste
        record["freak"] = FREAK_ORDERS.index(order.freak_order)
        record["reset_card"] = _wanted_card(order.reset_card, game, where)
    return records


def _wanted_card(entry: Card, game: GameRecord, where: str) -> int:
    """By number, 0 for none; of a type the highest one that lies in the undealt pile now."""
    if entry is None:
        return 0
    kind, card = _parse(entry, where, "reset_card")
    pile = game["deck"][: game["deck_left"]]
    return card or max((int(c) for c in pile if CARD_TYPE[c] == kind), default=0)


def _check_choices(order: Orders, robot: Any, settings: Settings, where: str) -> None:
    """Refuse every choice that the rules do not give this robot now."""
    down = bool(robot["down"])
    if settings.power_down == "off" and (order.power_down or order.stay_down):
        name = "power_down" if order.power_down else "stay_down"
        raise _wrong(where, name, True, "false: this course has no power-down")
    if order.power_down and not down and settings.pd_needs_damage == "on" and robot["damage"] == 0:
        raise _wrong(where, "power_down", True, "false: only a damaged robot may power down (pd_needs_damage)")
    if order.facing is not None and not robot["may_face"] and settings.reentry_facing != "cleanup":
        raise _wrong(where, "facing", order.facing, "null: this robot may not choose its facing now (U28)")
    if order.unlock is not None and settings.unlock == "lowest":
        raise _wrong(where, "unlock", order.unlock, "null: the lowest register is unlocked first (setting unlock)")
    if order.chop not in ("auto", "none") and settings.option_cards == "off":
        raise _wrong(where, "chop", order.chop, "auto or none: there are no option cards (setting option_cards)")
    if order.site == "option" and settings.option_cards == "off":
        raise _wrong(where, "site", order.site, "auto or repair: there are no option cards (setting option_cards)")
    if order.square is not None and settings.reentry != "adjacent8":
        raise _wrong(where, "square", order.square, "null: robots return on their archive (setting reentry)")


def _program(order: Orders, game: GameRecord, robot: Any, settings: Settings, where: str) -> list[int]:
    """The five cards by number, 0 for a card by chance."""
    hand = [int(card) for card in robot["hand"] if card]
    program = [0] * NUM_REGISTERS
    by_type: list[tuple[int, int]] = []
    for r, entry in enumerate(order.program):
        if entry is None:
            continue
        field = f"program, register {r + 1}"
        kind, card = _parse(entry, where, field)
        if robot["locked"] >> r & 1:
            held = int(robot["registers"][r])
            if held and held == card:
                continue  # R-O.2: it says what is so anyway
            raise _wrong(where, field, entry, f"null: the register is locked ({card_name(held)})")
        if not card:
            by_type.append((r, kind))
        elif card not in hand:
            raise _wrong(where, field, entry, f"a card of the hand: {_names(hand)}")
        elif card in program:
            raise _wrong(where, field, entry, f"each card once; register {program.index(card) + 1} holds it too")
        else:
            program[r] = card
    for r, kind in by_type:
        left = [card for card in hand if card not in program]
        same = [card for card in left if CARD_TYPE[card] == kind]
        if not same:
            raise _wrong(where, f"program, register {r + 1}", order.program[r], f"a card of the hand: {_names(left)}")
        program[r] = same[0]
    movement = any(card >= FIRST_MOVEMENT for card in hand)
    if settings.first_card_moves == "on" and game["turn"] == 0 and movement and 0 < program[0] < FIRST_MOVEMENT:
        expected = "a movement card: it is the first card of the game (first_card_moves)"
        raise _wrong(where, "program, register 1", order.program[0], expected)
    return program


def _parse(entry: Any, where: str, field: str) -> tuple[int, int]:
    """(type, card), card 0 where only the type is given."""
    if _is_number(entry):
        if not 1 <= entry <= DECK_SIZE:
            raise _wrong(where, field, entry, f"the number of a card, 1 to {DECK_SIZE}")
        return int(CARD_TYPE[entry]), int(entry)
    if not isinstance(entry, str):
        raise _wrong(where, field, entry, "a card such as 'move_1@490', a type, a number, or null")
    try:
        return parse_card(entry)
    except CardError as error:
        raise OrderError(f"{where}: {field}: {error}") from error


def _names(cards: Sequence[int]) -> str:
    return ", ".join(card_name(card) for card in cards) or "it is empty"
