"""``rr-gym bot``: submissions: start one, improve it, check it, pack it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from rr_gym.cli.grammar.arguments import ONE_COURSE, shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.files import check_new_file
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Stopping, check_folder
from rr_gym.cli.grammar.words import Name, Number, Whole
from rr_gym.errors import RoboRallyError, sanitize
from rr_gym.files import writing
from rr_gym.progress import Progress

if TYPE_CHECKING:
    from rr_gym.workshop.rounds import RoundPlan

KINDS = ("base", "elements", "options")  # as `rr_gym.bots.positions` has it, which the command loads only when it runs
LANGUAGES = ("python", "javascript", "c")  # as `rr_gym.bots.start` has it, which the command loads only when it runs
_FOLDER: dict[str, Any] = {"type": click.Path(path_type=Path), "help": "the folder of the bot, with its bot.toml"}


@command(examples=("rr-gym bot new mybot --language python",))
@click.argument("folder", **_FOLDER)
@option("--language", type=click.Choice(LANGUAGES), default="python", help="the programming language")
@option("--name", metavar="NAME", help="its name in tables; by default the name of the folder")
def run_new(args: SimpleNamespace) -> int:
    """Write a bot that plays, with the tables that a bot needs, to start from."""
    from rr_gym.bots.start import new_bot

    for name in new_bot(args.folder, args.language, args.name):
        print(args.folder / name)
    print(f"\nnext: rr-gym bot check {args.folder}\n      rr-gym race --players bot:{args.folder},greedy")
    return 0


@command(examples=("rr-gym bot check mybot", "rr-gym bot check mybot --sandbox process --json"))
@click.argument("folder", **_FOLDER)
@shared("--seconds", type=Number("a number of seconds above 0", lambda s: s > 0), default=1.0, note="for each decision")
@shared("--sandbox")
@shared("--json")
def run_check(args: SimpleNamespace) -> int:
    """Check a bot as a host would: build it in a sandbox, play the conformance set, and measure its answers.

    The exit status is 1 if a host would refuse it.
    """
    from rr_gym.bots.check import check_bot

    output = Output(args.json)
    with Progress("turns") as progress:
        checked = check_bot(args.folder, args.seconds, args.sandbox, progress)
    output.show(checked.text())
    output.write(checked.to_json())
    return 0 if checked.accepted else 1


@command(examples=("rr-gym bot pack mybot", "rr-gym bot pack mybot --out submission.tar"))
@click.argument("folder", **_FOLDER)
@shared("--out", metavar="FILE", note="NAME-VERSION.tar beside the folder by default")
@shared("--force")
@shared("--json")
def run_pack(args: SimpleNamespace) -> int:
    """Pack a bot into an archive, which is the same to the byte wherever it is made, and print its SHA-256."""
    from rr_gym.bots import pack

    output = Output(args.json)
    check_new_file(args.out, args.force, (".tar",))
    path, digest = pack(args.folder, args.out)
    output.show(f"{path}\nSHA-256 {digest}")
    output.write({"archive": str(path), "sha256": digest})
    return 0


@command(examples=("rr-gym bot conformance", 'rr-gym bot conformance "python3 mybot/simulator.py" --only base'))
@click.argument("simulator", required=False, help="a program that answers positions (docs/bots.md)")
@option("--only", multiple=True, type=click.Choice(KINDS), help="only positions of this kind; repeatable")
@option("--show", type=Whole(0), default=5, metavar="N", help="how many positions that differ are shown")
@shared("--seconds", type=Number("a number of seconds above 0", lambda s: s > 0), default=10.0, note="for each answer")
@shared("--sandbox")
@shared("--json")
def run_conformance(args: SimpleNamespace) -> int:
    """Check a simulator of your own against 500 positions and what the rules make of them.

    Without a simulator, say where the file with the positions is. The exit status is 1 if an answer differs.
    """
    from rr_gym.bots.positions import POSITIONS, kind_of, load_positions, question_of
    from rr_gym.bots.simulator import check_simulator

    output = Output(args.json)
    positions = [one for one in load_positions() if not args.only or kind_of(one) in args.only]
    if args.simulator is None:
        output.show(f"{POSITIONS}: {len(positions)} positions")
        output.write({"file": str(POSITIONS), "positions": len(positions)})
        return 0
    with Progress("positions") as progress:
        checked = check_simulator(args.simulator, positions, args.seconds, args.sandbox, progress)
    output.show_table(checked.rows(), ("positions", "agree", "differ", "left out"))
    for position in positions:
        if position["name"] in list(checked.differing)[: args.show]:
            output.show(f"\n{position['name']}\n  {question_of(position)}")
            for text in checked.differing[position["name"]]:
                output.show(f"  {sanitize(text)}")
    output.write(checked.to_json())
    return 0 if checked.agrees else 1


@command(examples=("rr-gym bot watch mybot --against planner --games 20", "rr-gym bot watch mybot --once"))
@click.argument("folder", **_FOLDER)
@shared("--against", type=Name("players", paths=True), default=("greedy",), show_default="greedy", note="players")
@shared("--games", default=20, note="in each round, the same ones")
@shared("--course", **ONE_COURSE)
@shared("--set")
@shared("--max-cycles", default=100)
@shared("--seed", default=0)
@shared("--seconds", type=Number("a number of seconds above 0", lambda s: s > 0), default=1.0, note="for each decision")
@shared("--sandbox")
@option("--once", is_flag=True, help="play one round and end")
@shared("--out", note="beside the folder, with -lost behind its name, by default")
def run_watch(args: SimpleNamespace) -> int:
    """Play a bot, keep the games that it does not win, and play them again when its files change.

    Every round has the same games, so it shows which ones a change has won or lost. A kept game has a replay with its
    page, what the bot heard and said, and its standard error. The first one opens in the browser at the turn in which
    the bot gave most away. Ctrl-C ends it.
    """
    from rr_gym.locks import hold
    from rr_gym.workshop.rounds import RoundPlan

    folder = args.out or args.folder.resolve().with_name(f"{args.folder.resolve().name}-lost")
    if folder.resolve().is_relative_to(args.folder.resolve()):
        raise RoboRallyError(f"--out {folder}: expected a folder outside of {args.folder}, whose changes are watched")
    check_folder(folder)
    plan = RoundPlan(
        tuple(args.against), args.games, args.course or "risky_exchange", args.set, args.seed, args.max_cycles
    )
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with hold(folder), Stopping():
        _watch(args, plan, folder)
    return 0


def _watch(args: SimpleNamespace, plan: RoundPlan, folder: Path) -> None:
    """Play rounds until one is interrupted, or only one."""
    from rr_gym.bots import BotPlayer
    from rr_gym.evaluation.game_pages import open_pages
    from rr_gym.registry import make_player
    from rr_gym.workshop.rounds import Round, play_round
    from rr_gym.workshop.watching import state_of_files, wait_for_change

    others = [make_player(name) for name in plan.against]
    before: Round | None = None
    opened = False
    while True:
        files = state_of_files(args.folder)
        try:
            with Progress("games") as progress:
                bot = BotPlayer(args.folder, args.seconds, args.sandbox)
                played = play_round(bot, others, plan, folder, progress)
        except RoboRallyError as error:
            if args.once or before is None:
                raise
            print(f"rr-gym: {sanitize(str(error))}", file=sys.stderr)
        else:
            print(played.text(before), flush=True)
            if not opened and played.kept:
                open_pages([page for game in played.kept[:1] if (page := game.page)])
                opened = True
            before = played
            if len(played.games) < plan.games:
                return
        if args.once:
            return
        print(f"waiting for changes in {args.folder}; Ctrl-C ends", flush=True)
        wait_for_change(args.folder, files)


@command(
    examples=(
        "rr-gym bot replay mybot-lost/game-3.transcript.jsonl mybot",
        'rr-gym bot replay game-3.transcript.jsonl mybot --debug --command "python3 -m debugpy --listen 5678 '
        '--wait-for-client bot.py"',
    )
)
@click.argument("transcript", type=click.Path(path_type=Path), help="a recorded game, as rr-gym bot watch keeps them")
@click.argument("folder", **_FOLDER)
@option("--command", metavar="COMMAND", help="what is started in the folder instead of the command of its manifest")
@option("--debug", is_flag=True, help="start it on this terminal, without sandbox and time limits, for debuggers")
@option("--game", metavar="NAME", help="only this game of a transcript with several, by its name in the messages")
@option("--until-turn", type=Whole(1), metavar="N", help="the last turn that it is asked about, from 1")
@shared("--seconds", type=Number("a number of seconds above 0", lambda s: s > 0), default=10.0, note="for each answer")
@shared("--sandbox")
@shared("--json")
def run_replay(args: SimpleNamespace) -> int:
    """Feed a recorded game to a bot again and compare its answers with the recorded ones.

    The bot hears the same lines, so it decides in the same positions, whatever it answers. The exit status is 1 if an
    answer differs or is missing.
    """
    from collections import Counter

    from rr_gym.players.transcript import Transcript
    from rr_gym.workshop.replaying import NO_ANSWER, OTHER, SAME, replay_runs, runs_of

    output = Output(args.json)
    transcript = Transcript.read(args.transcript)
    games = transcript.games()
    if args.game is not None and args.game not in games:
        raise RoboRallyError(f"--game {args.game}: expected one of the transcript: {', '.join(games)}")
    runs = runs_of(transcript.of_game(args.game) if args.game else transcript)
    start, seconds = _starter(args)
    verdicts: Counter[str] = Counter()
    turns = []
    with Progress("turns") as progress:
        for turn in replay_runs(runs, start, seconds, args.until_turn, None if args.debug else progress):
            verdicts[turn.verdict] += 1
            turns.append({"game": turn.message["game"], "seat": turn.seat, "turn": turn.number,
                          "verdict": turn.verdict, "then": turn.then, "now": turn.now, "fault": turn.fault,
                          "seconds": turn.seconds_now})  # fmt: skip
            if turn.verdict != SAME:
                progress.clear()
                output.show(sanitize(turn.text()))
    output.show(f"{verdicts.total()} turns: {', '.join(f'{count} {word}' for word, count in verdicts.items())}")
    output.write(turns)
    return 1 if verdicts[OTHER] or verdicts[NO_ANSWER] else 0


def _starter(args: SimpleNamespace) -> tuple[Callable[[], Any], float | None]:
    """Return what starts the program of a replay, and the seconds for each answer."""
    from rr_gym.bots import BotPlayer
    from rr_gym.players.process import split_command
    from rr_gym.workshop.replaying import AttachedProgram

    bot = BotPlayer(args.folder, args.seconds, "none" if args.debug else args.sandbox)
    if args.command:
        bot.command = split_command(args.command, bot.folder)
    if args.debug:
        return lambda: AttachedProgram(bot.command, bot.folder), None
    return bot.start, args.seconds


run = click.Group(
    commands={
        "new": run_new, "check": run_check, "watch": run_watch, "replay": run_replay, "conformance": run_conformance,
        "pack": run_pack,
    },
    help="Start a bot of your own, improve it, check it as a host would, pack it.",
)
