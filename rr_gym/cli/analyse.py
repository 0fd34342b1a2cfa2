"""``rr-gym analyse``: where a recorded game was won and lost."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import click

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.files import check_new_file
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.words import Whole
from rr_gym.progress import Progress

if TYPE_CHECKING:
    from rr_gym.analysis import AnalysedTurn, Analysis


@command(examples=("rr-gym analyse races/replay.json", "rr-gym analyse races/replay.json --out analysis.html"))
@click.argument("file", type=click.Path(path_type=Path), help="a replay")
@option(
    "--judge", metavar="PLAYER",
    help="name of the strategist or planner that values orders (default: strategist in duels, "
    "strategist:@champion+veteran with more robots)",
)  # fmt: skip
@option("--deals", type=Whole(1), default=256, metavar="N", help="deals on which orders are compared")
@option("--worst", type=Whole(0), default=3, metavar="N", help="how many of the worst turns to list")
@shared("--out", metavar="FILE", note="a page: the replay with a graph of chances, and links to the worst turns")
@shared("--force")
@shared("--json")
def run(args: SimpleNamespace) -> int:
    """Say for each turn and robot what its program gave away and what was luck.

    Values are expected results: 1 is the first place, 0 the last; in a duel that is the chance to win.
    """
    from rr_gym.analysis import analyse, analysis_html, judge_of
    from rr_gym.errors import ReplayError, RoboRallyError
    from rr_gym.files import write_file
    from rr_gym.players.planner import PlannerPlayer
    from rr_gym.registry import make_player
    from rr_gym.replay import Replay

    output = Output(args.json)
    check_new_file(args.out, args.force, (".html",))
    replay = Replay.load(args.file)
    judge = make_player(args.judge or judge_of(replay.num_robots))
    if not isinstance(judge, PlannerPlayer):
        raise RoboRallyError(f"--judge {args.judge}: expected a player that values orders: strategist or planner")
    with Progress("decisions") as progress:
        found = analyse(replay, judge, args.deals, progress)
    heads = ("turn", "robot", "best", "played", "given away", "luck", "program")
    output.show_table([_row(turn, found) for turn in found.turns], heads)
    rows = [(name, *found.sums(seat)) for seat, name in enumerate(found.players)]
    output.show("")
    output.show_table(rows, ("robot", "given away", "a turn", "luck"))
    for turn in found.worst(args.worst):
        assert turn.better is not None
        where = f"turn {turn.turn}: {found.players[turn.seat]} gave away {turn.given_away:.2f}"
        output.show(f"\n{where}\n  played: {_listed(turn.program)}\n  better: {_listed(turn.better)}")
    if args.out:
        write_file(args.out, analysis_html(found, replay, args.worst), ReplayError)
        output.show(f"\n{args.out}: open it in a browser")
    output.write({
        "players": list(found.players),
        "turns": [asdict(turn) | {"given_away": turn.given_away, "luck": turn.luck} for turn in found.turns],
    })  # fmt: skip
    return 0


def _row(turn: AnalysedTurn, found: Analysis) -> tuple[object, ...]:
    values = (f"{value:.2f}" for value in (turn.best, turn.played, turn.given_away))
    return turn.turn, found.players[turn.seat], *values, f"{turn.luck:+.2f}", _listed(turn.program)


def _listed(program: tuple[str, ...]) -> str:
    return " ".join("-" if card == "none" else card for card in program)
