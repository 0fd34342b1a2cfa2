"""The speed benchmark, a fixed table of rows measured against a yardstick in the same run; stored trajectories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.bench.report import text as text
    from rr_gym.bench.table import ROWS as ROWS
    from rr_gym.bench.timing import Options as Options
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)
