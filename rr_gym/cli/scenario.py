"""``rr-gym scenario``: run rule scenarios."""

from __future__ import annotations

from dataclasses import asdict
from types import SimpleNamespace

import click

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command
from rr_gym.cli.grammar.files import check_there
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Interrupted, Stopping, command_line
from rr_gym.progress import Progress


@command(examples=("rr-gym scenario tests/scenarios/pits", "rr-gym scenario tests/scenarios/crossgear --out films"))
@click.argument("file", type=click.Path(), nargs=-1, required=True, help="a scenario file, or a folder of them")
@shared("--out", note="an animated GIF of each scenario, which needs the extra viz")
@shared("--json")
def run(args: SimpleNamespace) -> int:
    """Run rule scenarios (docs/scenario-format.md).

    The exit status is 0 when every one of them holds, 1 when one does not, 2 when a file is missing.
    """
    from rr_gym.errors import RoboRallyError, printable, require, sanitize
    from rr_gym.files import write_file
    from rr_gym.scenarios import ScenarioResult, load_scenarios, run_scenario
    from rr_gym.scenarios.load import scenario_files

    output = Output(args.json)
    check_there(args.file)
    if args.out:
        require("PIL.Image", extra="viz")
    for path in args.file:
        if not scenario_files(path):
            raise RoboRallyError(f"{path}: there is no scenario file in this folder: expected .yaml files")
    results: list[ScenarioResult] = []
    left = list(args.file)
    with Stopping() as stopping, Progress("scenarios") as progress:
        while left:
            scenarios = load_scenarios(left[0])
            before = len(results)
            for scenario in scenarios:
                result = run_scenario(scenario)
                results.append(result)
                played = scenario.error is None and all(found.field != "error" for found in result.differences)
                if args.out and played:
                    from rr_gym.replay.film import file_name, scenario_gif  # takes a while to load

                    write_file(args.out / file_name(scenario), scenario_gif(scenario))
                # The total is known only when the last file has been read.
                progress(len(results), before + len(scenarios) if len(left) == 1 else None)
                if not result.passed:
                    progress.clear()
                    output.show(printable(f"{scenario.file}: {result.name}"))
                    for difference in result.differences:
                        output.show(f"  {sanitize(str(difference))}")
            left.pop(0)
    failed = sum(not result.passed for result in results)
    output.show(f"{len(results) - failed} passed, {failed} failed")
    output.write([asdict(result) for result in results])
    if stopping.interrupted:
        raise Interrupted(command_line(["scenario", *left]))
    return 1 if failed else 0
