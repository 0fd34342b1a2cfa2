"""``rr-gym tournament``: many players against each other, with ratings."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Interrupted, Stopping, check_resume, resumable, resume_command
from rr_gym.cli.grammar.words import Whole
from rr_gym.progress import Progress

if TYPE_CHECKING:
    from rr_gym.evaluation.tournament.tournament import Tournament

RESULTS, PAGE = "results.json", "tournament.html"
WATCHED = 3


@command(examples=(
    "rr-gym tournament --players random,greedy,planner:30k --course risky_exchange,checkmate --set lives=1 --out t",
    "rr-gym tournament --players random,greedy --seats 2 --games 400 --workers 8",
))  # fmt: skip
@shared("--players", required=True, note="2 to 64, all different")
@shared("--course", default=["risky_exchange"], note="the same number of games on each")
@shared("--set")
@shared("--max-cycles", default=100)
@shared("--games", default=1000, note="rounded up to whole rounds")
@option("--seats", type=Whole(2, 8), default=4, metavar="N", section="Games", help="players at a table, 2 to 8")
@shared("--seed", default=0)
@shared("--salt")
@shared("--workers", note="by default as many as there are cores, at most 8")
@shared("--ray")
@shared("--sandbox")
@shared("--max-faults")
@shared("--out", default=Path("tournament"))
@shared("--resume")
@shared(
    "--watch", default=WATCHED,
    note="the best players play them for links on the page; they do not count; the courses take turns",
)  # fmt: skip
@shared("--json")
def run(args: SimpleNamespace) -> int:
    """Let many players play against each other and rate them.

    Plays games of all line-ups of the players, every deal in all rotations. Games are kept in a folder as they are
    played; after an interruption of any kind the same command with --resume continues. The folder gets results.json and
    a page to look at, tournament.html.
    """
    from rr_gym.evaluation.tournament.store import ARGUMENTS, GAMES
    from rr_gym.evaluation.tournament.tournament import Tournament
    from rr_gym.players.sandbox import choose_kind
    from rr_gym.registry import open_player

    output = Output(args.json)
    check_resume(args.resume, args.out, ARGUMENTS, GAMES, RESULTS, PAGE)
    with resumable(args, ARGUMENTS):
        tournament = Tournament(
            args.players, courses=args.course, seats=args.seats, games=args.games, seed=args.seed,
            max_cycles=args.max_cycles, settings=args.set, folder=args.out, resume=args.resume,
            workers=args.workers, salt=args.salt, ray=args.ray,
            make=partial(open_player, sandbox=choose_kind(args.sandbox)),
        )  # fmt: skip
        if tournament.num_games != args.games:
            rounded = f"{args.games:,} games are rounded up to {tournament.num_games:,}: whole rounds"
            print(f"rr-gym: {rounded}", file=sys.stderr)
        if tournament.num_played:
            print(f"rr-gym: {tournament.num_played:,} games are there already", file=sys.stderr)
        with tournament.hold():
            return _play(tournament, args, output)


def _play(tournament: Tournament, args: SimpleNamespace, output: Output) -> int:
    """Play a tournament and write the results. Returns the exit status."""
    from rr_gym.evaluation.tournament.exhibition import Watched, exhibit
    from rr_gym.evaluation.tournament.tournament_page import to_html
    from rr_gym.files import write_file

    stopping, status = Stopping(), 0
    with stopping, Progress() as progress:
        tournament.play(progress)
    if tournament.num_played:
        standings = tournament.result()
        output.show(standings.text(args.max_faults))
        status = 1 if standings.faulty(args.max_faults) else 0
        results = standings.to_json()
        write_file(args.out / RESULTS, json.dumps(results, indent=1, allow_nan=False) + "\n")
        watched: list[Watched] = []
        if args.watch and not stopping.interrupted:
            with stopping, Progress("games to watch") as progress:  # Ctrl-C: the page links those played
                for game in exhibit(standings, args.course, args.watch, args.out, tournament.plan.made, progress):
                    watched.append(game)
        output.say(f"\n{write_file(args.out / PAGE, to_html(standings, watched, args.max_faults))}")
        output.write(results)
    if stopping.interrupted:
        raise Interrupted(resume_command(args))
    return status
