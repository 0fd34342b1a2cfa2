"""Time the engine: turns on several courses, threads, batch sizes, events, search, clones, memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from rr_gym.bench.firing_options import OPTIONS_EACH
from rr_gym.bench.report import BenchLine, BenchResult, Target
from rr_gym.bench.timing import Case, Options, measure
from rr_gym.courses.course import Course
from rr_gym.encoding.act.random_orders import random_option_orders
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import GAME, LOG, clone, no_orders

WARM_TURNS = 30  # untimed turns that spread the robots over the course
SAMPLE_TURNS = 8192  # game turns per sample, at least
EVENT_GAMES = 512  # event logs are large
OPTIONS_COURSE = "death_trap"
BATCH_SIZES = (256, 4096, 65536)


class TimedGames:
    """Games in progress whose turns can be timed. Random legal programs are drawn outside the timed part.

    With `options` every robot owns that many option cards, which are refilled before every turn and used by random
    legal orders.
    """

    def __init__(
        self,
        course: Course | str,
        games: int,
        *,
        num_robots: int = 4,
        threads: int = 1,
        events: bool = False,
        options: int = 0,
    ) -> None:
        self.arena = Arena(course, {"lives": "unlimited", "option_cards": "on" if options else "off"})
        self.options = options
        self.games = self.arena.new_games(games, num_robots, seed=1)
        self.orders = no_orders(games, MAX_ROBOTS, full=self.arena.full)
        self.words = np.arange(1, games + 1, dtype=np.uint64)
        self.threads = threads
        self.logs = np.zeros(games, LOG) if events else None
        if self.logs is not None:
            self.logs["on"] = 1
        self.robots: list[float] = []
        for _ in range(WARM_TURNS):
            self.prepare()
            self.play()
        self.robots.clear()

    def prepare(self) -> None:
        """Draw programs for the next turn, and count the real robots on the board."""
        if self.options:
            self.arena.equip(self.games, self.options)
            random_option_orders(self.arena, self.games, self.orders, self.words)
        else:
            self.arena.random_orders(self.games, self.orders, self.words)
        robots = self.games["robots"]
        self.robots.append(((robots["alive"] == 1) & (robots["virtual"] == 0)).sum() / len(self.games))

    def play(self) -> None:
        """Play one turn of every game and deal the next; games that are over restart."""
        self.arena.play(self.games, self.orders, threads=self.threads, restart=True, logs=self.logs)

    @property
    def case(self) -> Case:
        """Return the timed case: one turn of the batch."""
        return Case(self.play, len(self.games), self.prepare, max(1, SAMPLE_TURNS // len(self.games)))

    @property
    def living(self) -> float:
        """Return the mean number of real robots per game on the board in the timed turns."""
        return float(np.mean(self.robots))


def compare(batches: dict[str, TimedGames], options: Options) -> tuple[list[BenchLine], float]:
    """Measure batches in turn, and return one line per batch and the best time of the yardstick."""
    timings, reference = measure([batch.case for batch in batches.values()], options.seconds * len(batches))
    lines = [
        BenchLine.of(label, timing, reference, robots=batch.living)
        for (label, batch), timing in zip(batches.items(), timings, strict=True)
    ]
    return lines, reference.best


def turns(course: str, name: str, options: Options) -> BenchResult:
    """Time a turn of the base game on one course with four robots, on one thread."""
    lines, reference = compare({"": TimedGames(course, options.games)}, options)
    return BenchResult(
        name, "turn", tuple(lines), Target("turn", lines[0].yardsticks or 0, 2.5, " yardsticks"), reference
    )


def everything(name: str, options: Options) -> BenchResult:
    """Compare a turn on the course with every board element to a turn on a base course of two boards."""
    batches = {"base": TimedGames("around_the_world", options.games), "all": TimedGames("everything", options.games)}
    lines, reference = compare(batches, options)
    target = Target("all elements over base", _best(lines[1]) / _best(lines[0]), 4, " x")
    return BenchResult(name, "turn", tuple(lines), target, reference)


def options(name: str, options: Options) -> BenchResult:
    """Compare turns of eight robots that own and use five option cards each to turns without option cards."""
    batches = {
        "without": TimedGames(OPTIONS_COURSE, options.games, num_robots=8),
        "five each": TimedGames(OPTIONS_COURSE, options.games, num_robots=8, options=OPTIONS_EACH),
    }
    lines, reference = compare(batches, options)
    target = Target("options over none", _best(lines[1]) / _best(lines[0]), 4, " x")
    return BenchResult(name, "turn", tuple(lines), target, reference)


def threads(name: str, options: Options) -> BenchResult:
    """Time the same batch on one thread and on several."""
    batches = {
        f"{count}": TimedGames("risky_exchange", options.games, threads=count) for count in (1, options.threads)
    }
    lines, reference = compare(batches, options)
    target = Target("more turns per second", _best(lines[0]) / _best(lines[1]), 1.8, " x", at_least=True)
    return BenchResult(name, "turn", tuple(lines), target, reference)


def batches(name: str, options: Options) -> BenchResult:
    """Time small and large batches."""
    lines, reference = compare({f"{size}": TimedGames("risky_exchange", size) for size in BATCH_SIZES}, options)
    return BenchResult(name, "turn", tuple(lines), Target("slowest over fastest", _spread(lines), 1.3, " x"), reference)


def boards(name: str, options: Options) -> BenchResult:
    """Time one board and a course of six such boards, each with the same dock."""
    layouts = {"12x12": large_course(1, 1), "24x36": large_course(2, 3)}
    lines, reference = compare({k: TimedGames(course, options.games) for k, course in layouts.items()}, options)
    return BenchResult(name, "turn", tuple(lines), Target("slowest over fastest", _spread(lines), 1.3, " x"), reference)


def robots(name: str, options: Options) -> BenchResult:
    """Time games of two, four and eight robots."""
    batches = {f"{n}": TimedGames("risky_exchange", options.games, num_robots=n) for n in (2, 4, 8)}
    lines, reference = compare(batches, options)
    target = Target("8 over 2 robots", _best(lines[2]) / _best(lines[0]), 5, " x")
    return BenchResult(name, "turn", tuple(lines), target, reference)


def events(name: str, options: Options) -> BenchResult:
    """Time turns with and without recording events."""
    batches = {
        "off": TimedGames("risky_exchange", EVENT_GAMES),
        "on": TimedGames("risky_exchange", EVENT_GAMES, events=True),
    }
    lines, reference = compare(batches, options)
    return BenchResult(name, "turn", tuple(lines), None, reference)


def programs(name: str, options: Options) -> BenchResult:
    """Time playing every program of a full hand on clones of one game of four robots, on one thread."""
    from rr_gym.players.search import play_all_programs

    batch = TimedGames("risky_exchange", 1)
    batch.arena.restart(batch.games)
    batch.prepare()
    others: Any = batch.orders[0]
    work = partial(play_all_programs, batch.arena, batch.games[0], 0, others)
    count = len(work())
    (timing,), reference = measure([Case(work, count)], options.seconds)
    total = timing.best * count / 1000
    line = BenchLine.of("", timing, reference, note=f"{count:,} programs in {total:.1f} ms")
    return BenchResult(name, "program", (line,), Target("all programs", total, 100, " ms"), reference.best)


def clones(name: str, options: Options) -> BenchResult:
    """Time copying games exactly, and copying them for a player that may search, with hidden cards redealt."""
    from rr_gym.rules.arena.hidden import determinize

    batch = TimedGames("risky_exchange", options.games)
    cases = [
        Case(lambda: clone(batch.games), options.games),
        Case(lambda: determinize(batch.games, 0, 1), options.games),
    ]
    timings, reference = measure(cases, options.seconds)
    lines = [BenchLine.of(label, t) for label, t in zip(("exact", "determinized"), timings, strict=True)]
    return BenchResult(name, "game", tuple(lines), None, reference.best)


def memory(name: str, options: Options) -> BenchResult:
    """Report the size of one game record in bytes."""
    line = BenchLine("", note=f"{GAME.itemsize:,} bytes per game")
    return BenchResult(name, "game", (line,), Target("game", GAME.itemsize / 1024, 4, " KiB"))


def large_course(across: int, down: int) -> Course:
    """Build a course from a rectangle of copies of the board `exchange`, with a dock below the first column."""
    layout: list[dict[str, Any]] = [
        {"board": "exchange", "rotation": 0, "at": [12 * x, 12 * y]} for y in range(down) for x in range(across)
    ]
    return Course.from_yaml(
        {
            "id": f"exchange_{across}x{down}",
            "name": "Boards side by side",
            "players": [2, 3, 4, 5, 6, 7, 8],
            "boards": layout,
            "dock": {"board": "docking_bay_b", "rotation": 0, "at": [0, 12 * down]},
            "flags": [[7, 1], [12 * across - 3, 12 * down - 5], [1, 4]],
            "rules": [],
        }
    )


def _best(line: BenchLine) -> float:
    return line.best or 0.0


def _spread(lines: Sequence[BenchLine]) -> float:
    times = [_best(line) for line in lines]
    return max(times) / min(times)
