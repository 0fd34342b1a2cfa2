"""The orders that can be useful to a seat now, with their defaults and legal values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rr_gym.encoding.act.components import usable_decisions
from rr_gym.encoding.observe.view import View
from rr_gym.encoding.orders.option_orders import GADGETS, MOVEMENTS, WEAPONS
from rr_gym.game import Game
from rr_gym.option_facts import OPTION_CARDS
from rr_gym.play.screen import order_words
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.order_table import ORDERS, OrderFormat

# What orders decide that do not come from an option card.
ABOUT = {
    "power_down": "announce that the robot is powered down in the next turn: it repairs all damage",
    "stay_down": "stay powered down, or come back powered down if destroyed in this turn",
    "facing": "where the robot faces from the start of this turn on",
    "unlock": "the register that a repair unlocks first",
    "site": "what two wrenches are used for",
    "square": "the square beside an occupied archive on which to come back, clockwise from the north",
    "chop": "what to do on a chop shop",
    "chop_option": "the option that a chop shop swaps or reloads",
    "waste": "draw an option on radioactive waste",
    "freak_order": "in which order the three cards of a freak teleporter are used",
    "reset_card": "the card wanted from a reset site",
    "keep": "which of several options on offer to keep, 1 the best",
    "sacrifice_threshold": "give up options only for damage that would reach this many points",
    "give_up": "the options to give up for points of damage, in this order",
    "lose": "the option to lose when the robot is destroyed",
    "breaker": "let your Circuit Breaker power the robot down after this turn, if it has three points of damage then",
}
# What orders of option cards decide, where the sentence on the card does not say it
_WITH_OPTIONS = {
    "fallback_to_laser": "fire the main laser if the weapon has no target",
    "second": "the second card of a register that takes two",
    "buzz_program": "the order of the buzz bomb's cards",
}
_OF_OWNERS = ("sacrifice_threshold", "give_up", "lose")
_WORDS_OF = {"weapon": WEAPONS, "gadget": GADGETS, "movement_option": MOVEMENTS}
_VALUES = {
    "flag": "true | false",
    "robot": "another robot by its number or name",
    "card": "a card of the hand, by number or name",
    "cards": "the bomb's cards by number, in the order wanted",
    "option": "the name of an option",
    "options": "names of options",
    "permutation": "0, 1 and 2 in any order",
    "conditional": "a card of the hand, and the register that it replaces",
}


@dataclass(frozen=True, slots=True)
class Usable:
    """An order that can be useful: its name, its default and values in words, and what it decides."""

    name: str
    default: str
    values: str
    about: str


def usable_orders(game: Game, view: View) -> list[Usable]:
    """Return the orders, other than the program, that can be useful to a seat in this turn.

    Args:
        game: The game, before a turn.
        view: The seat's view of it.
    """
    return [_usable(name, about, view) for name, about in _of_use(game, view)]


def _of_use(game: Game, view: View) -> Iterator[tuple[str, str]]:
    own = view.own
    if own.out:
        return
    decided = usable_decisions([game.settings], int(game.arena.tables[0].course.features))
    fits = {
        "power_down": not own.down and (own.damage > 0 or game.settings.pd_needs_damage == "off"),
        "facing": own.may_face,
        "unlock": any(own.registers),
        "breaker": not own.down and "circuit_breaker" in own.options,
        **dict.fromkeys(_OF_OWNERS, bool(own.options)),
    }
    for name, about in ABOUT.items():
        if fits.get(name, True) and (name in _OF_OWNERS or name in decided):
            yield name, about
    found: dict[str, list[str]] = {}
    for card in OPTION_CARDS:
        if card.id in own.options:
            for asked in card.orders:
                found.setdefault(asked.partition(":")[0], []).append(f"{card.name}: {card.sentence}")
    if view.bomb:
        found.setdefault("buzz_program", [])
    for name in ORDERS:
        if name in found and name not in ABOUT:
            sentence = found[name][0] if len(set(found[name])) == 1 else "what your options can do"
            yield name, _WITH_OPTIONS.get(name, sentence)


def _usable(name: str, about: str, view: View) -> Usable:
    order = ORDERS[name]
    values = _values(name, order, view) + (", one for each register or one for all" if order.per_register else "")
    return Usable(name, order_words(order.default), values, about)


def _values(name: str, order: OrderFormat, view: View) -> str:
    if order.kind == "choice":
        options_of: dict[str, Any] = _WORDS_OF.get(name, {})
        owned = view.own.options
        words = [w for w in order.names if w not in options_of or OPTION_NAMES[options_of[w]] in owned]
        return " | ".join(words)
    if order.kind in ("number", "threshold"):
        high = 7 if name == "square" else order.high
        return f"{order.low} to {high}" + ", or true for always" * (order.kind == "threshold")
    if name == "reset_card":
        return "the name of a card"
    return _VALUES[order.kind]
