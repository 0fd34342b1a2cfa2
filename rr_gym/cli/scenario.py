"""``rr-gym scenario``: run rule scenarios."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "scenario",
        help="run rule scenarios",
        description="Run rule scenarios (docs/scenario-format.md). The exit status is 0 when every one of them holds.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a scenario file, or a folder of them")
    parser.add_argument("--json", action="store_true", help="one JSON object per scenario and line, no summary")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the files in order and print what fails."""
    from rr_gym.errors import printable, said
    from rr_gym.scenarios import Result, load_scenarios, run_scenario

    results: list[Result] = []
    for path in args.files:
        for scenario in load_scenarios(path):
            result = run_scenario(scenario)
            results.append(result)
            if args.json:
                print(json.dumps(asdict(result)), flush=True)
            elif not result.passed:
                print(printable(f"{scenario.file}: {result.name}"))
                for difference in result.differences:
                    print(f"  {said(str(difference))}", flush=True)
    failed = sum(not result.passed for result in results)
    if not args.json:
        print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0
