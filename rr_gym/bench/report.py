"""Report the results of the benchmark as a table and as JSON."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numba
import numpy as np

from rr_gym.bench.timing import Timing
from rr_gym.version import __version__


@dataclass(frozen=True, slots=True)
class BenchLine:
    """One printed line of a row. Times are in microseconds per item; they are None if the line has only a note."""

    label: str
    best: float | None = None
    median: float | None = None
    yardsticks: float | None = None  # the best time divided by the best time of the yardstick
    robots: float | None = None  # mean number of real robots on the board
    note: str = ""

    @classmethod
    def of(cls, label: str, timing: Timing, reference: Timing | None = None, **rest: Any) -> BenchLine:
        """Make a line from a timing. `reference` is the timing of the yardstick; None leaves `yardsticks` empty."""
        multiple = timing.best / reference.best if reference else None
        return cls(label, timing.best, timing.median, multiple, **rest)


@dataclass(frozen=True, slots=True)
class Target:
    """A measured figure that should not exceed its limit or, with `at_least`, should not fall below it."""

    what: str
    value: float
    limit: float
    unit: str = ""
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Tell whether the figure is within the limit."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def __str__(self) -> str:
        sign = "at least" if self.at_least else "at most"
        verdict = "ok" if self.met else "MISSED"
        return f"{self.what}: {self.value:,.3g}{self.unit} ({sign} {self.limit:g}{self.unit}) {verdict}"


@dataclass(frozen=True, slots=True)
class BenchResult:
    """The measurements of one row of the benchmark, which prints as one or more lines."""

    name: str
    item: str  # what the times are measured per, such as "turn" or "step"
    lines: tuple[BenchLine, ...]
    target: Target | None = None
    yardstick: float | None = None  # best time of the yardstick, measured along with this row, in microseconds


def machine() -> dict[str, Any]:
    """Describe the machine and the versions that the figures were measured with."""
    return {
        "rr_gym": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "machine": platform.machine(),
        "system": platform.system(),
        "cpus": os.cpu_count(),
    }


def header() -> str:
    """Return a line that describes the machine, followed by the column headings."""
    facts = ", ".join(f"{name} {value}" for name, value in machine().items())
    return f"{facts}\n\n{'row':28} {'best':>10} {'median':>10} {'per second':>13} {'x yardstick':>11} {'robots':>6}"


def duration(microseconds: float) -> str:
    """Return a time in a suitable unit."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.2f} {unit}"
    return f"{microseconds:.2f} us"


def text(result: BenchResult) -> str:
    """Return one row of the table, with its target below it."""
    rows = []
    for line in result.lines:
        name = f"{result.name} {line.label}".rstrip()
        if line.best is None:
            rows.append(f"{name:28} {line.note}")
            continue
        multiple = f"{line.yardsticks:.2f}" if line.yardsticks else ""
        robots = f"{line.robots:.2f}" if line.robots else ""
        times = f"{duration(line.best):>10} {duration(line.median or line.best):>10} {1e6 / line.best:13,.0f}"
        note = f"; {line.note}" if line.note else ""
        rows.append(f"{name:28} {times} {multiple:>11} {robots:>6}  per {result.item}{note}")
    if result.target:
        rows.append(f"{'':28} -> {result.target}")
    return "\n".join(rows)


def as_json(results: Iterable[BenchResult]) -> dict[str, Any]:
    """Return all results as plain data."""
    rows = []
    for result in results:
        row = asdict(result)
        if result.target:
            row["target"]["met"] = result.target.met
        rows.append(row)
    return {"machine": machine(), "rows": rows}
