"""Compare games on a GPU with those on this computer, and time both; everything that needs a card, in one run.

    python tools/gpu_bench.py [--forms base,options,full] [--games 4096,16384,65536,262144,1048576]
                              [--turns 20] [--check 1000000] [--observe flat,planes,entities] [--device cuda]

Prints the card and the processor, then three tables: whether the digests of the games are the same after so many turns
of each form; turns a second, in one launch and in parts, with those of this computer beside them; and rows a second
with observations. A turn is counted with the random programs that are drawn for it. `--device stand-in` runs everything
on this computer, thread by thread: it shows only that this script works.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from rr_gym.bench.golden import digest
from rr_gym.bench.report import machine
from rr_gym.cuda.arena import DeviceArena
from rr_gym.cuda.device import Gpu
from rr_gym.cuda.encoders import DeviceObserver
from rr_gym.cuda.stand_in import stand_in_gpu
from rr_gym.encoding.observe.observations import Observer
from rr_gym.encoding.observe.seats import all_seats
from rr_gym.errors import MissingExtraError, RoboRallyError
from rr_gym.forms import FORMS
from rr_gym.progress import waiting
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders

# By form: a course and settings
COURSES: dict[str, tuple[str, dict[str, Any]]] = {
    "base": ("risky_exchange", {}),
    "options": ("risky_exchange", {"option_cards": "on", "start_options": 3}),
    "full": ("everything", {"option_cards": "on", "start_options": 3}),
}
ROBOTS = 4
WARM_TURNS = 10  # untimed, so that robots are spread over the course
MOST_ON_PROCESSOR = 1 << 14  # games at once on this computer: more of them do not make it faster


def words_of(turn: int, num_games: int) -> np.ndarray[Any, Any]:
    """Return the random states for the programs of a turn."""
    return np.arange(num_games, dtype=np.uint64) + np.uint64(turn << 32)


def play_on_device(arena: DeviceArena, num_games: int, turns: int) -> Callable[[int], Any]:
    """Begin games on a device, and return a function that plays a number of turns of them and returns the games."""
    games, orders = arena.new_games(num_games, ROBOTS, seed=1), arena.new_orders(num_games)
    words = arena.copy(words_of(0, num_games))

    def play(count: int) -> Any:
        for _ in range(count):
            arena.random_orders(games, orders, words)
            arena.play(games, orders, restart=True)
        arena.device.synchronize()
        return games

    play(turns)
    return play


def play_here(arena: Arena, num_games: int, turns: int) -> Callable[[int], Any]:
    """Begin the same games on this computer; see `play_on_device`."""
    games, orders = arena.new_games(num_games, ROBOTS, seed=1), no_orders(num_games, MAX_ROBOTS, full=arena.full)
    words, threads = words_of(0, num_games), os.cpu_count() or 1

    def play(count: int) -> Any:
        for _ in range(count):
            arena.random_orders(games, orders, words, threads=threads)
            arena.play(games, orders, threads=threads, restart=True)
        return games

    play(turns)
    return play


def rate(play: Callable[[int], Any], turns: int, rows: int) -> float:
    """Return how many rows a second a function writes that writes `rows` in each turn."""
    start = time.perf_counter()
    play(turns)
    return rows * turns / (time.perf_counter() - start)


def table(*columns: str) -> None:
    """Print the head of a table."""
    print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)


def row(*values: Any) -> None:
    """Print a row of a table."""
    print(f"| {' | '.join(f'{v:,.0f}' if isinstance(v, float) else str(v) for v in values)} |", flush=True)


def compare(device: Gpu, forms: Sequence[str], turns: int) -> bool:
    """Print the table of digests, and return whether all of them are the same."""
    table("form", "a turn is", "turns", "digest here", "digest on the device", "same")
    num_games, fine = min(10_000, turns), True
    for form in forms:
        rounds = max(1, turns // num_games)
        with waiting(f"gpu_bench: {num_games * rounds:,} turns of {form} on this computer"):
            expected = digest(play_here(Arena(*COURSES[form]), num_games, rounds)(0))
        for in_parts in (False, True):
            arena = DeviceArena(*COURSES[form], on=device, in_parts=in_parts)
            found = digest(play_on_device(arena, num_games, rounds)(0).read())
            arena.check()
            fine &= found == expected
            row(form, shape(in_parts), num_games * rounds, expected, found, "yes" if found == expected else "NO")
    return fine


def shape(in_parts: bool) -> str:
    """Return how a turn is launched, in words."""
    return "28 launches" if in_parts else "one launch"


def time_turns(device: Gpu, forms: Sequence[str], sizes: Sequence[int], turns: int) -> None:
    """Print the table of turns a second."""
    table("form", "games", "one launch", "28 launches", "this computer")
    for form in forms:
        arenas = [DeviceArena(*COURSES[form], on=device, in_parts=in_parts) for in_parts in (False, True)]
        for size in sizes:
            rates = [guarded(partial(play_on_device, arena, size, WARM_TURNS), turns, size) for arena in arenas]
            here = min(size, MOST_ON_PROCESSOR)
            row(form, f"{size:,}", *rates, rate(play_here(Arena(*COURSES[form]), here, WARM_TURNS), turns, here))


def time_rows(device: Gpu, forms: Sequence[str], kinds: Sequence[str], sizes: Sequence[int], turns: int) -> None:
    """Print the table of rows a second: turns, and after each of them the observations of all robots."""
    table("form", "observations", "games", "rows", "rows on this computer")
    for form in forms:
        arena = DeviceArena(*COURSES[form], on=device)
        for kind in kinds:
            observer = DeviceObserver(arena, kind, ROBOTS)
            for size in sizes:
                here = min(size, MOST_ON_PROCESSOR)
                on_device = guarded(partial(rows_on_device, arena, observer, size), turns, size * ROBOTS)
                on_processor = rate(rows_here(arena.host, observer.host, here), turns, here * ROBOTS)
                row(form, kind, f"{size:,}", on_device, on_processor)


def rows_on_device(arena: DeviceArena, observer: DeviceObserver, num_games: int) -> Callable[[int], Any]:
    """Begin games on a device, and return a function that plays turns and writes the observations after each."""
    play, out = play_on_device(arena, num_games, WARM_TURNS), observer.buffer(num_games, ROBOTS)

    def play_and_observe(count: int) -> None:
        for _ in range(count):
            observer.observe(play(1), out=out)
        arena.device.synchronize()

    return play_and_observe


def rows_here(arena: Arena, observer: Observer, num_games: int) -> Callable[[int], Any]:
    """Begin the same games on this computer; see `rows_on_device`. Observations are written by one thread."""
    play, out = play_here(arena, num_games, WARM_TURNS), observer.buffer(num_games, ROBOTS)
    seats = all_seats(num_games, ROBOTS)

    def play_and_observe(count: int) -> None:
        for _ in range(count):
            observer.write_own(play(1), seats, out)

    return play_and_observe


def guarded(begin: Callable[[], Callable[[int], Any]], turns: int, rows: int) -> float | str:
    """Return a rate, or why there is none, such as too little memory."""
    try:
        return rate(begin(), turns, rows)
    except RoboRallyError as error:
        return str(error)


def describe(device: Gpu) -> Iterator[str]:
    """Yield lines about the card and this computer."""
    major, minor = device.capability
    yield f"Device: {device.name}, compute capability {major}.{minor}, {device.free_memory()[1] / 1e9:.0f} GB"
    yield "This computer: " + ", ".join(f"{name} {value}" for name, value in machine().items())


def whole_numbers(text: str) -> list[int]:
    """Return the whole numbers in a list, for argparse."""
    return [int(part) for part in text.split(",")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit status: 1 if digests differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=("cuda", "stand-in"))
    parser.add_argument("--forms", default=",".join(FORMS), help=f"some of {', '.join(FORMS)}")
    parser.add_argument("--games", type=whole_numbers, default=[1 << n for n in range(12, 21, 2)])
    parser.add_argument("--turns", type=int, default=20, help="turns of each timing (default: %(default)s)")
    parser.add_argument("--check", type=int, default=1_000_000, help="turns whose games are compared")
    parser.add_argument("--observe", default="flat,planes,entities", help="observations that are timed")
    args = parser.parse_args(arguments)
    forms = args.forms.split(",")
    if unknown := [form for form in forms if form not in FORMS]:
        parser.error(f"--forms: {', '.join(unknown)}: expected some of {', '.join(FORMS)}")
    device = stand_in_gpu() if args.device == "stand-in" else Gpu()
    print("\n".join(describe(device)))
    fine = compare(device, forms, args.check)
    time_turns(device, forms, args.games, args.turns)
    time_rows(device, forms, args.observe.split(","), args.games, args.turns)
    return 0 if fine else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RoboRallyError, MissingExtraError) as error:
        sys.exit(f"{error}")
