"""What a row says of an order about option cards. It is data alone: names, which each layer resolves for itself."""

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
class Part:
    """A component of actions that decides a part of an order, where it takes several.

    Attributes:
        name: Begins with that of the order.
        choices: How many, the default included.
        chooses: What the choices mean, as docs/options.md has it.
    """

    name: str
    choices: int
    chooses: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOrder:
    """An order about option cards: how it is written, what the record of orders holds, how actions choose it.

    Attributes:
        name: Its word in orders and scenarios, the field of the records and the component of actions.
        place: Its place among the components of actions, which is the order of trained policies: the next free number.
        says: What it orders, as docs/options.md has it.
        kind: One of `KINDS`.
        default: What an order that is left out means.
        words: Of a choice: the name of the tuple of `rr_gym.rules.state.constants` that has them, or the words
            themselves. The record holds their index.
        low, high: Of a number.
        per_register: There is one value for each register.
        on_table: It lies on the table from programming on, so that the robot must have the option then (R-O.6). All
            others are looked at when they matter.
        chooses: What the choices of its component mean where that is not plain from the values.
        values: What choice 0, 1, ... writes into the record; by default the default, then all others in ascending
            order.
        choices: How many choices there are where that is not plain from the values.
        parts: Its components, where it takes several; they follow each other from `place` on.
        rare: Its component stays on the default unless it is asked for by name.
        programmed: Robots that do not program in this turn have nothing to decide: those that sleep, or that a
            scrambler bomb has caught (U7).
        bombed: Those that a scrambler bomb has caught decide it all the same (U59).
        lasting: Robots that are powered down decide it as well.
        needs: What else must be there for the component to be of use: ``offers`` of several options in a turn, or
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
    parts: tuple[Part, ...] = ()
    rare: bool = False
    programmed: bool = False
    bombed: bool = False
    lasting: bool = False
    needs: str = ""
