"""Where a command writes its text and its JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rr_gym.cli.grammar.command import STDOUT, SUFFIX
from rr_gym.errors import RoboRallyError
from rr_gym.files import check_writable, write_file

UNLIMITED = 10_000  # width of a table in characters if stdout is not a terminal


class Output:
    """The text that a command prints, and its results as JSON if ``--json`` was given.

    Args:
        json: The value of ``--json``: None without it, else the name of a file or `STDOUT`.

    Raises:
        RoboRallyError: The name is not that of a file, it does not end in ``.json``, or the file cannot
            be written.
    """

    def __init__(self, json: str | None) -> None:
        self.json = json
        if json not in (None, STDOUT):
            if Path(str(json)).is_dir():
                raise RoboRallyError(f"--json {json}: expected a file")
            if not str(json).endswith(SUFFIX):
                raise RoboRallyError(f"--json {json}: expected a name that ends in {SUFFIX}")
            check_writable(str(json), "--json ")

    def say(self, text: str = "") -> None:
        """Print messages about progress: to stdout, or to stderr if the JSON goes to stdout."""
        print(text, file=sys.stderr if self.json == STDOUT else sys.stdout, flush=True)

    def show(self, text: str) -> None:
        """Print results as text on stdout, unless they go there as JSON."""
        if self.json != STDOUT:
            print(text, flush=True)

    def show_table(self, rows: Iterable[Sequence[object]], heads: Sequence[str] = ()) -> None:
        """Show rows as a table, in which whole numbers are aligned to the right.

        On a terminal it is as wide as the terminal, and long cells are broken into lines. Elsewhere it is as wide as
        needed.
        """
        if self.json == STDOUT:
            return
        from rich.console import Console
        from rich.table import Table

        table = Table(box=None, show_header=bool(heads), header_style="", pad_edge=False, padding=(0, 2, 0, 0))
        for i, cells in enumerate(zip(*(rows := list(rows)), strict=True)):
            right = all(isinstance(cell, int) for cell in cells)
            head = heads[i] if heads else ""
            table.add_column(head, justify="right" if right else "left", overflow="fold", no_wrap=i == 0)
        for row in rows:
            table.add_row(*(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row))
        width = None if sys.stdout.isatty() else UNLIMITED
        console = Console(width=width, markup=False, emoji=False, highlight=False, color_system=None)
        with console.capture() as written:
            console.print(table)
        print("\n".join(line.rstrip() for line in written.get().rstrip().split("\n")), flush=True)

    def write(self, data: Any) -> None:
        """Write results, plain data, if ``--json`` was given."""
        if self.json is None:
            return
        text = json.dumps(data, indent=1, allow_nan=False)
        if self.json == STDOUT:
            print(text, flush=True)
        else:
            write_file(self.json, text + "\n")
