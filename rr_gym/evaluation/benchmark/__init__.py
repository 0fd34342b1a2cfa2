"""The player benchmark: suites, reference scores, reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.evaluation.benchmark.benchmark import Benchmark as Benchmark
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)
