"""One turn as a Bayesian game: payoffs of programs, equilibria, and a player (docs/exploitability.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.equilibrium.bayesian_game import BayesianGame as BayesianGame
    from rr_gym.equilibrium.player import EquilibriumPlayer as EquilibriumPlayer
    from rr_gym.equilibrium.regret_matching import solve as solve
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)
