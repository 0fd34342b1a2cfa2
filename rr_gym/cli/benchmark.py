"""``rr-gym benchmark``: one score for a player, from a fixed suite of games."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rr_gym.cli.evaluate import add_salt_option
from rr_gym.progress import Progress

if TYPE_CHECKING:
    from rr_gym.evaluation.benchmark.benchmark import Benchmark
    from rr_gym.evaluation.benchmark.benchmark_report import BenchmarkResult
    from rr_gym.evaluation.benchmark.suites import Suite


def add_parser(subparsers: Any) -> None:
    """Register ``benchmark``."""
    parser = subparsers.add_parser(
        "benchmark",
        help="score players on a fixed suite of games",
        description="Plays a fixed suite of games (alone, duels, tables of four and eight, expansions, option cards, "
        "generated courses) and reports one score with its 95 % interval. Ctrl-C ends the run with a report of what "
        "was played.",
    )
    parser.add_argument(
        "player", metavar="PLAYER", nargs="*",
        help="who is scored: registered names, folders of policies, models (.zip; reading one runs its code), programs",
    )  # fmt: skip
    parser.add_argument("--suite", default="v1", help="the suite (%(default)s)")
    parser.add_argument("--list", action="store_true", help="name the rows of the suite and stop")
    parser.add_argument("--rows", nargs="+", default=[], metavar="NAME", help="only these rows or groups of rows")
    parser.add_argument("--games", type=int, metavar="N", help="at most so many games in each row, for a first look")
    add_salt_option(parser)
    parser.add_argument("--workers", type=int, metavar="N", help="processes side by side (as many as cores, up to 8)")
    parser.add_argument(
        "--resume", type=Path, metavar="FILE",
        help="keep what is played in this file, and do not play again what is in it",
    )  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON too")
    parser.add_argument("--markdown", action="store_true", help="print the players side by side, for a document")
    parser.add_argument(
        "--reference", type=Path, metavar="FILE",
        help="write the scores that stand for 0 and 100; the players have to be random and racer",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rr_gym.errors import RoboRallyError
    from rr_gym.evaluation.benchmark.benchmark import Benchmark
    from rr_gym.evaluation.benchmark.benchmark_log import hold_log
    from rr_gym.evaluation.benchmark.references import HIGH, LOW
    from rr_gym.evaluation.benchmark.suites import load_suite
    from rr_gym.salt import read_salt

    suite = load_suite(args.suite).chosen(args.rows)
    if args.list:
        print(_rows_text(suite))
        return 0
    if not args.player:
        raise RoboRallyError("no player: expected at least one (rr-gym players names some)")
    for option in ("json", "resume", "reference"):
        if (path := getattr(args, option)) and path.is_dir():
            raise RoboRallyError(f"--{option} {path}: expected a file")
    if args.reference and not {LOW, HIGH} <= set(args.player):
        raise RoboRallyError(f"--reference: {' '.join(args.player)}: expected {LOW} and {HIGH} among the players")
    if args.reference and (args.rows or args.games):
        raise RoboRallyError("--reference: expected the whole suite, without --rows and --games")
    if args.reference and read_salt("--salt", args.salt):
        raise RoboRallyError(f"--reference: --salt {args.salt}: expected none")
    benchmarks = [Benchmark(name, args.suite, rows=args.rows, games=args.games, salt=args.salt) for name in args.player]
    with hold_log(args.resume):
        return _play_all(benchmarks, args)


def _play_all(benchmarks: list[Benchmark], args: argparse.Namespace) -> int:
    """Play benchmarks, and print and write what came out. Returns the exit status."""
    from rr_gym.evaluation.benchmark.benchmark import measure_reference
    from rr_gym.evaluation.benchmark.benchmark_report import markdown
    from rr_gym.evaluation.benchmark.references import HIGH, LOW
    from rr_gym.evaluation.processes import default_workers
    from rr_gym.files import write_file

    results: list[BenchmarkResult] = []
    interrupted = False
    workers = default_workers() if args.workers is None else args.workers
    for benchmark in benchmarks:
        interrupted = not _play(benchmark, workers, args.resume)
        if interrupted and not benchmark.num_played:
            break
        results.append(benchmark.result())
        if not args.markdown:
            print(results[-1].text(), end="\n\n" if len(args.player) > 1 else "\n", flush=True)
        if interrupted:
            break
    if args.markdown and results:
        print(markdown(results))
    if args.json and results:
        data = [result.to_json() for result in results]
        write_file(args.json, json.dumps(data, indent=1, allow_nan=False) + "\n")
    if args.reference and not interrupted:
        by_name = {benchmark.name: benchmark for benchmark in benchmarks}
        reference = measure_reference(by_name[LOW], by_name[HIGH])
        write_file(args.reference, json.dumps(reference.to_json(), indent=1) + "\n")
    return 130 if interrupted else 0


def _play(benchmark: Benchmark, workers: int, log: Path | None) -> bool:
    """Play a benchmark; False if it was interrupted."""
    progress = Progress()
    try:
        benchmark.play(progress, workers=workers, log=log)
    except KeyboardInterrupt:
        progress.close()
        print("rr-gym: interrupted: what follows is of the games before", file=sys.stderr)
        return False
    progress.close()
    if benchmark.outdated:
        what = f"{benchmark.outdated} blocks of {benchmark.name} are of another version and were played again"
        print(f"rr-gym: {log}: {what}", file=sys.stderr)
    return True


def _rows_text(suite: Suite) -> str:
    lines = []
    for row in suite.rows:
        lineup = f"{row.copies} of {row.seats} robots" + (f", with {', '.join(row.others)}" if row.others else "")
        lines.append(f"{row.name:16} {row.group:11} {row.num_games:5,} games  {row.doc} ({lineup})")
        lines.append(f"{'':16} {', '.join(row.course_ids)}")
    return "\n".join(lines)
