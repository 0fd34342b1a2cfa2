"""``rr-gym arena``: a ladder of submissions that goes on, and whose games anyone can check."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Interrupted, command_line
from rr_gym.cli.grammar.words import Number, Whole, names
from rr_gym.progress import Progress

_FOLDER: dict[str, Any] = {"type": click.Path(path_type=Path), "help": "the folder of the arena"}
_SALT = "of the season, to be given if it was when the season began"


@command(examples=("rr-gym arena new ladder", "rr-gym arena new small --tables duels --anchors random,greedy,racer"))
@click.argument("folder", **_FOLDER)
@option(
    "--tables", **names("tables"), metavar="NAME,...", section="Games",
    help="duels, fours, eights, options, expansions; by default all; repeatable",
)  # fmt: skip
@option(
    "--anchors", **names("players"), metavar="PLAYER,...", section="Games",
    help="players of the package that take part; those but random hold the scale of ratings; repeatable (default: "
    "random, greedy, racer, planner:500, veteran, champion, strategist:300)",
)  # fmt: skip
@shared(
    "--seconds", type=Number("a number of seconds above 0", lambda seconds: seconds > 0),
    note="for each decision of a bot; by default 1",
)  # fmt: skip
@shared("--max-cycles", note="by default 100")
@shared(
    "--salt", note="of the season; if it is given it is not written down and has to be given each time, otherwise one "
    "is drawn and kept in the folder, for its user alone",
)  # fmt: skip
def run_new(args: SimpleNamespace) -> int:
    """Make an arena with its first season; or begin the next season of an arena whose last one is over.

    Courses and deals of a season follow from a salt. Its SHA-256 is in the log from the beginning, the salt itself when
    the season is over.
    """
    from rr_gym.arena import new_season

    log = new_season(
        args.folder, args.tables, args.anchors, seconds=args.seconds, max_cycles=args.max_cycles, salt=args.salt
    )
    season = log.seasons[-1]
    print(f"season {season.season} of {args.folder}: {', '.join(log.tables)}; {len(log.active)} entries")
    print(f"SHA-256 of its salt: {season.salt_sha256}")
    print(f"\nnext: rr-gym arena add {args.folder} BOT\n      rr-gym arena play {args.folder} --matches 100")
    return 0


@command(examples=("rr-gym arena add ladder mybot",))
@click.argument("folder", **_FOLDER)
@click.argument("bot", type=click.Path(path_type=Path), help="the folder of the bot, with its bot.toml")
@option("--unchecked", is_flag=True, help="take it without rr-gym bot check")
@shared("--sandbox")
def run_add(args: SimpleNamespace) -> int:
    """Enter a bot, after checking it as rr-gym bot check does. A new version of a bot is a new entry.

    Its files are copied, so that it may change or go afterwards. The exit status is 1 if it is refused.
    """
    from rr_gym.arena import add_entry, read_log
    from rr_gym.bots.check import check_bot

    log = read_log(args.folder)
    if not args.unchecked:
        with Progress() as progress:
            checked = check_bot(args.bot, log.arena.seconds, args.sandbox, progress)
        if not checked.accepted:
            print(checked.text())
            return 1
    entry = add_entry(args.folder, args.bot)
    print(f"{entry.entry} has entered; SHA-256 of its archive: {entry.digest}")
    return 0


@command(examples=('rr-gym arena retire ladder "mybot 0.1.0"',))
@click.argument("folder", **_FOLDER)
@click.argument("entry", help="its name and version, as the table has it")
@option("--why", default="by the host", metavar="TEXT", help="what the log says")
def run_retire(args: SimpleNamespace) -> int:
    """Let an entry play no more, not even in matches that were drawn already; it keeps its rating."""
    from rr_gym.arena import retire_entry

    print(f"{retire_entry(args.folder, args.entry, args.why).entry} plays no more")
    return 0


@command(examples=("rr-gym arena play ladder --matches 500 --workers 2", "rr-gym arena play ladder --ray auto"))
@click.argument("folder", **_FOLDER)
@option("--matches", type=Whole(1), default=100, metavar="N", section="Games", help="how many to play")
@shared("--workers", note="by default as many as there are cores, at most 8")
@shared("--ray")
@shared("--sandbox", note="to be named where bubblewrap does not work")
@shared("--salt", note=_SALT)
@shared("--json")
def run_play(args: SimpleNamespace) -> int:
    """Play matches, each chosen because it tells most about who is known least, and show the ladder.

    Whatever interrupts it costs only the matches that were being played; the same command goes on.
    """
    from rr_gym.arena import play_matches

    output = Output(args.json)
    try:
        with Progress("matches") as progress:
            play_matches(
                args.folder, args.matches, workers=args.workers, ray=args.ray, sandbox=args.sandbox, salt=args.salt,
                report=progress,
            )  # fmt: skip
    except KeyboardInterrupt:
        raise Interrupted(command_line(args.words)) from None
    _show_ladder(args.folder, output)
    return 0


@command(examples=("rr-gym arena table ladder", "rr-gym arena table ladder --json"))
@click.argument("folder", **_FOLDER)
@shared("--json")
def run_table(args: SimpleNamespace) -> int:
    """Show the ladder and write it to ladder.json in the folder."""
    _show_ladder(args.folder, Output(args.json))
    return 0


def _show_ladder(folder: Path, output: Output) -> None:
    from rr_gym.arena import LadderError, make_ladder, read_log
    from rr_gym.arena.ladder import LADDER
    from rr_gym.files import write_file

    ladder = make_ladder(read_log(folder))
    write_file(folder / LADDER, ladder.file_text(), LadderError)
    output.show(ladder.text())
    output.write(ladder.to_json())


@command(examples=("rr-gym arena page ladder --out pages", "rr-gym arena page ladder --out pages --watch 10"))
@click.argument("folder", **_FOLDER)
@shared("--out", required=True)
@shared("--watch", default=3, note="lost games of each entry")
def run_page(args: SimpleNamespace) -> int:
    """Write the ladder as pages that need no server: ratings over time, who beats whom, lost games to watch."""
    from rr_gym.arena.pages import write_pages

    with Progress("steps") as progress:
        page = write_pages(args.folder, args.out, args.watch, progress)
    print(f"{page}: open it in a browser")
    return 0


@command(examples=("rr-gym arena close ladder",))
@click.argument("folder", **_FOLDER)
@shared("--salt", note=_SALT)
def run_close(args: SimpleNamespace) -> int:
    """End the season and publish its salt, from which anyone can draw its courses and deals again."""
    from rr_gym.arena import close_season

    line = close_season(args.folder, args.salt)
    print(f"season {line.season} is over; its salt: {line.salt}\nnext: rr-gym arena new {args.folder}")
    return 0


@command(examples=("rr-gym arena verify ladder", "rr-gym arena verify ladder --head HASH"))
@click.argument("folder", **_FOLDER)
@option(
    "--head", metavar="HASH", section="Options",
    help="a head of the chain that was published, 64 hexadecimal digits, which must be in the log; without one, a log "
    "that was written anew as a whole cannot be told from the first one",
)  # fmt: skip
@option("--season", type=Whole(1), metavar="N", section="Options", help="play again only the matches of this season")
@shared("--workers", note="by default as many as there are cores, at most 8")
@shared("--ray", note="its machines have to see the folder under the same path")
@shared("--json")
def run_verify(args: SimpleNamespace) -> int:
    """Play all matches again by the rules, and compute everything else again; no bot is needed for it.

    The exit status is 1 if anything does not agree.
    """
    from rr_gym.arena import verify

    output = Output(args.json)
    with Progress("matches") as progress:
        verdict = verify(
            args.folder, head=args.head, season=args.season, workers=args.workers, ray=args.ray, report=progress
        )
    output.show(verdict.text())
    output.write(verdict.to_json())
    return 1 if verdict.problems else 0


run = click.Group(
    commands={
        "new": run_new, "add": run_add, "retire": run_retire, "play": run_play, "table": run_table, "page": run_page,
        "close": run_close, "verify": run_verify,
    },
    help="A ladder of bots that goes on, and whose games anyone can check.",
)  # fmt: skip
