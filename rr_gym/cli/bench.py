"""``rr-gym bench``: the benchmark."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from rr_gym.cli.grammar.arguments import ONE_COURSE, shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Interrupted, Stopping, command_line
from rr_gym.cli.grammar.words import Number, OneOf, Whole, join_list, names
from rr_gym.progress import Progress

COUNTED_TURNS = 1000  # turns that `--count` plays
COUNTED = {"elements": "everything", "options": "death_trap"}  # what is counted, and on which course


@command(examples=("rr-gym bench --rows solo --seconds 1", "rr-gym bench --count options --course death_trap"))
@shared("--list")
@option(
    "--count", type=OneOf([*COUNTED]), metavar="KIND",
    help="measure nothing: count how often each of the elements or options acts in random games, and stop",
)  # fmt: skip
@option(
    "--accelerators", is_flag=True,
    help="measure how much longer turns take without each of the accelerators of the rules, and stop",
)  # fmt: skip
@shared(
    "--course", note=f"only one, of --count: {COUNTED['elements']} or {COUNTED['options']} by default",
    **ONE_COURSE,
)  # fmt: skip
@shared("--rows", **names("bench rows"))
@option("--all", is_flag=True, help="measure the slow rows too, such as one that compiles anew")
@option("--threads", type=Whole(2), default=2, metavar="N", help="the threads of the row 'threads'")
@shared(
    "--seconds", type=Number("0 or more", lambda seconds: seconds >= 0), default=3.0,
    note="for each case that is measured",
)  # fmt: skip
@shared("--batch", default=4096, note="games here")
@shared("--json")
def run(args: SimpleNamespace) -> int:
    """Measure the engine and the environment.

    Each row of a fixed table is a multiple of a yardstick (a simplified turn) that is measured in between, and is
    compared with its target. Missed targets do not change the exit status. Ctrl-C reports the rows that are done.
    """
    from rr_gym.bench import report
    from rr_gym.bench.table import ROWS
    from rr_gym.bench.timing import Options
    from rr_gym.errors import RoboRallyError, did_you_mean

    output = Output(args.json)
    if args.list:
        output.show_table([(name, f"{row.doc}{' (--all)' if row.on_request else ''}") for name, row in ROWS.items()])
        output.write([*ROWS])
        return 0
    if args.course and not args.count:
        raise RoboRallyError("--course: expected --count with it: the rows have courses of their own")
    if args.count:
        return _count(args.count, args.course or COUNTED[args.count], output)
    if args.accelerators:
        return _accelerators(args.seconds, output)
    for name in args.rows or ():
        if name not in ROWS:
            hint = did_you_mean(name, ROWS)
            unknown = f"there is no row '{name}'" + (f"; {hint}" if hint else "")
            raise RoboRallyError(f"--rows: {unknown} (rr-gym bench --list names them)")
    names = args.rows or [name for name, row in ROWS.items() if args.all or not row.on_request]
    options = Options(args.batch, args.threads, args.seconds)
    output.show(report.header())
    results: list[Any] = []
    with Stopping() as stopping, Progress("rows") as progress:
        for name in names:
            progress.facts = name
            progress(len(results), len(names))
            result = ROWS[name].measure(name, options)
            progress.clear()
            results.append(result)
            output.show(report.text(result))
    missed = [result.name for result in results if result.target and not result.target.met]
    output.show(f"\n{len(results)} rows, {len(missed)} targets missed{': ' + ', '.join(missed) if missed else ''}")
    output.write(report.as_json(results))
    if stopping.interrupted:
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


def _count(kind: str, course: str, output: Output) -> int:
    from rr_gym.bench.firing import firings
    from rr_gym.bench.firing_options import OPTIONS_EACH, option_firings
    from rr_gym.courses.elements import ELEMENTS

    rows: list[tuple[object, ...]]
    if kind == "elements":
        counts, robots = firings(course, turns=COUNTED_TURNS), "eight robots"
        rows = [(element.number, element.id, element.set, counts[element.id]) for element in ELEMENTS]
    else:
        counts, robots = option_firings(course, turns=COUNTED_TURNS), f"eight robots with {OPTIONS_EACH} each"
        rows = [(number, *counted) for number, counted in enumerate(counts.items(), start=1)]
    output.show(f"actions in {COUNTED_TURNS:,} turns on {course}, {robots}")
    output.show_table(rows)
    output.show(f"\n{sum(count > 0 for count in counts.values())} of {len(counts)} {kind} acted")
    output.write(counts)
    return 0
