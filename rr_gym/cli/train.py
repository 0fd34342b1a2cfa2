"""``rr-gym train``: train a policy."""

from __future__ import annotations

import json
from types import SimpleNamespace

import click

from rr_gym.cli.grammar.arguments import overridable, shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import resumable
from rr_gym.training import agents_module


def _print_schema(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the schema and end the command, which then needs no configuration."""
    if wanted and not ctx.resilient_parsing:
        click.echo(json.dumps(agents_module("config").schema(), indent=1))
        ctx.exit()


@command(examples=("rr-gym train quickstart", "rr-gym train duel algorithm.gamma=0.99 --seed 3 --out runs/third"))
@shared("config", note="such as quickstart")
@overridable
@shared("--players", note="opponents, in the seats that do not learn, instead of environment.opponents")
@shared("--course", note="instead of environment.course")
@shared("--set", note="in addition to environment.settings")
@shared("--max-cycles", note="instead of environment.max_cycles")
@shared("--from", note="instead of training.start")
@shared("--seed", note="instead of training.seed")
@shared("--steps")
@shared("--out", note="runs/NAME by default, with the configuration's name")
@shared("--resume", note="from the last checkpoint in it")
@option(
    "--schema", is_flag=True, is_eager=True, expose_value=False, callback=_print_schema, section="Results",
    help="print the JSON schema of configurations, for editors, and stop",
)  # fmt: skip
@shared("--json")
def run(args: SimpleNamespace) -> int:
    """Train a policy as a configuration describes (docs/training.md).

    Ctrl-C saves a checkpoint; --resume resumes exactly from it, or from the last one before a crash.
    """
    output = Output(args.json)
    given = {name: getattr(args, name) for name in ("players", "course", "max_cycles", "from", "seed", "steps")}
    train = agents_module("train").train
    with resumable(args):
        facts = train(
            args.config, args.out, resume=args.resume, overrides=args.overrides, set=args.set or None, **given
        )
    output.show(f"{facts['rows']:,} rows in {facts['seconds']:,.0f} s")
    output.show(f"policy: {facts['policy']}\ncurve:  {facts['curve']}, {facts['picture']}")
    output.write(facts)
    return 0
