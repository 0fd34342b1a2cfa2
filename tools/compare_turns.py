"""Compare the time of a turn in this checkout with that in another checkout, by paired measurements.

    python tools/compare_turns.py OTHER_CHECKOUT [--course NAME] [--robots N] [--set NAME=VALUE ...] [--pairs N]

Both checkouts play the same games in separate processes, which are measured alternately: A B, B A, A B ... Processor
time is measured, so that other programs disturb little. The output is the median of the ratios this / other with its 95
% interval.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
# Uses public names only, so that it runs in older versions too.
WORKER = """
import json, sys, time
import numpy as np
from rr_gym import Arena, no_orders
course, games, robots, settings = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])
arena = Arena(course, {"lives": "unlimited"} | settings)
batch = arena.new_games(games, robots, seed=1)
orders, words = no_orders(games, 8), np.arange(1, games + 1, dtype=np.uint64)
def play(turns):
    spent = 0.0
    for _ in range(turns):
        arena.random_orders(batch, orders, words)
        start = time.process_time()
        arena.play(batch, orders, restart=True)
        spent += time.process_time() - start
    return spent
play(40)
print("ready", flush=True)
for line in sys.stdin:
    print(play(int(line)), flush=True)
"""


def start(checkout: Path, course: str, games: int, robots: int, settings: dict[str, str]) -> subprocess.Popen[str]:
    """Start a process that plays with the package of a checkout, and wait until it is ready."""
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    if checkout.resolve() != ROOT:  # another version may keep machine code in another format
        environment["RR_GYM_CACHE_DIR"] = str(checkout.resolve() / ".cache")
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, course, str(games), str(robots), json.dumps(settings)],
        cwd="/",
        env=environment,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout
    if process.stdout.readline().strip() != "ready":
        sys.exit(f"{checkout}: cannot play on {course}")
    return process


def seconds(process: subprocess.Popen[str], turns: int) -> float:
    """Return the processor time, in seconds, that a process takes for a number of turns of all games."""
    assert process.stdin
    assert process.stdout
    print(turns, file=process.stdin, flush=True)
    reply = process.stdout.readline()
    if not reply:
        sys.exit(f"a process ended in the middle, with status {process.wait()}")
    return float(reply)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="a checkout of another version")
    parser.add_argument("--course", default="risky_exchange")
    parser.add_argument("--robots", type=int, default=4)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="such as start_options=5")
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--games", type=int, default=1024)
    parser.add_argument("--turns", type=int, default=100, help="turns of all games per sample")
    args = parser.parse_args()
    settings = dict(entry.split("=", 1) for entry in args.set)
    ours, other = (start(path.resolve(), args.course, args.games, args.robots, settings) for path in (ROOT, args.other))
    ratios, times = [], []
    for pair in range(args.pairs):
        order = (ours, other) if pair % 2 else (other, ours)
        spent = {process: seconds(process, args.turns) for process in order}
        ratios.append(spent[ours] / spent[other])
        times.append(spent[ours] / args.turns / args.games * 1e6)
    chance = np.random.default_rng(0)
    medians = np.median(chance.choice(ratios, (4000, len(ratios))), axis=1)
    low, high = np.percentile(medians, (2.5, 97.5))
    print(
        f"{args.course}, {args.robots} robots {settings or ''}: {args.pairs} pairs, "
        f"{np.median(times):.2f} us per turn here"
    )
    print(f"this / other: median {np.median(ratios):.3f}, 95 % interval {low:.3f} to {high:.3f}")


if __name__ == "__main__":
    main()
