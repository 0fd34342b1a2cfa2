"""Measure how many games luck adjustment saves: the table of docs/evaluation.md.

    python tools/luck.py                  play all comparisons and print the table
    python tools/luck.py --rows 2,5-9     only these, counted from 1

Each comparison is played once, as by `rr-gym evaluate --adjust luck`. The figures are those of the first player. "Games
fewer" is the factor by which more games would be needed without adjustment for an equally narrow interval. "Time" is
the factor by which a game takes longer with adjustment, in processor time, measured on some of the same games without
it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

from rr_gym.evaluation import Match, Stat
from rr_gym.progress import Progress

SEED = 5
TIMED = 4  # one in this many games is also played without adjustment
COMPARISONS = (
    ("greedy", "random", "risky_exchange", 600),
    ("racer", "greedy", "risky_exchange", 600),
    ("racer", "greedy", "island_hop", 600),
    ("racer", "greedy", "checkmate", 600),
    ("racer", "greedy", "pilgrimage", 600),
    ("racer", "racer", "chop_shop_challenge", 600),
    ("racer", "racer", "dizzy_dash", 600),
    ("veteran", "greedy", "risky_exchange", 600),
    ("veteran", "racer", "risky_exchange", 600),
    ("veteran", "racer", "island_hop", 600),
    ("veteran", "racer", "dizzy_dash", 600),
    ("planner:100", "greedy", "risky_exchange", 200),
    ("planner:100", "racer", "risky_exchange", 200),
    ("planner:100", "racer", "checkmate", 200),
    ("planner:100", "veteran", "risky_exchange", 200),
    ("planner:300", "planner:100", "risky_exchange", 200),
    ("planner:300", "racer", "island_hop", 200),
    ("champion", "greedy", "risky_exchange", 200),
    ("champion", "veteran", "risky_exchange", 200),
    ("champion", "planner:100", "risky_exchange", 200),
    ("planner", "racer", "risky_exchange", 200),
)


def numbers(text: str) -> Iterator[int]:
    """Yield the numbers of a list such as 1,3-5."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def width(stat: Stat) -> float:
    """Return the width of the interval of a figure."""
    return stat.high - stat.low


def timed(match: Match) -> float:
    """Play a match, and return the mean processor time per game in seconds."""
    start = time.process_time()
    with Progress() as progress:
        match.play(progress)
    return (time.process_time() - start) / match.num_games


def row(player: str, other: str, course: str, games: int) -> str:
    """Play a comparison, and return its row of the table."""
    Match(player, [other], course=course, games=4, seed=SEED + 1, adjusted=True).play()  # fills caches
    adjusted = Match(player, [other], course=course, games=games, seed=SEED, adjusted=True)
    slow = timed(adjusted)
    fast = timed(Match(player, [other], course=course, games=games // TIMED, seed=SEED))
    found = adjusted.result().players[0]
    assert found.adjusted_win
    fewer = (width(found.win) / width(found.adjusted_win)) ** 2
    return (
        f"| `{player}`, `{other}` | {course} | {games:,} | {found.flags.value:.2f} | {100 * found.finish.value:.1f} % "
        f"| {found.win.percent} | {found.adjusted_win.percent} | {fewer:.1f} | {slow / fast:.1f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=numbers, help="numbers of comparisons, such as 2,5-9")
    chosen = parser.parse_args().rows
    heads = ("players", "course", "games", "flags", "all flags", "won", "won, luck adjusted", "plain games", "time")
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for number in chosen or range(1, len(COMPARISONS) + 1):
        print(row(*COMPARISONS[number - 1]), flush=True)


if __name__ == "__main__":
    main()
