"""The 52 option cards: the one table of what they are, a row each. Their rules stand in docs/rules under R-O<number>.

The rows are data and import nothing of the rest. ``rr-gym options --markdown`` writes the table as docs/options.md has
it; what kernels need of the cards, `rr_gym.rules.state.option_cards` makes of the rows.
"""

from __future__ import annotations

from rr_gym.option_facts import armed, base
from rr_gym.option_facts.card import ARMED, BASE, CATEGORIES, CATEGORY_SENTENCES, NO_NAME, OptionCard

# By their numbers; option `k` of the rules is card `k + 1`
OPTION_CARDS: tuple[OptionCard, ...] = (*base.ROWS, *armed.ROWS)

__all__ = ["ARMED", "BASE", "CATEGORIES", "CATEGORY_SENTENCES", "NO_NAME", "OPTION_CARDS", "OptionCard"]
