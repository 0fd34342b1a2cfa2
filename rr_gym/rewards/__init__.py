"""What turns earn: weighted sums of named terms (docs/environment.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.rewards.leads import leads
    from rr_gym.rewards.terms import Rewards, reward_spec

_HOMES = {
    "rr_gym.rewards.leads": ("leads",),
    "rr_gym.rewards.terms": ("Rewards", "reward_spec"),
}

__all__ = ["Rewards", "leads", "reward_spec"]

__getattr__, __dir__ = on_first_use(__name__, _HOMES)
