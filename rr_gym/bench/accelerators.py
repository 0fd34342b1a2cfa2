"""Measure what accelerators gain: the time of a whole turn with all of them, and without each in turn."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from rr_gym.bench.engine import OPTIONS_COURSE, TimedGames
from rr_gym.bench.firing_options import OPTIONS_EACH
from rr_gym.bench.timing import MIN_ROUNDS, Timing
from rr_gym.compilation.accelerators import REFERENCE, known, using

GAMES = 1024
# Games to time, by title
WORKLOADS = {
    "base": partial(TimedGames, "risky_exchange", GAMES),
    "eight robots": partial(TimedGames, "risky_exchange", GAMES, num_robots=8),
    "options": partial(TimedGames, OPTIONS_COURSE, GAMES, num_robots=8, options=OPTIONS_EACH),
    "elements": partial(TimedGames, "everything", GAMES, num_robots=8),
}


@dataclass(frozen=True)
class Gain:
    """The speed-up by some accelerators.

    Attributes:
        without: What is left out: the name of one accelerator, or "all of them".
        ratios: By workload title: the time of a turn without it, divided by the time with all accelerators.
    """

    without: str
    ratios: dict[str, float]


def gains(seconds: float) -> Iterator[Gain]:
    """Measure what each accelerator gains while all others are in use, and what all of them gain together.

    Turns with and without are timed in pairs, one after the other.

    Args:
        seconds: Time for each pair.
    """
    choices = {"all of them": REFERENCE, **{name: f"-{name}" for name in known()}}
    for without, choice in choices.items():
        yield Gain(without, {title: _ratio(title, choice, seconds) for title in WORKLOADS})


def _ratio(title: str, choice: str, seconds: float) -> float:
    """Return the time of a turn with the chosen accelerators, divided by the time with all.

    Samples of both alternate; switching between them is not timed.
    """
    with_all = WORKLOADS[title]()
    with using(choice):
        without = WORKLOADS[title]()
    fast, slow = Timing(), Timing()
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(slow.samples) < MIN_ROUNDS:
        fast.samples.append(with_all.case.sample())
        with using(choice):
            slow.samples.append(without.case.sample())
    return slow.best / fast.best


def header() -> str:
    """Return the first lines of the table, in Markdown."""
    return "\n".join([f"| without | {' | '.join(WORKLOADS)} |", f"|---|{'---|' * len(WORKLOADS)}"])


def row(gain: Gain) -> str:
    """Return a line of the table, in Markdown."""
    return f"| {gain.without} | {' | '.join(f'{ratio:.2f}' for ratio in gain.ratios.values())} |"
