"""Manage the folder of an arena: open and close seasons, add and retire entries."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from numbers import Real
from pathlib import Path
from typing import Any

from rr_gym.arena.errors import LadderError
from rr_gym.arena.lines import FORMAT, ArenaLine, CloseLine, EntryLine, RetireLine, Scale, SeasonLine
from rr_gym.arena.log import LOG, ArenaLog, LogFile, read_log, utc_now
from rr_gym.arena.rules_digest import rules_version
from rr_gym.arena.season_salt import delete_salt, salt_file, season_salt, store_salt
from rr_gym.arena.tables import TABLES, select_tables
from rr_gym.bots import Manifest, digest_of
from rr_gym.bots.archive import copy_files
from rr_gym.errors import did_you_mean, list_of_names, short_repr, whole_number
from rr_gym.files import check_path, writing
from rr_gym.locks import hold
from rr_gym.players.program import SECONDS
from rr_gym.registry import check_player
from rr_gym.salt import digest_of_salt, draw_salt, read_salt, salt_text

ENTRIES, MATCHES = "entries", "matches"
ANCHORS = ("random", "greedy", "racer", "planner:500", "veteran", "champion", "strategist:300")
UNSCALED_ANCHORS = ("random",)  # anchors that nearly always lose, so that their ratings would distort the scale
ANCHOR_MEAN = 1000.0  # the mean rating of the anchors
MAX_CYCLES = 100


@contextmanager
def opened(folder: Path) -> Iterator[LogFile]:
    """Lock an arena and yield its log for appending. Raises LadderError if there is no arena, or it is in use."""
    if not (folder / LOG).is_file():
        read_log(folder)  # raises the error
    with hold(folder, LadderError):
        file = LogFile(folder)
        _delete_public_salts(folder, file.log)
        yield file


def _delete_public_salts(folder: Path, log: ArenaLog) -> None:
    """Delete the salts of closed seasons, of which a process that was killed while it closed one leaves the file."""
    for season in log.closed:
        delete_salt(folder, season)


def entry_folder(folder: Path, entry: str) -> Path:
    """Return the folder of a submission in an arena."""
    return folder / ENTRIES / entry.replace(" ", "@")


def match_folder(folder: Path, match: int) -> Path:
    """Return the folder of a match."""
    return folder / MATCHES / f"{match:06}"


def new_season(
    folder: str | os.PathLike[str],
    tables: Sequence[str] | None = None,
    anchors: Sequence[str] | None = None,
    *,
    seconds: float | None = None,
    max_cycles: int | None = None,
    salt: int | str | None = None,
) -> ArenaLog:
    """Open a season. In a new folder this creates an arena; otherwise the arena keeps its tables and entries.

    Args:
        folder: The folder of the arena.
        tables: For a new arena: the names of its tables; None for all.
        anchors: For a new arena: the players of this package that take part; None for `ANCHORS`.
        seconds: For a new arena: how long a submission may take per decision, in seconds; None for 1.
        max_cycles: For a new arena: the number of turns after which a game is truncated; None for 100.
        salt: The salt of the season, which the caller then has to keep; None draws one and stores it in the folder.

    Raises:
        LadderError: An argument is invalid, a season is open, or the folder contains something else.
    """
    path = check_path("folder", folder, LadderError)
    chosen = read_salt("salt", salt, LadderError) if salt is not None else draw_salt()
    if not chosen:
        raise LadderError("salt: 0: expected another salt: with 0, programs could compute all hands")
    with writing(path, LadderError):
        path.mkdir(parents=True, exist_ok=True)
    with hold(path, LadderError):
        new = not (path / LOG).exists()
        if new and not all(_is_left_over(entry.name) for entry in path.iterdir()):
            raise LadderError(f"{path}: expected a new or an empty folder, or an arena")
        given = {"tables": tables, "anchors": anchors, "seconds": seconds, "max_cycles": max_cycles}
        for name, value in given.items():
            if not new and value is not None:
                raise LadderError(f"{name}: cannot be changed: {path} is an arena already")
        lines = _first_lines(
            TABLES if tables is None else tables, ANCHORS if anchors is None else anchors,
            SECONDS if seconds is None else seconds, MAX_CYCLES if max_cycles is None else max_cycles,
        ) if new else []  # fmt: skip
        file = LogFile(path)
        _delete_public_salts(path, file.log)
        if not new and (season := file.log.open_season):
            raise LadderError(f"{path}: season {season.season} is open: close it with rr-gym arena close")
        number = len(file.log.seasons) + 1
        if salt is None:
            store_salt(path, number, chosen)
        else:
            delete_salt(path, number)  # another one, left by a process that was killed before its season opened
        season = SeasonLine(
            time=utc_now(), season=number, salt_sha256=digest_of_salt(chosen), rules=rules_version()
        )
        if new:
            file.begin([*lines[:1], season, *lines[1:]])
        else:
            file.append(season)
        return file.log


def _is_left_over(name: str) -> bool:
    """Tell whether a file may come from a process that was killed before it had made the log of a new arena."""
    salt = salt_file(Path(), 1).name
    return name in (".lock", salt) or name.startswith((f".{LOG}.", f".{salt}."))  # the latter: not written to its end


def _first_lines(tables: Any, anchors: Any, seconds: Any, max_cycles: Any) -> list[ArenaLine | EntryLine]:
    """Return the lines of a new arena, but for its first season, after checking the arguments of `new_season`."""
    tables, anchors = list_of_names("tables", tables, LadderError), list_of_names("anchors", anchors, LadderError)
    for anchor in anchors:
        check_player(anchor)
        if anchors.count(anchor) > 1:
            raise LadderError(f"anchors: '{anchor}' occurs twice: expected different ones")
    seconds = _positive("seconds", seconds)
    scale = Scale(tuple(name for name in anchors if name not in UNSCALED_ANCHORS), ANCHOR_MEAN)
    first = ArenaLine(
        time=utc_now(), format=FORMAT, tables=select_tables(tables), scale=scale, seconds=seconds,
        max_cycles=whole_number("max_cycles", max_cycles, 1, error=LadderError),
    )  # fmt: skip
    entered = [
        EntryLine(
            time=utc_now(), season=1, entry=name, anchor=True, digest="", author="", licence="", seats=(1, 8)
        )
        for name in anchors
    ]
    return [first, *entered]


def _positive(where: str, value: Any) -> float:
    """Return a number as a float after checking that it is finite and above 0."""
    number = math.nan
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):  # a whole number that is too large for a float
            number = float(value)
    if not (math.isfinite(number) and number > 0):
        raise LadderError(f"{where}: {short_repr(value)}: expected a finite number above 0")
    return number


def add_entry(folder: str | os.PathLike[str], bot: str | os.PathLike[str]) -> EntryLine:
    """Enter a submission. Its files are copied, so the original may be changed or deleted afterwards.

    Args:
        folder: The folder of the arena.
        bot: The folder of the submission.

    Raises:
        RoboRallyError: No season is open, the submission is malformed, or its name and version are taken.
    """
    path, source = check_path("folder", folder, LadderError), check_path("bot", bot, LadderError)
    manifest, digest = Manifest.load(source), digest_of(source)
    with opened(path) as file:
        season = require_open_season(file.log, path)
        if there := file.log.entries.get(manifest.title):
            same = "with the same files" if there.digest == digest else "expected another version"
            raise LadderError(f"{source}: the arena already has an entry {manifest.title}: {same}")
        _copy(source, entry_folder(path, manifest.title), digest)
        low, high = manifest.options.seats
        entry = EntryLine(
            time=utc_now(), season=season.season, entry=manifest.title, anchor=False, digest=digest,
            author=manifest.author, licence=manifest.licence, seats=(low, high),
        )  # fmt: skip
        file.append(entry)
        return entry


def _copy(source: Path, to: Path, digest: str) -> None:
    """Copy the files of a submission atomically."""
    with writing(to, LadderError):
        to.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".adding-", dir=to.parent))
    try:
        with writing(to, LadderError):
            copy_files(source, made)
            made.chmod(0o755)
            if digest_of(made) != digest:
                raise LadderError(f"{source}: its files changed while they were being copied: try again")
            if to.exists():  # left by an `add` that was killed before it wrote its line
                shutil.rmtree(to)
            made.replace(to)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def retire_entry(folder: str | os.PathLike[str], entry: str, why: str = "by the host") -> RetireLine:
    """Retire an entry, which keeps its rating; matches that were drawn with it will be void.

    Raises LadderError if there is no such active entry.
    """
    path = check_path("folder", folder, LadderError)
    with opened(path) as file:
        active = [line.entry for line in file.log.active]
        if entry not in active:
            hint = did_you_mean(entry, active) or f"expected {' | '.join(active)}"
            raise LadderError(f"entry: there is no active entry '{entry}': {hint}")
        line = RetireLine(time=utc_now(), season=require_open_season(file.log, path).season, entry=entry, why=why)
        file.append(line)
        return line


def close_season(folder: str | os.PathLike[str], salt: int | str | None = None) -> CloseLine:
    """Close the season and publish its salt. Matches that were drawn but not played are dropped.

    Args:
        folder: The folder of the arena.
        salt: The salt of the season, if it was given when the season was opened.

    Raises:
        LadderError: No season is open, or the salt is not that of the season.
    """
    path = check_path("folder", folder, LadderError)
    with opened(path) as file:
        season = require_open_season(file.log, path)
        text = salt_text(season_salt(path, season, salt))
        line = CloseLine(time=utc_now(), season=season.season, salt=str(text))
        file.append(line)
        delete_salt(path, season.season)
        return line


def require_open_season(log: ArenaLog, folder: Path) -> SeasonLine:
    """Return the open season. Raises LadderError if there is none."""
    season = log.open_season
    if season is None:
        raise LadderError(f"{folder}: season {len(log.seasons)} is closed: open the next one with rr-gym arena new")
    return season
