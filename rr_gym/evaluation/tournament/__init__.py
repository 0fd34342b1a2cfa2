"""Tournaments: schedules, blocks of games on disk, standings, and their page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.evaluation.tournament.standings import Standings
    from rr_gym.evaluation.tournament.tournament import Tournament

_HOMES = {
    "rr_gym.evaluation.tournament.standings": ("Standings",),
    "rr_gym.evaluation.tournament.tournament": ("Tournament",),
}

__all__ = ["Standings", "Tournament"]

if not TYPE_CHECKING:  # or every name would pass for one
    __getattr__, __dir__ = on_first_use(__name__, _HOMES)
