"""Features of the choices of a decision: where each of them leads, for learning agents (docs/observations.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.choices.columns import LOOKAHEADS, choice_columns
    from rr_gym.choices.facts import ChoiceFacts
    from rr_gym.choices.observers import ChoicesObserver

_HOMES = {
    "rr_gym.choices.columns": ("LOOKAHEADS", "choice_columns"),
    "rr_gym.choices.facts": ("ChoiceFacts",),
    "rr_gym.choices.observers": ("ChoicesObserver",),
}

__all__ = ["LOOKAHEADS", "ChoiceFacts", "ChoicesObserver", "choice_columns"]

if not TYPE_CHECKING:  # or every name would pass for one
    __getattr__, __dir__ = on_first_use(__name__, _HOMES)
