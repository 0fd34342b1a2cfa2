"""The entry point of ``rr-gym``."""

from __future__ import annotations

import argparse
import io
import os
import pkgutil
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

import rr_gym.cli
from rr_gym.cli.grammar.parser import Parser
from rr_gym.cli.grammar.resuming import STATUS, Interrupted, command_line
from rr_gym.cli.grammar.streams import Enduring, enduring
from rr_gym.errors import MissingExtraError, RoboRallyError, said
from rr_gym.version import __version__

LOST = 2  # the exit status where output could not be written


def command_names() -> list[str]:
    """The names of all commands, found by their modules."""
    found = pkgutil.iter_modules(rr_gym.cli.__path__)
    return sorted(module.name for module in found if module.name != "main" and not module.ispkg)


def build_parser(commands: Sequence[str]) -> argparse.ArgumentParser:
    """A parser that knows the given commands."""
    parser = Parser(prog="rr-gym", description="RoboRally as a reinforcement-learning environment.")
    parser.add_argument("--version", action="version", version=f"rr-gym {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in commands:
        import_module(f"rr_gym.cli.{name}").add_parser(subparsers)
    return parser


def _prepare_streams() -> None:
    """Streams that are closed become empty ones; what the output's encoding does not have is written as an escape."""
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
        try:
            status = _run(argv)
        except SystemExit as ended:  # of the parser
            if _lost(out):
                raise SystemExit(LOST) from None
            raise ended
        return LOST if _lost(out) else status


def _lost(out: Enduring) -> bool:
    """Whether something could not be written to stdout, which is said; that its reader is gone is no loss."""
    out.flush()
    if out.failure is None or isinstance(out.failure, BrokenPipeError):
        return False
    print(f"rr-gym: standard output: cannot be written: {out.failure.strerror}", file=sys.stderr)
    return True


def _by_options(message: str, argv: Sequence[str], inner: Mapping[str, str]) -> str:
    """A message with the option that was typed in place of the argument that it begins with.

    Args:
        message: Of an error, such as ``max_cycles: 0: expected ...``.
        argv: What was typed.
        inner: The options behind arguments that are called otherwise, by the argument.
    """
    name, colon, rest = message.partition(": ")
    option = inner.get(name, f"--{name.replace('_', '-')}")
    typed = any(word.partition("=")[0] == option for word in argv)
    return f"{option}{colon}{rest}" if typed and colon else message


def _run(argv: list[str]) -> int:
    """Run one command. Returns its exit status; what ends it is one line on stderr."""
    inner: dict[str, str] = {}
    try:
        names = command_names()
        # Only the module of the wanted command is loaded: help and mistakes need all of them.
        parser = build_parser(argv[:1] if argv and argv[0] in names else names)
        args = parser.parse_args(argv)
        args.words = argv
        inner = getattr(args, "inner", {})
        return int(args.run(args))
    except OSError as error:
        name = os.fsdecode(error.filename) if isinstance(error.filename, bytes) else error.filename
        what = f"{name}: {error.strerror}" if name else str(error)
        print(f"rr-gym: {said(what)}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"rr-gym: {said(f'not enough memory: {error}' if str(error) else 'not enough memory')}", file=sys.stderr)
        return 2
    except (RoboRallyError, MissingExtraError) as error:
        from rr_gym.asking import traceback_of

        if text := traceback_of(error):  # whoever wrote the player needs it
            print(text, file=sys.stderr)
        print(f"rr-gym: {_by_options(str(error), argv, inner)}", file=sys.stderr)
        return 2
    except Interrupted as error:
        print(f"rr-gym: interrupted; resume with: {error.command}", file=sys.stderr)
        return STATUS
    except KeyboardInterrupt:
        how = "resume with" if "--resume" in argv else "once more from the beginning"
        print(f"rr-gym: interrupted; {how}: {command_line(argv)}", file=sys.stderr)
        return STATUS
