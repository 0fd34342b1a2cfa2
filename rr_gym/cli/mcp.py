"""``rr-gym mcp``: tools for language models."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import click

from rr_gym.cli.grammar.command import command, option


@command(examples=("rr-gym mcp --bots bots",))
@option(
    "--bots", type=click.Path(path_type=Path), metavar="DIR",
    help="a folder of bots, each in a folder of its own, which tools may build, check and play in a sandbox",
)  # fmt: skip
@option("--tools", is_flag=True, help="print the tools with what models read about them, and stop")
def run(args: SimpleNamespace) -> int:
    """Serve rules, boards, previews, games and matches as tools over the Model Context Protocol (extra mcp).

    It speaks over standard input and output, as clients start it.
    """
    from rr_gym.mcp_server import GameTools, server

    if args.tools:
        for tool in GameTools(args.bots).all():
            print(f"{tool.__name__}\n{tool.__doc__}")
        return 0
    server(GameTools(args.bots)).run()
    return 0
