"""``rr-gym bot``: submissions: start one, check it, pack it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.files import check_new_file
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.words import Number
from rr_gym.progress import Progress

LANGUAGES = ("python", "javascript", "c")  # as `rr_gym.bots.start` has it, which the command loads only when it runs
_FOLDER: dict[str, Any] = {"type": click.Path(path_type=Path), "help": "the folder of the bot, with its bot.toml"}


@command(examples=("rr-gym bot new mybot --language python",))
@click.argument("folder", **_FOLDER)
@option("--language", type=click.Choice(LANGUAGES), default="python", help="the programming language")
@option("--name", metavar="NAME", help="its name in tables; by default the name of the folder")
def run_new(args: SimpleNamespace) -> int:
    """Write a bot that plays, with the tables that a bot needs, to start from."""
    from rr_gym.bots.start import new_bot

    for name in new_bot(args.folder, args.language, args.name):
        print(args.folder / name)
    print(f"\nnext: rr-gym bot check {args.folder}\n      rr-gym race --players bot:{args.folder},greedy")
    return 0


@command(examples=("rr-gym bot check mybot", "rr-gym bot check mybot --sandbox process --json"))
@click.argument("folder", **_FOLDER)
@shared("--seconds", type=Number("a number of seconds above 0", lambda s: s > 0), default=1.0, note="for each decision")
@shared("--sandbox")
@shared("--json")
def run_check(args: SimpleNamespace) -> int:
    """Check a bot as a host would: build it in a sandbox, play the conformance set, and measure its answers.

    The exit status is 1 if a host would refuse it.
    """
    from rr_gym.bots.check import check_bot

    output = Output(args.json)
    with Progress() as progress:
        checked = check_bot(args.folder, args.seconds, args.sandbox, progress)
    output.show(checked.text())
    output.write(checked.to_json())
    return 0 if checked.accepted else 1


@command(examples=("rr-gym bot pack mybot", "rr-gym bot pack mybot --out submission.tar"))
@click.argument("folder", **_FOLDER)
@shared("--out", metavar="FILE", note="NAME-VERSION.tar beside the folder by default")
@shared("--force")
@shared("--json")
def run_pack(args: SimpleNamespace) -> int:
    """Pack a bot into an archive, which is the same to the byte wherever it is made, and print its SHA-256."""
    from rr_gym.bots import pack

    output = Output(args.json)
    check_new_file(args.out, args.force, (".tar",))
    path, digest = pack(args.folder, args.out)
    output.show(f"{path}\nSHA-256 {digest}")
    output.write({"archive": str(path), "sha256": digest})
    return 0


run = click.Group(
    commands={"new": run_new, "check": run_check, "pack": run_pack},
    help="Start a bot of your own, check it as a host would, pack it.",
)
