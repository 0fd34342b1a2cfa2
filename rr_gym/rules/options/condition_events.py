"""Events about the condition of robots: level, flight, fire, sleep, energy, copy and sides of options.

Many rules change these. Instead of writing events in every rule, the log stores the values that it reported last. At
the end of every sub-step that may have changed one, it reports the values that differ.
"""

# mutants: only writes events
from __future__ import annotations

from rr_gym.compilation.kernels import cold, kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.options.options import works
from rr_gym.rules.state.events import ASLEEP, BURNING, COPY, ENERGIZED, FLYING, LEVEL, SIDE_SET, note, note_at
from rr_gym.rules.state.option_cards import REFLECTOR, SHIELD, TURRET
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def report_change(game: GameRecord, log: Log, kind: int, robot: int, before: int, now: int) -> int:
    """Report a value of a robot if it has changed; return the value to store as last reported."""
    if now != before:
        note(game, log, kind, robot, now)
    return now


@kernel
def report_conditions(game: GameRecord, log: Log, robot: int) -> None:
    """Report what has changed in the condition of a robot."""
    body = game.robots[robot]
    seen = log.seen[robot]
    seen.level = report_change(game, log, LEVEL, robot, int(seen.level), int(body.level))
    seen.flying = report_change(game, log, FLYING, robot, int(seen.flying), int(body.flying))
    seen.burning = report_change(game, log, BURNING, robot, int(seen.burning), int(body.burning))
    seen.asleep = report_change(game, log, ASLEEP, robot, int(seen.asleep), int(body.asleep))
    seen.energized = report_change(game, log, ENERGIZED, robot, int(seen.energized), 1 if body.energized else 0)


@kernel
def report_copy(game: GameRecord, log: Log, robot: int) -> None:
    """Report where a robot's copy is, if that has changed."""
    body = game.robots[robot]
    seen = log.seen[robot]
    square = int(body.copy_square) if body.has_copy else -1
    facing = int(body.copy_facing) if body.has_copy else 0
    if square != seen.copy_square or facing != seen.copy_facing:
        note_at(game, log, COPY, robot, -1, facing, square, -1)
        seen.copy_square = square
        seen.copy_facing = facing


@kernel
def report_side(
    game: GameRecord, table: Table, log: Log, robot: int, option: int, before: int, ordered: int
) -> int:
    """Report to which side an option is turned if that has changed; return the value to store as last reported.

    An option that does not work counts as side 0.
    """
    now = ordered if works(game, table, robot, option) else 0
    if now != before:
        note_at(game, log, SIDE_SET, robot, -1, option, game.robots[robot].square, now)
    return now


@kernel
def report_sides(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Report to which sides Shield, Reflector and Turret are turned, if that has changed."""
    orders = game.robots[robot].orders
    r = game.phase - 1
    seen = log.seen[robot]
    seen.shield = report_side(game, table, log, robot, SHIELD, int(seen.shield), int(orders.shield[r]))
    seen.reflector = report_side(game, table, log, robot, REFLECTOR, int(seen.reflector), int(orders.reflector))
    seen.turret = report_side(game, table, log, robot, TURRET, int(seen.turret), 1 + int(orders.turret[r]))


@cold
@kernel
def report_all(game: GameRecord, table: Table, log: Log) -> None:
    """Report what has changed in the conditions of all robots."""
    for i in range(game.num_robots):
        report_conditions(game, log, i)
        report_copy(game, log, i)
        if game.phase > 0 and game.robots[i].alive:
            report_sides(game, table, log, i)


@with_expansions(None)
def note_conditions(game: GameRecord, table: Table, log: Log) -> None:
    """Report what has changed since the last time; report nothing while copies act."""
    if log.on and not game.copies_act:
        report_all(game, table, log)


@with_expansions(None)
def begin_conditions(game: GameRecord, table: Table, log: Log) -> None:
    """Store all conditions at the start of a turn as reported, because they are known."""
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
            seen.shield = seen.reflector = seen.turret = 0
