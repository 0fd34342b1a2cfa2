"""``rr-gym imitate``: a policy that learns to decide as a player does."""

from __future__ import annotations

from types import SimpleNamespace

import click

from rr_gym.cli.grammar.arguments import overridable, shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import resumable
from rr_gym.cli.grammar.words import Name, Number
from rr_gym.training import agents_module


@command(examples=(
    "rr-gym imitate greedy quickstart --out taught",
    "rr-gym imitate planner:30k duel --temperature 0.03 --workers 8 --out taught",
))  # fmt: skip
@click.argument(
    "teacher", type=Name("players", paths=True), help="a player (rr-gym players), or the folder of a policy or data set"
)
@shared("config", note="its environment, without opponents, and its network")
@overridable
@shared("--course", note="instead of environment.course")
@shared("--set", note="beside environment.settings")
@shared("--seed", note="instead of training.seed")
@shared("--steps")
@shared("--from", note="instead of training.start")
@option(
    "--temperature", metavar="T", type=Number(),
    help="learn from all candidates of a teacher that values them (planner, strategist): one whose probability of "
    "winning is T less than the best's counts for 1/e of it (e.g. 0.03)",
)  # fmt: skip
@shared("--workers", note="1 by default")
@shared("--ray")
@shared("--out", required=True, note="the folder of the policy")
@shared("--resume")
@shared("--json")
def run(args: SimpleNamespace) -> int:
    """Teach a policy to play as a player does.

    Plays games of a player with itself in the environment of a configuration, and teaches the configuration's network
    its decisions (docs/training.md). rr-gym train --from starts from the policy.
    """
    output = Output(args.json)
    given = {name: getattr(args, name) for name in ("course", "seed", "steps", "from")} | {"set": args.set or None}
    imitate = agents_module("imitate").imitate
    with resumable(args):
        facts = imitate(
            args.teacher, args.config, args.out, args.temperature, args.resume,
            workers=1 if args.workers is None and args.ray is None else args.workers, ray=args.ray,
            overrides=args.overrides, **given,
        )  # fmt: skip
    output.show(f"{facts['rows']:,} rows in {facts['seconds']:,.0f} s; as the teacher: {facts['agreement']:.3f}")
    output.show(f"policy: {facts['policy']}")
    output.write(facts)
    return 0
