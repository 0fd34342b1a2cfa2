"""The player benchmark: suites, reference scores, reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.evaluation.benchmark.benchmark import Benchmark

_HOMES = {
    "rr_gym.evaluation.benchmark.benchmark": ("Benchmark",),
}

__all__ = ["Benchmark"]

if not TYPE_CHECKING:  # or every name would pass for one
    __getattr__, __dir__ = on_first_use(__name__, _HOMES)
