"""The option cards as data (R-O1 to R-O52): option `k` is `OPTION_NAMES[k]`, and each exists once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rr_gym.option_facts import OPTION_CARDS

OPTION_NAMES = tuple(card.id for card in OPTION_CARDS)
# Constants for their numbers, which kernels use: `ABLATIVE_COAT` and so on
globals().update({name.upper(): option for option, name in enumerate(OPTION_NAMES)})
if TYPE_CHECKING:

    def __getattr__(name: str) -> int: ...


NO_OPTION = -1

_COAT = OPTION_NAMES.index("ablative_coat")
ABLATIVE_POINTS = OPTION_CARDS[_COAT].holds  # points of damage that a new Ablative Coat absorbs
CONVERTER_LIMIT = 3  # energy counters with which a Converter explodes
# What launchers and boosters hold when they are new; 0 for an Ablative Coat, which cannot be reloaded.
INITIAL_PAYLOAD = np.array([0 if k == _COAT else card.holds for k, card in enumerate(OPTION_CARDS)], np.int8)

# U24: the order in which options are lost where nobody chooses, the least valuable first.
CHEAPEST_FIRST = np.argsort([card.value for card in OPTION_CARDS]).astype(np.int8)
RANK = np.argsort(CHEAPEST_FIRST).astype(np.int8)  # the place of each option in that order
