"""``rr-gym bench``: the benchmark."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

COUNTED_TURNS = 1000  # of `--elements` and `--options`


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "bench",
        help="measure the engine and the environment",
        description="Measures a fixed table of rows, each as a multiple of a yardstick (a simplified turn) that is "
        "measured in between, and compares them with their targets. Missed targets do not change the exit status.",
    )
    parser.add_argument("--list", action="store_true", help="name the rows and stop")
    parser.add_argument(
        "--elements", nargs="?", const="everything", metavar="COURSE",
        help="count how often each board element acts in random games on a course (%(const)s), and stop",
    )  # fmt: skip
    parser.add_argument(
        "--options", nargs="?", const="death_trap", metavar="COURSE",
        help="count how often each option card does something in random games on a course (%(const)s), and stop",
    )  # fmt: skip
    parser.add_argument("--rows", nargs="+", metavar="NAME", help="measure only these")
    parser.add_argument("--all", action="store_true", help="measure the slow rows too, which compile everything anew")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results as JSON too")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="of the row 'threads' (%(default)s)")
    parser.add_argument("--games", type=int, default=4096, metavar="N", help="games in a batch (%(default)s)")
    parser.add_argument("--seconds", type=float, default=3.0, metavar="S", help="per case measured (%(default)s)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rr_gym.bench import report
    from rr_gym.bench.table import ROWS
    from rr_gym.bench.timing import Options
    from rr_gym.errors import RoboRallyError, did_you_mean
    from rr_gym.files import write_file

    if args.list:
        for name, row in ROWS.items():
            print(f"{name:28} {row.doc}{' (--all)' if row.on_request else ''}")
        return 0
    if args.elements:
        return _count_elements(args.elements)
    if args.options:
        return _count_options(args.options)
    for name in args.rows or ():
        if name not in ROWS:
            hint = did_you_mean(name, ROWS)
            unknown = f"there is no row '{name}'" + (f"; {hint}" if hint else "")
            raise RoboRallyError(f"--rows: {unknown} (rr-gym bench --list names them)")
    for option, low in (("threads", 2), ("games", 1), ("seconds", 0)):
        if getattr(args, option) < low:
            raise RoboRallyError(f"--{option}: {getattr(args, option)}: expected at least {low}")
    names = args.rows or [name for name, row in ROWS.items() if args.all or not row.on_request]
    options = Options(args.games, args.threads, args.seconds)
    print(report.header(), flush=True)
    results = []
    for name in names:
        results.append(ROWS[name].measure(name, options))
        print(report.text(results[-1]), flush=True)
    missed = [result.name for result in results if result.target and not result.target.met]
    print(f"\n{len(results)} rows, {len(missed)} targets missed{': ' + ', '.join(missed) if missed else ''}")
    if args.json:
        write_file(args.json, json.dumps(report.as_json(results), indent=1) + "\n")
    return 0


def _count_elements(course: str) -> int:
    from rr_gym.bench.firing import firings
    from rr_gym.courses.elements import ELEMENTS

    counts = firings(course, turns=COUNTED_TURNS)
    print(f"{'element':28} {'set':24} actions in {COUNTED_TURNS:,} turns on {course}, eight robots")
    for element in ELEMENTS:
        print(f"{element.number:2} {element.id:25} {element.set:24} {counts[element.id]:7,}")
    print(f"\n{sum(count > 0 for count in counts.values())} of {len(counts)} elements acted")
    return 0


def _count_options(course: str) -> int:
    from rr_gym.bench.firing_options import OPTIONS_EACH, option_firings

    counts = option_firings(course, turns=COUNTED_TURNS)
    robots = f"eight robots with {OPTIONS_EACH} each"
    print(f"{'option':28} acted in {COUNTED_TURNS:,} turns on {course}, {robots}")
    for number, (option, count) in enumerate(counts.items(), start=1):
        print(f"{number:2} {option:25} {count:7,}")
    print(f"\n{sum(count > 0 for count in counts.values())} of {len(counts)} options acted")
    return 0
