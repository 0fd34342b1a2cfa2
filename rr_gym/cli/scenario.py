"""``rr-gym scenario``: run rule scenarios."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from rr_gym.cli.grammar.arguments import add, completed
from rr_gym.cli.grammar.files import check_there
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Interrupted, command_line
from rr_gym.progress import Progress


def add_parser(subparsers: Any) -> None:
    """Register ``scenario``."""
    parser = subparsers.add_parser(
        "scenario",
        help="run rule scenarios",
        description="Run rule scenarios (docs/scenario-format.md). The exit status is 0 when every one of them holds, "
        "1 when one does not, 2 when a file is missing.",
    )
    files = parser.add_argument("files", nargs="+", metavar="FILE", help="a scenario file, or a folder of them")
    completed(files, "file")
    add(parser, "--json")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the files in order and print what fails."""
    from rr_gym.errors import RoboRallyError, printable, said
    from rr_gym.scenarios import Result, load_scenarios, run_scenario
    from rr_gym.scenarios.load import scenario_files

    output = Output(args.json)
    check_there(args.files)
    for path in args.files:
        if not scenario_files(path):
            raise RoboRallyError(f"{path}: there is no scenario file in this folder: expected .yaml files")
    results: list[Result] = []
    left = list(args.files)
    interrupted = False
    try:
        with Progress("scenarios") as progress:
            while left:
                scenarios = load_scenarios(left[0])
                before = len(results)
                for scenario in scenarios:
                    result = run_scenario(scenario)
                    results.append(result)
                    # How many the other files have is not known before they are read.
                    progress(len(results), before + len(scenarios) if len(left) == 1 else None)
                    if not result.passed:
                        progress.line.clear()
                        output.show(printable(f"{scenario.file}: {result.name}"))
                        for difference in result.differences:
                            output.show(f"  {said(str(difference))}")
                left.pop(0)
    except KeyboardInterrupt:
        interrupted = True
    failed = sum(not result.passed for result in results)
    output.show(f"{len(results) - failed} passed, {failed} failed")
    output.write([asdict(result) for result in results])
    if interrupted:
        raise Interrupted(command_line(["scenario", *left]))
    return 1 if failed else 0
