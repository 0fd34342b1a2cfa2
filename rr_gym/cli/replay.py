"""``rr-gym replay``: look at a recorded game, or check it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rr_gym.cli.grammar.arguments import add, completed
from rr_gym.cli.grammar.files import check_new_file
from rr_gym.progress import Progress


def add_parser(subparsers: Any) -> None:
    """Register ``replay``."""
    parser = subparsers.add_parser("replay", help="turn a recorded game into a page, a GIF or text, or verify it")
    completed(parser.add_argument("file", type=Path, metavar="FILE", help="such as demo/replay.json"), "file")
    kind = parser.add_mutually_exclusive_group()
    add(
        kind, "--out", note="a name that ends in .html is a page for browsers (FILE with .html without it), in .gif an "
        "animated picture (extra viz)", metavar="FILE",
    )  # fmt: skip
    add(parser, "--force")
    kind.add_argument("--text", action="store_true", help="print one line per event")
    kind.add_argument("--verify", action="store_true", help="play it again by the rules and compare")
    parser.add_argument("--from-turn", type=int, default=1, metavar="N", help="the first turn shown, from 1")
    parser.add_argument("--to-turn", type=int, metavar="N", help="the last turn shown")
    parser.add_argument("--hands", action="store_true", help="the page also shows the hands, dealt again by the rules")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Show, write or verify the replay."""
    from rr_gym.files import write_file
    from rr_gym.replay import Replay
    from rr_gym.replay.gif import to_gif
    from rr_gym.replay.page import to_html
    from rr_gym.replay.text import to_lines

    check_new_file(args.out, args.force, (".html", ".gif"))
    replay = Replay.load(args.file)
    replay.check_turns(args.from_turn, args.to_turn)
    turns = (args.from_turn, args.to_turn)
    if args.verify:
        replay.verify()
        print(f"{args.file}: {len(replay.turns)} turns, {sum(1 for _ in replay.events())} events: the rules agree")
    elif args.text:
        for line in to_lines(replay, *turns):
            print(line)
    elif args.out and args.out.suffix == ".gif":
        with Progress("pictures") as progress:
            picture = to_gif(replay, *turns, report=progress)
        print(write_file(args.out, picture))
    else:
        page = write_file(args.out or args.file.with_suffix(".html"), to_html(replay, *turns, hands=args.hands))
        print(f"{page}\nopen {page.resolve().as_uri()}")
    return 0
