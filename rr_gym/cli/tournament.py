"""``rr-gym tournament``: many players against each other, with ratings."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rr_gym.cli.grammar.arguments import add, add_max_faults, check_max_faults, check_numbers
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Interrupted, check_resume, resumable, resume_command
from rr_gym.progress import Progress

if TYPE_CHECKING:
    from rr_gym.evaluation.tournament.tournament import Tournament

RESULTS, PAGE = "results.json", "tournament.html"
WATCHED, MOST_WATCHED = 3, 100


def add_parser(subparsers: Any) -> None:
    """Register ``tournament``."""
    parser = subparsers.add_parser(
        "tournament",
        help="let many players play against each other and rate them",
        description="Plays games of all line-ups of the players, every deal in all rotations, and rates the players. "
        "Games are kept in a folder as they are played; after an interruption of any kind the same command with "
        "--resume continues. The folder gets results.json and a page to look at, tournament.html.",
    )
    add(parser, "--players", required=True, note="2 to 64, all different")
    add(parser, "--course", default=["risky_exchange"], note="all have as many games")
    add(parser, "--set")
    add(parser, "--max-cycles", default=100)
    add(parser, "--games", default=1000, note="rounded up to whole rounds")
    parser.add_argument("--seats", type=int, default=4, metavar="N", help="players at a table, 2 to 8 (%(default)s)")
    add(parser, "--seed", default=0)
    add(parser, "--salt")
    add(parser, "--workers", note="by default as many as there are cores, at most 8")
    add(parser, "--ray")
    add_max_faults(parser)
    add(parser, "--out", default=Path("tournament"))
    add(parser, "--resume")
    parser.add_argument(
        "--watch", type=int, default=WATCHED, metavar="N",
        help="play N more games of the best players, which do not count, for the page to link; the courses take turns "
        "(%(default)s)",
    )  # fmt: skip
    add(parser, "--json")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play the tournament, or resume it."""
    from rr_gym.errors import MAX_SEED
    from rr_gym.evaluation.processes import MAX_WORKERS
    from rr_gym.evaluation.tournament.store import ARGUMENTS, GAMES
    from rr_gym.evaluation.tournament.tournament import Tournament
    from rr_gym.registry import open_player
    from rr_gym.rules.state.constants import MAX_ROBOTS

    output = Output(args.json)
    check_numbers(
        args, watch=(0, MOST_WATCHED), seats=(2, MAX_ROBOTS), games=(1, None), max_cycles=(1, None),
        seed=(0, MAX_SEED), workers=(1, MAX_WORKERS),
    )  # fmt: skip
    check_max_faults(args)
    check_resume(args.resume, args.out, ARGUMENTS, GAMES, RESULTS, PAGE)
    with resumable(args, ARGUMENTS):
        tournament = Tournament(
            args.players, courses=args.course, seats=args.seats, games=args.games, seed=args.seed,
            max_cycles=args.max_cycles, settings=args.set, folder=args.out, resume=args.resume,
            workers=args.workers, make=open_player, salt=args.salt, ray=args.ray,
        )  # fmt: skip
        if tournament.num_games != args.games:
            rounded = f"{args.games:,} games are rounded up to {tournament.num_games:,}: whole rounds"
            print(f"rr-gym: {rounded}", file=sys.stderr)
        if tournament.num_played:
            print(f"rr-gym: {tournament.num_played:,} games are there already", file=sys.stderr)
        with tournament.hold():
            return _play(tournament, args, output)


def _play(tournament: Tournament, args: argparse.Namespace, output: Output) -> int:
    """Play a tournament and write what came out. Returns the exit status."""
    from rr_gym.evaluation.tournament.exhibition import Watched, exhibit
    from rr_gym.evaluation.tournament.tournament_page import to_html
    from rr_gym.files import write_file
    from rr_gym.registry import open_player

    interrupted, status = False, 0
    with Progress() as progress:
        try:
            tournament.play(progress)
        except KeyboardInterrupt:
            interrupted = True
    if tournament.num_played:
        standings = tournament.result()
        output.show(standings.text(args.max_faults))
        status = 1 if standings.faulty(args.max_faults) else 0
        results = standings.to_json()
        write_file(args.out / RESULTS, json.dumps(results, indent=1, allow_nan=False) + "\n")
        watched: list[Watched] = []
        if args.watch and not interrupted:
            with Progress("games to watch") as progress:
                try:
                    for game in exhibit(standings, args.course, args.watch, args.out, open_player, progress):
                        watched.append(game)
                except KeyboardInterrupt:
                    interrupted = True  # the page links those that there are
        output.say(f"\n{write_file(args.out / PAGE, to_html(standings, watched, args.max_faults))}")
        output.write(results)
    if interrupted:
        raise Interrupted(resume_command(args))
    return status
