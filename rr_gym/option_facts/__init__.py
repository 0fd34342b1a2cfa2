"""The option cards and the orders about them, one row for each, in the one table that describes them.

The rules of a card are stated in docs/rules under R-O<number>.

The rows are data and import nothing else of the package. ``rr-gym options --markdown`` writes docs/options.md from
them, `rr_gym.rules.state.option_cards` derives what kernels need to know of the cards, and
`rr_gym.rules.state.order_table` derives what all layers need to know of the orders.
"""

from __future__ import annotations

from rr_gym.option_facts import armed, base
from rr_gym.option_facts.card import ARMED, BASE, CATEGORIES, CATEGORY_SENTENCES, NO_NAME, OptionCard
from rr_gym.option_facts.order import CardOrder, OrderPart
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
    "OrderPart",
]
