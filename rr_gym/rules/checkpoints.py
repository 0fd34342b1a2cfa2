"""Segment E: flags, archives, winning, and virtual robots that become real (R-A12, R-A14)."""

from __future__ import annotations

from rr_gym.courses.ground import RESET_SITE
from rr_gym.jit import expansion, kernel
from rr_gym.rules.constants import AT_TURN, TIE_PRIORITY
from rr_gym.rules.entering import archive, touch_flag
from rr_gym.rules.events import BECAME_REAL, OVER, WON, note
from rr_gym.rules.ground import row_at
from rr_gym.rules.records import GameRecord, LogRecord, TableRecord
from rr_gym.rules.robots import by_priority
from rr_gym.rules.standing import on_floor


@kernel
def declare_winners(game: GameRecord, log: LogRecord, winners: int) -> None:
    """The game is over; `winners` is the mask of robots that won, 0 for nobody."""
    game.over = 1
    game.winners = winners
    for i in range(game.num_robots):
        if winners >> i & 1:
            note(game, log, WON, i, 0)
    note(game, log, OVER, -1, 0)


@kernel
def on_flag_or_wrench(game: GameRecord, table: TableRecord, robot: int) -> bool:
    square = table.squares[game.robots[robot].square]
    return square.flag != 0 or square.wrenches != 0


@expansion(on_flag_or_wrench)
def on_checkpoint(game: GameRecord, table: TableRecord, robot: int) -> bool:
    """Flags, repair sites and reset sites archive the robots on their floor (R-A12.1, R-E70)."""
    if not on_floor(game, table, robot):
        return False
    row = row_at(game, table, game.robots[robot].square)
    square = table.squares[row]
    return square.flag != 0 or square.wrenches != 0 or table.ground[row].overlays & RESET_SITE != 0


@kernel
def touch_checkpoints(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """E1: robots on flags and repair sites move their archives there and touch their next flags (R-A12.1, R-A12.2).

    Whoever has touched the last flag wins, all of this phase together or by priority (R-A12.11, R-A12.12, U31).
    """
    num_flags = table.course.num_flags
    winners = 0
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and on_checkpoint(game, table, i):
            archive(game, log, i)
            touch_flag(game, table, log, i)
        if num_flags and robot.flag == num_flags:
            winners |= 1 << i
    if winners and table.settings.tie == TIE_PRIORITY:
        order = by_priority(game, table)
        while not winners >> ((order & 15) - 1) & 1:
            order >>= 4
        winners = 1 << ((order & 15) - 1)
    if winners:
        declare_winners(game, log, winners)


@kernel
def end_by_elimination(game: GameRecord, log: LogRecord) -> None:
    """The last robot in the game wins; when none is left, nobody does (R-A12.13, U31)."""
    left = 0
    last = 0
    for i in range(game.num_robots):
        if not game.robots[i].out:
            left += 1
            last = i
    if left == 0:
        declare_winners(game, log, 0)
    elif left == 1 and game.num_robots > 1:
        declare_winners(game, log, 1 << last)


@kernel
def alone(game: GameRecord, robot: int) -> bool:
    """No other robot, real or virtual, is on its square (U30)."""
    body = game.robots[robot]
    for i in range(game.num_robots):
        other = game.robots[i]
        if i != robot and other.square == body.square and other.level == body.level:
            return False
    return True


@kernel
def become_real(game: GameRecord, table: TableRecord, log: LogRecord, end_of_turn: bool) -> None:
    """E3 and F4: every virtual robot alone on its square becomes real (R-A14.5, R-A14.6, U1)."""
    ready = 0
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and robot.virtual:
            waits = robot.fresh and not end_of_turn and table.settings.virtual_exit == AT_TURN
            if not waits and alone(game, i):
                ready |= 1 << i
        if end_of_turn:
            robot.fresh = 0
    for i in range(game.num_robots):
        if ready >> i & 1:
            game.robots[i].virtual = 0
            note(game, log, BECAME_REAL, i, 0)
