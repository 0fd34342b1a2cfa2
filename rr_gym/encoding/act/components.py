"""What an action can consist of: the components by name, and which of them settings and courses can use.

The registers come first, then `OPTIONAL_COMPONENTS` in this order (docs/actions.md). Choice 0 of each is the default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from rr_gym.courses.tables.ground import CHOP_SHOPS, FREAKS, RESET_SITES, WASTE
from rr_gym.errors import RoboRallyError, did_you_mean, shown
from rr_gym.rules.state.constants import (
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
        name: Of the component; with `per_register` there are ``name_1`` to ``name_5``.
        choices: How many, the default included.
        used: Whether it has an effect under some settings.
        features: What a course must have, one of these, for it to be of use; 0 for nothing.
        rare: It stays on its default unless it is asked for by name.
        per_register: There is one for each register.
    """

    name: str
    choices: int
    used: Callable[[Settings], bool]
    features: int = 0
    rare: bool = False
    per_register: bool = False


def _always(settings: Settings) -> bool:
    return True


def _power_down(settings: Settings) -> bool:
    return settings.power_down == "on"


def _adjacent(settings: Settings) -> bool:
    return settings.reentry == "adjacent8"


def _options(settings: Settings) -> bool:
    return settings.option_cards == "on"


def _offers(settings: Settings) -> bool:
    """Of several options that come up in a turn one can be kept; packages and drafts are dealt before all orders."""
    return _options(settings) and (settings.scavenger != "off" or settings.turbo_wrenches == "on")


def _each(name: str, choices: int, rare: bool = False) -> Component:
    return Component(name, choices, _options, rare=rare, per_register=True)


def _one(name: str, choices: int, rare: bool = False) -> Component:
    return Component(name, choices, _options, rare=rare)


_FROM_REGISTER = 1 + NUM_REGISTERS
_A_CARD = 1 + HAND_SLOTS
_OWNED = 2 + MAX_OWNED  # nothing, or an option: Bio Option counts as one with what it grants
_THRESHOLD = 11  # 0 to 9 movement cards, or always

BASE: tuple[Component, ...] = (
    Component("power", 2, _power_down),
    Component("facing", 4, _always),  # after every re-entry, and at a start without a dock
    Component("unlock", _FROM_REGISTER, lambda s: s.unlock == "choice"),
    Component("site", 3, _options),
    Component("square", 9, _adjacent),
    Component("chop", 5, _options, CHOP_SHOPS),
    Component("waste", 2, _options, WASTE),
    Component("freak", 6, _always, FREAKS),
    Component("reset_card", 8, _always, RESET_SITES),
    Component("stay_down", 2, _power_down, rare=True),
    Component("second_ring", 2, _adjacent, rare=True),
)
# Those of option cards, in the order in which illegal choices are repaired
OPTION: tuple[Component, ...] = (
    _one("homing", 2),
    _each("movement", len(MOVEMENT_OPTION_NAMES)),
    _each("second", _A_CARD),
    _each("gadget", len(GADGET_NAMES)),
    _one("copter", _A_CARD),
    _one("conditional_card", _A_CARD),
    _one("conditional_register", _FROM_REGISTER),
    _one("flywheel", _A_CARD, rare=True),
    _each("weapon", len(WEAPON_NAMES)),
    _each("gear", 2),
    _each("frog", 2),
    _each("turret", len(SIDE_NAMES)),
    _each("shield", len(SHIELD_NAMES)),
    _one("abort", _FROM_REGISTER),
    _one("buzz", 2),
    _each("fire_control", len(FIRE_CONTROL_NAMES), rare=True),
    _each("gyro", 2, rare=True),
    _each("fall_back", 2, rare=True),
    _one("target", MAX_ROBOTS, rare=True),
    _one("reflector", len(SHIELD_NAMES), rare=True),
    _one("damping", 2, rare=True),
    *(_one(f"buzz_{k}", NUM_REGISTERS + 1 - k, rare=True) for k in range(1, NUM_REGISTERS)),
    _one("self_destruct", _FROM_REGISTER, rare=True),
    _one("recompile", _THRESHOLD, rare=True),
    _one("intercept", _THRESHOLD, rare=True),
    _one("reengineering", 3, rare=True),
    _one("arm", 2, rare=True),
    _one("superior_archive", 2, rare=True),
    _one("sac_thr", FATAL_DAMAGE + 2, rare=True),
    _one("give_up_first", _OWNED, rare=True),
    _one("lose", _OWNED, rare=True),
    Component("keep", 9, _offers, rare=True),
    Component("chop_option", _OWNED, _options, CHOP_SHOPS, rare=True),
)
COMPONENTS = (*BASE, *OPTION)
NUM_BASE = len(BASE)


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
    if isinstance(decisions, str) or not isinstance(decisions, Iterable):
        raise ActionError(f"decisions: {shown(decisions)}: expected a list of names of {known}; or 'all'")
    chosen: set[str] = set()
    for name in decisions:
        names = [n for n in OPTIONAL_COMPONENTS if name in (n, _OF_NAME[n].name)]
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
