"""The folder of an arena: make one, begin and end seasons, add and retire entries. One process at a time changes it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rr_gym.arena.errors import LadderError
from rr_gym.arena.lines import FORMAT, ArenaLine, CloseLine, EntryLine, RetireLine, Scale, SeasonLine
from rr_gym.arena.log import LOG, ArenaLog, LogFile, read_log, utc_now
from rr_gym.arena.rules_digest import rules_version
from rr_gym.arena.season_salt import forget_salt, keep_salt, season_salt
from rr_gym.arena.tables import TABLES, tables_named
from rr_gym.bots import Manifest, digest_of
from rr_gym.bots.archive import copy_files
from rr_gym.errors import did_you_mean, whole_number
from rr_gym.files import check_path, writing
from rr_gym.locks import hold
from rr_gym.players.program import SECONDS
from rr_gym.registry import check_player
from rr_gym.salt import digest_of_salt, draw_salt, read_salt, salt_text

ENTRIES, MATCHES = "entries", "matches"
ANCHORS = ("random", "greedy", "racer", "planner:500", "veteran", "champion", "strategist:300")
NO_SCALE = ("random",)  # anchors that lose nearly always: their ratings say little, and would move the scale
MEAN = 1000.0  # rating of the anchors
MAX_CYCLES = 100


@contextmanager
def opened(folder: Path) -> Iterator[LogFile]:
    """Hold an arena and yield its log, to be appended to. Raises LadderError if there is none, or it is in use."""
    if not (folder / LOG).is_file():
        read_log(folder)  # raises the error
    with hold(folder, LadderError):
        yield LogFile(folder)


def entry_folder(folder: Path, entry: str) -> Path:
    """Return the folder in which an arena keeps the files of a submission."""
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
    """Make an arena with its first season; or begin the next season of an arena, which keeps tables and entries.

    Args:
        folder: The folder.
        tables: For a new arena: the names of its tables; None for all.
        anchors: For a new arena: the players of this package that take part; None for `ANCHORS`.
        seconds: For a new arena: the time of submissions for a decision; None for 1.
        max_cycles: For a new arena: turns after which a game is truncated; None for 100.
        salt: The salt of the season, which is not written down then; None draws one and keeps it in the folder.

    Raises:
        LadderError: An argument is wrong, a season is going on, or the folder has something else in it.
    """
    path = check_path("folder", folder, LadderError)
    chosen = read_salt("salt", salt, LadderError) if salt is not None else draw_salt()
    if not chosen:
        raise LadderError("salt: 0: expected a salt, without which programs can know all hands")
    with writing(path, LadderError):
        path.mkdir(parents=True, exist_ok=True)
    with hold(path, LadderError):
        new = not (path / LOG).exists()
        if new and any(entry.name not in (".lock", LOG) for entry in path.iterdir()):
            raise LadderError(f"{path}: expected a new or an empty folder, or an arena")
        given = {"tables": tables, "anchors": anchors, "seconds": seconds, "max_cycles": max_cycles}
        for name, value in given.items():
            if not new and value is not None:
                raise LadderError(f"{name}: {path} is an arena: expected none, since it keeps what it began with")
        lines = _first_lines(
            TABLES if tables is None else tables, ANCHORS if anchors is None else anchors,
            SECONDS if seconds is None else seconds, MAX_CYCLES if max_cycles is None else max_cycles,
        ) if new else []  # fmt: skip
        file = LogFile(path)
        if not new and (going := file.log.open_season):
            raise LadderError(f"{path}: season {going.season} is going on: rr-gym arena close ends it")
        number = len(file.log.seasons) + 1
        if salt is None:
            keep_salt(path, number, chosen)
        season = SeasonLine(
            time=utc_now(), season=number, salt_sha256=digest_of_salt(chosen), rules=rules_version()
        )
        for line in [*lines[:1], season, *lines[1:]]:
            file.append(line)
        return file.log


def _first_lines(
    tables: Iterable[str], anchors: Sequence[str], seconds: float, max_cycles: int
) -> list[ArenaLine | EntryLine]:
    for anchor in anchors:
        check_player(anchor)
        if anchors.count(anchor) > 1:
            raise LadderError(f"anchors: '{anchor}' occurs twice: expected different ones")
    if not seconds > 0:
        raise LadderError(f"seconds: {seconds:g}: expected a number above 0")
    scale = Scale(tuple(name for name in anchors if name not in NO_SCALE), MEAN)
    first = ArenaLine(
        time=utc_now(), format=FORMAT, tables=tables_named(tables), scale=scale, seconds=float(seconds),
        max_cycles=whole_number("max_cycles", max_cycles, 1, error=LadderError),
    )  # fmt: skip
    entered = [
        EntryLine(
            time=utc_now(), season=1, entry=name, anchor=True, digest="", author="", licence="", seats=(1, 8)
        )
        for name in anchors
    ]
    return [first, *entered]


def add_entry(folder: str | os.PathLike[str], bot: str | os.PathLike[str]) -> EntryLine:
    """Enter a submission: its files are copied, so that it may change or go afterwards.

    Args:
        folder: The folder of the arena.
        bot: The folder of the submission.

    Raises:
        RoboRallyError: No season is going on, the submission is not well formed, or its name and version are taken.
    """
    path, source = check_path("folder", folder, LadderError), check_path("bot", bot, LadderError)
    manifest, digest = Manifest.load(source), digest_of(source)
    with opened(path) as file:
        season = going_on(file.log, path)
        if there := file.log.entries.get(manifest.title):
            same = "these files are there already" if there.digest == digest else "expected another version"
            raise LadderError(f"{source}: {manifest.title}: the arena has an entry of this name and version: {same}")
        _copy(source, entry_folder(path, manifest.title), digest)
        low, high = manifest.options.seats
        entry = EntryLine(
            time=utc_now(), season=season.season, entry=manifest.title, anchor=False, digest=digest,
            author=manifest.author, licence=manifest.licence, seats=(low, high),
        )  # fmt: skip
        file.append(entry)
        return entry


def _copy(source: Path, to: Path, digest: str) -> None:
    """Copy the files of a submission, all or none."""
    with writing(to, LadderError):
        to.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".adding-", dir=to.parent))
    try:
        with writing(to, LadderError):
            copy_files(source, made)
            made.chmod(0o755)
            if digest_of(made) != digest:
                raise LadderError(f"{source}: its files changed while they were copied: try again")
            if to.exists():  # of an `add` that was killed before its line was written
                shutil.rmtree(to)
            made.replace(to)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def retire_entry(folder: str | os.PathLike[str], entry: str, why: str = "by the host") -> RetireLine:
    """Let an entry play no more; it keeps its rating. Raises LadderError if there is none that plays."""
    path = check_path("folder", folder, LadderError)
    with opened(path) as file:
        playing = [line.entry for line in file.log.active]
        if entry not in playing:
            hint = did_you_mean(entry, playing) or f"expected {' | '.join(playing)}"
            raise LadderError(f"entry: there is no '{entry}' that plays: {hint}")
        line = RetireLine(time=utc_now(), season=going_on(file.log, path).season, entry=entry, why=why)
        file.append(line)
        return line


def close_season(folder: str | os.PathLike[str], salt: int | str | None = None) -> CloseLine:
    """End the season and publish its salt. Matches that were drawn and not played are played no more.

    Args:
        folder: The folder of the arena.
        salt: The salt of the season, if it was given when it began.

    Raises:
        LadderError: No season is going on, or it is not its salt.
    """
    path = check_path("folder", folder, LadderError)
    with opened(path) as file:
        season = going_on(file.log, path)
        text = salt_text(season_salt(path, season, salt))
        line = CloseLine(time=utc_now(), season=season.season, salt=str(text))
        file.append(line)
        forget_salt(path, season.season)
        return line


def going_on(log: ArenaLog, folder: Path) -> SeasonLine:
    """Return the season that is going on. Raises LadderError if there is none."""
    season = log.open_season
    if season is None:
        raise LadderError(f"{folder}: season {len(log.seasons)} is over: rr-gym arena new {folder} begins the next")
    return season
