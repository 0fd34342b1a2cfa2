"""What an action can consist of: the components by name, and which of them settings and courses can use.

The registers come first, then `OPTIONAL_COMPONENTS` in this order (docs/actions.md). Choice 0 of each is the default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rr_gym.courses.tables.ground import HAS_CHOP_SHOPS, HAS_FREAKS, HAS_RESET_SITES, HAS_WASTE
from rr_gym.encoding.orders.order_words import CHOPS, FIRST_RING, FREAK_ORDERS, ORDERS, SITES
from rr_gym.errors import RoboRallyError, did_you_mean, items, shown
from rr_gym.rules.state.constants import (
    CARD_TYPE_NAMES,
    FATAL_DAMAGE,
    FIRE_CONTROL_NAMES,
    GADGET_NAMES,
    HAND_SLOTS,
    MAX_OWNED,
    MAX_ROBOTS,
    MOVEMENT_OPTION_NAMES,
    NUM_REGISTERS,
    SHIELD_NAMES,
    SIDE_NAMES,
    WEAPON_NAMES,
)
from rr_gym.rules.state.settings import Settings

REGISTERS = tuple(f"register_{r + 1}" for r in range(NUM_REGISTERS))
EVERYTHING = "all"  # `decisions`: all components of use


class ActionError(RoboRallyError):
    """An unknown action mode or decision, or an action of the wrong shape or type."""


@dataclass(frozen=True, slots=True)
class Component:
    """One component of an action, or one for each register.

    Attributes:
        name: The order that it decides, or that name and what of the order; with `per_register` there are ``name_1`` to
            ``name_5``.
        choices: How many, the default included.
        used: Whether it has an effect under some settings.
        orders: The order that it decides, a name of `rr_gym.encoding.orders.order_words.ORDERS`.
        features: What a course must have, one of these, for it to be of use; 0 for nothing.
        rare: It stays on its default unless it is asked for by name.
        per_register: There is one for each register.
        of_cards: It is about option cards.
        programmed: Robots that do not program in this turn have nothing to decide: those that sleep, or that a
            scrambler bomb has caught (U7).
        lasting: Robots that are powered down decide it as well.
    """

    name: str
    choices: int
    used: Callable[[Settings], bool]
    orders: str
    features: int = 0
    rare: bool = False
    per_register: bool = False
    of_cards: bool = False
    programmed: bool = False
    lasting: bool = False


def _always(settings: Settings) -> bool:
    return True


def _power_down(settings: Settings) -> bool:
    return settings.power_down == "on"


def _unlock(settings: Settings) -> bool:
    return settings.unlock == "choice"


def _adjacent(settings: Settings) -> bool:
    return settings.reentry == "adjacent8"


def _options(settings: Settings) -> bool:
    return settings.option_cards == "on"


def _offers(settings: Settings) -> bool:
    """Of several options that come up in a turn one can be kept; packages and drafts are dealt before all orders."""
    return _options(settings) and (settings.scavenger != "off" or settings.turbo_wrenches == "on")


_rows: list[Component] = []


def _component(name: str, choices: int, used: Callable[[Settings], bool], *, orders: str = "", **rest: Any) -> int:
    """Declare a component; its number, by which kernels know it."""
    _rows.append(Component(name, choices, used, orders or name, **rest))
    return len(_rows) - 1


def _card(name: str, choices: int, used: Callable[[Settings], bool] = _options, **rest: Any) -> int:
    return _component(name, choices, used, of_cards=True, **rest)


def _each(name: str, choices: int, **rest: Any) -> int:
    return _card(name, choices, per_register=True, **rest)


_FROM_REGISTER = 1 + NUM_REGISTERS
_A_CARD = 1 + HAND_SLOTS
_OWNED = 2 + MAX_OWNED  # nothing, or an option: Bio Option counts as one with what it grants
_THRESHOLD = 11  # 0 to 9 movement cards, or always

# A component is a line, in the order of actions. First those of the base game and of boards, none of them per register.
POWER_DOWN = _component("power_down", 2, _power_down)  # or, for a robot that is down, `stay_down`
FACING = _component("facing", 4, _always)  # after every re-entry, and at a start without a dock
UNLOCK = _component("unlock", _FROM_REGISTER, _unlock)
SITE = _component("site", len(SITES), _options)
SQUARE = _component("square", 1 + FIRST_RING, _adjacent)
CHOP = _component("chop", len(CHOPS), _options, features=HAS_CHOP_SHOPS)
WASTE = _component("waste", 2, _options, features=HAS_WASTE)
FREAK_ORDER = _component("freak_order", len(FREAK_ORDERS), _always, features=HAS_FREAKS)
RESET_CARD = _component("reset_card", len(CARD_TYPE_NAMES), _always, features=HAS_RESET_SITES)
STAY_DOWN = _component("stay_down", 2, _power_down, rare=True)
SQUARE_RING = _component("square_ring", 2, _adjacent, orders="square", rare=True)  # the second ring
# Those of option cards, in the order in which illegal choices are repaired
HOMING = _card("homing", 2, programmed=True)
MOVEMENT_OPTION = _each("movement_option", len(MOVEMENT_OPTION_NAMES), programmed=True)
SECOND = _each("second", _A_CARD, programmed=True)
GADGET = _each("gadget", len(GADGET_NAMES), programmed=True)
COPTER = _card("copter", _A_CARD, programmed=True)
CONDITIONAL = _card("conditional", _A_CARD, programmed=True)
CONDITIONAL_REGISTER = _card("conditional_register", _FROM_REGISTER, orders="conditional", programmed=True)
FLYWHEEL = _card("flywheel", _A_CARD, programmed=True, rare=True)
WEAPON = _each("weapon", len(WEAPON_NAMES))
GEAR = _each("gear", 2)
FROG = _each("frog", 2)
TURRET = _each("turret", len(SIDE_NAMES), programmed=True)
SHIELD = _each("shield", len(SHIELD_NAMES), programmed=True)
ABORT = _card("abort", _FROM_REGISTER)
BUZZ = _card("buzz", 2, programmed=True)
FIRE_CONTROL = _each("fire_control", len(FIRE_CONTROL_NAMES), rare=True)
GYRO = _each("gyro", 2, rare=True)
WCOND = _each("wcond", 2, rare=True)
TARGET = _card("target", MAX_ROBOTS, rare=True)
REFLECTOR = _card("reflector", len(SHIELD_NAMES), programmed=True, rare=True)
DAMPING = _card("damping", 2, programmed=True, rare=True)
BUZZ_PROGRAM_1 = _card("buzz_program_1", NUM_REGISTERS, orders="buzz_program", programmed=True, rare=True)
BUZZ_PROGRAM_2 = _card("buzz_program_2", NUM_REGISTERS - 1, orders="buzz_program", programmed=True, rare=True)
BUZZ_PROGRAM_3 = _card("buzz_program_3", NUM_REGISTERS - 2, orders="buzz_program", programmed=True, rare=True)
BUZZ_PROGRAM_4 = _card("buzz_program_4", NUM_REGISTERS - 3, orders="buzz_program", programmed=True, rare=True)
SELF_DESTRUCT = _card("self_destruct", _FROM_REGISTER, programmed=True, rare=True)
RECOMPILE = _card("recompile", _THRESHOLD, rare=True)
INTERCEPT = _card("intercept", _THRESHOLD, rare=True)
REENGINEERING = _card("reengineering", len(ORDERS["reengineering"].names), rare=True)
ARM = _card("arm", 2, rare=True)
SUPERIOR_ARCHIVE = _card("superior_archive", 2, lasting=True, rare=True)
SAC_THR = _card("sac_thr", FATAL_DAMAGE + 2, lasting=True, rare=True)
GIVE_UP = _card("give_up", _OWNED, lasting=True, rare=True)  # the first option of the order, and no others
LOSE = _card("lose", _OWNED, lasting=True, rare=True)
KEEP = _card("keep", 9, _offers, lasting=True, rare=True)
CHOP_OPTION = _card("chop_option", _OWNED, features=HAS_CHOP_SHOPS, lasting=True, rare=True)

COMPONENTS = tuple(_rows)
NUM_BASE = sum(not component.of_cards for component in COMPONENTS)


def _names(component: Component) -> tuple[str, ...]:
    if not component.per_register:
        return (component.name,)
    return tuple(f"{component.name}_{r + 1}" for r in range(NUM_REGISTERS))


OPTIONAL_COMPONENTS = tuple(name for component in COMPONENTS for name in _names(component))
_OF_NAME = {name: component for component in COMPONENTS for name in _names(component)}
# By optional component: its number of choices, what a course must have, its number in COMPONENTS, its register
NUM_CHOICES = np.array([_OF_NAME[name].choices for name in OPTIONAL_COMPONENTS], np.int8)
NEEDED = np.array([_OF_NAME[name].features for name in OPTIONAL_COMPONENTS], np.int64)
KIND = np.array([COMPONENTS.index(_OF_NAME[name]) for name in OPTIONAL_COMPONENTS], np.int8)
REGISTER = np.array(
    [int(name[-1]) - 1 if _OF_NAME[name].per_register else 0 for name in OPTIONAL_COMPONENTS], np.int8
)
WIDTH = HAND_SLOTS  # choices of every component of an action, where none has more


def width_of(components: Iterable[str]) -> int:
    """The choices of every component of an action that consists of these: as many as the one with most has."""
    return max(WIDTH, *(_OF_NAME[name].choices for name in components if name in _OF_NAME), 0)


def usable_decisions(settings: Iterable[Settings], features: int = 0) -> tuple[str, ...]:
    """The names of `OPTIONAL_COMPONENTS` that have an effect under any of the settings, on courses with features."""
    played = tuple(settings)

    def of_use(component: Component) -> bool:
        there = not component.features or features & component.features
        return bool(there) and any(map(component.used, played))

    return tuple(name for component in COMPONENTS if of_use(component) for name in _names(component))


def choose_decisions(decisions: Iterable[str] | str | None, usable: tuple[str, ...]) -> tuple[str, ...]:
    """What is decided besides the cards, in the order of `OPTIONAL_COMPONENTS`.

    Args:
        decisions: Names of components, ``"weapon"`` for ``"weapon_1"`` to ``"weapon_5"``; ``"all"`` for all of
            `usable`; None for those of `usable` that are not rare.
        usable: From `usable_decisions`.

    Raises:
        ActionError: An unknown decision, or one that is not usable.
    """
    if decisions is None:
        return tuple(name for name in usable if not _OF_NAME[name].rare)
    if isinstance(decisions, str) and decisions == EVERYTHING:
        return usable
    known = ", ".join(component.name for component in COMPONENTS)
    listed = items(decisions)
    if listed is None:
        raise ActionError(f"decisions: {shown(decisions)}: expected a list of names of {known}; or 'all'")
    chosen: set[str] = set()
    for name in listed:
        names = [n for n in OPTIONAL_COMPONENTS if isinstance(name, str) and name in (n, _OF_NAME[n].name)]
        if not names:
            hint = did_you_mean(name, [component.name for component in COMPONENTS]) or f"expected {known}"
            raise ActionError(f"decisions: {shown(name)}: {hint}")
        if names[0] not in usable:
            expected = ", ".join(dict.fromkeys(_OF_NAME[n].name for n in usable))
            raise ActionError(
                f"decisions: {shown(name)}: the settings and the course leave no such choice: expected {expected}"
            )
        chosen.update(names)
    return tuple(name for name in usable if name in chosen)
