"""Parser for what a person types for one turn, into fields of `Orders`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rr_gym.encoding.observe.view import View
from rr_gym.encoding.orders.order_words import Card
from rr_gym.encoding.orders.orders import OrderError, Orders
from rr_gym.errors import did_you_mean, short_repr
from rr_gym.rules.state.cards import CardError, parse_card
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, NUM_REGISTERS
from rr_gym.rules.state.order_table import ORDERS, OrderFormat

ANY = "."
SHORT = {
    "u": "u_turn", "l": "rotate_left", "r": "rotate_right", "b": "back_up", "m1": "move_1", "m2": "move_2",
    "m3": "move_3",
}  # fmt: skip
REGISTER_WORDS = tuple(f"r{r + 1}" for r in range(NUM_REGISTERS))
FIELDS = ("program", *REGISTER_WORDS, *ORDERS)
_SWITCH = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
_NOTHING = frozenset({"none", "null", ANY})
_LISTS = frozenset({"cards", "options", "permutation"})
# Words between blanks; anything in brackets is one word
_WORD = re.compile(r"(?:\{[^}]*\}|\[[^\]]*\]|\S)+")


class Reader:
    """Parses the input for one turn: cards by their number in the hand or by name, other orders by name.

    Args:
        view: What the person sees.
        names: A name for each robot, in seat order.
    """

    def __init__(self, view: View, names: Sequence[str]) -> None:
        self.view, self.names = view, names
        self.hand = (*view.hand, *(card for seat in sorted(view.mates) for card in view.mates[seat]))
        self.open = [r for r, card in enumerate(view.own.registers) if card is None]

    def read(self, text: str, program: Sequence[Card] = (None,) * NUM_REGISTERS) -> dict[str, Any]:
        """Parse a line into fields of `Orders`, without checking whether the rules allow them.

        Args:
            text: The line, such as ``3 1 5 2 4``, ``power_down``, ``turret=left`` or ``weapon main none``.
            program: The program so far; ``r3=7`` changes one register of it.

        Raises:
            OrderError: A word is unknown; the message names the field, the word and what was expected.
        """
        tight = re.sub(r"\s*([=,])\s*", r"\1", text.strip())
        words = _WORD.findall(tight)
        fields: dict[str, Any] = {}
        if len(words) > 1 and _takes(words[0], ",".join(words[1:])):
            words = [f"{words[0]}={','.join(words[1:])}"]
        cards: list[str] = []
        for word in words:
            name, equals, value = word.partition("=")
            name = name.lower()
            if name == "program" and value not in ("", "default"):
                cards += _parts(value)
            elif equals or name in FIELDS:
                fields |= self._field(name, value if equals else None, fields.get("program", program))
            else:
                cards += _parts(word)
        if cards:
            fields["program"] = self._program(cards)
        return fields

    def _field(self, name: str, text: str | None, program: Sequence[Card]) -> dict[str, Any]:
        if name not in FIELDS:
            hint = did_you_mean(name, FIELDS)
            raise OrderError(f"there is no order {short_repr(name)}: {hint or 'orders lists the useful ones'}")
        if text is None:
            if name in ORDERS and ORDERS[name].kind == "flag":
                return {name: True}
            raise OrderError(f"{name}: expected a value, such as {name}={_example(name)}")
        if name in REGISTER_WORDS:
            changed = list(program)
            changed[REGISTER_WORDS.index(name)] = self._card(text, name, self.hand)
            return {"program": changed}
        if text in ("", "default"):
            return {name: getattr(Orders(), name)}
        return {name: self._value(name, ORDERS[name], text)}

    def _program(self, words: Sequence[str]) -> list[Card]:
        """Return a program of five entries, given five words or one word for each register that is not locked."""
        cards = [self._card(word, "program", self.hand) for word in words]
        if words == [ANY]:
            return [None] * NUM_REGISTERS
        if len(cards) == NUM_REGISTERS:
            return cards
        if len(cards) != len(self.open):
            counts = f"{NUM_REGISTERS} cards"
            if len(self.open) < NUM_REGISTERS:
                counts = f"{len(self.open)} cards, one for each open register"
            typed = f"{len(cards)} card{'s' * (len(cards) != 1)}"
            raise OrderError(f"program: {typed}: expected {counts}; {ANY} stands for any card")
        program: list[Card] = [None] * NUM_REGISTERS
        for r, card in zip(self.open, cards, strict=True):
            program[r] = card
        return program

    def _card(self, word: str, field: str, cards: Sequence[str]) -> Card:
        if word in _NOTHING or word == "any":
            return None
        if word.isascii() and word.isdigit():
            if len(word) > 3 or not 1 <= int(word) <= len(cards):
                numbers = f"1 to {len(cards)}, a card by its number" if cards else "nothing: there are no cards"
                raise OrderError(f"{field}: {word}: expected {numbers}")
            return cards[int(word) - 1]
        kind, at, number = word.lower().partition("@")
        name = SHORT.get(kind, kind) + at + number
        try:
            parse_card(name)
        except CardError as error:
            if "@" in name:
                raise OrderError(f"{field}: {error}") from None
            hint = did_you_mean(name, [*CARD_TYPE_NAMES[1:], *FIELDS]) or "help cards, help orders and help list all"
            raise OrderError(f"{field}: there is no card {short_repr(word)}: {hint}") from None
        return name

    def _value(self, name: str, order: OrderFormat, text: str) -> Any:
        parts = _parts(text)
        if order.kind == "conditional":
            if not parts or parts[0] in _NOTHING:
                return None
            registers = [_plain(part) for part in parts[1:]]
            return {"card": self._card(parts[0], name, self.hand), "register": registers[0] if registers else 0}
        values = [self._one(name, order, part) for part in parts]
        if order.kind == "options" and values == [None]:
            return None
        one = len(values) == 1 and order.kind not in _LISTS and not (order.kind == "card" and order.per_register)
        return values[0] if one and not text.startswith("[") else values

    def _one(self, name: str, order: OrderFormat, word: str) -> Any:
        match order.kind:
            case "card" if name != "reset_card":
                return self._card(word, name, self.hand)
            case "card":
                return SHORT.get(word, word)
            case "cards":
                return self._card(word, name, self.view.bomb)
            case "flag" if word != ANY:
                return _SWITCH.get(word.lower(), word)
            case "robot":
                return self._robot(name, word)
        if word == ANY or (order.default is None and word in _NOTHING):
            return order.default
        return _plain(word)

    def _robot(self, name: str, word: str) -> int | None:
        """Return the seat of another robot, given its number on the board or its player's name; None for no robot."""
        others = {i: label for i, label in enumerate(self.names) if i != self.view.seat}
        for seat, label in others.items():
            if word in (str(seat + 1), label):
                return seat
        if word in _NOTHING:
            return None
        known = ", ".join(f"{seat + 1} ({label})" for seat, label in others.items()) or "none: there is nobody else"
        raise OrderError(f"{name}: {word}: expected a robot by its number: {known}")


def _takes(name: str, text: str) -> bool:
    """Tell whether the words after a field's name on a line are its value; fields that are flags need none."""
    name = name.lower()
    if name in ORDERS and ORDERS[name].kind == "flag":
        return all(word.lower() in _SWITCH or word == ANY for word in _parts(text))
    return name in FIELDS and "=" not in text


def _parts(text: str) -> list[str]:
    """Split a list or mapping into its words, without brackets and quotes."""
    parts = (part.strip() for part in text.strip("[]{} ").split(","))
    return [re.sub(r"^(card|register):\s*", "", part).strip("'\"") for part in parts if part]


def _plain(word: str) -> Any:
    """Convert a word to a number or a truth value, if it is one; otherwise return the word."""
    if re.fullmatch(r"-?\d{1,9}", word):
        return int(word)
    return {"true": True, "false": False}.get(word, word)


def _example(name: str) -> str:
    if name in REGISTER_WORDS:
        return "3"
    if name == "program":
        return "3,1,5,2,4"
    order = ORDERS[name]
    if order.names:
        return order.names[-1]
    kinds = {"card": "3", "cards": "2,1", "option": "brakes", "options": "brakes,turret", "permutation": "2,0,1"}
    return kinds.get(order.kind, "3,2" if order.kind == "conditional" else str(max(1, order.low)))


class OrderEntry:
    """Builds the orders of one turn line by line."""

    def __init__(self) -> None:
        self._steps: list[dict[str, Any]] = [{}]

    @property
    def fields(self) -> Mapping[str, Any]:
        """Return the fields entered so far, for `Orders.from_json`. Except for `program`, defaults are left out."""
        return self._steps[-1]

    @property
    def program(self) -> Sequence[Card]:
        """Return the five entries of the program so far; None stands for any card."""
        cards: Sequence[Card] = self.fields.get("program", (None,) * NUM_REGISTERS)
        return cards

    def enter(self, fields: Mapping[str, Any]) -> None:
        """Add or replace fields of the orders.

        Raises:
            OrderError: A value has the wrong form; nothing is entered.
        """
        joined = {**self.fields, **fields}
        try:
            chosen = Orders.from_json(joined, "orders").to_json()
        except OrderError as error:
            raise OrderError(str(error).removeprefix("orders: ")) from None
        self._steps.append({name: joined[name] for name in joined if name == "program" or name in chosen})

    def undo(self) -> bool:
        """Undo the last line. Returns False if there is none."""
        if len(self._steps) == 1:
            return False
        self._steps.pop()
        return True

    def clear(self) -> None:
        """Empty the orders, which can be undone too."""
        self._steps.append({})
