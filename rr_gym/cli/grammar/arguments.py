"""The arguments that commands share: each is declared once, with one meaning wherever it applies."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rr_gym.cli.grammar.parser import STDOUT
from rr_gym.cli.grammar.words import ListAction, PairsAction, finite, join_list, read_setting

MAX_FAULTS = 0.05  # as `rr_gym.players.notes` has it, which commands load only when they run
_SWITCH = {"action": "store_true"}
_LIST = {"action": ListAction}


@dataclass(frozen=True, slots=True)
class Argument:
    """One shared argument.

    Attributes:
        value: What stands behind it, as help shows it; None for a switch.
        help: What it means, in every command.
        options: How argparse reads it.
        complete: What a shell completes its value with, a kind of `rr_gym.cli.grammar.shells`; None for nothing.
    """

    value: str | None
    help: str
    options: Mapping[str, Any] = field(default_factory=dict)
    complete: str | None = None


SHARED: dict[str, Argument] = {
    "--players": Argument(
        "PLAYER,...",
        "registered players (rr-gym players), folders of policies, models (.zip) and program:COMMAND; the last two run "
        "code; a comma within a name is written twice",
        _LIST, "players",
    ),
    "--course": Argument(
        "COURSE,...", "built-in courses (rr-gym course list), .yaml or .rrb files; repeatable", _LIST, "courses"
    ),
    "--set": Argument(
        "NAME=VALUE", "a setting of the game (docs/rules/settings.md); repeatable",
        {"action": PairsAction, "read": read_setting, "example": "lives=1"}, "settings",
    ),
    "--max-cycles": Argument("N", "turns after which a game is truncated", {"type": int}),
    "--games": Argument("N", "games to play", {"type": int}),
    "--batch": Argument("N", "how many are played at a time, in one array", {"type": int}),
    "--observation": Argument("NAME", "flat, planes, entities, entities+planes or, with --action cards, choices"),
    "--action": Argument("NAME", "how a turn is decided: cards, draw or slots"),
    "--turns": Argument("N", "turns to play", {"type": int}),
    "--seat": Argument("N", "the seat, from 0", {"type": int}),
    "--seconds": Argument("S", "how long, in seconds", {"type": finite}),
    "--from": Argument("POLICY", "the folder of a policy to start from, or one that ships", {}, "directory"),
    "--seed": Argument("N", "seed of everything random: deals, players, whatever is drawn", {"type": int}),
    "--salt": Argument(
        "HEX",
        "128 bits beside the seed, to play the same games again; 0 for none (default: drawn and reported where a "
        "program plays, else none)",
    ),
    "--max-faults": Argument(
        "P",
        "the share of its decisions that a player may lose, such as a program that does not answer; above it the exit "
        "status is 1 and no share of games won is claimed",
        {"type": finite},
    ),
    "--workers": Argument("N", "processes that work side by side", {"type": int}),
    "--ray": Argument(
        "ADDRESS",
        "work on the machines of this Ray cluster (auto, ray://HOST:10001), with the same results; local for Ray on "
        "this one; extra ray",
    ),
    "--steps": Argument("N", "rows to learn from, instead of training.total_steps", {"type": int}),
    "--rows": Argument("NAME,...", "only these rows (--list names them); repeatable", _LIST),
    "--list": Argument(None, "name the rows and stop", _SWITCH),
    "--elements": Argument("NAME,...", "board elements by their ids; repeatable", _LIST, "elements"),
    "--config": Argument("CONFIG", "a YAML file, or the bare name of one in configs or a shipped one", {}, "configs"),
    "--out": Argument("DIR", "where everything is written", {"type": Path}, "directory"),
    "--force": Argument(None, "replace what --out names if it exists", _SWITCH),
    "--resume": Argument(None, "resume what is in --out", _SWITCH),
    "--json": Argument(
        "FILE.json", "the results as JSON: into the file beside the text, or without one to stdout instead of it",
        {"nargs": "?", "const": STDOUT}, "file",
    ),
    "--markdown": Argument(None, "as Markdown, for a document", _SWITCH),
    "--ascii": Argument(None, "draw with plain ASCII letters", _SWITCH),
}  # fmt: skip


def add(parser: Any, name: str, *, note: str = "", default: Any = None, **options: Any) -> argparse.Action:
    """Give a command one of the shared arguments.

    Args:
        parser: Of the command, or a group of its arguments.
        name: In `SHARED`; without its dashes it is an operand, a word of its own in the command.
        note: What this command adds to the meaning; what happens without it, for instance.
        default: The value without it; help names it.
        options: Of `add_argument`, where the command reads it in another way.
    """
    argument = SHARED[name if name.startswith("--") else f"--{name}"]
    words = [argument.help, *([note] if note else [])]
    if default is not None:
        given = join_list(default) if isinstance(default, list) else str(default)
        words[-1] += f" (default: {given})"
    options = {**argument.options, "help": "; ".join(words).replace("%", "%%"), **options}
    if options.get("action") != "store_true":
        options.setdefault("metavar", argument.value)
        if default is not None or "read" not in options:
            options["default"] = default
    action: argparse.Action = parser.add_argument(name, **options)
    return completed(action, argument.complete)


def check_numbers(args: Any, **ranges: tuple[int, int | None]) -> None:
    """Check whole numbers before anything else is looked at. Raises RoboRallyError that names the option.

    Args:
        args: What was given.
        ranges: The least and the most of each, None for any; what was not given is right.
    """
    from rr_gym.errors import whole_number

    for name, (low, high) in ranges.items():
        if (value := getattr(args, name)) is not None:
            whole_number(f"--{name.replace('_', '-')}", value, low, high)


def add_max_faults(parser: Any) -> None:
    """Give a command ``--max-faults`` with its default."""
    add(parser, "--max-faults", default=MAX_FAULTS)


def check_max_faults(args: Any) -> None:
    """Check ``--max-faults``. Raises RoboRallyError."""
    from rr_gym.errors import RoboRallyError

    if not 0 <= args.max_faults <= 1:
        raise RoboRallyError(f"--max-faults: {args.max_faults:g}: expected a share from 0 to 1")


def completed(action: argparse.Action, kind: str | None) -> argparse.Action:
    """The action, with what a shell completes it with: a kind of `rr_gym.cli.grammar.shells`."""
    if kind is not None:
        action.kind = kind  # type: ignore[attr-defined]
    return action


def one(values: list[str] | None, option: str) -> str | None:
    """The only item of a list, None without any. Raises RoboRallyError for several."""
    from rr_gym.errors import RoboRallyError

    if values and len(values) > 1:
        raise RoboRallyError(f"{option}: {join_list(values)}: expected one")
    return values[0] if values else None
