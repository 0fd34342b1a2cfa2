"""Verify a match: play it again by the rules from its replays and transcripts, and compare all that was recorded."""

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
from rr_gym.arena.match_play import SCORED, game_outcome
from rr_gym.arena.transcript_check import SeatTranscript
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.processes import ProgressCallback
from rr_gym.json_text import loads
from rr_gym.player_calls import TableFacts
from rr_gym.players.protocol import SeatView
from rr_gym.players.transcript import Transcript
from rr_gym.replay import Replay
from rr_gym.replay.rerun import begin
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.hidden import games_for
from rr_gym.rules.state.records import new_log, no_orders
from rr_gym.salt import salt_text, salted_seed

_MAX_PROBLEMS = 5  # reported per match


@dataclass(frozen=True, slots=True)
class MatchCheck:
    """A match to verify.

    Attributes:
        folder: The folder of the match.
        line: The line of the match in the log.
        pairing: The match as it was drawn; None if it never was.
        settings: The settings of its table.
        max_cycles: The number of turns after which a game is truncated.
        seconds: How long a submission may take per decision.
        programs: The entries of the arena that are submissions.
    """

    folder: Path
    line: MatchLine
    pairing: Pairing | None
    settings: Mapping[str, Any]
    max_cycles: int
    seconds: float
    programs: frozenset[str]


@dataclass(frozen=True, slots=True)
class CheckedMatch:
    """The result of verifying a match.

    Attributes:
        problems: The problems found, in words.
        games: The number of games played again.
        turns: The number of turns played again.
    """

    problems: tuple[str, ...]
    games: int
    turns: int


class MatchChecker:
    """Verifies matches in one process."""

    def __call__(self, task: MatchCheck, pause: ProgressCallback) -> CheckedMatch | None:
        """Verify a match. Returns None if it was stopped."""
        problems: list[str] = []
        try:
            for problem in _problems(task):
                problems.append(problem)
                if len(problems) == _MAX_PROBLEMS or pause(0):
                    break
        except (RoboRallyError, OSError, KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
            # The files of a stranger may contain anything.
            problems.append(f"{task.folder}: {type(error).__name__}: {error}")
        turns = sum(game.turns for game in task.line.games)
        return CheckedMatch(tuple(problems), len(task.line.games), turns)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def _problems(task: MatchCheck) -> Iterator[str]:
    """Yield the problems of a match. Raises errors of many kinds if a file is damaged."""
    line, drawn = task.line, task.pairing
    contents = {path.name: path.read_bytes() for path in task.folder.iterdir()} if task.folder.is_dir() else {}
    yield from _file_problems(task, contents)
    if drawn is None:
        yield f"match {line.match}: it was never drawn"
        return
    if (drawn.table, drawn.course) != (line.table, line.course.id):
        yield f"match {line.match}: {drawn.table}, {drawn.course} was drawn: the log has {line.table}, {line.course.id}"
    decisions: Counter[str] = Counter()
    faults: dict[str, Counter[str]] = {}
    for number in range(1, len(line.games) + 1):
        if f"game-{number}.json" in contents:
            yield from _game_problems(task, number, contents, decisions, faults)
    found = {name: decisions[name] for name in drawn.lineup}
    if found != line.decisions:
        yield f"match {line.match}: decisions: {line.decisions}: expected {found}"
    if faults != line.faults:
        yield f"match {line.match}: faults: {line.faults}: expected {({name: dict(n) for name, n in faults.items()})}"


def _file_problems(task: MatchCheck, contents: Mapping[str, bytes]) -> Iterator[str]:
    """Yield files that are missing, were changed, or do not belong to the match."""
    for name in sorted({*contents, *task.line.files}):
        where = task.folder / name
        if name not in contents:
            yield f"{where}: missing"
        elif name not in task.line.files:
            yield f"{where}: not a part of the match"
        elif hashlib.sha256(contents[name]).hexdigest() != task.line.files[name]:
            yield f"{where}: changed: its SHA-256 is not the one in the log"


def _game_problems(
    task: MatchCheck,
    number: int,
    contents: Mapping[str, bytes],
    decisions: Counter[str],
    faults: dict[str, Counter[str]],
) -> Iterator[str]:
    """Yield the problems of a game, and count its decisions and faults.

    Args:
        task: The match, which was drawn.
        number: The number of the game, from 1.
        contents: The files of the match by name.
        decisions: The number of decisions by entry, to which those of the game are added.
        faults: The number of lost decisions by entry and kind, to which those of the game are added.
    """
    line, lineup = task.line, task.pairing.lineup if task.pairing else ()
    names = lineup[number - 1 :] + lineup[: number - 1]
    where = str(task.folder / f"game-{number}.json")
    replay = Replay.from_json(loads(contents[f"game-{number}.json"], where), where)
    replay.verify()
    wanted_facts = {
        "players": (replay.players, names),
        "seed": ((replay.seed, replay.index, replay.episode), (line.seed, 0, 0)),
        "salt": (salt_text(replay.salt), line.salt),
        "course": (digest_of_course(replay.course), line.course),
        "settings": (dict(replay.settings), asdict(Arena(replay.course, dict(task.settings)).settings[0])),
        "turns": (replay.over or len(replay.turns) == task.max_cycles, True),
    }
    for fact, (found, wanted) in wanted_facts.items():
        if found != wanted:
            yield f"{where}: {fact}: {found}: expected {wanted}"
    transcripts: dict[int, SeatTranscript] = {}
    for seat, entry in enumerate(names):
        file = f"game-{number}-seat-{seat}.jsonl"
        if (entry in task.programs) != (file in line.files):
            yield f"{task.folder / file}: expected transcripts of submissions, and only of these"
        elif file in contents:
            recorded = Transcript.parse(contents[file].decode(), str(task.folder / file))
            facts = TableFacts(names, SCORED, task.max_cycles)
            player_seed = salted_seed(replay.salt, line.seed, seat)
            transcripts[seat] = SeatTranscript(recorded, seat, facts, task.seconds, player_seed)
    yield from _replay_problems(replay, transcripts, decisions, where)
    result = game_outcome(replay, [seat for seat, transcript in transcripts.items() if transcript.forfeited])
    if result != line.games[number - 1]:
        yield f"{where}: result: {result}: expected {line.games[number - 1]}"
    for seat, transcript in transcripts.items():
        if transcript.faults:
            faults.setdefault(names[seat], Counter()).update(transcript.faults)


def _replay_problems(
    replay: Replay, transcripts: Mapping[int, SeatTranscript], decisions: Counter[str], where: str
) -> Iterator[str]:
    """Play a game again, yield where the transcripts differ from it, and count the decisions of each entry."""
    nothing = no_orders(1, full=True).tobytes()
    arena, games = begin(replay)
    logs = new_log()
    for transcript in transcripts.values():
        transcript.begin(games_for(None, games))
    for number, turn in enumerate(replay.turns, 1):
        known = games_for(None, games)
        for seat, name in enumerate(replay.players):
            if games["robots"]["out"][0, seat]:
                if np.asarray(turn.orders[seat]).tobytes() != nothing:
                    yield f"{where}: turn {number}, seat {seat}: orders of an eliminated robot"
                continue
            decisions[name] += 1
            if seat in transcripts:
                view = SeatView.of(arena, known[0], seat)
                for problem in transcripts[seat].check_turn(view, turn.orders[seat]):
                    yield f"{where}: turn {number}, seat {seat}: {problem}"
        arena.play(games, turn.batch(), logs=logs)
        for seat, transcript in transcripts.items():
            for problem in transcript.check_events(arena, games_for(None, games), logs, number == len(replay.turns)):
                yield f"{where}: turn {number}, seat {seat}: {problem}"
    for seat, transcript in transcripts.items():
        for problem in transcript.check_end():
            yield f"{where}: seat {seat}: {problem}"
