"""What each robot gave away in each turn of a recorded game, and what was luck."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.analysis.analysis import AnalysedTurn as AnalysedTurn
    from rr_gym.analysis.analysis import Analysis as Analysis
    from rr_gym.analysis.analysis import analyse as analyse
    from rr_gym.analysis.analysis import judge_of as judge_of
    from rr_gym.analysis.page import analysis_html as analysis_html
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)
