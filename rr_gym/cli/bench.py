"""``rr-gym bench``: the benchmark."""

from __future__ import annotations

import argparse
from typing import Any

from rr_gym.cli.grammar.arguments import add, completed, one
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Interrupted, command_line
from rr_gym.cli.grammar.words import join_list
from rr_gym.progress import Progress

COUNTED_TURNS = 1000  # of `--count`
COUNTED = {"elements": "everything", "options": "death_trap"}  # what is counted, and on which course


def add_parser(subparsers: Any) -> None:
    """Register ``bench``."""
    parser = subparsers.add_parser(
        "bench",
        help="measure the engine and the environment",
        description="Measures a fixed table of rows, each as a multiple of a yardstick (a simplified turn) that is "
        "measured in between, and compares them with their targets. Missed targets do not change the exit status. "
        "Ctrl-C reports the rows that are done.",
    )
    add(parser, "--list")
    parser.add_argument(
        "--count", choices=[*COUNTED], metavar="KIND",
        help="measure nothing: count how often each of the elements or options acts in random games, and stop",
    )  # fmt: skip
    parser.add_argument(
        "--accelerators", action="store_true",
        help="measure whole turns without each of the accelerators of the rules, over those with all, and stop",
    )  # fmt: skip
    add(parser, "--course", note=f"here only one, of --count: {COUNTED['elements']} or {COUNTED['options']} by default")
    completed(add(parser, "--rows"), "bench_rows")
    parser.add_argument("--all", action="store_true", help="measure the slow rows too, such as one that compiles anew")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="of the row 'threads' (%(default)s)")
    add(parser, "--seconds", default=3.0, note="for each case that is measured")
    add(parser, "--batch", default=4096, note="games here")
    add(parser, "--json")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure, list or count."""
    from rr_gym.bench import report
    from rr_gym.bench.table import ROWS
    from rr_gym.bench.timing import Options
    from rr_gym.errors import RoboRallyError, did_you_mean

    output = Output(args.json)
    if args.list:
        for name, row in ROWS.items():
            print(f"{name:28} {row.doc}{' (--all)' if row.on_request else ''}")
        return 0
    if args.course and not args.count:
        raise RoboRallyError("--course: expected --count with it: the rows have courses of their own")
    if args.count:
        course = one(args.course, "--course") or COUNTED[args.count]
        return {"elements": _count_elements, "options": _count_options}[args.count](course, output)
    if args.accelerators:
        return _accelerators(args.seconds, output)
    for name in args.rows or ():
        if name not in ROWS:
            hint = did_you_mean(name, ROWS)
            unknown = f"there is no row '{name}'" + (f"; {hint}" if hint else "")
            raise RoboRallyError(f"--rows: {unknown} (rr-gym bench --list names them)")
    for option, low in (("threads", 2), ("batch", 1), ("seconds", 0)):
        if getattr(args, option) < low:
            raise RoboRallyError(f"--{option}: {getattr(args, option)}: expected at least {low}")
    names = args.rows or [name for name, row in ROWS.items() if args.all or not row.on_request]
    options = Options(args.batch, args.threads, args.seconds)
    output.show(report.header())
    results: list[Any] = []
    interrupted = False
    try:
        with Progress("rows") as progress:
            for name in names:
                progress.facts = name
                progress(len(results), len(names))
                result = ROWS[name].measure(name, options)
                progress.line.clear()
                results.append(result)
                output.show(report.text(result))
    except KeyboardInterrupt:
        interrupted = True
    missed = [result.name for result in results if result.target and not result.target.met]
    output.show(f"\n{len(results)} rows, {len(missed)} targets missed{': ' + ', '.join(missed) if missed else ''}")
    output.write(report.as_json(results))
    if interrupted:
        numbers = [f"--batch={args.batch}", f"--threads={args.threads}", f"--seconds={args.seconds:g}"]
        raise Interrupted(command_line(["bench", "--rows", join_list(names[len(results) :]), *numbers]))
    return 0


def _accelerators(seconds: float, output: Output) -> int:
    from rr_gym.bench.accelerators import gains, header, row

    output.show(header())
    found = []
    for gain in gains(seconds):
        found.append(gain)
        output.show(row(gain))
    output.write({gain.without: gain.ratios for gain in found})
    return 0


def _count_elements(course: str, output: Output) -> int:
    from rr_gym.bench.firing import firings
    from rr_gym.courses.elements import ELEMENTS

    counts = firings(course, turns=COUNTED_TURNS)
    output.show(f"{'element':28} {'set':24} actions in {COUNTED_TURNS:,} turns on {course}, eight robots")
    for element in ELEMENTS:
        output.show(f"{element.number:2} {element.id:25} {element.set:24} {counts[element.id]:7,}")
    output.show(f"\n{sum(count > 0 for count in counts.values())} of {len(counts)} elements acted")
    output.write(counts)
    return 0


def _count_options(course: str, output: Output) -> int:
    from rr_gym.bench.firing_options import OPTIONS_EACH, option_firings

    counts = option_firings(course, turns=COUNTED_TURNS)
    robots = f"eight robots with {OPTIONS_EACH} each"
    output.show(f"{'option':28} acted in {COUNTED_TURNS:,} turns on {course}, {robots}")
    for number, (option, count) in enumerate(counts.items(), start=1):
        output.show(f"{number:2} {option:25} {count:7,}")
    output.show(f"\n{sum(count > 0 for count in counts.values())} of {len(counts)} options acted")
    output.write(counts)
    return 0
