"""The tables of docs/commands.md: the options that commands share, and the further options of each command.

python tools/commands.py            check the document; exit status 1 if its tables are not up to date
python tools/commands.py --write    write them there
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from rr_gym.cli.grammar.arguments import SHARED
from rr_gym.cli.main import ROOT

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "commands.md"
HEADS = ("| option | meaning | in |", "| command | operands | options that it shares | its own options |")


def commands() -> dict[str, click.Command]:
    """Return every command by its full name, such as ``course show``."""

    def within(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
        if not isinstance(command, click.Group):
            yield " ".join(words), command
            return
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            found = command.get_command(ctx, name)
            assert found is not None
            yield from within(found, (*words, name))

    return dict(within(ROOT, ()))


def options_of(command: click.Command) -> list[str]:
    """Return the options of a command."""
    return [param.opts[0] for param in command.params if isinstance(param, click.Option)]


def operands_of(command: click.Command) -> list[str]:
    """Return the operands of a command, as help shows them."""
    ctx = click.Context(command)
    return [param.make_metavar(ctx) for param in command.params if isinstance(param, click.Argument)]


def tables() -> list[str]:
    """Return the table of shared options and the table of commands."""
    every = commands()
    shared = [HEADS[0], "|---|---|---|"]
    for name, argument in SHARED.items():
        value = f" {argument.value}" if argument.value else ""
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
