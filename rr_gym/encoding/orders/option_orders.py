"""Check that a robot has the option cards, cards and counters that its orders use (R-O, docs/rules/orders.md)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np

from rr_gym.courses.tables.ground import HAS_CHOP_SHOPS, HAS_WASTE
from rr_gym.encoding.orders.orders import Orders
from rr_gym.errors import short_repr
from rr_gym.option_facts import OPTION_CARDS
from rr_gym.rules.options.option_programs import GADGET_OPTION, MOVEMENT_COUNTERS, MOVEMENT_OPTION
from rr_gym.rules.options.options import owns
from rr_gym.rules.options.pairing import may_combine
from rr_gym.rules.state import option_cards as cards_of
from rr_gym.rules.state.cards import FIRST_MOVEMENT, card_name
from rr_gym.rules.state.constants import (
    BUZZ_TOKEN,
    CRAB,
    GADGET_NAMES,
    MOVEMENT_OPTION_NAMES,
    OVERLOAD_EMPTY,
    OVERLOAD_SECOND_FIRST,
    WEAPON_NAMES,
)
from rr_gym.rules.state.option_cards import NO_OPTION, OPTION_NAMES
from rr_gym.rules.state.order_table import OF_CARDS, ORDERS
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.weapons.optional_weapons import WEAPON_OPTION

# Makes the error from a field, its value, and what was expected
Refusal = Callable[[str, Any, str], Exception]

# Orders that assign a card in the hand to an option, or a second card to a register (U57)
HAND_ORDERS = ("second", "conditional", "flywheel", "copter")


def _owners_of(words: Sequence[str], options: np.ndarray[Any, Any]) -> dict[str, int]:
    """Return for each word of an order the option that it uses; words of no option are left out."""
    return {word: int(option) for word, option in zip(words, options, strict=True) if option != NO_OPTION}


WEAPONS = _owners_of(WEAPON_NAMES, WEAPON_OPTION)
GADGETS = _owners_of(GADGET_NAMES, GADGET_OPTION)
MOVEMENTS = _owners_of(MOVEMENT_OPTION_NAMES, MOVEMENT_OPTION)
TWO_CARDS = MOVEMENT_OPTION_NAMES[CRAB : OVERLOAD_SECOND_FIRST + 1]
_WHOLE_REGISTER = (*TWO_CARDS, MOVEMENT_OPTION_NAMES[OVERLOAD_EMPTY])
_COUNTERS = dict(zip(MOVEMENT_OPTION_NAMES, MOVEMENT_COUNTERS.tolist(), strict=True))


def _options_for() -> dict[str, tuple[int, ...]]:
    found: dict[str, dict[int, None]] = {name: {} for name in OF_CARDS}
    for option, card in enumerate(OPTION_CARDS):
        for asked in card.orders:
            found[asked.partition(":")[0]][option] = None
    return {name: tuple(options) for name, options in found.items() if options}


# By order: options of which a robot needs at least one. Orders that are not listed need none.
OPTIONS_FOR = _options_for()
# Orders whose value names the option (see `lacking`), and orders that complete these
_BY_WORD = ("weapon", "gadget", "movement_option", "second", "fallback_to_laser")
# Orders that take effect while programming, when the robot must already own the option
_WHILE_PROGRAMMING = tuple(name for name in OPTIONS_FOR if name not in _BY_WORD and ORDERS[name].on_table)
# Orders that take effect later in the turn; by then the robot may have gained the option
_LATER = tuple(name for name in OPTIONS_FOR if name not in _BY_WORD and not ORDERS[name].on_table)


def may_gain_options(game: GameRecord, features: int) -> bool:
    """Tell whether a robot may gain an option during the turn: by a swap, by drawing, or from beside a flag.

    Args:
        game: dtype `GAME`.
        features: The features of the course.
    """
    if features & (HAS_CHOP_SHOPS | HAS_WASTE) or game["pile_of"].any():
        return True
    robots = game["robots"][: game["num_robots"]]
    swaps = (cards_of.REENGINEERING_UNIT, cards_of.BIO_OPTION)
    return any(owns(robot, option) for robot in robots for option in swaps)


def lacking(
    order: Orders, game: GameRecord, seat: int, features: int
) -> Iterator[tuple[str, int | None, Any, Sequence[int]]]:
    """Yield the orders that need options that the robot lacks, as (field, register from 0, value, options).

    Orders that take effect later in the turn are left out if the robot may still gain the option.
    """
    robot = game["robots"][seat]
    gains = may_gain_options(game, features)
    for name in _WHILE_PROGRAMMING if gains else _WHILE_PROGRAMMING + _LATER:
        value, default, options = getattr(order, name), ORDERS[name].default, OPTIONS_FOR[name]
        each = enumerate(value) if ORDERS[name].per_register else [(None, value)]
        given = [(r, entry) for r, entry in each if entry != default]
        if not given or any(owns(robot, option) for option in options):
            continue
        if name != "buzz_program" or not _flies_buzz_bomb(game, seat):
            yield from ((name, r, entry, options) for r, entry in given)
    for name, options_of in (("weapon", WEAPONS), ("gadget", GADGETS), ("movement_option", MOVEMENTS)):
        for r, word in enumerate(getattr(order, name)):
            option = options_of.get(word)
            if option is not None and not owns(robot, option) and not (name == "weapon" and gains):
                yield name, r, word, (option,)
                if word in TWO_CARDS and order.second[r] is not None:
                    yield "second", r, order.second[r], (option,)


def check_ownership(
    order: Orders, game: GameRecord, seat: int, features: int, refuse: Refusal, names: Collection[str] = ORDERS
) -> None:
    """Raise an error if an order in `names` needs an option that the robot lacks (R-O.2, U57)."""
    for name, r, entry, options in lacking(order, game, seat, features):
        if name in names:
            raise refuse(field_name(name, r), entry, _shown(ORDERS[name].default) + _lacks(options))


def check_cards(order: Orders, game: GameRecord, seat: int, table: Table, refuse: Refusal) -> None:
    """Raise an error if the robot's options cannot take a card (R-O.3). Options that it lacks are not checked.

    Args:
        order: Orders with all cards by number.
        game: The game between two turns.
        seat: The seat of a robot that programs.
        table: The compiled course.
        refuse: Makes the error.
    """
    robot = game["robots"][seat]
    for r, word in enumerate(order.movement_option):
        second = order.second[r]
        if second is not None and word not in TWO_CARDS:
            card = card_name(int(second))
            raise refuse(field_name("second", r), card, f"null: movement_option is {short_repr(word)}, for one card")
        if word not in _WHOLE_REGISTER or not owns(robot, MOVEMENTS[word]):
            continue
        if robot["locked"] >> r & 1:
            raise refuse(field_name("movement_option", r), word, "none: the register is locked")
        first = order.program[r]
        movement = ORDERS["movement_option"].number(word)
        if first and second and not may_combine(table, movement, int(first), int(second)):
            expected = f"none: it does not combine {card_name(int(first))} and {card_name(int(second))}"
            raise refuse(field_name("movement_option", r), word, expected)
    if order.copter and owns(robot, cards_of.ROBO_COPTER) and int(order.copter) < FIRST_MOVEMENT:
        raise refuse("copter", order.copter, "a movement card")
    held = int(robot["flywheel"])
    if order.flywheel and held and held not in (*order.program, *order.second):
        raise refuse("flywheel", card_name(int(order.flywheel)), f"null: the flywheel holds {card_name(held)}")


def check_supplies(order: Orders, game: GameRecord, refuse: Refusal) -> None:
    """Raise an error if orders use more tokens or counters than are left, or lack a second card that they need."""
    for name, options_of in (("gadget", GADGETS), ("movement_option", MOVEMENTS)):
        used: dict[int, int] = {}
        for r, word in enumerate(getattr(order, name)):
            needs = _COUNTERS[word] if name == "movement_option" else 1
            if option := options_of.get(word, 0) * bool(needs):
                used[option] = used.get(option, 0) + needs
                left = int(game["payload"][option])
                if used[option] > left:
                    raise refuse(field_name(name, r), word, f"no more than the {left} left in {OPTION_NAMES[option]}")
            if name == "movement_option" and word in TWO_CARDS and order.second[r] is None:
                raise refuse(field_name("second", r), None, f"a card: the movement_option is {short_repr(word)}")
    if order.buzz and not game["payload"][cards_of.BUZZ_BOMB]:
        raise refuse("buzz", True, "false: no bomb is left in buzz_bomb")


def _flies_buzz_bomb(game: GameRecord, seat: int) -> bool:
    devices = game["devices"]
    return bool(((devices["kind"] == BUZZ_TOKEN) & (devices["owner"] == seat)).any())


def field_name(name: str, r: int | None) -> str:
    """Return the name of an order in errors, with the register (counted from 0 here) if it is for one register."""
    return name if r is None else f"{name}, register {r + 1}"


def _shown(default: Any) -> str:
    return {None: "null", (): "no cards", True: "true", False: "false"}.get(default, str(default))


def _lacks(options: Sequence[int]) -> str:
    return f": the robot does not own {' or '.join(OPTION_NAMES[option] for option in options)}"
