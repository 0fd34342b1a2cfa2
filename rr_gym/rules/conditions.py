"""Events for what robots are in: levels, flights, fires, sleep, energy and copies.

Many rules change these. Instead of a note in each, the log keeps what it has told, and the difference is told at the
end of every sub-step that may have changed something.
"""

from __future__ import annotations

from rr_gym.jit import alone, expansion, kernel
from rr_gym.rules.events import ASLEEP, BURNING, COPY, ENERGIZED, FLYING, LEVEL, note, note_at
from rr_gym.rules.records import GameRecord, LogRecord, TableRecord


@kernel
def told(game: GameRecord, log: LogRecord, kind: int, robot: int, before: int, now: int) -> int:
    """Tell what has changed; the value that the log knows then."""
    if now != before:
        note(game, log, kind, robot, now)
    return now


@kernel
def tell_conditions(game: GameRecord, log: LogRecord, robot: int) -> None:
    body = game.robots[robot]
    seen = log.seen[robot]
    seen.level = told(game, log, LEVEL, robot, int(seen.level), int(body.level))
    seen.flying = told(game, log, FLYING, robot, int(seen.flying), int(body.flying))
    seen.burning = told(game, log, BURNING, robot, int(seen.burning), int(body.burning))
    seen.asleep = told(game, log, ASLEEP, robot, int(seen.asleep), int(body.asleep))
    seen.energized = told(game, log, ENERGIZED, robot, int(seen.energized), 1 if body.energized else 0)


@kernel
def tell_copy(game: GameRecord, log: LogRecord, robot: int) -> None:
    body = game.robots[robot]
    seen = log.seen[robot]
    square = int(body.copy_square) if body.has_copy else -1
    facing = int(body.copy_facing) if body.has_copy else 0
    if square != seen.copy_square or facing != seen.copy_facing:
        note_at(game, log, COPY, robot, -1, facing, square, -1)
        seen.copy_square = square
        seen.copy_facing = facing


@expansion(None, alone)
def note_conditions(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """Tell what has changed since it was told last; while copies act, nothing."""
    if log.on and not game.copies_act:
        for i in range(game.num_robots):
            tell_conditions(game, log, i)
            tell_copy(game, log, i)


@expansion(None, alone)
def begin_conditions(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """The start of a turn: what is known is not told."""
    if log.on:
        for i in range(game.num_robots):
            body = game.robots[i]
            seen = log.seen[i]
            seen.level = body.level
            seen.flying = body.flying
            seen.burning = body.burning
            seen.asleep = body.asleep
            seen.energized = 1 if body.energized else 0
            seen.copy_square = body.copy_square if body.has_copy else -1
            seen.copy_facing = body.copy_facing if body.has_copy else 0
