"""``rr-gym tournament``: many players against each other, with ratings."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rr_gym.cli.evaluate import add_game_options, add_salt_option, read_settings
from rr_gym.progress import Progress

if TYPE_CHECKING:
    from rr_gym.evaluation.tournament.tournament import Tournament

RESULTS, PAGE = "results.json", "tournament.html"
PROGRAM = "program:"


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "tournament",
        help="let many players play against each other and rate them",
        description="Plays games of all line-ups of the players, every deal in all rotations, and rates the players. "
        "Games are kept in a folder as they are played; after an interruption of any kind the same command with "
        "--resume goes on. The folder gets results.json and a page to look at, tournament.html.",
    )
    parser.add_argument(
        "--players", nargs="+", required=True, metavar="PLAYER",
        help="registered names, folders of policies, models (.zip) or program:COMMAND (the last two run code); "
        "several in one word with commas",
    )  # fmt: skip
    parser.add_argument(
        "--courses", nargs="+", default=["risky_exchange"], metavar="COURSE",
        help="ids or paths; all have as many games (%(default)s)",
    )  # fmt: skip
    parser.add_argument("--seats", type=int, default=4, metavar="N", help="players at a table, 2 to 8 (%(default)s)")
    parser.add_argument("--games", type=int, default=1000, metavar="N", help="rounded up (%(default)s)")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of the schedule, games and players (%(default)s)"
    )
    add_salt_option(parser)
    add_game_options(parser)
    parser.add_argument(
        "--folder", type=Path, default=Path("tournament"), metavar="DIR", help="where it is kept (%(default)s)"
    )
    parser.add_argument("--resume", action="store_true", help="go on with the same tournament in the folder")
    parser.add_argument("--workers", type=int, metavar="N", help="processes (as many as there are cores, at most 8)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rr_gym.evaluation.tournament.tournament import Tournament
    from rr_gym.registry import open_player

    tournament = Tournament(
        read_players(args.players), courses=args.courses, seats=args.seats, games=args.games, seed=args.seed,
        max_cycles=args.max_cycles, settings=read_settings(args.set), folder=args.folder, resume=args.resume,
        workers=args.workers, make=open_player, salt=args.salt,
    )  # fmt: skip
    if tournament.num_games != args.games:
        print(f"rr-gym: {args.games:,} games are rounded up to {tournament.num_games:,}: whole rounds", file=sys.stderr)
    if tournament.num_played:
        print(f"rr-gym: {tournament.num_played:,} games are there already", file=sys.stderr)
    with tournament.hold():
        return _play(tournament, args.folder)


def _play(tournament: Tournament, folder: Path) -> int:
    """Play a tournament and write what came out. Returns the exit status."""
    from rr_gym.evaluation.tournament.tournament_page import to_html
    from rr_gym.files import write_file

    progress = Progress()
    try:
        tournament.play(progress)
    except KeyboardInterrupt:
        progress.close()
        print("rr-gym: interrupted: --resume goes on", file=sys.stderr)
        if not tournament.num_played:
            return 130
    else:
        progress.close()
    standings = tournament.result()
    print(standings.text())
    write_file(folder / RESULTS, json.dumps(standings.to_json(), indent=1, allow_nan=False) + "\n")
    page = write_file(folder / PAGE, to_html(standings))
    print(f"\n{page}")
    return 0 if standings.complete else 130


def read_players(words: Sequence[str]) -> list[str]:
    """Names of players; words hold several with commas, but for programs, which may have commas of their own."""
    names = []
    for word in words:
        names += [word] if word.startswith(PROGRAM) else word.split(",")
    return names
