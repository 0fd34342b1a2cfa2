"""The curve of a training as files: a table in CSV and events for TensorBoard, both fit to be continued."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat
from torch.utils.tensorboard import SummaryWriter

from rr_gym.files import append_line, read_text, write_file

from .folder import RunError, RunFolder

# Columns that depend on the clock, and so differ between equal trainings
WALL_CLOCK = ("time/fps", "time/time_elapsed", "time/turns_per_second")


class CurveTable(KVWriter):
    """Writes one line per step, with the columns of the first line in alphabetical order.

    Args:
        path: The file.
        lines: The number of lines to keep; later lines are cut off.

    Raises:
        RunError: It holds fewer lines, or cannot be read.
    """

    def __init__(self, path: Path, lines: int) -> None:
        self.lines = lines
        found = read_text(path, RunError).splitlines(keepends=True) if lines and path.is_file() else []
        kept = found[: lines + 1]
        if lines and len(kept) <= lines:
            raise RunError(f"{path}: {max(0, len(kept) - 1)} lines: expected {lines}, as at the checkpoint")
        write_file(path, "".join(kept), RunError)
        self.columns = kept[0].strip().split(",") if kept else []
        self._path = path

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Add a line; what has no value is left empty. Raises RunError if it cannot be written."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        columns = self.columns or sorted(key_values)
        if not self.columns:
            writer.writerow(columns)
        writer.writerow(_number(key_values.get(name)) for name in columns)
        append_line(self._path, text.getvalue().removesuffix("\n"), RunError)
        self.columns = columns
        self.lines += 1

    def close(self) -> None:
        """Do nothing: the file is open only while a line is written."""


def _number(value: Any) -> int | float | str:
    return "" if value is None else value if isinstance(value, int) else float(value)


class Events(TensorBoardOutputFormat):
    """Writes events for TensorBoard; it hides those of a killed process that came after the checkpoint.

    Args:
        folder: Where they go.
        next_step: No event before it is replaced.
    """

    def __init__(self, folder: Path, next_step: int) -> None:
        # TensorBoard reads files in the order of their names: the second of their making, then the process. A file of
        # this very second could come after ours, and what ours replaces would show up again.
        while any(f".tfevents.{int(time.time()):010d}." in file.name for file in folder.glob("*")):
            time.sleep(0.01)
        self._folder = folder
        with self._writing():
            self.writer = SummaryWriter(log_dir=str(folder), purge_step=next_step or None)
        self._is_closed = False

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Write events. Raises RunError if they cannot be written."""
        with self._writing():
            super().write(key_values, key_excluded, step)

    def close(self) -> None:
        """Close the file; what could not be written has been an error before."""
        with suppress(OSError):
            super().close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as failure:
            raise RunError(f"{self._folder}: cannot be written: {failure.strerror or failure}") from failure


class Curve(Logger):
    """Stable-Baselines3's logger for a run folder.

    Args:
        folder: The run.
        lines: Lines of the table so far.
        steps: Rows learned from so far.
    """

    def __init__(self, folder: RunFolder, lines: int = 0, steps: int = 0) -> None:
        self.table = CurveTable(folder.progress, lines)
        super().__init__(str(folder.path), [self.table, Events(folder.events, steps + 1 if steps else 0)])
