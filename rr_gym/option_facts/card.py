"""The class of a row of the table of option cards. Rows are plain data; each layer resolves the names in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rr_gym.option_facts.order import CardOrder

BASE, ARMED = "base game", "Armed and Dangerous"
# By set: the document that states the rules
RULE_FILES = {BASE: "options-base.md", ARMED: "options-armed-and-dangerous.md"}
NO_NAME = "-"  # the German name of cards that were never published in German

# By code: the category in words
CATEGORIES = {
    "AW": "additional weapon",
    "MLM": "main laser modification",
    "OW": "optional weapon",
    "TP": "turn programmed",
    "PP": "phase programmed",
    "PPG": "phase programmed gadget",
    "PPM": "phase programmed movement",
    "RT": "run time",
    "PA": "passive",
}
CATEGORY_SENTENCES = {
    "AW": "Fires in addition to the main laser.",
    "MLM": "Always changes what the main laser does.",
    "OW": "Is fired instead of the main laser, one in each phase.",
    "TP": "Is set with the program for the whole turn.",
    "PP": "Is set with the program for one phase.",
    "PPG": "A token on a register, laid in A5 of its phase; one gadget option per register.",
    "PPM": "Acts in B1 with the card of its register; one movement option per register.",
    "RT": "Is decided when it matters, here by orders given in advance.",
    "PA": "Works by itself.",
}

# The effect of a card on a robot that is alone on the board and gives no orders about options. The search over a lone
# robot's programs uses it (`rr_gym.solo.options`). `ALWAYS` is always correct, but slower.
IDLE = "idle"  # nothing within the phases of a turn
SHOWN = "shown"  # nothing without an order
ALWAYS = "always"  # it may act in any phase
END = "end"  # it acts when the robot is destroyed
REACH = "reach"  # it acts where a flag or repair site is within reach
DAMAGE = "damage"  # it acts on points of damage
MIRRORED = "mirrored"  # it acts on points of damage, and on a robot that shoots itself in a mirror
ALONE = (IDLE, SHOWN, ALWAYS, END, REACH, DAMAGE, MIRRORED)


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionCard:
    """An option card.

    Attributes:
        number: Its number, from 1; its rules are R-O<number>.1, R-O<number>.2, ...
        id: Its name in code, orders and scenarios.
        name: Its name in words.
        german: Its name in the German edition, or `NO_NAME` if there is none.
        set: The box in which it was published, `BASE` or `ARMED`.
        sentence: A sentence that says what it does.
        categories: Its categories, by their codes in `CATEGORIES`.
        asks: The orders about it: its own orders, and the names of orders that it shares with other cards. If the value
          of a shared order selects one of several options, it is given after the name, as in ``weapon: big_gun``.
        alone: Its effect on a lone robot without orders, one of `ALONE`.
        settings: The settings of games that change it (docs/rules/settings.md).
        holds: The number of shots, tokens, counters or points on a new card; 0 for none.
        value: Its rank by value; options are given up in this order, 1 (the least valuable) first (R-O0.33, R-O0.34).
        shown: How a log of events shows that it acted: a key of `rr_gym.bench.firing_options.SORTS`, followed by its
          arguments, which are names of `rr_gym.rules.state`.
        used: The phrase for its use; "" for the default, "{robot} uses its {option}".
        absorbs: The phrase for absorbing a point of damage; "" for the default, which says that it is given up.
        turned: The phrase for turning it to a side of the robot.
        token: The noun for its token on another robot.
    """

    number: int
    id: str
    name: str
    german: str = NO_NAME
    set: str
    sentence: str
    categories: tuple[str, ...]
    asks: tuple[CardOrder | str, ...] = ()
    alone: str
    settings: tuple[str, ...] = ()
    holds: int = 0
    value: int
    shown: str = "used"
    used: str = ""
    absorbs: str = ""
    turned: str = ""
    token: str = ""

    def __post_init__(self) -> None:
        if self.alone not in ALONE:
            raise ValueError(f"{self.id}: alone: {self.alone!r}: expected one of {', '.join(ALONE)}")

    @property
    def orders(self) -> tuple[str, ...]:
        """Return the names of the orders about the card."""
        return tuple(order if isinstance(order, str) else order.name for order in self.asks)

    @property
    def category(self) -> str:
        """Return the categories of the card in words."""
        return ", ".join(CATEGORIES[code] for code in self.categories)

    @property
    def rule(self) -> str:
        """Return the id of the card's rules, without their last number."""
        return f"R-O{self.number}"

    @property
    def rule_file(self) -> str:
        """Return the name of the document in docs/rules that states the card's rules."""
        return RULE_FILES[self.set]

    @property
    def scenarios(self) -> str:
        """Return the path of the card's scenarios within tests/scenarios."""
        return f"options/{self.id}.yaml"


def weapon(*, fires: str, own: tuple[CardOrder, ...] = (), **row: Any) -> OptionCard:
    """Return the row of an optional weapon.

    Args:
        fires: The weapon, a word of the order `weapon`.
        own: Further orders, about this card only.
        row: The other fields of the row.
    """
    orders: tuple[CardOrder | str, ...] = (f"weapon: {fires}", *own, "fallback_to_laser")
    return OptionCard(categories=("OW",), asks=orders, alone=IDLE, shown=f"fired {fires}", **row)


def gadget(*, lays: str, settings: tuple[str, ...] = (), **row: Any) -> OptionCard:
    """Return the row of a card whose tokens lie on registers and are laid on the board.

    Args:
        lays: The device, a word of the order `gadget`.
        settings: The settings that change this card; `gadget_time` changes all of them.
        row: The other fields of the row.
    """
    return OptionCard(
        set=ARMED, categories=("PPG",), asks=(f"gadget: {lays}",), settings=("gadget_time", *settings), alone=IDLE,
        shown=f"laid {lays}", **row,
    )  # fmt: skip
