"""The entry point of ``rr-gym``."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

import click

from rr_gym.cli.grammar.command import COMPLETE, CommandGroup, explained
from rr_gym.cli.grammar.resuming import STATUS, Interrupted, command_line
from rr_gym.cli.grammar.streams import Enduring, enduring
from rr_gym.errors import MissingExtraError, RoboRallyError, sanitize
from rr_gym.version import __version__

OUTPUT_LOST = 2  # the exit status if output could not be written
OPTIONS = {"num_games": "--batch"}  # options by the Python argument that they set, where the names differ
WIDTH = 110  # of help, at most

COMMANDS = {
    "analyse": "say where a recorded game was won and lost",
    "arena": "a ladder of bots that goes on: seasons, matches, ratings, and a check of everything",
    "bench": "measure the engine and the environment",
    "benchmark": "score players on a fixed suite of games",
    "bot": "start a bot of your own, check it as a host would, pack it; improve it",
    "completion": "print what completes commands in bash, zsh or fish",
    "course": "list, show and check courses and boards, explain board elements",
    "dataset": "write games of players as data to learn from",
    "demo": "train a bot, evaluate it, and write a replay of its best race",
    "evaluate": "play many games of a player and report how it does",
    "exploit": "measure how much a player can be exploited",
    "export": "turn a trained model (.zip) into a policy folder",
    "fuzz": "play random games on random courses and check every invariant after every turn",
    "generate": "make a random course",
    "imitate": "teach a policy to play as a player does",
    "import": "translate courses of other programs",
    "mcp": "tools for language models over the Model Context Protocol",
    "options": "the table of all option cards, or all about one",
    "play": "play against players, in the terminal or in browsers",
    "players": "list the players that can be named",
    "prompt": "a position as text for language models, with its approximate length in tokens",
    "race": "race players once and write a replay to watch in a browser",
    "replay": "turn a recorded game into a page, a GIF or text, or verify it",
    "scenario": "run rule scenarios",
    "tournament": "let many players play against each other and rate them",
    "train": "train a policy",
    "warmup": "compile all rules now; they are kept on disk",
}

ROOT = CommandGroup(
    "rr_gym.cli", COMMANDS,
    help="RoboRally as a reinforcement-learning environment.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDTH},
)  # fmt: skip
click.version_option(__version__, message="rr-gym %(version)s")(ROOT)


def _prepare_streams() -> None:
    """Replace closed standard streams by empty ones, and escape what the encoding of stdout cannot represent."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  (open to the end)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: The arguments after the program's name; None for those of the process.

    Returns:
        The exit status: that of the command, 2 for bad input or output that could not be written, 130 when it was
        interrupted.
    """
    # The networks here are small: threads would only wait for each other. `rr-gym train` has a setting of its own.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    _prepare_streams()
    argv = sys.argv[1:] if argv is None else list(argv)
    with enduring() as out:
        status = _run(argv)
        return OUTPUT_LOST if _lost(out) else status


def _lost(out: Enduring) -> bool:
    """Tell whether output was lost, and print why; it does not count as lost if the reader closed the pipe."""
    out.flush()
    if out.failure is None or isinstance(out.failure, BrokenPipeError):
        return False
    print(f"rr-gym: standard output: cannot be written: {out.failure.strerror}", file=sys.stderr)
    return True


def _by_options(message: str, argv: Sequence[str]) -> str:
    """Replace the argument's name at the start of an error message by the option that was typed for it.

    Args:
        message: Of an error, such as ``max_cycles: 0: expected ...``.
        argv: What was typed.
    """
    name, colon, rest = message.partition(": ")
    option = OPTIONS.get(name, f"--{name.replace('_', '-')}")
    typed = any(word.partition("=")[0] == option for word in argv)
    return f"{option}{colon}{rest}" if typed and colon else message


def _run(argv: list[str]) -> int:
    """Run one command. Returns its exit status; what ends it is one line on stderr."""
    try:
        if asked := os.environ.get(COMPLETE):
            from rr_gym.cli.completion import complete

            return complete(ROOT, asked)
        with ROOT.make_context("rr-gym", argv, obj=argv) as ctx:
            return int(ROOT.invoke(ctx))
    except click.exceptions.Exit as ended:  # of --help and --version
        return ended.exit_code
    except click.UsageError as error:
        print(explained(error), file=sys.stderr)
        return 2
    except OSError as error:
        name = os.fsdecode(error.filename) if isinstance(error.filename, bytes) else error.filename
        what = f"{name}: {error.strerror}" if name else str(error)
        print(f"rr-gym: {sanitize(what)}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(
            f"rr-gym: {sanitize(f'not enough memory: {error}' if str(error) else 'not enough memory')}", file=sys.stderr
        )
        return 2
    except (RoboRallyError, MissingExtraError) as error:
        calls = sys.modules.get("rr_gym.player_calls")  # not imported if no player was called
        if calls and (text := calls.traceback_of(error)):  # for the author of the player
            print(text, file=sys.stderr)
        print(f"rr-gym: {_by_options(str(error), argv)}", file=sys.stderr)
        return 2
    except Interrupted as error:
        print(f"rr-gym: interrupted; resume with: {error.command}", file=sys.stderr)
        return STATUS
    except KeyboardInterrupt:
        how = "resume with" if "--resume" in argv else "once more from the beginning"
        print(f"rr-gym: interrupted; {how}: {command_line(argv)}", file=sys.stderr)
        return STATUS
