"""The tables of docs/commands.md: what commands share, and what each has of its own.

python tools/commands.py            check the document; exit status 1 if its tables are not up to date
python tools/commands.py --write    write them there
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from rr_gym.cli.grammar.arguments import SHARED
from rr_gym.cli.main import build_parser, command_names

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "commands.md"
HEADS = ("| option | meaning | in |", "| command | operands | options that it shares | its own options |")


def commands() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of every command, by the words that call it."""

    def within(
        parser: argparse.ArgumentParser, words: tuple[str, ...]
    ) -> Iterator[tuple[str, argparse.ArgumentParser]]:
        inner = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        for action in inner:
            for name, command in action.choices.items():
                yield from within(command, (*words, name))
        if not inner:
            yield " ".join(words), parser

    return dict(within(build_parser(command_names()), ()))


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    """Return the long options of a command, except --help."""
    names = [name for action in parser._actions for name in action.option_strings if name.startswith("--")]
    return [name for name in names if name != "--help"]


def operands_of(parser: argparse.ArgumentParser) -> list[str]:
    """Return the operands of a command, as its help shows them."""
    found = [action for action in parser._actions if not action.option_strings]
    dots = {"+": "...", "?": ""}
    return [
        f"[{action.metavar}]" if action.nargs == "?" else f"{action.metavar}{dots.get(str(action.nargs), '')}"
        for action in found
    ]


def tables() -> list[str]:
    """Return the table of shared options and the table of commands."""
    every = commands()
    shared = [HEADS[0], "|---|---|---|"]
    for name, argument in SHARED.items():
        value = f" {argument.value}" if argument.value else ""
        value = f" [{argument.value}]" if name == "--json" else value
        users = ", ".join(f"`{words}`" for words, parser in every.items() if name in options_of(parser))
        shared.append(f"| `{name}{value}` | {argument.help} | {users} |")
    own = [HEADS[1], "|---|---|---|---|"]
    for words, parser in every.items():
        names = options_of(parser)
        ours = " ".join(f"`{name}`" for name in names if name not in SHARED)
        theirs = " ".join(f"`{name}`" for name in names if name in SHARED)
        operands = " ".join(f"`{name}`" for name in operands_of(parser))
        own.append(f"| `{words}` | {operands} | {theirs} | {ours} |")
    return ["\n".join(shared), "\n".join(own)]


def with_tables(text: str) -> str:
    """Return the text of the document with up-to-date tables."""
    for head, table in zip(HEADS, tables(), strict=True):
        begin = text.index(head)
        text = text[:begin] + table + text[text.index("\n\n", begin) :]
    return text


def main() -> int:
    """Check the document, or write it. Returns the exit status."""
    text = DOCUMENT.read_text("utf-8")
    if sys.argv[1:] == ["--write"]:
        DOCUMENT.write_text(with_tables(text), "utf-8")
        return 0
    same = with_tables(text) == text
    print("docs/commands.md has the tables" if same else "docs/commands.md: python tools/commands.py --write")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
