"""The orders that a seat may give now, as controls of a page with their legal values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rr_gym.encoding.observe.view import View
from rr_gym.encoding.orders.orders import OrderError
from rr_gym.option_facts import OPTION_CARDS
from rr_gym.play import HumanGame
from rr_gym.play.screen import card_words, order_words
from rr_gym.play.usable import usable_orders
from rr_gym.render.phrases import FACING_WORDS
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, DIRECTION_NAMES, NUM_REGISTERS
from rr_gym.rules.state.order_table import FREAK_ORDERS, ORDERS, OrderFormat

NEEDS_OTHER = "movement_option is"  # the start of errors about an order that is legal only with another one
_FACING = dict(zip(DIRECTION_NAMES, FACING_WORDS, strict=True))
_OPTIONS = {card.id: card.name for card in OPTION_CARDS}
# Labels of orders whose names are abbreviations
_LABELS = {"sacrifice_threshold": "give up options from", "fallback_to_laser": "else the main laser"}


def controls_of(table: HumanGame, seat: int, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the controls for the orders, other than the program, that can be useful to a seat in this turn.

    Args:
        table: The game, between two turns.
        seat: The seat of a person.
        names: A name for each robot.

    Returns:
        For each order a dict with its `name`, a `label`, what it is `about`, its `default`, and its `shape`: ``one``
        value, one value for each of the ``registers``, a ``list`` of at most `slots` values in an order, or
        ``conditional``, a card and a register. `values` are pairs of the value to send and words for it. Orders with
        nothing to choose are left out.
    """
    view = table.view_of(seat)
    found = []
    for usable in usable_orders(table.game, view):
        order = ORDERS[usable.name]
        values = list(_values(usable.name, order, names, view))
        shape = _shape(order)
        if shape == "one":
            values = [(value, words) for value, words in values if _legal(table, seat, usable.name, value)]
        elif shape == "registers":
            values = [(value, words) for value, words in values if _legal_somewhere(table, seat, usable.name, value)]
        if len(values) > (shape not in ("list", "conditional")):
            label = _LABELS.get(usable.name, usable.name.replace("_", " "))
            control = {"name": usable.name, "label": label, "about": usable.about, "shape": shape, "values": values}
            found.append(control | {"default": order.default, "slots": _slots(usable.name, view)})
    return found


def _shape(order: OrderFormat) -> str:
    if order.kind in ("cards", "options"):
        return "list"
    return "conditional" if order.kind == "conditional" else "registers" if order.per_register else "one"


def _slots(name: str, view: View) -> int:
    """Return the maximum number of values in a list."""
    return {"buzz_program": len(view.bomb), "give_up": len(view.own.options)}.get(name, 0)


def _legal(table: HumanGame, seat: int, name: str, value: Any) -> bool:
    orders: Mapping[str, Any] = {name: value}
    try:
        table.check_orders(seat, orders)
    except OrderError as error:
        return str(error).startswith(NEEDS_OTHER)
    return True


def _legal_somewhere(table: HumanGame, seat: int, name: str, value: Any) -> bool:
    """Tell whether a value is legal in at least one register."""
    default = ORDERS[name].default
    return any(
        _legal(table, seat, name, [value if r == at else default for r in range(NUM_REGISTERS)])
        for at in range(NUM_REGISTERS)
    )


def _values(name: str, order: OrderFormat, names: Sequence[str], view: View) -> Iterator[tuple[Any, str]]:
    """Yield the possible values of an order, legal or not, with words for each."""
    if order.default is None and order.kind not in ("cards", "options", "conditional"):
        yield None, "no choice"
    match order.kind:
        case "flag":
            yield from ((False, "no"), (True, "yes"))
        case "choice" if name == "facing":
            yield from _FACING.items()
        case "choice":
            yield from ((word, word.replace("_", " ")) for word in order.names)
        case "robot":
            yield from ((i, label) for i, label in enumerate(names) if i != view.seat)
        case "card" if name == "reset_card":
            yield from ((word, word.replace("_", " ")) for word in CARD_TYPE_NAMES[1:])
        case "card" | "conditional":
            mates = (card for seat in sorted(view.mates) for card in view.mates[seat])
            yield from ((card, card_words(card)) for card in (*view.hand, *mates))
        case "cards":
            yield from ((card, card_words(card)) for card in view.bomb)
        case "option" | "options":
            yield from ((option, _OPTIONS[option]) for option in view.own.options)
        case "permutation":
            yield from ((list(places), order_words(places)) for places in FREAK_ORDERS)
        case "number" | "threshold":
            yield from ((number, str(number)) for number in range(order.low, order.high + 1))
            if order.kind == "threshold":
                yield True, "always"
