"""``rr-gym play``: a person plays in the terminal, or several people in browsers."""

from __future__ import annotations

import io
import os
import shutil
import sys
import time
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from rr_gym.cli.grammar.arguments import ONE_COURSE, shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import (
    STATUS,
    Interrupted,
    check_folder,
    check_resume,
    new_folder,
    resume_command,
)
from rr_gym.cli.grammar.words import Whole
from rr_gym.player_names import PERSON
from rr_gym.progress import status_line

if TYPE_CHECKING:
    from rr_gym.play import HumanGame
    from rr_gym.web import Host

Seated = TypeVar("Seated", bound="HumanGame")

COURSE, OPPONENTS = "risky_exchange", "greedy"
BROWSERS = "In browsers"
FOLDER = "play"  # the folder of an interrupted game without `--out`
PATIENCE = 2.0  # seconds of thinking before something is shown


@command(examples=("rr-gym play --players racer,greedy --course checkmate", "rr-gym play --web --players human,greedy"))
@shared(
    "--players",
    note=f"your opponents in the order of their seats, {OPPONENTS} by default; with --web, human is another person",
)
@option("--alone", is_flag=True, section="Games", help="play without opponents")
@shared("--seat", note="your seat, 0 by default")
@shared("--course", note=f"only one, {COURSE} by default", **ONE_COURSE)
@shared("--set")
@shared("--max-cycles", note="no limit by default")
@shared("--seed", note="random by default")
@shared("--salt")
@shared(
    "--out",
    note="the game after every turn (game.json), and a replay at the end; without it nothing is kept, unless Ctrl-C "
    "ends the game",
)
@shared("--resume", note="also an interrupted race; the other options must be as before, except the opponents")
@shared("--json")
@option("--no-color", is_flag=True, help="print without colours, as if NO_COLOR were set")
@option("--web", is_flag=True, section=BROWSERS, help="serve a page for each person; needs the extra web")
@option(
    "--host", metavar="ADDRESS", section=BROWSERS,
    help="listen at this address of the machine, 0.0.0.0 for all, so that others can play; nothing is encrypted "
    "(default: 127.0.0.1, this machine alone)",
)  # fmt: skip
@option(
    "--timer", type=Whole(0, 3600), metavar="SECONDS", section=BROWSERS,
    help="people have so long for the orders of a turn; what is missing then is drawn by chance (default: no limit)",
)
@option("--port", type=Whole(0, 65535), metavar="N", section=BROWSERS, help="listen at this port (default: a free one)")
def run(args: SimpleNamespace) -> int:
    """Play against players, in the terminal or in browsers.

    Each turn shows the board, the robots and your hand, and asks for your program. Type help there. Lines may also come
    through a pipe. With --web, play at pages in browsers; course and players are chosen there, unless --players, --seat
    or --alone is given.
    """
    if args.web:
        return _run_web(args)
    from rr_gym.errors import RoboRallyError
    from rr_gym.play import Dialogue, Session
    from rr_gym.render.board.sketch import can_show_unicode
    from rr_gym.salt import salt_note, salt_of

    output = Output(args.json)
    for name in ("host", "port", "timer"):
        if getattr(args, name) is not None:
            raise RoboRallyError(f"--{name}: expected --web with it")
    if PERSON in (args.players or ()):
        raise RoboRallyError(f"--players: {PERSON}: expected --web with it: several people play in browsers")
    session = _seated(args, Session)
    colour = sys.stdout.isatty() and not args.no_color and not os.environ.get("NO_COLOR")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # undecodable input is refused like any other unknown word
    with suppress(ImportError):
        import readline  # noqa: F401  (gives input() line editing and history; missing on Windows)
    try:
        seed = f"seed {int(session.game.record['seed'])}{salt_note(salt_of(session.game.record))}"
        output.say(f"{', '.join(session.labels)} on {session.game.course.name}, {seed}; help lists what can be typed")
        dialogue = Dialogue(
            session, _read, output.say,
            unicode=can_show_unicode(), colour=colour, size=shutil.get_terminal_size if sys.stdout.isatty() else None,
            folder=args.out,
        )  # fmt: skip
        status = dialogue.run()
        _finish(session, args, output, status, args.out)
        return status
    finally:
        session.close()


def _run_web(args: SimpleNamespace) -> int:
    """Serve games to browsers until Ctrl-C."""
    from rr_gym.errors import require
    from rr_gym.web import serve
    from rr_gym.web.server import HERE

    for module in ("starlette", "uvicorn", "segno"):
        require(module, extra="web")
    output, status = Output(args.json), 0
    host = _host(args, output)
    try:
        serve(host, address=args.host or HERE, port=args.port or 0, say=output.say)
    except KeyboardInterrupt:
        status = STATUS
    finally:
        host.close_players()
    if host.room is None:
        return status
    table, folder, kept = host.room.table, host.room.folder, args.out
    if host.can_set_up or folder != args.out:  # what the command said does not tell this game
        words = [("--max-cycles", args.max_cycles), ("--host", args.host), ("--port", args.port)]
        args.words = ["play", "--web", *(str(part) for pair in words if pair[1] is not None for part in pair)]
        args.out = None
    _finish(table, args, output, 0 if table.over else status, folder if kept or table.recorder.num_turns else None)
    return 0 if table.over else status


def _host(args: SimpleNamespace, output: Output) -> Host:
    """Return the games that the arguments describe: one to play at once, or one that a page sets up."""
    from rr_gym.courses import load_course
    from rr_gym.play import HumanGame
    from rr_gym.rules.state.settings import resolve_settings
    from rr_gym.salt import salt_among_people
    from rr_gym.web import Host
    from rr_gym.web.links import Links
    from rr_gym.web.plan import Plan

    links = Links.load(args.out) if args.resume and args.out else Links()
    if args.timer is not None:
        links.timer = args.timer
    free = iter([args.out] if args.out else [])

    def folder() -> Path:
        return next(free, None) or new_folder(str(args.out or FOLDER))

    kept: dict[str, Any] = {"links": links, "folder": folder, "report": output.say}
    if args.players is not None or args.alone or args.resume or args.seat is not None:
        return Host(_seated(args, HumanGame), **kept)
    _checked(args)

    def begin(plan: Plan) -> HumanGame:
        seed, args.seed = args.seed, None  # of the first game
        salt = salt_among_people(plan.seats.count(PERSON), seed, args.salt)
        table = HumanGame.seated(
            plan.course, plan.seats, seed=time.time_ns() % 10**6 if seed is None else seed,
            settings=plan.settings, salt=salt, thinking=_thinking,
        )  # fmt: skip
        table.max_cycles = args.max_cycles
        return table

    first = Plan(args.course or COURSE, (PERSON, OPPONENTS), dict(args.set), links.timer)
    load_course(first.course)  # says at once what is wrong
    resolve_settings(("--set", first.settings))
    return Host(plan=first, begin=begin, **kept)


def _seated(args: SimpleNamespace, kind: type[Seated]) -> Seated:
    """Create or resume the game that the arguments describe."""
    from rr_gym.salt import salt_among_people

    path, against = _checked(args)
    if path:
        table = kind.load(path, against, seat=args.seat, thinking=_thinking)
        _check_same(args, table)
    else:
        salt = salt_among_people(1 + (against or []).count(PERSON), args.seed, args.salt)
        table = kind.start(
            args.course or COURSE, [OPPONENTS] if against is None else against, seat=args.seat or 0,
            seed=time.time_ns() % 10**6 if args.seed is None else args.seed,
            settings=args.set, salt=salt, thinking=_thinking,
        )  # fmt: skip
    table.max_cycles = args.max_cycles
    return table


def _checked(args: SimpleNamespace) -> tuple[Path | None, list[str] | None]:
    """Return the file to resume, None for a new game, and the named opponents, None if none are named.

    Raises:
        RoboRallyError: Arguments contradict each other, or the folder does not fit them.
    """
    from rr_gym.cli.race import REPLAY
    from rr_gym.errors import RoboRallyError
    from rr_gym.play import GAME
    from rr_gym.replay import Replay

    if args.alone and args.players:
        raise RoboRallyError("--alone: expected no --players with it")
    if args.out:
        check_folder(args.out)
    against = [] if args.alone else args.players
    if args.resume:
        check_resume(True, args.out, REPLAY if args.out and not (args.out / GAME).exists() else GAME)
        return args.out / GAME if (args.out / GAME).exists() else args.out / REPLAY, against
    if args.out and (args.out / GAME).exists() and not Replay.load(args.out / GAME).over:
        raise RoboRallyError(f"{args.out} exists: --resume continues it, --out names another folder")
    return None, against


def _check_same(args: SimpleNamespace, session: HumanGame) -> None:
    """Raise RoboRallyError if an argument differs from the game that is resumed."""
    from rr_gym.courses import load_course
    from rr_gym.errors import RoboRallyError, short_repr
    from rr_gym.rules.state.settings import resolve_settings
    from rr_gym.salt import read_salt, salt_of

    game = session.game
    record, settings = game.record, resolve_settings(("--set", args.set))
    given = {
        "--course": (None if args.course is None else load_course(args.course).id, game.course.id),
        "--seed": (args.seed, int(record["seed"])),
        "--salt": (None if args.salt is None else read_salt("--salt", args.salt), salt_of(record)),
        **{f"--set {name}": (getattr(settings, name, None), getattr(game.settings, name, None)) for name in args.set},
    }
    for name, (wanted, had) in given.items():
        if wanted is not None and wanted != had:
            raise RoboRallyError(
                f"{name}: {short_repr(wanted)}: the game in {args.out} has {short_repr(had)}: expected the same"
            )


def _finish(session: HumanGame, args: SimpleNamespace, output: Output, status: int, folder: Path | None) -> None:
    """Show the result and the opponents' faults, and save the game and its replay.

    Raises:
        Interrupted: Ctrl-C ended the game; it is kept.
    """
    from rr_gym.cli.race import result_text, write_replay
    from rr_gym.play import GAME
    from rr_gym.race import standings

    replay = session.replay()
    output.show(result_text(replay))
    for line in session.notes.lines():
        output.say(f"\n{line}")
    output.write({"standings": [asdict(line) for line in standings(replay)], "turns": len(replay.turns)})
    if status and folder is None and replay.turns:
        folder = new_folder(FOLDER)
    if folder is None:
        return
    session.save(folder / GAME)
    output.say(write_replay(replay, folder))
    if not replay.over:
        command = resume_command(args, None if args.out else folder)
        if status:
            raise Interrupted(command)
        output.say(f"\nresume with: {command}")


def _read(prompt: str) -> str:
    """Read the next line; print lines from a pipe, so that the output looks as if they had been typed."""
    line = input(prompt)
    if not sys.stdin.isatty():
        print(line, flush=True)
    return line


def _thinking(name: str) -> AbstractContextManager[None]:
    """Return a context that says on stderr that a player is thinking, once that has taken two seconds."""
    return status_line(lambda seconds: f"{name} is thinking, {seconds:.0f} s", PATIENCE, interval=1.0)
