"""Every decision besides the program by its name, with the values that it may have (R-O, docs/rules/orders.md).

One table serves `rr_gym.encoding.orders.orders.Orders`, JSON and scenarios.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple

from rr_gym.rules.state.constants import (
    ALWAYS,
    DECK_SIZE,
    DIRECTION_NAMES,
    FATAL_DAMAGE,
    FIRE_CONTROL_NAMES,
    GADGET_NAMES,
    HAND_SIZE,
    MOVEMENT_OPTION_NAMES,
    NUM_REGISTERS,
    SHIELD_NAMES,
    SIDE_NAMES,
    WEAPON_NAMES,
)
from rr_gym.rules.state.option_cards import NO_OPTION, OPTION_NAMES

Card = str | int | None
SITES = ("auto", "repair", "option")
CHOPS = ("auto", "none", "swap", "reload", "draw")  # by the number in `ORDERS`, as the other tables here
FREAK_ORDERS = tuple(permutations(range(3)))
FIRST_RING, SECOND_RING = 8, 16  # squares of the rings around an archive


class Conditional(NamedTuple):
    """A card for the Conditional Program, and the register (1-5) that it replaces; 0 only stores it."""

    card: Card
    register: int = 0


@dataclass(frozen=True, slots=True)
class Order:
    """How the value of an order is written.

    Attributes:
        kind: ``flag``, ``choice``, ``number``, ``robot``, ``card``, ``cards``, ``option``, ``options``, ``threshold``
            (a number, or true for always), ``permutation`` or ``conditional``.
        default: What an order that is left out means; for each register where there is one value for each.
        names: The words of a choice; their index is the number in the record.
        low, high: The range of a number.
        per_register: A list of up to five such values, or one that stands for all registers.
        nothing: The number in the record where nothing is chosen.
    """

    kind: str
    default: Any = None
    names: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    per_register: bool = False
    nothing: int = 0

    def number(self, value: Any) -> int:
        """What stands for one checked value in the record."""
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
        """The opposite of `number`; the default for a number that means nothing. Cards stay numbers."""
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


def _register(high: int = NUM_REGISTERS, **more: Any) -> Order:
    return Order("number", low=1, high=high, **more)


ORDERS: dict[str, Order] = {
    "power_down": Order("flag", False),
    "stay_down": Order("flag", False),
    "facing": Order("choice", names=DIRECTION_NAMES, nothing=-1),
    "unlock": _register(),
    "site": Order("choice", "auto", names=SITES),
    "square": Order("number", high=SECOND_RING - 1, nothing=-1),
    "weapon": Order("choice", "main", names=WEAPON_NAMES, per_register=True),
    "gadget": Order("choice", "none", names=GADGET_NAMES, per_register=True),
    "movement_option": Order("choice", "none", names=MOVEMENT_OPTION_NAMES, per_register=True),
    "second": Order("card", per_register=True),
    "gear": Order("flag", False, per_register=True),
    "frog": Order("flag", False, per_register=True),
    "gyro": Order("flag", True, per_register=True),
    "turret": Order("choice", "front", names=SIDE_NAMES, per_register=True),
    "shield": Order("choice", "front", names=SHIELD_NAMES, per_register=True),
    "fire_control": Order("choice", "lock_next", names=FIRE_CONTROL_NAMES, per_register=True),
    "wcond": Order("flag", True, per_register=True),
    "target": Order("robot", high=7, nothing=-1),
    "abort": _register(),
    "conditional": Order("conditional"),
    "flywheel": Order("card"),
    "reflector": Order("choice", "front", names=SHIELD_NAMES),
    "damping": Order("flag", False),
    "homing": Order("flag", False),
    "copter": Order("card"),
    "buzz": Order("flag", False),
    "buzz_program": Order("cards", ()),
    "self_destruct": _register(),
    "recompile": Order("threshold", 0, high=HAND_SIZE),
    "intercept": Order("threshold", 0, high=HAND_SIZE),
    "reengineering": Order("choice", "better", names=("never", "better", "always")),
    "arm": Order("flag", True),
    "superior_archive": Order("flag", True),
    "sac_thr": Order("number", FATAL_DAMAGE, high=FATAL_DAMAGE + 1),
    "give_up": Order("options"),
    "lose": Order("option", nothing=NO_OPTION),
    "keep": _register(8),
    "chop": Order("choice", "auto", names=CHOPS),
    "chop_option": Order("option", nothing=NO_OPTION),
    "waste": Order("flag", True),
    "freak_order": Order("permutation", FREAK_ORDERS[0], high=2),
    "reset_card": Order("card"),
}
# Orders that name cards
CARD_ORDERS = tuple(name for name, order in ORDERS.items() if order.kind in ("card", "cards", "conditional"))
# Orders of the base game; all others belong to expansions
BASE_ORDERS = frozenset({"power_down", "stay_down", "facing", "unlock", "site", "square"})
