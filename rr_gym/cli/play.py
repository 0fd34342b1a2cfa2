"""``rr-gym play``: a person plays in the terminal."""

from __future__ import annotations

import argparse
import io
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rr_gym.cli.evaluate import add_salt_option
from rr_gym.progress import StatusLine

if TYPE_CHECKING:
    from rr_gym.play import Session

COURSE, OPPONENTS = "risky_exchange", "greedy"
PATIENCE = 2.0  # seconds of thinking before something is shown


def add_parser(subparsers: Any) -> None:
    """Register ``play``."""
    parser = subparsers.add_parser(
        "play",
        help="play in the terminal against players",
        description="Play in the terminal: each turn shows the board, the robots and your hand, and asks for your "
        "program. Type help there. Lines may also come through a pipe.",
    )
    parser.add_argument("course", metavar="COURSE", nargs="?", help=f"an id or a path (default: {COURSE})")
    parser.add_argument(
        "--against", action="append", metavar="PLAYER,...",
        help="the opponents in the order of their seats: registered players, folders of policies, models or programs, "
        f"which run code (default: {OPPONENTS})",
    )  # fmt: skip
    parser.add_argument("--alone", action="store_true", help="without opponents")
    parser.add_argument("--seat", type=int, metavar="N", help="your seat, from 0 (default: 0)")
    parser.add_argument("--seed", type=int, metavar="N", help="of the deals and of the opponents (default: by chance)")
    add_salt_option(parser)
    parser.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help="settings, such as option_cards=on"
    )
    parser.add_argument("--save", metavar="FILE", default="", help="write the game there after every turn")
    parser.add_argument("--load", metavar="FILE", help="go on with a game that was saved, or with a replay")
    parser.add_argument("--replay", type=Path, metavar="FOLDER", help="write a replay to watch there at the end")
    parser.add_argument("--no-color", action="store_true", help="without colours (as with NO_COLOR set)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rr_gym.errors import RoboRallyError
    from rr_gym.play import Dialogue
    from rr_gym.render.board.draw import can_show_unicode
    from rr_gym.salt import salt_note, salt_of

    if args.replay and args.replay.exists() and not args.replay.is_dir():
        raise RoboRallyError(f"--replay {args.replay}: expected a folder")
    session = _session(args)
    colour = sys.stdout.isatty() and not args.no_color and not os.environ.get("NO_COLOR")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # what is typed by mistake is refused like other words
    with suppress(ImportError):
        import readline  # noqa: F401  (lets input() edit lines and remember them; not there on Windows)
    try:
        seed = f"seed {int(session.game.record['seed'])}{salt_note(salt_of(session.game.record))}"
        print(f"{', '.join(session.labels)} on {session.game.course.name}, {seed}; help lists what can be typed")
        dialogue = Dialogue(
            session, _read, lambda text: print(text, flush=True),
            unicode=can_show_unicode(), colour=colour, save=args.save,
        )  # fmt: skip
        status = dialogue.run()
        _finish(session, args)
        return status
    finally:
        session.close()


def _session(args: argparse.Namespace) -> Session:
    """The game that the arguments ask for."""
    from rr_gym.cli.evaluate import read_settings
    from rr_gym.cli.tournament import read_players
    from rr_gym.errors import RoboRallyError, whole_number
    from rr_gym.play import Session

    if args.alone and args.against:
        raise RoboRallyError("--alone: expected no --against with it")
    given = [name for name in read_players(args.against or []) if name]
    if args.against and not given:
        raise RoboRallyError("--against: expected the names of players; --alone is without opponents")
    if args.load:
        others = {"COURSE": args.course, "--seed": args.seed, "--salt": args.salt, "--set": args.set or None}
        for name, value in others.items():
            if value is not None:
                raise RoboRallyError(f"{name}: {value}: expected none with --load: the game has its own")
        against = given if args.against or args.alone else None
        return Session.load(args.load, against, seat=args.seat, thinking=_thinking)
    seed = time.time_ns() % 10**6 if args.seed is None else whole_number("--seed", args.seed, 0, 2**63 - 1)
    if not args.against and not args.alone:
        given = [OPPONENTS]
    return Session.start(
        args.course or COURSE, given,
        seat=args.seat or 0, seed=seed, settings=read_settings(args.set), salt=args.salt,
        thinking=_thinking,
    )  # fmt: skip


def _finish(session: Session, args: argparse.Namespace) -> None:
    """Result, saved game and replay, and what went wrong with opponents."""
    from rr_gym.cli.race import print_replay, print_result

    replay = session.replay()
    print_result(replay)
    for line in session.notes.lines():
        print(f"\n{line}")
    if args.save:
        print(f"\nsaved:  {session.save(args.save)}" + ("" if replay.over else f" (rr-gym play --load {args.save})"))
    if args.replay:
        print_replay(replay, args.replay)


def _read(prompt: str) -> str:
    """The next line; what comes through a pipe is shown as if it had been typed."""
    line = input(prompt)
    if not sys.stdin.isatty():
        print(line, flush=True)
    return line


@contextmanager
def _thinking(name: str) -> Iterator[None]:
    """While a player decides: says so on stderr once that has taken two seconds."""
    done = threading.Event()
    line = StatusLine(PATIENCE, often=1.0)

    def tell() -> None:
        while not done.wait(0.1):
            if line.due():
                line.show(f"{name} is thinking, {line.elapsed:.0f} s")
        line.clear()

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
