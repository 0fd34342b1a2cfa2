"""Write the learning curve of a training run: a CSV table and TensorBoard events, both of which can be resumed."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from numbers import Real
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import HParam, KVWriter, Logger, TensorBoardOutputFormat
from torch.utils.tensorboard import SummaryWriter

from rr_gym.files import append_line, read_text, write_file

from .config import TrainConfig
from .folder import RunError, RunFolder

# Columns that depend on the clock, and so differ between otherwise identical training runs
WALL_CLOCK = ("time/fps", "time/time_elapsed", "time/turns_per_second")

# Figures that belong together, since a share of games won says little without flags and finished games
FIGURES_OF_ROLLOUTS = ("rollout/won", "rollout/finished", "rollout/flags", "rollout/ep_rew_mean")
FIGURES_OF_EVALUATIONS = ("eval/win", "eval/finish", "eval/flags", "eval/place")


class CurveTable(KVWriter):
    """Writes one line per step, with the columns of the first line in alphabetical order.

    Args:
        path: The file.
        lines: The number of lines to keep; later lines are cut off.

    Raises:
        RunError: The file holds fewer lines, or cannot be read.
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
        """Add a line with the values that are numbers; columns without a value stay empty.

        Raises:
            RunError: The file cannot be written.
        """
        numbers = {
            name: value
            for name, value in key_values.items()
            if isinstance(value, Real | None) and "csv" not in (key_excluded.get(name) or ())
        }
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        columns = self.columns or sorted(numbers)
        if not self.columns:
            writer.writerow(columns)
        writer.writerow(_number(numbers.get(name)) for name in columns)
        append_line(self._path, text.getvalue().removesuffix("\n"), RunError)
        self.columns = columns
        self.lines += 1

    def close(self) -> None:
        """Do nothing: the file is open only while a line is written."""


def _number(value: Any) -> int | float | str:
    return "" if value is None else value if isinstance(value, int) else float(value)


class Events(TensorBoardOutputFormat):
    """Writes events for TensorBoard; events after the checkpoint from a killed process are hidden.

    Args:
        folder: The folder of the events.
        next_step: The first step to be written; events of earlier steps stay.
    """

    def __init__(self, folder: Path, next_step: int) -> None:
        # TensorBoard reads files in the order of their names: the second of their creation, then the process. A file of
        # this same second could come after ours, and events that ours replaces would show up again.
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
        """Close the file; errors are ignored, since failed writes have raised them already."""
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
        folder: The run folder.
        lines: The number of lines in the table so far.
        steps: The number of rows learned from so far.
        formats: Further outputs that get every line; they are not closed here.
    """

    def __init__(self, folder: RunFolder, lines: int = 0, steps: int = 0, formats: Sequence[KVWriter] = ()) -> None:
        self.table = CurveTable(folder.progress, lines)
        self._events = Events(folder.events, steps + 1 if steps else 0)
        super().__init__(str(folder.path), [self.table, self._events, *formats])

    def close(self) -> None:
        """Close the files of the run folder."""
        self.table.close()
        self._events.close()

    def forget(self) -> None:
        """Drop the values recorded since the last line."""
        self.name_to_value.clear()
        self.name_to_count.clear()
        self.name_to_excluded.clear()

    def write_hyperparameters(self, config: TrainConfig) -> None:
        """Write the configuration to TensorBoard's tab of hyperparameters.

        That tab also shows metrics: the shares of games won and finished, and the flags.
        """
        figures = [*FIGURES_OF_ROLLOUTS, *(FIGURES_OF_EVALUATIONS if config.evaluation.every else ())]
        parameters = HParam(dict(_flat(config.as_mapping())), dict.fromkeys(figures, 0.0))
        for output in self.output_formats:
            if isinstance(output, TensorBoardOutputFormat):
                output.write({"hparams": parameters}, {"hparams": ()}, 0)


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, bool | str | float | int]]:
    """Yield the values of nested mappings by dotted keys, in types that TensorBoard takes."""
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value if isinstance(value, bool | str | float | int) else json.dumps(value)
