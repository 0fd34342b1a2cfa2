"""Play a match again by the rules, from its replays and transcripts, and compare everything that was recorded."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.arena.courses import digest_of_course
from rr_gym.arena.lines import MatchLine, Pairing
from rr_gym.arena.match_play import game_of
from rr_gym.arena.transcript_check import SeatTranscript
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.processes import ProgressCallback
from rr_gym.json_text import loads
from rr_gym.players.protocol import SeatView
from rr_gym.players.transcript import Transcript
from rr_gym.replay import Replay
from rr_gym.replay.rerun import begin, rerun
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import no_orders
from rr_gym.salt import salt_text

_MOST = 5  # problems of a match that are told


@dataclass(frozen=True, slots=True)
class MatchCheck:
    """A match to be checked.

    Attributes:
        folder: Its folder.
        line: Its line in the log.
        pairing: The match as it was drawn; None if it was not.
        settings: Settings of its table.
        max_cycles: Turns after which a game is truncated.
        programs: Which of its entries are submissions.
    """

    folder: Path
    line: MatchLine
    pairing: Pairing | None
    settings: Mapping[str, Any]
    max_cycles: int
    programs: frozenset[str]


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found.

    Attributes:
        problems: What does not agree, in words.
        games: How many games were played again.
        turns: How many turns they had.
    """

    problems: tuple[str, ...]
    games: int
    turns: int


class MatchChecker:
    """Checks matches in one process."""

    def __call__(self, task: MatchCheck, pause: ProgressCallback) -> Checked | None:
        """Check a match; None if it was stopped."""
        problems: list[str] = []
        turns = 0
        try:
            for problem in _problems(task):
                problems.append(problem)
                if len(problems) == _MOST or pause(0):
                    break
        except (RoboRallyError, OSError, KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
            # Files of strangers may have anything in them; what they have is said below by their digests, too.
            problems.append(f"{task.folder}: {type(error).__name__}: {error}")
        turns = sum(game.turns for game in task.line.games)
        return Checked(tuple(problems), len(task.line.games), turns)

    def close(self) -> None:
        """Release nothing."""


def _problems(task: MatchCheck) -> Iterator[str]:
    line, folder = task.line, task.folder
    contents = {path.name: path.read_bytes() for path in sorted(folder.iterdir())} if folder.is_dir() else {}
    for name in sorted({*contents, *line.files}):
        where = f"{folder / name}"
        if name not in contents:
            yield f"{where}: it is gone"
        elif name not in line.files:
            yield f"{where}: it is not a part of the match"
        elif hashlib.sha256(contents[name]).hexdigest() != line.files[name]:
            yield f"{where}: it was changed: its SHA-256 is not the one in the log"
    if task.pairing is None:
        yield f"match {line.match}: it was never drawn"
        return
    drawn = task.pairing
    if (drawn.table, drawn.course) != (line.table, line.course.id):
        yield f"match {line.match}: {drawn.table}, {drawn.course} was drawn: the log has {line.table}, {line.course.id}"
    if len(line.games) != len(drawn.lineup):
        yield f"match {line.match}: {len(line.games)} games: expected {len(drawn.lineup)}"
    decisions: Counter[str] = Counter()
    faults: dict[str, Counter[str]] = {}
    for number, game in enumerate(line.games, 1):
        first = number - 1
        around = drawn.lineup[first:] + drawn.lineup[:first]
        name = f"game-{number}.json"
        if name not in contents:
            continue
        where = str(folder / name)
        replay = Replay.from_json(loads(contents[name], where), where)
        replay.verify()
        facts = {
            "players": (replay.players, around),
            "seed": ((replay.seed, replay.index, replay.episode), (line.seed, 0, 0)),
            "salt": (salt_text(replay.salt), line.salt),
            "course": (digest_of_course(replay.course), line.course),
            "settings": (dict(replay.settings), asdict(Arena(replay.course, dict(task.settings)).settings[0])),
            "result": (game_of(replay), game),
            "turns": (replay.over or len(replay.turns) == task.max_cycles, True),
        }
        for fact, (found, wanted) in facts.items():
            if found != wanted:
                yield f"{where}: {fact}: {found}: expected {wanted}"
        transcripts = {}
        for seat, entry in enumerate(around):
            file = f"game-{number}-seat-{seat}.jsonl"
            if (entry in task.programs) != (file in line.files):
                yield f"{folder / file}: expected a transcript of each submission, and of nobody else"
            elif file in contents:
                transcript = Transcript.parse(contents[file].decode(), str(folder / file))
                transcripts[seat] = SeatTranscript(transcript)
        yield from _replayed(replay, transcripts, decisions, where)
        for seat, seat_transcript in transcripts.items():
            if seat_transcript.faults:
                faults.setdefault(around[seat], Counter()).update(seat_transcript.faults)
    for what, found_counts, wanted_counts in (
        ("decisions", {name: decisions[name] for name in drawn.lineup}, line.decisions),
        ("faults", {name: dict(kinds) for name, kinds in faults.items()}, line.faults),
    ):
        if found_counts != wanted_counts:
            yield f"match {line.match}: {what}: {wanted_counts}: expected {found_counts}"


def _replayed(
    replay: Replay, transcripts: Mapping[int, SeatTranscript], decisions: Counter[str], where: str
) -> Iterator[str]:
    """Play a game again; count who was asked for decisions, and compare the transcripts."""
    nothing = no_orders(1, full=True).tobytes()
    arena, games = begin(replay)
    again = rerun(replay, arena, games)
    for number, turn in enumerate(replay.turns, 1):
        for seat, name in enumerate(replay.players):
            if games["robots"]["out"][0, seat]:
                if np.asarray(turn.orders[seat]).tobytes() != nothing:
                    yield f"{where}: turn {number}, seat {seat}: orders of an eliminated robot"
                continue
            decisions[name] += 1
            if transcript := transcripts.get(seat):
                view = SeatView.of(arena, games[0], seat)
                for problem in transcript.check_turn(view, turn.orders[seat]):
                    yield f"{where}: turn {number}, seat {seat}: {problem}"
        next(again, None)
    for seat, transcript in transcripts.items():
        for problem in transcript.rest():
            yield f"{where}: seat {seat}: {problem}"
