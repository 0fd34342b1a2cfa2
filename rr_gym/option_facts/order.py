"""The row of an order about option cards. It contains data alone: names, which each layer resolves for itself."""

from __future__ import annotations

from dataclasses import dataclass

# How the value of an order is written.
KINDS = {
    "flag": "true or false",
    "choice": "one of some words",
    "number": "a whole number",
    "register": "a register, 1 to 5, or none",
    "threshold": "a number of movement cards, or true for always",
    "robot": "a robot, or none",
    "card": "a card of the hand, or none",
    "cards": "some cards",
    "option": "an option card, or none",
    "options": "some option cards",
    "conditional": "a card and a register",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPart:
    """A component of actions that decides one part of an order that takes several components.

    Attributes:
        name: The name of the component, which begins with the name of the order.
        choices: The number of choices, including the default.
        chooses: The meaning of the choices, as docs/options.md shows it.
    """

    name: str
    choices: int
    chooses: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOrder:
    """An order about option cards: how it is written, how the record of orders stores it, and how actions choose it.

    Attributes:
        name: The name of the order in orders and scenarios, of the field in records, and of the component of actions.
        place: Its place among the components of actions. Trained policies depend on it, so a new order takes the next
            free number.
        says: What the order decides, as docs/options.md shows it.
        kind: The kind of its value, a key of `KINDS`.
        default: The value of an order that is left out.
        words: For a choice, the words or the name of a tuple of words in `rr_gym.rules.state.constants`. The record
            stores their index.
        low, high: For a number, its bounds.
        per_register: Whether there is one value for each register.
        on_table: Whether the order lies on the table from programming on, so that the robot must have the option by
            then (R-O.6). All other orders are read when they matter.
        chooses: The meaning of the component's choices, if it is not plain from the values.
        values: The values that choices 0, 1, ... write into the record. If empty, choice 0 is the default and the
            others follow in ascending order.
        choices: The number of choices, if it is not plain from the values.
        parts: The components of an order that takes several; they follow each other from `place` on.
        rare: Whether the component stays on its default unless it is asked for by name.
        programmed: Whether only robots that program in this turn decide it: not those that sleep, or that a scrambler
            bomb has caught (U7).
        bombed: Whether robots that a scrambler bomb has caught decide it all the same (U59).
        lasting: Whether robots that are powered down decide it too.
        word: The word for the order in files, if it is not the name.
        needs: What else the component needs to have an effect: ``offers`` of several options in a turn, or
            ``chop shops``; "" for nothing.
    """

    name: str
    place: int
    says: str
    kind: str
    default: bool | int | str | tuple[int, ...] | None = None
    words: str | tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    per_register: bool = False
    on_table: bool = False
    chooses: str = ""
    values: tuple[int, ...] = ()
    choices: int = 0
    parts: tuple[OrderPart, ...] = ()
    rare: bool = False
    programmed: bool = False
    bombed: bool = False
    lasting: bool = False
    needs: str = ""
    word: str = ""
