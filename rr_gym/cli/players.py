"""``rr-gym players``: the registered players."""

from __future__ import annotations

from types import SimpleNamespace

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command
from rr_gym.cli.grammar.output import Output
from rr_gym.player_names import BUILT_IN


@command()
@shared("--json")
def run(args: SimpleNamespace) -> int:
    """List the players that can be named."""
    output = Output(args.json)
    output.show_table([*BUILT_IN.items()])
    output.write([{"name": name, "doc": doc} for name, doc in BUILT_IN.items()])
    return 0
