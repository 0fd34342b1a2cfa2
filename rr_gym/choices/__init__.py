"""Features of the choices of a decision: where each of them leads, for learning agents (docs/observations.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.choices.columns import LOOKAHEADS as LOOKAHEADS
    from rr_gym.choices.columns import choice_columns as choice_columns
    from rr_gym.choices.facts import ChoiceFacts as ChoiceFacts
    from rr_gym.choices.observers import ChoicesObserver as ChoicesObserver
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)
