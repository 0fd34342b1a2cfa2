"""The speed benchmark, a fixed table of rows measured against a yardstick in the same run; stored trajectories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.bench.report import text
    from rr_gym.bench.table import ROWS
    from rr_gym.bench.timing import Options

_HOMES = {
    "rr_gym.bench.report": ("text",),
    "rr_gym.bench.table": ("ROWS",),
    "rr_gym.bench.timing": ("Options",),
}

__all__ = ["ROWS", "Options", "text"]

if not TYPE_CHECKING:  # type checkers would take every name for a public one
    __getattr__, __dir__ = on_first_use(__name__, _HOMES)
