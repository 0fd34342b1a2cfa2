"""Time cases in rounds. Each round measures the yardstick and every case, so that a busy machine slows all equally."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rr_gym.bench import yardstick

MIN_ROUNDS = 5
YARDSTICK_GAMES = 4096


def _yardstick(games: int, repeats: int) -> float:
    found: float = yardstick.microseconds_per_turn(games, repeats)  # type: ignore[no-untyped-call]  # the file has no types
    return found


@dataclass(frozen=True, slots=True)
class Options:
    """Options that apply to all rows."""

    games: int = 4096
    threads: int = 2
    seconds: float = 3.0  # per case


@dataclass(slots=True)
class Timing:
    """Microseconds per item, one sample per round."""

    samples: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        """Return the smallest sample."""
        return min(self.samples)

    @property
    def median(self) -> float:
        """Return the median of the samples."""
        return statistics.median(self.samples)


@dataclass(frozen=True, slots=True)
class Case:
    """Something to measure: `work` is timed and processes `items` items; `prepare` runs before it and is not timed.

    Short work is repeated until one sample is long enough for the clock, and for randomness to average out.
    """

    work: Callable[[], object]
    items: int = 1
    prepare: Callable[[], object] = lambda: None
    repeats: int = 1

    def sample(self) -> float:
        """Run the case and return the microseconds per item."""
        seconds = 0.0
        for _ in range(self.repeats):
            self.prepare()
            start = time.perf_counter()
            self.work()
            seconds += time.perf_counter() - start
        return seconds / (self.items * self.repeats) * 1e6


def measure(cases: Sequence[Case], seconds: float) -> tuple[list[Timing], Timing]:
    """Measure cases in rounds.

    Args:
        cases: The cases; each runs once before the first round.
        seconds: How long to start new rounds; there are at least `MIN_ROUNDS` rounds.

    Returns:
        One timing per case, and the yardstick's in microseconds per simplified turn.
    """
    timings, reference = [Timing() for _ in cases], Timing()
    _yardstick(YARDSTICK_GAMES, 1)
    for case in cases:
        case.sample()
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(reference.samples) < MIN_ROUNDS:
        reference.samples.append(_yardstick(YARDSTICK_GAMES, 2))
        for case, timing in zip(cases, timings, strict=True):
            timing.samples.append(case.sample())
    return timings, reference
