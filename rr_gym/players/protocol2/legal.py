"""What the orders of a seat may contain: the program, and every other order with its values (docs/protocol.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rr_gym.encoding.act.components import usable_decisions
from rr_gym.encoding.orders.legal_orders import hand_of_team
from rr_gym.encoding.orders.option_orders import GADGETS, MOVEMENTS, OPTIONS_FOR, TWO_CARDS, WEAPONS
from rr_gym.option_facts import CARD_ORDERS
from rr_gym.players.protocol import SeatView
from rr_gym.rules.options.buzz_bombs import knows_bomb
from rr_gym.rules.options.option_programs import MOVEMENT_COUNTERS
from rr_gym.rules.options.options import owns
from rr_gym.rules.options.pairing import may_combine
from rr_gym.rules.state.cards import FIRST_MOVEMENT, card_name
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, NUM_REGISTERS
from rr_gym.rules.state.option_cards import INITIAL_PAYLOAD, OPTION_NAMES
from rr_gym.rules.state.order_table import BASE_ORDERS, FREAK_ORDERS, OF_CARDS, ORDERS, OrderFormat

_REGISTERS = list(range(1, NUM_REGISTERS + 1))
_ROWS = {row.name: row for row in CARD_ORDERS}
_OF_OWNERS = ("give_up", "lose", "sacrifice_threshold", "chop_option")  # for robots with any option
_OF_NOBODY = ("keep",)  # for robots that may be offered options
_WORDS_OF = {"weapon": WEAPONS, "gadget": GADGETS, "movement_option": MOVEMENTS}
_COUNTERS = dict(zip(ORDERS["movement_option"].names, MOVEMENT_COUNTERS.tolist(), strict=True))


def legal_orders(view: SeatView) -> dict[str, Any]:
    """Return what the orders of a seat may contain, by the name of the order.

    Orders that can have no value besides their default now are left out. What needs an option card that the robot does
    not have is left out too.

    Args:
        view: What the seat sees.
    """
    return _SeatChoices(view).orders()


class _SeatChoices:
    """The choices of one seat in one turn."""

    def __init__(self, view: SeatView) -> None:
        self.game, self.seat, self.table = view.record, view.seat, view.table
        self.robot = view.robot
        self.settings = view.arena.settings[view.record["course"]]
        self.hand = [] if self.robot.down else hand_of_team(view.record, view.seat, self.settings)
        self.owned = [option for option in range(len(OPTION_NAMES)) if owns(self.robot, option)]
        self.locked = [r for r in _REGISTERS if self.robot.locked >> (r - 1) & 1]
        self.usable = usable_decisions([self.settings], int(self.table.course.features))

    def orders(self) -> dict[str, Any]:
        """Return the choices by order."""
        found = {"program": self._program()}
        for name, order in ORDERS.items():
            if not self._is_open(name):
                continue
            entry = self._entry(name, order)
            values = entry["values"]
            if len(values) > 1 or (values and values[0] != entry["default"]):
                found[name] = entry
        return found

    def _program(self) -> dict[str, Any]:
        first = self.settings.first_card_moves == "on" and self.game["turn"] == 0
        return {
            "cards": [card_name(card) for card in self.hand],
            "registers": [r for r in _REGISTERS if r not in self.locked] if self.hand else [],
            "first_card_moves": bool(first and any(card >= FIRST_MOVEMENT for card in self.robot["hand"])),
        }

    def _is_open(self, name: str) -> bool:
        """Tell whether the seat may have a choice: by the settings, the course, and the robot's state and options."""
        if name not in OF_CARDS:
            return name in self.usable and (name not in BASE_ORDERS or self._base_is_open(name))
        if self.settings.option_cards == "off":
            return False
        if self.robot.down and not _ROWS[name].lasting:
            return False
        if _ROWS[name].needs and name not in self.usable:
            return False
        if name in _OF_NOBODY:
            return True
        if name in _OF_OWNERS:
            return bool(self.owned)
        if name == "buzz_program":
            return bool(knows_bomb(self.game, self.seat))
        return any(option in self.owned for option in OPTIONS_FOR.get(name, ()))

    def _base_is_open(self, name: str) -> bool:
        robot, settings = self.robot, self.settings
        match name:
            case "power_down":
                return not robot.down and bool(settings.pd_needs_damage == "off" or robot.damage > 0)
            case "facing":
                return bool(robot.may_face)
            case "unlock":
                return bool(self.locked)
        return True

    def _entry(self, name: str, order: OrderFormat) -> dict[str, Any]:
        default = list(order.default) if isinstance(order.default, tuple) else order.default
        entry: dict[str, Any] = {"default": default, "values": self._values(name, order)}
        if order.per_register:
            entry["registers"] = _REGISTERS
        if order.kind in ("cards", "options"):
            entry["at_most"] = min(len(entry["values"]), NUM_REGISTERS if order.kind == "cards" else len(self.owned))
        if order.kind == "conditional":
            entry["into_registers"] = [0, *_REGISTERS]
        if name == "movement_option":
            entry["pairs"] = {word: self._pairs(word) for word in entry["values"] if word in TWO_CARDS}
            entry["open_registers_only"] = [*entry["pairs"], "overload_empty"]
        return entry

    def _values(self, name: str, order: OrderFormat) -> list[Any]:
        """Return the values of an order, for lists those of its elements, the default first."""
        default = order.default
        none = [None] if default is None else []
        match order.kind:
            case "flag":
                return [default, not default]
            case "choice":
                return [*none, *self._words(name, order)]
            case "number":
                return [*none, *range(order.low, order.high + 1)]
            case "threshold":
                return [*range(order.low, order.high + 1), True]
            case "robot":
                return [*none, *(seat for seat in range(int(self.game["num_robots"])) if seat != self.seat)]
            case "card" | "conditional":
                return [None, *self._cards(name)]
            case "cards":
                return [card_name(int(card)) for card in self.game["buzz_program"] if card]
            case "option":
                return [None, *(OPTION_NAMES[option] for option in self.owned)]
            case "options":
                return [OPTION_NAMES[option] for option in self.owned]
        return [list(chosen) for chosen in FREAK_ORDERS]

    def _words(self, name: str, order: OrderFormat) -> Sequence[str]:
        fits: Callable[[str], bool] = lambda word: True  # noqa: E731
        if name in _WORDS_OF:
            fits = lambda word: self._has(name, word)  # noqa: E731
        elif self.settings.option_cards == "off":
            without = {"site": ("auto", "repair"), "chop": ("auto", "none")}
            fits = lambda word: word in without.get(name, order.names)  # noqa: E731
        words = [word for word in order.names if fits(word)]
        return sorted(words, key=lambda word: word != order.default)

    def _has(self, name: str, word: str) -> bool:
        """Tell whether the robot has the option of a word, with enough of what is used up."""
        option = _WORDS_OF[name].get(word)
        if option is None:
            return True
        if option not in self.owned:
            return False
        left = int(self.game["payload"][option])
        if name == "movement_option":
            return left >= _COUNTERS[word] and (word not in TWO_CARDS or bool(self._pairs(word)))
        return left > 0 or (name == "weapon" and INITIAL_PAYLOAD[option] == 0)

    def _pairs(self, word: str) -> list[list[str]]:
        """Return the cards that a movement option puts into one register: that of the program, and the second one."""
        movement = ORDERS["movement_option"].number(word)
        return [
            [card_name(first), card_name(second)]
            for first in self.hand
            for second in self.hand
            if first != second and may_combine(self.table, movement, first, second)
        ]

    def _cards(self, name: str) -> list[str]:
        if name == "reset_card":
            return list(CARD_TYPE_NAMES[1:])
        lowest = FIRST_MOVEMENT if name == "copter" else 1
        return [card_name(card) for card in self.hand if card >= lowest]
