"""The table of option cards and of the orders about them, with one row for each.

The rules of a card are stated in docs/rules under R-O<number>.

The rows are plain data and import nothing from other packages. ``rr-gym options --markdown`` writes docs/options.md
from them, `rr_gym.rules.state.option_cards` derives the facts about cards for kernels, and
`rr_gym.rules.state.order_table` derives the facts about orders for all layers.
"""

from __future__ import annotations

from rr_gym.option_facts import armed, base
from rr_gym.option_facts.card import ARMED, BASE, CATEGORIES, CATEGORY_SENTENCES, NO_NAME, OptionCard
from rr_gym.option_facts.order import CardOrder, OrderPart
from rr_gym.option_facts.shared_orders import SHARED_ORDERS

# In the order of their numbers; option `k` of the rules is the card with number `k + 1`
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
    "OrderPart",
]
