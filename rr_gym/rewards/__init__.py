"""What turns earn: weighted sums of named terms (docs/environment.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.rewards.lead import leads as leads
    from rr_gym.rewards.terms import Rewards as Rewards
    from rr_gym.rewards.terms import reward_spec as reward_spec
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)
