"""The row of an option card in the table. It contains data alone: names, which each layer resolves for itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rr_gym.option_facts.order import CardOrder

BASE, ARMED = "base game", "Armed and Dangerous"
# The document of their rules, by set.
RULE_FILES = {BASE: "options-base.md", ARMED: "options-armed-and-dangerous.md"}
NO_NAME = "-"  # of the cards that were never published in German

# What the codes of categories stand for
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

# What a card does to a robot that is alone on the floor and has given no orders about options: what the search of a
# lone robot's programs must know of it (`rr_gym.solo.options`). Where in doubt `ALWAYS` is right, if slower.
IDLE = "idle"  # nothing within the phases of a turn
SHOWN = "shown"  # nothing without an order; with one it is given up for a point of damage before others
ALWAYS = "always"  # it may act in any phase
END = "end"  # it acts when the robot is destroyed
REACH = "reach"  # it acts where a flag or site is within reach
DAMAGE = "damage"  # it acts on points of damage
MIRRORED = "mirrored"  # it acts on points of damage, and on the robot that fires it into a mirror
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
        sentence: A sentence on what it does.
        categories: Its categories, by their codes in `CATEGORIES`.
        asks: The orders that concern it: its own orders, and the names of orders that it shares with other cards. If
            such an order names one of several options, the name includes the value, as in ``weapon: big_gun``.
        alone: What it does to a lone robot without orders, one of `ALONE`.
        settings: The settings of games that change it (docs/rules/settings.md).
        holds: The number of shots, tokens, counters or points on a new card; 0 if it holds none.
        value: Its place in the order in which options are given up, 1 for the least valuable (R-O0.33, R-O0.34).
        shown: The evidence in a log that it did something: one of `rr_gym.bench.firing_options.SORTS`, with names of
            `rr_gym.rules.state`.
        used: The phrase for its use; by default "{robot} uses its {option}".
        absorbs: The phrase for stopping a point of damage; the default phrase says that it is given up for it.
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
        """Return the names of the orders that concern the card."""
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
        own: Orders of this card alone.
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
