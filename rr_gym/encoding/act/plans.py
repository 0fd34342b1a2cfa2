"""The order of the decisions of a turn, when the components of an action are decided one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.encoding.act.actions import ActionLayout
from rr_gym.encoding.act.components import COMPONENTS, KIND, OPTIONAL_COMPONENTS, REGISTER, REGISTERS

Array = np.ndarray[Any, Any]

# Columns of a plan, which has one row per decision: the index of its component in the layout; the register (from 0) of
# a card, or -1; the index in OPTIONAL_COMPONENTS of any other decision, or -1; the register (from 0) whose phase is
# previewed after it, or -1; and the values of `asked` and `asked_register` in the game's record.
PLACE, CARD, WHAT, PREVIEWED, ASKED, ASKED_REGISTER = range(6)
FIRST_ASKED = 2  # value of `asked` for the first of COMPONENTS; 1 is a card
LAST_ASKED = FIRST_ASKED + len(COMPONENTS) - 1
# Components that are decided together with the card of their register, since they change its effect
_WITH_CARD = ("register", "movement_option", "second", "gadget", "gear", "frog", "gyro")
_BEFORE_CARDS = ("facing", "homing")


def plan_of(layout: ActionLayout) -> Array:
    """Return the decisions of a turn in order: int16, (decisions, columns).

    The facing comes first, since everything else depends on it. The card of each register follows, with the options
    that change its effect. All other decisions come last.
    """
    last = len(_WITH_CARD) + len(_BEFORE_CARDS)

    def key(name: str) -> tuple[int, int, int]:
        place, kind = layout.components.index(name), name.rpartition("_")[0]
        if name in _BEFORE_CARDS:
            return 0, _BEFORE_CARDS.index(name), 0
        if kind in _WITH_CARD and name[-1].isdigit():
            return 1, int(name[-1]), _WITH_CARD.index(kind)
        return last, place, 0

    names = sorted(layout.components, key=key)
    rows = [_decision(layout, name) for name in names]
    for row, name, following in zip(rows, names, [*names[1:], ""], strict=True):
        group, register, _ = key(name)
        if group == 1 and (not following or key(following)[:2] != (1, register)):
            row[PREVIEWED] = register - 1
    return np.array(rows, np.int16)


def _decision(layout: ActionLayout, name: str) -> list[int]:
    place = layout.components.index(name)
    if name in REGISTERS:
        register = REGISTERS.index(name)
        return [place, register, -1, -1, 1, register + 1]
    what = OPTIONAL_COMPONENTS.index(name)
    kind = int(KIND[what])
    register = int(REGISTER[what]) + 1 if COMPONENTS[kind].per_register else 0
    return [place, -1, what, -1, FIRST_ASKED + kind, register]
