"""How orders name cards (docs/game.md). What else they may say, `rr_gym.rules.state.order_table` has."""

from __future__ import annotations

from typing import NamedTuple

Card = str | int | None


class Conditional(NamedTuple):
    """A card for the Conditional Program, and the register (1-5) that it replaces; 0 only stores it."""

    card: Card
    register: int = 0
