"""Tournaments: schedules, blocks of games on disk, standings, and their page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.evaluation.tournament.standings import Standings as Standings
    from rr_gym.evaluation.tournament.tournament import Tournament as Tournament
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)
