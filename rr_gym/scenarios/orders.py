"""Read the field `orders`: a robot's decisions besides its program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rr_gym.encoding.orders.order_words import Conditional
from rr_gym.rules.state.constants import MAX_OWNED, NUM_REGISTERS
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.order_table import FREAK_ORDERS, ORDERS, OrderFormat, name_of, word_of
from rr_gym.scenarios.cards import read_card
from rr_gym.scenarios.node import Node
from rr_gym.scenarios.words import NONE


def read_orders(node: Node, robots: Mapping[str, int]) -> dict[str, Any]:
    """Read the orders of one robot as fields of `rr_gym.encoding.orders.orders.Orders`; cards stay as written.

    Raises:
        ScenarioError: An order is unknown, or a value is wrong.
    """
    values: dict[str, Any] = {}
    for word, entry in node.mapping("orders by name", dict.fromkeys([*ORDERS, *map(word_of, ORDERS)])).items():
        name = name_of(word)
        order = ORDERS[name]
        if entry.value is None:
            continue
        if not order.per_register:
            values[name] = _read(entry, order, robots)
            continue
        if not isinstance(entry.value, list):
            values[name] = (_read(entry, order, robots),) * NUM_REGISTERS
            continue
        registers = entry.items("")
        if len(registers) > NUM_REGISTERS:
            raise entry.error(f"{len(registers)} registers: expected at most {NUM_REGISTERS}")
        read = [order.default if register.value is None else _read(register, order, robots) for register in registers]
        values[name] = (*read, *[order.default] * (NUM_REGISTERS - len(read)))
    return values


def _read(node: Node, order: OrderFormat, robots: Mapping[str, int]) -> Any:
    """Read one value of an order; return None if it stands for no choice."""
    if node.value == NONE and NONE not in order.names:
        if order.kind in ("cards", "options"):
            return ()
        if order.default is None and order.kind != "choice":
            return None
    match order.kind:
        case "flag":
            return {"on": True, "off": False}[node.value] if node.value in ("on", "off") else node.flag()
        case "choice":
            return node.choice(order.names)
        case "number":
            number = node.number(min(order.low, 0), order.high)
            return None if number < order.low else number
        case "threshold":
            if node.value in (NONE, "off"):
                return 0
            return node.value if isinstance(node.value, bool) else node.number(order.low, order.high)
        case "robot":
            return robots[node.named().choice(robots, "robot")]
        case "card":
            return read_card(node)
        case "cards":
            cards = node.items("a list of cards")
            if len(cards) > NUM_REGISTERS:
                raise node.error(f"{len(cards)} cards: expected at most {NUM_REGISTERS}")
            return tuple(read_card(card) for card in cards)
        case "option":
            return node.choice(OPTION_NAMES, "option")
        case "options":
            options = tuple(option.choice(OPTION_NAMES, "option") for option in node.items("a list of options"))
            if len(options) > MAX_OWNED:
                raise node.error(f"{len(options)} options: expected at most {MAX_OWNED}")
            return options
        case "permutation":
            chosen = tuple(n.number(order.low, order.high) for n in node.items("a list"))
            if chosen not in FREAK_ORDERS:
                raise node.error(f"{node.short_repr()}: expected each of 0 to {order.high} once")
            return chosen
    return _read_conditional(node)


def _read_conditional(node: Node) -> Conditional | None:
    """Read the card of a Conditional Program and its register, if given; return None if there is no card."""
    if node.value == {}:
        return None
    parts = node.mapping("{card: move_1, register: 3}", ("card", "register"))
    if "card" not in parts:
        raise node.error("'card' is missing")
    register = parts["register"].number(0, NUM_REGISTERS) if "register" in parts else 0
    if parts["card"].value in (NONE, None):
        return None
    return Conditional(read_card(parts["card"]), register)  # type: ignore[arg-type]
