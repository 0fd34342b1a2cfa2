"""The class of a row of the table of orders about option cards. Rows are plain data, which each layer interprets."""

from __future__ import annotations

from dataclasses import dataclass

# By kind: the values that an order takes, in words
KINDS = {
    "flag": "true or false",
    "choice": "one of the allowed words",
    "number": "a whole number",
    "register": "a register, 1 to 5, or none",
    "threshold": "a number of movement cards, or true for always",
    "robot": "a robot, or none",
    "card": "a card in the hand, or none",
    "cards": "some cards",
    "option": "an option card, or none",
    "options": "some option cards",
    "conditional": "a card and a register",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPart:
    """One of the components of actions that together decide an order.

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
    """An order about option cards: how it is written, how the record of orders stores it, and how actions encode it.

    Attributes:
        name: Its name in orders and scenarios, and the name of its field in records and of its component of actions.
        place: Its rank among the components of actions. Trained policies depend on it, so a new order takes the next
          free number.
        says: What the order decides, as docs/options.md shows it.
        kind: The kind of its value, a key of `KINDS`.
        default: The value of an order that is left out.
        words: For a choice: the words, or the name of a tuple of words in `rr_gym.rules.state.constants`. The record
          stores the index of the word.
        low, high: For a number: its bounds.
        per_register: Whether there is one value for each register.
        on_table: Whether the order takes effect while programming, when the robot must already own the option (R-O.6).
          All other orders are read only when they matter.
        chooses: The meaning of the component's choices, if it does not follow from the values.
        values: The values that choices 0, 1, ... write into the record. If empty, choice 0 is the default and the
            others follow in ascending order.
        choices: The number of choices, if it does not follow from the values.
        parts: The components, if the order needs several; their ranks begin with `place`.
        rare: Whether the component is left out of actions, so that it keeps its default, unless it is requested.
        programmed: Whether only robots that program in this turn decide it. Robots that sleep, or that a scrambler bomb
          has hit, do not (U7).
        bombed: Whether robots that a scrambler bomb has hit decide it nevertheless (U59).
        lasting: Whether robots that are powered down decide it too.
        word: The word for the order in files, if it differs from the name.
        needs: A further condition for the component to have an effect: ``offers`` (several options can be offered in a
          turn), ``chop shops`` or ``breakers`` (players decide about their Circuit Breakers); "" for none.
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

    @property
    def next_place(self) -> int:
        """The place of the order that comes next: an order of several parts takes a place for each."""
        return self.place + max(1, len(self.parts))
