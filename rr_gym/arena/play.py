"""Play the matches of an arena: by processes here, or on the machines of a Ray cluster."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from rr_gym.arena.courses import SeasonCourse
from rr_gym.arena.errors import LadderError
from rr_gym.arena.folder import MATCHES, entry_folder, match_folder, opened, require_open_season
from rr_gym.arena.lines import MatchLine, Pairing, RetireLine, RoundLine, VoidLine
from rr_gym.arena.log import ArenaLog, LogFile, utc_now
from rr_gym.arena.match_play import MatchTask, MatchWorkerFactory, PlayedMatch, Source
from rr_gym.arena.pairing import Draw
from rr_gym.arena.rules_digest import rules_version
from rr_gym.arena.season_salt import match_salt, season_salt
from rr_gym.bots import BotError
from rr_gym.bots.archive import archive
from rr_gym.errors import check_report, whole_number
from rr_gym.evaluation.executor import share
from rr_gym.evaluation.processes import MAX_WORKERS
from rr_gym.files import check_path, write_file, writing
from rr_gym.players.sandbox import BUBBLEWRAP, choose_kind
from rr_gym.progress import Report
from rr_gym.salt import salt_text

_PATIENCE = 2.0  # seconds until a running match is abandoned on Ctrl-C; it is played again later


def play_matches(
    folder: str | os.PathLike[str],
    matches: int,
    *,
    workers: int | None = None,
    ray: str | None = None,
    sandbox: str | None = None,
    salt: int | str | None = None,
    report: Report | None = None,
) -> ArenaLog:
    """Play matches of the open season, first those that an earlier call drew but did not play.

    Args:
        folder: The folder of the arena.
        matches: The number of matches to play; drawn ones that are void because an entry has retired do not count.
        workers: The number of processes; None for one per core, at most 8.
        ray: The address of a Ray cluster whose machines play instead (docs/scaling.md).
        sandbox: The kind of sandbox for submissions. None requires bubblewrap: other kinds let programs read the files
            of this user, including the salt, so they have to be chosen explicitly.
        salt: The salt of the season, if it was given when the season was opened.
        report: Called with the number of matches played so far, and the total.

    Returns:
        The log after the last match.

    Raises:
        RoboRallyError: No season is open, it has other rules than this package, another process uses the folder, the
            folder cannot be written, there are too few entries, or this machine cannot play a match.
    """
    path = check_path("folder", folder, LadderError)
    matches = whole_number("matches", matches, 1, error=LadderError)
    if workers is not None:
        workers = whole_number("workers", workers, 1, MAX_WORKERS, LadderError)
    check_report(report, LadderError)
    with opened(path) as file:
        run = _SeasonRun(path, file, matches, sandbox, salt, send=ray is not None)
        tasks = run.tasks()
        with closing(share(run.factory, tasks, workers, lambda _: None, _PATIENCE, ray)) as played:
            for number, (task, result) in enumerate(played, 1):
                run.record(task, result)
                if report:
                    report(number, matches)
        return file.log


class _Tasks:
    """A sized iterable of tasks that are made lazily."""

    def __init__(self, count: int, tasks: Iterator[MatchTask]) -> None:
        self._count, self._tasks = count, tasks

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[MatchTask]:
        return self._tasks


class _SeasonRun:
    """Draws the matches of the open season, and records their results."""

    def __init__(
        self, folder: Path, file: LogFile, count: int, sandbox: str | None, salt: int | str | None, send: bool
    ) -> None:
        self.folder, self.file, self.count = folder, file, count
        self.season = require_open_season(file.log, folder)
        if self.season.rules != rules_version():
            raise LadderError(
                f"{folder}: season {self.season.season} has the rules of {self.season.rules}, but this is "
                f"{rules_version()}: close it and open another one, or use that version"
            )
        self.salt = season_salt(folder, self.season, salt)
        # Only these play: matches that were drawn with an entry which has retired since are void.
        active = file.log.active
        programs = [entry for entry in active if not entry.anchor]
        kind = choose_kind(sandbox) if programs else None
        if programs and sandbox is None and kind != BUBBLEWRAP:
            raise LadderError(
                f"sandbox: bubblewrap does not work here, and in '{kind}' programs can read the files of this user, "
                "including the salt of the season: expected --sandbox, to play anyway"
            )
        sources = {
            entry.entry: Source(entry.entry, entry.digest, None if entry.anchor else self._home(entry.entry))
            for entry in active
        }
        if send:  # the other machines do not have the folder
            sources = {name: self._with_archive(source) for name, source in sources.items()}
        self.factory = MatchWorkerFactory(sources, file.log.arena.seconds, kind)
        self.draw = Draw(file.log, self.season, self.salt)
        self.pairings: dict[int, Pairing] = {}
        self._remove_unfinished()

    def _home(self, entry: str) -> Path:
        return entry_folder(self.folder, entry).resolve()

    def _with_archive(self, source: Source) -> Source:
        """Replace the folder of a submission by its archive; if its files are bad, its first match reports the error.

        Raises BotError if they cannot be read, for which this machine is to blame.
        """
        if source.folder is None:
            return source
        try:
            return Source(source.entry, source.digest, None, archive(source.folder))
        except BotError as error:
            if isinstance(error.__cause__, OSError):
                raise
            return source

    def _remove_unfinished(self) -> None:
        """Remove the folders of matches that were drawn but not finished; whatever else is there is not ours."""
        home = self.folder / MATCHES
        with writing(home, LadderError):
            home.mkdir(exist_ok=True)
            for pairing in self.file.log.unplayed:
                path = match_folder(self.folder, pairing.match)
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)

    def tasks(self) -> _Tasks:
        """Return the matches to play: unplayed ones first, then new ones, which are drawn when they are needed."""
        return _Tasks(self.count, self._tasks())

    def _tasks(self) -> Iterator[MatchTask]:
        numbers = self._drawn_numbers()
        waiting = [pairing for pairing in self.file.log.unplayed if pairing.match in numbers]
        left = self.count
        while left:
            if not waiting:
                waiting = self._next_round()
            pairing = waiting.pop(0)
            if retired := [name for name in pairing.lineup if name in self.file.log.retired]:
                self._void(pairing.match, f"{' and '.join(retired)} retired before it was played")
                continue
            left -= 1
            self.pairings[pairing.match] = pairing
            yield self._task(pairing)

    def _void(self, match: int, why: str) -> None:
        self.file.append(VoidLine(time=utc_now(), match=match, season=self.season.season, why=why))

    def _drawn_numbers(self) -> set[int]:
        """Return the numbers of the matches that were drawn in this season."""
        rounds = [line for line in self.file.log.rounds if line.season == self.season.season]
        return {pairing.match for line in rounds for pairing in line.matches}

    def _next_round(self) -> list[Pairing]:
        pairings = self.draw.next_round(self.file.log)
        number = len(self.file.log.rounds) + 1
        self.file.append(RoundLine(time=utc_now(), season=self.season.season, round=number, matches=tuple(pairings)))
        return pairings

    def _course(self, pairing: Pairing) -> SeasonCourse:
        return self.draw.course(pairing)

    def _task(self, pairing: Pairing) -> MatchTask:
        return MatchTask(
            match=pairing.match,
            course=self._course(pairing).course,
            settings=self.draw.tables[pairing.table].settings,
            lineup=pairing.lineup,
            seed=pairing.match,
            salt=match_salt(self.salt, pairing.match),
            max_cycles=self.file.log.arena.max_cycles,
        )

    def record(self, task: MatchTask, result: PlayedMatch) -> None:
        """Write the files of a match, then its line. Raises LadderError if they cannot be written."""
        season = self.season.season
        if result.failure:
            self._void(task.match, result.failure)
            if result.culprit and result.culprit not in self.file.log.retired:
                retired = RetireLine(time=utc_now(), season=season, entry=result.culprit, why=result.failure)
                self.file.append(retired)
            return
        folder = match_folder(self.folder, task.match)
        for name, content in result.files.items():
            write_file(folder / name, content, LadderError)
        pairing = self.pairings[task.match]
        line = MatchLine(
            time=utc_now(), match=task.match, season=season, table=pairing.table, course=self._course(pairing).digest,
            seed=task.seed, salt=str(salt_text(task.salt)), games=result.games, decisions=dict(result.decisions),
            faults={name: dict(kinds) for name, kinds in result.faults.items()}, seconds=dict(result.seconds),
            sandboxes=dict(result.sandboxes), begun=result.begun,
            files={name: sha256(content).hexdigest() for name, content in result.files.items()},
        )  # fmt: skip
        self.file.append(line)
