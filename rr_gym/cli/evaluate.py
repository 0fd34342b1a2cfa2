"""``rr-gym evaluate``: play many games with a player, and report results with 95 % confidence intervals."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from rr_gym.cli.grammar.arguments import AT_A_TABLE, shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Interrupted, Stopping, check_resume, new_folder, resumable, resume_command
from rr_gym.cli.grammar.words import OneOf, pairs
from rr_gym.progress import Progress

if TYPE_CHECKING:
    from rr_gym.evaluation import Evaluation, Match

CLAIMS = ("win", "finish", "flags")  # figures for which higher is better
ADJUSTMENTS = ("luck",)
WATCHED = "games"  # the folder in --out
FOLDER = "evaluation"  # the folder of an interrupted run without `--out`


def read_claim(name: str, value: str, where: str) -> float:
    """Read the least value that a claim allows for a figure. Raises RoboRallyError."""
    from rr_gym.errors import RoboRallyError, did_you_mean

    if name not in CLAIMS:
        hint = did_you_mean(name, CLAIMS) or f"expected {' | '.join(CLAIMS)}"
        raise RoboRallyError(f"{where}: there is no claim about '{name}': {hint}")
    try:
        least = float(value)
    except ValueError:
        raise RoboRallyError(f"{where} {name}={value}: expected a number") from None
    if not 0 <= least <= (8 if name == "flags" else 1):
        raise RoboRallyError(f"{where} {name}={value}: expected 0 to {8 if name == 'flags' else 1}")
    return least


def read_test(name: str, value: str, where: str) -> float:
    """Read the value that a figure is tested against. Raises RoboRallyError."""
    from rr_gym.errors import RoboRallyError
    from rr_gym.evaluation.sequential import check_test

    try:
        against = float(value)
    except ValueError:
        raise RoboRallyError(f"{where} {name}={value}: expected a number") from None
    check_test(name, against, where)
    return against


@command(examples=(
    "rr-gym evaluate --players greedy,random --games 400",
    "rr-gym evaluate --players runs/mine/policy --course risky_exchange,checkmate --at-least finish=0.6",
    "rr-gym evaluate --players racer,greedy --until win=0.5 --games 4000 --batch 16",
    "rr-gym evaluate --players planner,veteran --adjust luck",
    "rr-gym evaluate --players bot:mybot,greedy --games 200 --workers 4 --watch 3 --out runs/mybot",
))  # fmt: skip
@shared("--players", required=True, note="the first is tested, against the others if there are any", **AT_A_TABLE)
@shared("--course", default=["risky_exchange"], note="the same number of deals on each")
@shared("--set")
@shared("--max-cycles", default=100)
@shared("--games", default=1000, note="rounded up to whole deals")
@shared("--seed", default=0)
@shared("--salt")
@shared("--batch", default=128, note="deals here")
@shared("--workers", default=1, note="each takes a batch at a time; results do not depend on it")
@option(
    "--at-least", **pairs(read_claim, "finish=0.6"), metavar="FIGURE=P", section="Results",
    help="check a claim about win, finish or flags of the first player: its interval begins at P or higher; repeatable",
)  # fmt: skip
@shared("--sandbox")
@option(
    "--until", **pairs(read_test, "win=0.5"), metavar="FIGURE=P", section="Results",
    help="stop as soon as the first player's win or finish is known to be above or below P; --games is the limit",
)  # fmt: skip
@option(
    "--adjust", type=OneOf(ADJUSTMENTS), section="Results",
    help="luck: also report shares of games won without the luck of the draw; intervals get narrower, games slower",
)
@shared(
    "--watch", default=0,
    note="the first ones that the first player does not win, which --out keeps and the browser opens",
)
@shared("--max-faults")
@shared("--out", note="without it nothing is kept, unless Ctrl-C ends the run")
@shared("--resume")
@shared("--json")
def run(args: SimpleNamespace) -> int:
    """Play many games of a player and report how it does.

    Plays a player alone or against others, every deal with everybody in every seat, and reports its figures with 95 %
    intervals. Ctrl-C ends the run with a report of what was played, which is kept. The exit status is 1 if a claim of
    --at-least is not borne out, or if a player lost too many decisions (--max-faults).
    """
    from rr_gym.errors import RoboRallyError
    from rr_gym.evaluation.match_log import ARGUMENTS, DEALS

    output = Output(args.json)
    if args.watch and args.out is None:
        raise RoboRallyError("--watch: expected --out with it, the folder in which games are kept")
    if args.until and args.at_least:
        raise RoboRallyError("--at-least: expected no --until, whose early stopping makes the intervals invalid")
    check_resume(args.resume, args.out, ARGUMENTS, DEALS)
    with resumable(args, ARGUMENTS):
        return _run(args, output)


def _run(args: SimpleNamespace, output: Output) -> int:
    from rr_gym.evaluation import Match
    from rr_gym.registry import open_player

    match = Match(
        args.players[0], args.players[1:],
        course=args.course, games=args.games, seed=args.seed, max_cycles=args.max_cycles,
        settings=args.set, batch=args.batch, salt=args.salt, adjusted=args.adjust is not None,
        until=args.until or None, folder=args.out, resume=args.resume, workers=args.workers, watch=args.watch,
        make=partial(open_player, sandbox=args.sandbox),
    )  # fmt: skip
    if match.num_games != args.games:
        print(f"rr-gym: {args.games:,} games are rounded up to {match.num_games:,}: whole deals", file=sys.stderr)
    with Stopping() as stopping, Progress() as progress:
        match.play(progress)
    if stopping.interrupted and not match.num_played:
        raise KeyboardInterrupt
    evaluation = match.result()
    output.show(evaluation.text(args.max_faults))
    output.write(evaluation.to_json())
    faulty = evaluation.faulty(args.max_faults)
    borne_out = not faulty and check_claims(evaluation, args.at_least, output)
    if args.out:
        output.say(f"\nkept: {args.out}")
    if args.watch:
        watch_games(match, args.out / WATCHED, output)
    if stopping.interrupted:
        folder = None if args.out else new_folder(FOLDER)
        if folder:
            match.keep(folder)
        raise Interrupted(resume_command(args, folder))
    return 0 if borne_out else 1


def watch_games(match: Match, folder: Path, output: Output) -> None:
    """Write the games that are kept to be watched, say where they are, and open them in the browser."""
    from rr_gym.evaluation.game_pages import open_pages, write_game

    pages = []
    for game, replay in match.lost_games():
        pages.append(write_game(replay, folder / f"{game.name}.json", game.seats[0]))
        output.say(f"watch: {pages[-1].address}")
    if not pages:
        output.say("nothing to watch: the first player won every game of this run")
    open_pages(pages)


def check_claims(evaluation: Evaluation, claims: dict[str, float], output: Output) -> bool:
    """Say whether the claims about the player under test are borne out; True if all are."""
    player = evaluation.players[0]
    low = {name: getattr(player, name).low for name in claims}
    for name, least in claims.items():
        verdict = "yes" if low[name] >= least else "no"
        output.show(f"{name} of {player.name} at least {least:g}: {verdict}, its interval begins at {low[name]:.4f}")
    return all(low[name] >= least for name, least in claims.items())
