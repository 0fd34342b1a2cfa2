"""``rr-gym replay``: look at a recorded game, or check it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import click

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.files import check_new_file
from rr_gym.cli.grammar.words import Number, Whole
from rr_gym.progress import Progress


@command(exclusive=("text", "verify", "out"), examples=("rr-gym replay race/replay.json --out race.gif --to-turn 5",))
@click.argument("file", type=click.Path(path_type=Path), help="such as demo/replay.json")
@shared(
    "--out", metavar="FILE",
    note=".html for a page (by default FILE with this suffix), .gif for an animated picture (extra viz)",
)  # fmt: skip
@shared("--force")
@option("--text", is_flag=True, section="Results", help="print one line per event")
@option("--verify", is_flag=True, section="Results", help="play the game again by the rules and compare")
@option("--from-turn", type=Whole(), default=1, metavar="N", help="the first turn shown, from 1")
@option("--to-turn", type=Whole(), metavar="N", help="the last turn shown")
@shared(
    "--seconds", type=Number("more than 0", lambda seconds: seconds > 0), default=30.0,
    note="the longest duration of the animated picture",
)  # fmt: skip
@option("--hands", is_flag=True, help="the page also shows the hands, dealt again by the rules")
def run(args: SimpleNamespace) -> int:
    """Turn a recorded game into a page, a GIF or text, or verify it."""
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
            picture = to_gif(replay, *turns, args.seconds, report=progress)
        print(write_file(args.out, picture))
    else:
        page = write_file(args.out or args.file.with_suffix(".html"), to_html(replay, *turns, hands=args.hands))
        print(f"{page}\nopen {page.resolve().as_uri()}")
    return 0
