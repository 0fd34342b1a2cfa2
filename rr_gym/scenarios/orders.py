"""Reading `orders`: decisions other than the cards, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rr_gym.encoding.orders import FREAK_ORDERS
from rr_gym.rules.constants import NUM_REGISTERS
from rr_gym.rules.options import NO_OPTION, OPTION_NAMES
from rr_gym.scenarios.cards import Card, read_card
from rr_gym.scenarios.node import Node
from rr_gym.scenarios.words import ORDERS, Order


def read_orders(node: Node, robots: Mapping[str, int]) -> dict[str, int | Card | None]:
    """The orders of one robot, as the values of the fields of `ORDERS` records; a card as it is written.

    Raises:
        ScenarioError: An unknown order, a bad value, or an order that has no rule yet.
    """
    values: dict[str, int | Card | None] = {}
    for name, entry in node.mapping("orders by name", ORDERS).items():
        order = ORDERS[name]
        if entry.value is None:
            continue
        if not order.has_rule and _is_default(entry.value, order):
            continue
        if order.per_register and isinstance(entry.value, list):
            registers = entry.items("")
            if len(registers) > NUM_REGISTERS:
                raise entry.error(f"{len(registers)} registers: expected at most {NUM_REGISTERS}")
            read = [_read(register, order, robots) for register in registers]
            value = read[0] if read else None
        else:
            value = _read(entry, order, robots)
        if not order.has_rule:
            raise entry.error(f"order '{name}' has no rule yet")
        values[order.field or name] = value
    return values


def _is_default(value: Any, order: Order) -> bool:
    """As written once or for each register; nothing at all is the default as well."""
    if order.per_register and isinstance(value, list) and len(value) <= NUM_REGISTERS:
        return all(entry is None or entry in order.default for entry in value)
    return value is None or value in order.default


def _read(node: Node, order: Order, robots: Mapping[str, int]) -> int | Card | None:
    """What stands for one value of an order; None where it is only checked, or where it names no card."""
    match order.kind:
        case "flag":
            return int(node.flag())
        case "choice":
            return order.names.index(node.choice(order.names))
        case "number":
            return node.number(order.low, order.high)
        case "threshold":
            return order.high * node.value if isinstance(node.value, bool) else node.number(order.low, order.high)
        case "robot":
            return robots[node.named().choice(robots, "robot")]
        case "card":
            return _read_card(node)
        case "cards":
            for card in node.items("a list of cards"):
                _read_card(card)
        case "option":
            return NO_OPTION if node.value == "none" else OPTION_NAMES.index(node.choice(OPTION_NAMES, "option"))
        case "options":
            for option in node.items("a list of options"):
                option.choice(OPTION_NAMES, "option")
        case "permutation":
            chosen = tuple(n.number(order.low, order.high) for n in node.items("a list"))
            if chosen not in FREAK_ORDERS:
                raise node.error(f"{node.shown()}: expected each of 0 to {order.high} once")
            return FREAK_ORDERS.index(chosen)
        case "conditional":
            parts = node.mapping("{card: move_1, register: 3}", ("card", "register"))
            for part in ("card", "register"):
                if part not in parts:
                    raise node.error(f"'{part}' is missing")
            _read_card(parts["card"])
            parts["register"].number(0, NUM_REGISTERS)
    return None


def _read_card(node: Node) -> Card | None:
    return None if node.value in ("none", None) else read_card(node)
