"""Step F2 of a turn: flags and repair sites repair robots or give them options.

R-A12.7 to R-A12.9, R-G1, R-G3, U10, U35.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array
from rr_gym.forms import with_expansions
from rr_gym.rules.floor.ground import row_at
from rr_gym.rules.options.options import draw_option, may_draw
from rr_gym.rules.options.supply import discard_offered, draw_and_keep
from rr_gym.rules.robot.health import repair
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.constants import ON, SITE_AND, SITE_AUTO, SITE_OPTION, SITE_REPAIR, UNLOCK_LOWEST
from rr_gym.rules.state.records import GameRecord, Log, OrdersRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.flags import flag_on

TURBO_DRAW = 2  # with turbo wrenches, the number of options drawn at two wrenches; one of them is kept (R-G1)


@kernel
def wrenches_under(game: GameRecord, table: Table, robot: int) -> int:
    """Return the number of wrenches under a robot; a flag without wrenches counts as one wrench (U10)."""
    square = game.robots[robot].square
    wrenches = int(table.squares[row_at(game, table, square)].wrenches)
    if flag_on(game, table, square) and table.settings.flag_repair == ON:
        return max(wrenches, 1)
    return wrenches


@kernel
def may_take_option(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot may take an option at a site.

    A robot that is powered down or asleep may not, and is repaired instead (U34).
    """
    return not game.robots[robot].down and not sleeping(game, table, robot) and may_draw(game, table, robot)


@kernel
def prefers_option(game: GameRecord, orders: Array[OrdersRecord], robot: int) -> bool:
    """Tell whether a robot takes an option rather than repairs, on a site that gives either (U35).

    Without an order, it takes the option if it has less than two points of damage.
    """
    site = orders[robot].site
    return site == SITE_OPTION or (site == SITE_AUTO and game.robots[robot].damage < 2)


@with_expansions(False)
def sites_supply(
    game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log, robot: int, wrenches: int
) -> bool:
    """Give a robot options instead of repairs if a variant of the rules says so; return whether it did (R-G1, R-G3)."""
    settings = table.settings
    square = game.robots[robot].square
    on_wrench = table.squares[row_at(game, table, square)].wrenches > 0
    given = int(settings.double_wrench_options if wrenches == 2 else settings.single_wrench_options)
    if not on_wrench:
        given = int(settings.flag_options)
    may_take = may_take_option(game, table, robot)
    if given:
        for _ in range(given if may_take else 0):
            draw_option(game, table, log, robot)
        return True
    if not may_take or settings.turbo_wrenches != ON or not prefers_option(game, orders, robot):
        return False
    discard_offered(game, draw_and_keep(game, table, log, robot, TURBO_DRAW if wrenches == 2 else 1, 1))
    return True


@kernel
def takes_option(game: GameRecord, table: Table, orders: Array[OrdersRecord], robot: int) -> bool:
    """Tell whether a robot on two wrenches takes an option, either instead of repairs or along with one repair."""
    if not may_take_option(game, table, robot):
        return False
    if table.settings.two_wrench == SITE_AND:
        return orders[robot].site != SITE_REPAIR
    return prefers_option(game, orders, robot)


@kernel
def repair_robots(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log) -> None:
    """Let sites repair robots: one wrench repairs one point; two repair two points, or give an option (F2, R-E6).

    The setting `two_wrench` says what two wrenches give.
    """
    for i in range(game.num_robots):
        robot = game.robots[i]
        if not robot.alive:  # mutants (never): off the board there are no wrenches
            continue
        points = wrenches_under(game, table, i)
        if points and sites_supply(game, table, orders, log, i, points):
            continue
        if points == 2:
            option = takes_option(game, table, orders, i)
            if table.settings.two_wrench == SITE_AND:
                points = 1
            elif option:
                points = 0
            if option:
                draw_option(game, table, log, i)
        if points:
            unlock = 0 if table.settings.unlock == UNLOCK_LOWEST else orders[i].unlock
            repair(game, log, i, points, unlock)
