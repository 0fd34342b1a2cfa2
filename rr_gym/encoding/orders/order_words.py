"""The names of cards in orders (docs/game.md). All other words of orders are in `rr_gym.rules.state.order_table`."""

from __future__ import annotations

from typing import NamedTuple

Card = str | int | None


class Conditional(NamedTuple):
    """A card for the Conditional Program, and the register (1-5) that it replaces; 0 if it is only stored."""

    card: Card
    register: int = 0
