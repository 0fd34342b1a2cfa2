"""Touching flags, and moving archive markers (R-A12)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.options.supply import flag_gives_option
from rr_gym.rules.state.events import ARCHIVED, FLAG_TOUCHED, note, note_at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.flags import has_flag
from rr_gym.rules.variants.goals import next_flag, note_turning_board
from rr_gym.rules.variants.teams import share_flags


@kernel
def count_flag(game: GameRecord, table: Table, log: Log, robot: int, flag: int) -> None:
    """Count the next flag of a robot as touched, and share it with its team."""
    game.robots[robot].flag += 1
    note(game, log, FLAG_TOUCHED, robot, flag)
    share_flags(game, table, robot)
    note_turning_board(game, table, flag)


@kernel
def touch_flag(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Let a robot touch the flag on its square if it is its next flag (R-A12.2)."""
    flag = next_flag(game, table, robot)
    # mutants (boundary): the next flag is never flag 0
    if flag > 0 and has_flag(game, table, int(game.robots[robot].square), flag):
        count_flag(game, table, log, robot, flag)
        flag_gives_option(game, table, log, robot, flag)


@kernel
def move_archive(game: GameRecord, log: Log, robot: int, square: int) -> None:
    """Move a robot's archive marker to a square, on the robot's present level (R-A12.1)."""
    body = game.robots[robot]
    body.archive_level = body.level
    if body.archive != square:
        body.archive = square
        note_at(game, log, ARCHIVED, robot, -1, 0, square, -1)


@kernel
def archive(game: GameRecord, log: Log, robot: int) -> None:
    """Move a robot's archive marker to where the robot stands."""
    move_archive(game, log, robot, int(game.robots[robot].square))
