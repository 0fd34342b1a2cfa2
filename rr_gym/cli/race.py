"""``rr-gym race``: one race of players with a result and a replay to look at."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from rr_gym.cli.grammar.arguments import AT_A_TABLE, ONE_COURSE, shared
from rr_gym.cli.grammar.command import command
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Interrupted, check_folder, check_resume, resume_command
from rr_gym.cli.grammar.words import Whole

if TYPE_CHECKING:
    from rr_gym.players.kept_games import KeptSeats
    from rr_gym.race import RaceConfig
    from rr_gym.render.pieces import Piece
    from rr_gym.replay import Replay

CONFIG = Path("configs") / "race.yaml"
REPLAY, PAGE = "replay.json", "replay.html"


@command(examples=(
    "rr-gym race --players greedy,racer,planner:30k --course checkmate",
    "rr-gym race --players 'program:./bot --skill 1,,2' --max-cycles 40 --json race.json",
))  # fmt: skip
@shared("--config", note=f"by default {CONFIG} if it exists, else the same race")
@shared("--players", note="one per robot, 1 to 8", **AT_A_TABLE)
@shared("--course", note="only one", **ONE_COURSE)
@shared("--set")
@shared("--max-cycles", type=Whole())
@shared("--seed")
@shared("--salt")
@shared("--sandbox")
@shared("--max-faults")
@shared("--out", default=Path("race"))
@shared("--resume")
@shared("--json")
def run(args: SimpleNamespace) -> int:
    """Race players once and write a replay to watch in a browser.

    The race is as a configuration and the options say; an earlier one in the same folder is replaced. Ctrl-C keeps the
    turns that were played, as does a player that fails.
    """
    from msgspec.structs import replace

    from rr_gym.evaluation.secret_salts import is_secret
    from rr_gym.player_calls import FailedPlayerError
    from rr_gym.players.kept_games import KeptSeats
    from rr_gym.players.notes import PlayerNotes, above, loss_lines
    from rr_gym.race import race, standings
    from rr_gym.registry import make_player, open_player
    from rr_gym.render.pieces import brief_labels, labels
    from rr_gym.replay import Replay
    from rr_gym.salt import choose_salt, salt_note

    output = Output(args.json)
    config = _config(args)
    players = None if args.players is None else [open_player(name, args.sandbox) for name in args.players]
    check_folder(args.out, REPLAY, PAGE)
    resumed = None
    if args.resume:
        check_resume(True, args.out, REPLAY)
        resumed = Replay.load(args.out / REPLAY)
    racing = players or [make_player(name) for name in config.players]
    salt = resumed.salt if resumed and args.salt is None else choose_salt(args.salt, racing)
    if players:  # names of submissions come from their manifests
        called = (p.name if p.digest else name for p, name in zip(players, config.players, strict=True))
        config = replace(config, players=tuple(called))
    names = brief_labels(config.players)
    secret = is_secret(salt, racing)  # until the race is over, since programs might read what is printed
    shown = "" if secret else salt_note(salt)
    title = f"{', '.join(names)} race on {config.course}, seed {config.seed}{shown}"
    notes = PlayerNotes(players or [], names=labels(config.players if players else []))
    kept: list[Replay] = []
    seats: list[KeptSeats] = []

    def keep() -> None:
        write_replay(kept[0], args.out)
        seats[0].save(args.out)

    forfeited: list[int] = []
    try:
        replay = race(
            config, _progress(names, output), racing,
            salt=salt, resumed=resumed, keep=kept.append, begin=lambda: output.say(title),
            forfeited=forfeited.append, keep_seats=seats.append,
            resumed_seats=KeptSeats.load(args.out, len(resumed.turns), len(resumed.players)) if resumed else (),
        )  # fmt: skip
    except KeyboardInterrupt:
        if not kept:
            raise
        keep()
        raise Interrupted(resume_command(args)) from None
    except FailedPlayerError:
        if kept:
            keep()
            print(f"rr-gym: what was played is kept; resume with: {resume_command(args)}", file=sys.stderr)
        raise
    lost = loss_lines(notes.losses(), args.max_faults)
    output.show("\n".join([*([""] if lost else []), *lost, result_text(replay, forfeited)]))
    if remarks := notes.remarks():
        output.say("\n".join(["", *remarks]))
    if secret:
        output.say(f"seed {config.seed}{salt_note(salt)}")
    output.say(write_replay(replay, args.out))
    KeptSeats.of_forfeits(len(replay.turns), len(replay.players), forfeited).save(args.out)
    output.write({"standings": [asdict(line) for line in standings(replay, forfeited)], "turns": len(replay.turns),
                  "losses": [asdict(one) for one in notes.losses()], "sandboxes": notes.sandboxes()})  # fmt: skip
    return 1 if above(notes.losses(), args.max_faults) else 0


def _config(args: SimpleNamespace) -> RaceConfig:
    """Return the race that the configuration and the options describe. Raises RoboRallyError."""
    from msgspec.structs import replace

    from rr_gym.config_files import find_config
    from rr_gym.errors import whole_number
    from rr_gym.race import MAX_CYCLES, RaceConfig

    if args.config:
        config = RaceConfig.load(find_config(args.config))
    else:
        config = RaceConfig.load(CONFIG) if CONFIG.exists() else RaceConfig()
    changes: dict[str, Any] = {"settings": {**config.settings, **args.set}}
    if args.players is not None:
        changes["players"] = tuple(args.players)
    if args.course is not None:
        changes["course"] = args.course
    if args.max_cycles is not None:
        changes["max_cycles"] = whole_number("--max-cycles", args.max_cycles, 1, MAX_CYCLES)
    if args.seed is not None:
        changes["seed"] = args.seed
    return replace(config, **changes)


def write_replay(replay: Replay, folder: Path) -> str:
    """Write a replay and its page into a folder, both or neither; returns a text that says where they are.

    Raises:
        RoboRallyError: The disk is full, say; what was there before is unchanged.
    """
    from rr_gym.errors import ReplayError
    from rr_gym.files import write_files
    from rr_gym.replay.page import to_html

    try:
        write_files(folder, {PAGE: to_html(replay, hands=True), REPLAY: replay.to_text()}, ReplayError)
    except ReplayError:
        print(f"rr-gym: {REPLAY} and {PAGE} of this game are missing in {folder}: only both are kept", file=sys.stderr)
        raise
    return f"\nreplay: {folder / REPLAY}\nwatch:  {(folder / PAGE).resolve().as_uri()}"


def _progress(names: Sequence[str], output: Output) -> Callable[[int, list[Piece]], None]:
    """Report the robots after each turn: in one line, or on a terminal in as many as they need."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None

    def report(turn: int, pieces: list[Piece]) -> None:
        states = []
        for name, piece in zip(names, pieces, strict=True):
            racing = f"flag {piece.flag}, damage {piece.damage}"
            states.append(f"{name}: {'out' if piece.out else racing if piece.alive else 'destroyed'}")
        output.say(turn_text(turn, states, width))

    return report


def turn_text(turn: int, states: Sequence[str], width: int | None) -> str:
    """Describe the robots after a turn, in lines of at most `width` characters; in a single line without a width."""
    lines = [f"turn {turn:3}  "]
    indent = " " * len(lines[0])
    for number, state in enumerate(states):
        longer = lines[-1] + ("  |  " if number else "") + state
        if number and width is not None and len(longer) > width:
            lines.append(indent + state)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def result_text(replay: Replay, forfeited: Sequence[int] = ()) -> str:
    """Return the result of a race as a table in text, in which players that have forfeited it come last."""
    from rr_gym.race import standings
    from rr_gym.render.pieces import brief_labels
    from rr_gym.text_layout import columns

    lines = standings(replay, forfeited)
    rows = [["place", "player", "flags", "damage", "lives", "turns"]]
    for name, line in zip(brief_labels([line.player for line in lines]), lines, strict=True):
        lives = "-" if line.lives < 0 else str(line.lives)
        flags = f"{line.flags}/{len(replay.course.flags)}"
        rows.append([str(line.place), name, flags, str(line.damage), lives, str(line.turns), line.state])
    return "\n".join(["", *columns(rows, right=(0, 2, 3, 4, 5))])
