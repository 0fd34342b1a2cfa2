"""E1: archives move to checkpoints, flags are touched, and robots that have reached their goal win (R-A12)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import RESET_SITE
from rr_gym.forms import with_expansions
from rr_gym.rules.driving.priority import by_priority
from rr_gym.rules.elements.turning_boards import boards_turn
from rr_gym.rules.floor.ground import row_at, stands_on
from rr_gym.rules.floor.standing import on_floor
from rr_gym.rules.movement.touching_flags import archive, touch_flag
from rr_gym.rules.options.options import owns_any
from rr_gym.rules.state.constants import CAPTURE, TIE_PRIORITY, TOGGLE
from rr_gym.rules.state.events import FLAG_TOUCHED, TEAM_FLAG, note, note_at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.arms import arm_touches_next, touches
from rr_gym.rules.turn.winning import declare_winners, with_mates
from rr_gym.rules.variants.flags import flag_on, flags_follow
from rr_gym.rules.variants.goals import has_won
from rr_gym.rules.variants.teams import shares_flags


@kernel
def on_checkpoint(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot stands on the floor of a flag, a repair site or a reset site (R-A12.1, R-E70).

    The robot's archive moves there.
    """
    square = game.robots[robot].square
    site = table.squares[row_at(game, table, square)].wrenches != 0 or stands_on(game, table, robot, RESET_SITE)
    return (site or flag_on(game, table, square) != 0) and on_floor(game, table, robot)


@with_expansions(None)
def touch_as_team(game: GameRecord, table: Table, log: Log) -> None:
    """Let each team touch its next flag if one of its robots can, then the one after that (R-G2.3).

    An arm is used only once.
    """
    used = 0
    for _ in range(table.course.num_flags):
        for i in range(game.num_robots):
            if not game.robots[i].alive:  # mutants (never): no flag is off the board, and no arm works there
                continue
            if on_floor(game, table, i):
                touch_flag(game, table, log, i)
            if not used >> i & 1 and arm_touches_next(game, table, log, i):
                used |= 1 << i


@with_expansions(None)
def claim_flags(game: GameRecord, table: Table, log: Log) -> None:
    """Give flags to the teams that touch them, from any previous owner (flag toggle, R-G2.5).

    A flag that two teams touch keeps its owner.
    """
    for k in range(table.course.num_flags):
        claimant = -1
        disputed = False
        for i in range(game.num_robots):
            if touches(game, table, log, i, k + 1):
                disputed = disputed or (claimant >= 0 and game.robots[claimant].team != game.robots[i].team)
                claimant = i
        if claimant >= 0 and not disputed:
            team = int(game.robots[claimant].team)
            if game.flag_owner[k] != team:
                game.flag_owner[k] = team
                note_at(game, log, TEAM_FLAG, claimant, -1, k + 1, int(game.flag_squares[k]), team)


@with_expansions(None)
def take_flags_along(game: GameRecord, table: Table, log: Log) -> None:
    """Let robots take flags of other teams with them, one each (capture the flag, R-G3.15)."""
    for i in range(game.num_robots):
        body = game.robots[i]
        for k in range(table.course.num_flags):
            if not body.carries and k + 1 != body.team and touches(game, table, log, i, k + 1):
                body.carries = k + 1
                note(game, log, FLAG_TOUCHED, i, k + 1)
    flags_follow(game, table, log)


@kernel
def touch_flags(game: GameRecord, table: Table, log: Log) -> int:
    """Move archives to checkpoints, and touch flags by the rules of the kind of game (R-G2).

    Mechanical Arms count too (R-O13). Returns the mask of the robots that have won.
    """
    for i in range(game.num_robots):
        if game.robots[i].alive and on_checkpoint(game, table, i):
            archive(game, log, i)
            touch_flag(game, table, log, i)
        if game.robots[i].alive and owns_any(game.robots[i]) and not shares_flags(table):
            arm_touches_next(game, table, log, i)
    if shares_flags(table):
        touch_as_team(game, table, log)
    elif table.settings.game == TOGGLE:
        claim_flags(game, table, log)
    elif table.settings.game == CAPTURE:
        take_flags_along(game, table, log)
    winners = 0
    for i in range(game.num_robots):
        if has_won(game, table, i):
            winners |= 1 << i
    return winners


@kernel
def touch_checkpoints(game: GameRecord, table: Table, log: Log) -> None:
    """Let robots on flags and repair sites move their archives there and touch their next flags (E1, R-A12.1, R-A12.2).

    See also R-E5. Robots that have touched the last flag win: by the setting `tie`, all that do so in this phase, or
    only the first by priority (R-A12.11, R-A12.12, U31).
    """
    winners = touch_flags(game, table, log)
    if winners and table.settings.tie == TIE_PRIORITY:
        by_priority(game, table, game.order_now)
        first = 0
        while not winners >> int(game.order_now[first]) & 1:
            first += 1
        winners = 1 << int(game.order_now[first])
    if winners:
        declare_winners(game, log, with_mates(game, winners))
    else:
        boards_turn(game, table, log)  # mutants: only coins turn boards: tests/rules/test_variants.py
