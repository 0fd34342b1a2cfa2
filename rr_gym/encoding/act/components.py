"""All components that an action can have, and the settings and courses on which each has an effect.

The registers come first, then `OPTIONAL_COMPONENTS` in this order (docs/actions.md). Choice 0 of each is the default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.courses.tables.ground import HAS_CHOP_SHOPS, HAS_FREAKS, HAS_RESET_SITES, HAS_WASTE
from rr_gym.errors import RoboRallyError, did_you_mean, items, short_repr
from rr_gym.option_facts import CARD_ORDERS
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.state.order_table import CHOPS, FIRST_RING, FREAK_ORDERS, SITES, name_of, values_of
from rr_gym.rules.state.settings import Settings

REGISTERS = tuple(f"register_{r + 1}" for r in range(NUM_REGISTERS))
EVERYTHING = "all"  # the value of `decisions` that selects all usable components


class ActionError(RoboRallyError):
    """An action mode or decision is unknown, or an action has the wrong shape or type."""


@dataclass(frozen=True, slots=True)
class Component:
    """One component of an action, or one for each register.

    Attributes:
        name: Its name; with `per_register`, the components are called ``name_1`` to ``name_5``.
        choices: The number of choices, including the default.
        used: Tells whether it has an effect under some settings.
        orders: The order that it sets, wholly or in part: a name of `rr_gym.rules.state.order_table.ORDERS`.
        features: Mask of course features of which one is needed for it to have an effect; 0 if none is needed.
        rare: Whether it is left out, so that it keeps its default, unless it is requested.
        per_register: Whether there is one for each register.
        of_cards: Whether it is about option cards.
        programmed, bombed, lasting: Which robots decide it; see `rr_gym.option_facts.order.CardOrder`.
        values: The values that its choices write into the order, by choice; empty if these depend on the game.
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
    bombed: bool = False
    lasting: bool = False
    values: tuple[int, ...] = ()


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
    """Tell whether a robot can be offered several options in a turn, of which it keeps one.

    Packages and drafts do not count, since they are dealt before all orders.
    """
    return _options(settings) and (settings.scavenger != "off" or settings.turbo_wrenches == "on")


def _breakers(settings: Settings) -> bool:
    """Tell whether players decide about their Circuit Breakers."""
    return _options(settings) and settings.cb_choice == "on"


_rows: list[Component] = []


def _component(
    name: str, choices: int | Sequence[int], used: Callable[[Settings], bool], *, orders: str = "", **rest: Any
) -> None:
    """Add a component to `_rows`.

    `choices` holds the values that the choices write, or is their number if the values depend on the game.
    """
    values, count = ((), choices) if isinstance(choices, int) else (tuple(choices), len(choices))
    _rows.append(Component(name, count, used, orders or name, values=values, **rest))


# All components, in their order in actions. First come those of the base game and of board elements; none of them is
# per register.
_component("power_down", 2, _power_down)  # for a robot that is powered down, it sets `stay_down`
_component("facing", 4, _always)  # matters after re-entry, and at a start without a dock
_component("unlock", range(1 + NUM_REGISTERS), _unlock)
_component("site", range(len(SITES)), _options)
_component("square", range(-1, FIRST_RING), _adjacent)
_component("chop", range(len(CHOPS)), _options, features=HAS_CHOP_SHOPS)
_component("waste", (1, 0), _options, features=HAS_WASTE)
_component("freak_order", range(len(FREAK_ORDERS)), _always, features=HAS_FREAKS)
_component("reset_card", len(CARD_TYPE_NAMES), _always, features=HAS_RESET_SITES)
_component("stay_down", (0, 1), _power_down, rare=True)
_component("square_ring", 2, _adjacent, orders="square", rare=True)  # whether `square` counts in the second ring

# When components of option cards have an effect, by `CardOrder.needs`
_NEEDS: dict[str, dict[str, Any]] = {
    "": {"used": _options},
    "offers": {"used": _offers},
    "chop shops": {"used": _options, "features": HAS_CHOP_SHOPS},
    "breakers": {"used": _breakers},
}


# Then those of option cards, from `rr_gym.option_facts`, in the order in which illegal choices are repaired.
for _row in CARD_ORDERS:
    _facts = {
        "orders": _row.name, "rare": _row.rare, "per_register": _row.per_register, "of_cards": True,
        "programmed": _row.programmed, "bombed": _row.bombed, "lasting": _row.lasting, **_NEEDS[_row.needs],
    }  # fmt: skip
    if _row.parts:
        for _part in _row.parts:
            _component(_part.name, _part.choices, **_facts)
    else:
        _component(_row.name, _row.choices or values_of(_row), **_facts)

COMPONENTS = tuple(_rows)
# Constants for kernels with the number of each component: `POWER_DOWN`, `FACING`, ...
globals().update({component.name.upper(): kind for kind, component in enumerate(COMPONENTS)})
if TYPE_CHECKING:

    def __getattr__(name: str) -> int: ...


NUM_BASE = sum(not component.of_cards for component in COMPONENTS)


def _names(component: Component) -> tuple[str, ...]:
    if not component.per_register:
        return (component.name,)
    return tuple(f"{component.name}_{r + 1}" for r in range(NUM_REGISTERS))


OPTIONAL_COMPONENTS = tuple(name for component in COMPONENTS for name in _names(component))
_BY_NAME = {name: component for component in COMPONENTS for name in _names(component)}
# By optional component: number of choices, needed course features, number in COMPONENTS, register
NUM_CHOICES = np.array([_BY_NAME[name].choices for name in OPTIONAL_COMPONENTS], np.int8)
NEEDED = np.array([_BY_NAME[name].features for name in OPTIONAL_COMPONENTS], np.int64)
KIND = np.array([COMPONENTS.index(_BY_NAME[name]) for name in OPTIONAL_COMPONENTS], np.int8)
REGISTER = np.array(
    [int(name[-1]) - 1 if _BY_NAME[name].per_register else 0 for name in OPTIONAL_COMPONENTS], np.int8
)
WIDTH = HAND_SLOTS  # number of choices of each component of an action, unless a component needs more


def component_name(word: Any) -> Any:
    """Return the name of a component for the word of its order in files; other values are returned unchanged."""
    if not isinstance(word, str):
        return word
    order, _, register = word.rpartition("_")
    return f"{name_of(order)}_{register}" if register.isdigit() else name_of(word)


def width_of(components: Iterable[str]) -> int:
    """Return the width of an action: the largest number of choices of these components, but at least `WIDTH`."""
    return max(WIDTH, *(_BY_NAME[name].choices for name in components if name in _BY_NAME), 0)


def usable_decisions(settings: Iterable[Settings], features: int = 0) -> tuple[str, ...]:
    """Return which `OPTIONAL_COMPONENTS` have an effect under any of the settings, on courses with `features`."""
    played = tuple(settings)

    def of_use(component: Component) -> bool:
        there = not component.features or features & component.features
        return bool(there) and any(map(component.used, played))

    return tuple(name for component in COMPONENTS if of_use(component) for name in _names(component))


def choose_decisions(decisions: Iterable[str] | str | None, usable: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the decisions to make besides the cards, in the order of `OPTIONAL_COMPONENTS`.

    Args:
        decisions: Names of components, ``"weapon"`` for ``"weapon_1"`` to ``"weapon_5"``; ``"all"`` for all of
            `usable`; None for those of `usable` that are not rare.
        usable: From `usable_decisions`.

    Raises:
        ActionError: A decision is unknown or not usable.
    """
    if decisions is None:
        return tuple(name for name in usable if not _BY_NAME[name].rare)
    if isinstance(decisions, str) and decisions == EVERYTHING:
        return usable
    known = ", ".join(component.name for component in COMPONENTS)
    listed = items(decisions)
    if listed is None:
        raise ActionError(f"decisions: {short_repr(decisions)}: expected a list of names of {known}; or 'all'")
    chosen: set[str] = set()
    for name in map(component_name, listed):
        names = [n for n in OPTIONAL_COMPONENTS if isinstance(name, str) and name in (n, _BY_NAME[n].name)]
        if not names:
            hint = did_you_mean(name, [component.name for component in COMPONENTS]) or f"expected {known}"
            raise ActionError(f"decisions: {short_repr(name)}: {hint}")
        if names[0] not in usable:
            expected = ", ".join(dict.fromkeys(_BY_NAME[n].name for n in usable))
            raise ActionError(
                f"decisions: {short_repr(name)}: the settings and the course leave no such choice: expected {expected}"
            )
        chosen.update(names)
    return tuple(name for name in usable if name in chosen)
