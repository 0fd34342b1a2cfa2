"""Verify an arena: play all of its matches again by the rules, and recompute everything else."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rr_gym.arena.errors import LadderError
from rr_gym.arena.folder import ENTRIES, MATCHES, entry_folder, match_folder
from rr_gym.arena.ladder import LADDER, make_ladder
from rr_gym.arena.lines import SeasonLine
from rr_gym.arena.log import LOG, ArenaLog, read_log
from rr_gym.arena.match_check import MatchCheck, MatchChecker
from rr_gym.arena.rules_digest import rules_version
from rr_gym.arena.season_check import draw_problems, sequence_problems
from rr_gym.arena.season_salt import salt_file, season_salt
from rr_gym.bots import digest_of
from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.evaluation.executor import share
from rr_gym.files import check_path, read_text
from rr_gym.json_text import loads
from rr_gym.progress import Report
from rr_gym.salt import read_salt

_PATIENCE = 2.0
_ROOT = {LOG, LADDER, ENTRIES, MATCHES, ".lock"}


@dataclass(frozen=True, slots=True)
class ArenaVerdict:
    """The result of verifying an arena.

    Attributes:
        problems: The problems found, in words; empty if everything is correct.
        notes: What could not be checked, in words.
        head: The hash of the last line of the log; empty if the log is damaged.
        lines: The number of lines in the log.
        matches: The number of matches played again.
        games: The number of games played again.
        turns: The number of turns played again.
    """

    problems: tuple[str, ...]
    notes: tuple[str, ...]
    head: str
    lines: int
    matches: int
    games: int
    turns: int

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `json.dump`."""
        return {"verified": not self.problems, **asdict(self)}

    def text(self) -> str:
        """Return the verdict as text."""
        played = f"{self.matches:,} matches, {self.games:,} games, {self.turns:,} turns played again by the rules"
        many = f"{len(self.problems):,} problem{'s' * (len(self.problems) != 1)}"
        end = many if self.problems else f"verified; head of the chain: {self.head}"
        return "\n".join([*self.problems, *(f"note: {note}" for note in self.notes), played, end])


def verify(
    folder: str | os.PathLike[str],
    *,
    head: str | None = None,
    season: int | None = None,
    workers: int | None = None,
    ray: str | None = None,
    report: Report | None = None,
) -> ArenaVerdict:
    """Verify an arena. This does not run any bot, since replays and transcripts contain all decisions.

    Args:
        folder: The folder of the arena.
        head: A published head of the chain, 64 hexadecimal digits, which must occur in the log. Without one, a log that
            was rewritten from its beginning cannot be distinguished from the original.
        season: Play again only the matches of this season; the log is still checked as a whole.
        workers: The number of processes; None for one per core, at most 8.
        ray: The address of a Ray cluster whose machines see the folder under the same path.
        report: Called with the number of matches played again so far, and the total.

    Raises:
        LadderError: There is no arena, the head cannot be one, or matches were played by other rules than those of this
            package.
    """
    path = check_path("folder", folder, LadderError)
    head = None if head is None else _checked_head(head)
    try:
        log = read_log(path)
    except LadderError as error:
        if not (path / LOG).is_file():
            raise
        return ArenaVerdict((str(error),), (), "", 0, 0, 0, 0)
    seasons = [line for line in log.seasons if season in (None, line.season)]
    if not seasons:
        raise LadderError(f"season: {season}: expected 1 to {len(log.seasons)}")
    for line in seasons:
        if line.rules != rules_version():
            raise LadderError(
                f"{path}: season {line.season} was played by the rules of {line.rules}, but this is "
                f"{rules_version()}: use that version"
            )
    misplaced = list(sequence_problems(log))
    problems = [*_head_problems(log, head), *misplaced, *_stray_files(path, log)]
    notes: list[str] = []
    # If the lines of a log are inconsistent, its draws cannot be repeated.
    for problem, note in (*_entry_problems(path, log), *(_draws(path, log, seasons) if not misplaced else ())):
        (notes if note else problems).append(problem)
    problems += _ladder_problems(path, log)
    matches = games = turns = 0
    tasks = _tasks(path, log, seasons)
    with closing(share(MatchChecker, tasks, workers, lambda _: None, _PATIENCE, ray)) as results:
        for _, checked in results:
            matches, games, turns = matches + 1, games + checked.games, turns + checked.turns
            problems += checked.problems
            if report:
                report(matches, len(tasks))
    return ArenaVerdict(tuple(problems), tuple(notes), log.head, len(log.lines), matches, games, turns)


def _tasks(path: Path, log: ArenaLog, seasons: Iterable[SeasonLine]) -> list[MatchCheck]:
    pairings, tables = log.pairings, log.tables
    numbers = {line.season for line in seasons}
    programs = frozenset(name for name, entry in log.entries.items() if not entry.anchor)
    return [
        MatchCheck(
            match_folder(path, number), line, pairings.get(number), tables[line.table].settings,
            log.arena.max_cycles, log.arena.seconds, programs,
        )
        for number, line in log.matches.items()
        if line.season in numbers
    ]


def _checked_head(head: Any) -> str:
    """Return a head of a chain as the log has it. Raises LadderError if it is mistyped, which proves no forgery."""
    digits = head.strip().lower() if isinstance(head, str) else ""
    if not re.fullmatch("[0-9a-f]{64}", digits):
        raise LadderError(f"head: {short_repr(head)}: expected 64 hexadecimal digits")
    return digits


def _head_problems(log: ArenaLog, head: str | None) -> Iterator[str]:
    if head is not None and head not in {line.hash for line in log.lines}:
        yield f"{LOG}: the head {head} does not occur in its chain: lines were changed and chained again"


def _stray_files(path: Path, log: ArenaLog) -> Iterator[str]:
    """Yield files and folders that do not belong to anything in the log."""
    known = {match_folder(path, number).name for number in log.matches}
    unplayed = {match_folder(path, pairing.match).name for pairing in log.unplayed}  # they may be in progress
    # The salt of a closed season is public: a process that was killed while it closed the season leaves the file, and
    # one that was killed before it opened the next season leaves that of the next one.
    next_season = [] if log.open_season else [len(log.seasons) + 1]
    salts = {salt_file(path, season).name for season in (*(line.season for line in log.seasons), *next_season)}
    entries = {entry_folder(path, entry.entry).name for entry in log.entries.values() if not entry.anchor}
    for home, names in ((path, _ROOT | salts), (path / MATCHES, known | unplayed), (path / ENTRIES, entries)):
        for found in sorted(home.iterdir()) if home.is_dir() else ():
            if found.name not in names and not found.name.startswith("."):
                yield f"{found}: not a part of the arena"


def _entry_problems(path: Path, log: ArenaLog) -> Iterator[tuple[str, bool]]:
    """Yield a problem for each submission whose files were changed, and a note for each whose files are missing."""
    for name, entry in log.entries.items():
        folder = entry_folder(path, name)
        if entry.anchor:
            continue
        if not folder.is_dir():
            yield f"{folder}: missing: the files of {name} cannot be checked, its games can", True
            continue
        try:
            digest = digest_of(folder)
        except RoboRallyError as error:
            yield str(error), False
            continue
        if digest != entry.digest:
            yield f"{folder}: its files have changed since {name} entered", False


def _draws(path: Path, log: ArenaLog, seasons: Iterable[SeasonLine]) -> Iterator[tuple[str, bool]]:
    """Yield a problem for each draw that does not follow from the salts, and a note for each unpublished salt."""
    for season in seasons:
        if closed := log.closed.get(season.season):
            salt = read_salt("salt", closed.salt, LadderError)
        elif salt_file(path, season.season).is_file():
            try:
                salt = season_salt(path, season, None)
            except LadderError as error:
                yield str(error), False
                continue
        else:
            why = "until its salt is published, the draws of courses, deals and pairings cannot be checked"
            yield f"season {season.season} is open; {why}", True
            continue
        for problem in draw_problems(log, season, salt):
            yield problem, False


def _ladder_problems(path: Path, log: ArenaLog) -> Iterator[str]:
    """Yield a problem if the ladder in the folder does not follow from the log."""
    file = path / LADDER
    if not file.is_file():
        return
    try:
        found = loads(read_text(file, LadderError), str(file), LadderError)
    except LadderError as error:
        yield str(error)
        return
    lines = found.get("lines") if isinstance(found, dict) else None
    if type(lines) is not int or not 1 <= lines <= len(log.lines):
        yield f"{file}: lines: {lines}: expected 1 to {len(log.lines)}"
    elif read_text(file, LadderError) != make_ladder(log.until(lines)).file_text():
        yield f"{file}: its figures do not follow from the first {lines:,} lines of the log"
