"""``rr-gym benchmark``: one score for a player, from a fixed suite of games."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import click

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import STDOUT, command, option
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Interrupted, Stopping, check_resume, new_folder, resumable, resume_command
from rr_gym.cli.grammar.words import names
from rr_gym.progress import Progress

if TYPE_CHECKING:
    from rr_gym.evaluation.benchmark.benchmark import Benchmark
    from rr_gym.evaluation.benchmark.benchmark_report import BenchmarkResult
    from rr_gym.evaluation.benchmark.suites import SuiteRow

BLOCKS = "blocks.jsonl"  # the file of played games in the folder `--out`
FOLDER = "benchmark"  # the folder of an interrupted run without `--out`


@command(examples=("rr-gym benchmark --players racer --rows solo --games 20", "rr-gym benchmark --players a,b --out b"))
@shared("--players", note="each is scored by itself")
@option("--suite", default="v2", section="Games", help="the name of the suite")
@shared("--list")
@shared("--rows", note="or groups of rows", **names("suite rows"))
@shared("--games", note="at most in each row, for a first look")
@shared("--salt")
@shared("--workers", note="by default as many as there are cores, at most 8")
@shared("--ray")
@shared("--sandbox")
@shared("--max-faults")
@shared("--out", note="without it nothing is kept, unless Ctrl-C ends the run")
@shared("--resume")
@shared("--json")
@shared("--markdown", note="the players side by side")
@option(
    "--reference", type=click.Path(path_type=Path), metavar="FILE", section="Results",
    help="write the scores that count as 0 and 100; the players must be random and racer",
)  # fmt: skip
def run(args: SimpleNamespace) -> int:
    """Score players on a fixed suite of games.

    Plays games alone, duels, tables of four and eight, expansions, option cards and generated courses, and reports one
    score with its 95 % interval. Ctrl-C ends the run with a report of what was played, which is kept. A folder may hold
    the games of several players; with --resume others join it.
    """
    from rr_gym.errors import RoboRallyError, short_repr
    from rr_gym.evaluation.benchmark.benchmark import Benchmark
    from rr_gym.evaluation.benchmark.benchmark_log import hold_log
    from rr_gym.evaluation.benchmark.references import HIGH, LOW
    from rr_gym.evaluation.benchmark.suites import load_suite
    from rr_gym.files import check_writable
    from rr_gym.salt import read_salt

    output = Output(args.json)
    suite = load_suite(args.suite).chosen(args.rows or [])
    if args.list:
        output.show_table([_row(row) for row in suite.rows], ("row", "group", "games", "what", "robots", "courses"))
        output.write([row.name for row in suite.rows])
        return 0
    if not args.players:
        raise RoboRallyError("no player: expected at least one behind --players (rr-gym players names some)")
    if args.reference:
        if args.reference.is_dir():
            raise RoboRallyError(f"--reference {args.reference}: expected a file")
        check_writable(args.reference, "--reference ")
    if args.reference and not {LOW, HIGH} <= set(args.players):
        raise RoboRallyError(f"--reference: {','.join(args.players)}: expected {LOW} and {HIGH} among the players")
    if args.reference and (args.rows or args.games):
        raise RoboRallyError("--reference: expected the whole suite, without --rows and --games")
    if args.reference and read_salt("--salt", args.salt):
        raise RoboRallyError(f"--reference: --salt {args.salt}: expected none")
    twice = [name for name in args.players if args.players.count(name) > 1]
    if twice:
        raise RoboRallyError(f"--players: {short_repr(twice[0])} occurs twice: expected different ones")
    check_resume(args.resume, args.out, BLOCKS)
    benchmarks = [
        Benchmark(name, args.suite, rows=args.rows or (), games=args.games, salt=args.salt, sandbox=args.sandbox)
        for name in args.players
    ]
    with resumable(args, BLOCKS), hold_log(args.out and args.out / BLOCKS):
        return _play_all(benchmarks, args, output)


def _play_all(benchmarks: list[Benchmark], args: SimpleNamespace, output: Output) -> int:
    """Play benchmarks, and print and write the results. Returns the exit status."""
    from rr_gym.evaluation.benchmark.benchmark import measure_reference
    from rr_gym.evaluation.benchmark.benchmark_report import markdown
    from rr_gym.evaluation.benchmark.references import HIGH, LOW
    from rr_gym.files import write_file

    results: list[BenchmarkResult] = []
    stopping = Stopping()
    log = args.out and args.out / BLOCKS
    for benchmark in benchmarks:
        with stopping, Progress(facts=benchmark.name) as progress:
            benchmark.play(progress, workers=args.workers, log=log, ray=args.ray)
        if benchmark.outdated and not stopping.interrupted:
            what = f"{benchmark.outdated} blocks of {benchmark.name} are of another version and were played again"
            print(f"rr-gym: {log}: {what}", file=sys.stderr)
        if benchmark.num_played:
            results.append(benchmark.result())
            if not args.markdown:
                output.show(results[-1].text(args.max_faults) + "\n" * (len(benchmarks) > 1))
        if stopping.interrupted:
            break
    if args.markdown and results:
        output.show(markdown(results, args.max_faults))
    if results:
        output.write([result.to_json() for result in results])
    if log and log.exists():
        print(f"kept: {args.out}", file=sys.stderr if args.markdown or args.json == STDOUT else sys.stdout)
    if stopping.interrupted:
        raise Interrupted(_resume_command(benchmarks, args)) if results or args.out else KeyboardInterrupt
    if args.reference:
        by_name = {benchmark.name: benchmark for benchmark in benchmarks}
        reference = measure_reference(by_name[LOW], by_name[HIGH])
        output.say(str(write_file(args.reference, json.dumps(reference.to_json(), indent=1) + "\n")))
    return 1 if any(result.faulty(args.max_faults) for result in results) else 0


def _resume_command(benchmarks: list[Benchmark], args: SimpleNamespace) -> str:
    """Return the command that resumes; without ``--out``, first write the finished blocks into a new folder."""
    if args.out:
        return resume_command(args)
    folder = new_folder(FOLDER)
    for benchmark in benchmarks:
        benchmark.keep(folder / BLOCKS)
    return resume_command(args, folder)


def _row(row: SuiteRow) -> tuple[object, ...]:
    """Return the cells that describe a row of a suite in the table of its rows."""
    robots = f"{row.copies} of {row.seats}" + (f", with {', '.join(row.others)}" if row.others else "")
    return row.name, row.group, row.num_games, row.doc, robots, ", ".join(row.course_ids)
