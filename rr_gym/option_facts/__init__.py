"""The option cards and the orders about them: the one table of what they are, a row each.

The rules of a card stand in docs/rules under R-O<number>.

The rows are data and import nothing of the rest. ``rr-gym options --markdown`` writes the table as docs/options.md has
it; what kernels need of the cards, `rr_gym.rules.state.option_cards` makes of the rows, and what all layers need of
orders, `rr_gym.rules.state.order_table`.
"""

from __future__ import annotations

from rr_gym.option_facts import armed, base
from rr_gym.option_facts.card import ARMED, BASE, CATEGORIES, CATEGORY_SENTENCES, NO_NAME, OptionCard
from rr_gym.option_facts.order import CardOrder, Part
from rr_gym.option_facts.shared_orders import SHARED_ORDERS

# By their numbers; option `k` of the rules is card `k + 1`
OPTION_CARDS: tuple[OptionCard, ...] = (*base.ROWS, *armed.ROWS)

_OWN = [order for card in OPTION_CARDS for order in card.asks if isinstance(order, CardOrder)]
# In the order of the components of actions
CARD_ORDERS: tuple[CardOrder, ...] = tuple(sorted([*SHARED_ORDERS, *_OWN], key=lambda order: order.place))

__all__ = [
    "ARMED",
    "BASE",
    "CARD_ORDERS",
    "CATEGORIES",
    "CATEGORY_SENTENCES",
    "NO_NAME",
    "OPTION_CARDS",
    "CardOrder",
    "OptionCard",
    "Part",
]
