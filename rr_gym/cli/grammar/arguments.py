"""The arguments that commands share: each is declared once, with one meaning wherever it applies."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from rr_gym.cli.grammar.command import Run, option
from rr_gym.cli.grammar.words import Name, Number, Whole, names, overrides, pairs, read_setting
from rr_gym.errors import MAX_SEED

MAX_FAULTS = 0.05  # as `rr_gym.players.notes` has it, which commands load only when they run
MAX_WORKERS = 64  # as `rr_gym.evaluation.processes` has it
MAX_WATCHED = 100  # as `rr_gym.evaluation.matches` has it
MAX_ROBOTS = 8  # as `rr_gym.rules.state.constants` has it
ONE_COURSE = names("courses", paths=True, most=1)
AT_A_TABLE = names("players", paths=True, most=MAX_ROBOTS)
_SWITCH = {"is_flag": True}
_WHOLE = {"type": Whole()}
_ONE_OR_MORE = {"type": Whole(1)}


def read_given_salt(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return the salt that was given; for ``-`` the first line of standard input, which other processes cannot read."""
    return sys.stdin.readline().strip() if value == "-" else value


@dataclass(frozen=True, slots=True)
class Argument:
    """One shared argument.

    Attributes:
        value: The placeholder of its value in help, such as `N`; None for a switch.
        help: Its meaning, the same in every command.
        section: Its section of help; see `rr_gym.cli.grammar.command.SECTIONS`.
        options: How click reads it.
    """

    value: str | None
    help: str
    section: str
    options: Mapping[str, Any] = field(default_factory=dict)


SHARED: dict[str, Argument] = {
    "--config": Argument(
        "CONFIG", "a YAML file, or the bare name of one in configs or a shipped one", "Games",
        {"type": Name("configs", paths=True)},
    ),
    "--players": Argument(
        "PLAYER,...",
        "registered players (rr-gym players), folders of policies, models (.zip), program:COMMAND and bot:DIR "
        "(docs/bots.md); the last three run code; a comma within a name is written twice",
        "Games", names("players", paths=True),
    ),
    "--against": Argument("NAME", "what it is played or compared with; repeatable", "Games", {"multiple": True}),
    "--seat": Argument("N", "the seat, from 0", "Games", _WHOLE),
    "--course": Argument(
        "COURSE,...", "built-in courses (rr-gym course list), .yaml or .rrb files; repeatable", "Games",
        names("courses", paths=True),
    ),
    "--set": Argument(
        "NAME=VALUE", "a setting of the game (docs/rules/settings.md); repeatable", "Games",
        pairs(read_setting, "lives=1", "settings"),
    ),
    "--max-cycles": Argument("N", "turns after which a game is truncated", "Games", _ONE_OR_MORE),
    "--games": Argument("N", "games to play", "Games", _ONE_OR_MORE),
    "--turns": Argument("N", "turns to play", "Games", _WHOLE),
    "--seed": Argument(
        "N", "seed of everything random: deals, players and all other draws", "Games", {"type": Whole(0, MAX_SEED)}
    ),
    "--salt": Argument(
        "HEX",
        "128 bits besides the seed, to play the same games again; 0 for none (default: drawn and reported if a "
        "program plays, else none); - reads it from standard input, where no other process can see it",
        "Games", {"callback": read_given_salt},
    ),
    "--observation": Argument(
        "NAME", "flat, planes, entities, entities+planes or, with --action cards, choices", "Options"
    ),
    "--action": Argument("NAME", "how a turn is decided: cards, draw or slots", "Options"),
    "--elements": Argument("NAME,...", "board elements by their ids; repeatable", "Options", names("elements")),
    "--from": Argument(
        "POLICY", "the folder of a policy to start from, or the name of a shipped one", "Options",
        {"type": Name(paths=True)},
    ),
    "--steps": Argument("N", "rows to learn from, instead of training.total_steps", "Options", _WHOLE),
    "--rows": Argument("NAME,...", "only these rows (--list names them); repeatable", "Options", names()),
    "--list": Argument(None, "name the rows and stop", "Options", _SWITCH),
    "--seconds": Argument("S", "the duration in seconds", "How it runs", {"type": Number()}),
    "--batch": Argument("N", "how many are played at the same time, in one array", "How it runs", _ONE_OR_MORE),
    "--workers": Argument("N", "processes that work in parallel", "How it runs", {"type": Whole(1, MAX_WORKERS)}),
    "--ray": Argument(
        "ADDRESS",
        "work on the machines of this Ray cluster (auto, ray://HOST:10001), with the same results; local for Ray on "
        "this machine; needs the extra ray",
        "How it runs",
    ),
    "--sandbox": Argument(
        "KIND",
        "where programs run: bubblewrap, process or none (docs/arena.md); by default the strongest that works here",
        "How it runs", {"type": click.Choice(("bubblewrap", "process", "none"))},
    ),
    "--max-faults": Argument(
        "P",
        "the share of its decisions that a player may lose, for example as a program that does not answer; above it "
        "the exit status is 1 and no claims about games won are made",
        "How it runs", {"type": Number("a share from 0 to 1", lambda share: 0 <= share <= 1), "default": MAX_FAULTS},
    ),
    "--out": Argument("DIR", "where to write everything", "Results", {"type": click.Path(path_type=Path)}),
    "--watch": Argument("N", "how many games to look at", "Results", {"type": Whole(0, MAX_WATCHED)}),
    "--force": Argument(None, "replace what --out names if it exists", "Results", _SWITCH),
    "--resume": Argument(None, "resume what is in --out", "Results", _SWITCH),
    "--json": Argument(
        "[FILE.json]",
        "the results as JSON: to this file besides the text, or without a file to stdout instead of the text",
        "Results", {"type": Name(paths=True)},
    ),
    "--markdown": Argument(None, "as Markdown, for a document", "Results", _SWITCH),
    "--ascii": Argument(None, "draw with plain ASCII letters", "Results", _SWITCH),
}  # fmt: skip


def shared(name: str, *, note: str = "", **options: Any) -> Callable[[Run], Run]:
    """Give a command one of the shared arguments.

    Args:
        name: In `SHARED`; without its dashes it is an operand, a word of its own in the command.
        note: What this command adds to the meaning, such as the default.
        options: Keyword arguments of click that replace those of `SHARED` in this command.
    """
    argument = SHARED[name if name.startswith("--") else f"--{name}"]
    given = {**argument.options, "help": argument.help + (f"; {note}" if note else ""), **options}
    if not name.startswith("--"):
        return click.argument(name, **given)
    return option(name, **{"section": argument.section, "metavar": argument.value, **given})


def overridable(run: Run) -> Run:
    """Give a command operands that replace values of its configuration (`rr_gym.cli.grammar.words.Override`)."""
    note = "values instead of those of the configuration, in YAML by dotted keys, such as algorithm.learning_rate=1e-3"
    return click.argument("overrides", help=note, **overrides())(run)
