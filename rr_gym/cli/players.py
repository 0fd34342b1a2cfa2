"""``rr-gym players``: the registered players."""

from __future__ import annotations

from types import SimpleNamespace

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command
from rr_gym.cli.grammar.output import Output


@command()
@shared("--json")
def run(args: SimpleNamespace) -> int:
    """List the players that can be named."""
    from rr_gym.registry import list_players

    output = Output(args.json)
    output.show_table([(player.name, player.doc) for player in list_players()])
    output.write([{"name": player.name, "doc": player.doc} for player in list_players()])
    return 0
