"""``rr-gym race``: one race of players with a result and a replay to look at."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rr_gym.cli.evaluate import add_salt_option

if TYPE_CHECKING:
    from rr_gym.players import Player
    from rr_gym.render.pieces import Piece
    from rr_gym.replay import Replay

CONFIG = Path("configs/race.yaml")


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("race", help="race players once and write a replay to watch in a browser")
    parser.add_argument(
        "--config", type=Path, help=f"the race in YAML (default: {CONFIG} where that exists, else the same race)"
    )
    parser.add_argument(
        "--players", nargs="+", metavar="PLAYER",
        help="registered players, folders of policies, models (.zip) or programs (program:COMMAND), one per robot",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, default=Path("race"), help="folder for the replay (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="instead of the one of the configuration")
    add_salt_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rr_gym.errors import MAX_SEED, RoboRallyError, whole_number
    from rr_gym.players.notes import PlayerNotes
    from rr_gym.race import RaceConfig, race
    from rr_gym.registry import make_player
    from rr_gym.salt import choose_salt, salt_note

    path = args.config or (CONFIG if CONFIG.exists() else None)
    config = RaceConfig.load(path) if path else RaceConfig()
    players = None if args.players is None else typed_players(args.players)
    if players:
        config = replace(config, players=tuple(args.players))
    if args.seed is not None:
        config = replace(config, seed=whole_number("--seed", args.seed, 0, MAX_SEED))
    if args.out.exists() and not args.out.is_dir():
        raise RoboRallyError(f"--out {args.out}: expected a folder")
    racing = players or [make_player(name) for name in config.players]
    salt = choose_salt(args.salt, racing)
    print(f"{', '.join(config.players)} race on {config.course}, seed {config.seed}{salt_note(salt)}", flush=True)
    notes = PlayerNotes(players or [])
    replay = race(config, _progress(config.players), racing, salt=salt)
    print_result(replay)
    if lines := notes.lines():
        print("", *lines, sep="\n")
    print_replay(replay, args.out)
    return 0


def typed_players(names: Sequence[str]) -> list[Player]:
    """The players that ``--players`` names. Raises RoboRallyError."""
    from rr_gym.errors import RoboRallyError
    from rr_gym.registry import open_player
    from rr_gym.rules.state.constants import MAX_ROBOTS

    if len(names) > MAX_ROBOTS:
        raise RoboRallyError(f"--players: {len(names)} players: expected at most {MAX_ROBOTS}")
    return [open_player(name) for name in names]


def print_replay(replay: Replay, folder: Path) -> None:
    """Write a replay and its page into a folder and say where they are."""
    from rr_gym.files import write_file
    from rr_gym.replay.page import to_html

    file = replay.save(folder / "replay.json")
    page = write_file(folder / "replay.html", to_html(replay))
    print(f"\nreplay: {file}\nwatch:  {page.resolve().as_uri()}")


def _progress(players: tuple[str, ...]) -> Callable[[int, list[Piece]], None]:
    from rr_gym.render.pieces import labels

    names = labels(players)

    def report(turn: int, pieces: list[Piece]) -> None:
        states = []
        for name, piece in zip(names, pieces, strict=True):
            racing = f"flag {piece.flag}, damage {piece.damage}"
            states.append(f"{name}: {'out' if piece.out else racing if piece.alive else 'destroyed'}")
        print(f"turn {turn:3}  {'  |  '.join(states)}", flush=True)

    return report


def print_result(replay: Replay) -> None:
    """The result of a race as a table on stdout."""
    from rr_gym.race import standings

    lines = standings(replay)
    width = max(len("player"), *(len(line.player) for line in lines))
    num_flags = len(replay.course.flags)
    print(f"\n{'place':>5}  {'player':{width}}  {'flags':>5}  {'damage':>6}  {'lives':>5}  {'turns':>5}")
    for line in lines:
        lives = "-" if line.lives < 0 else line.lives
        flags = f"{line.flags}/{num_flags}"
        numbers = f"{flags:>5}  {line.damage:6}  {lives:>5}  {line.turns:5}"
        print(f"{line.place:5}  {line.player:{width}}  {numbers}  {line.state}")
