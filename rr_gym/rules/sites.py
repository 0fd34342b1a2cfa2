"""F2: repairs at flags and repair sites (R-A12.7 to R-A12.9, U10, U35)."""

from __future__ import annotations

from rr_gym.jit import kernel
from rr_gym.rules.constants import ON, SITE_AND, SITE_AUTO, SITE_OPTION, SITE_REPAIR, UNLOCK_LOWEST
from rr_gym.rules.damage import repair
from rr_gym.rules.ground import row_at
from rr_gym.rules.options import draw_option, may_draw
from rr_gym.rules.records import GameRecord, LogRecord, OrdersRecords, TableRecord
from rr_gym.rules.sleep import sleeping


@kernel
def wrenches_under(game: GameRecord, table: TableRecord, robot: int) -> int:
    """The wrenches a robot stands on; a flag is one, and the larger number counts (U10)."""
    square = table.squares[row_at(game, table, game.robots[robot].square)]
    if square.flag and table.settings.flag_repair == ON:
        return max(square.wrenches, 1)
    return square.wrenches


@kernel
def takes_option(game: GameRecord, table: TableRecord, orders: OrdersRecords, robot: int) -> bool:
    """Whether a robot on two wrenches takes an option instead of repairs: by order, else with less than two points
    of damage (U35). A robot that is powered down or asleep takes repairs (U34); so does one that can have no option.
    """
    body = game.robots[robot]
    if body.down or sleeping(game, table, robot) or not may_draw(game, table, robot):
        return False
    site = orders[robot].site
    if table.settings.two_wrench == SITE_AND:
        return site != SITE_REPAIR
    return site == SITE_OPTION or (site == SITE_AUTO and game.robots[robot].damage < 2)


@kernel
def repair_robots(game: GameRecord, table: TableRecord, orders: OrdersRecords, log: LogRecord) -> None:
    """One wrench repairs one point; two repair two, or give an option, by the setting `two_wrench`."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if not robot.alive:
            continue
        points = wrenches_under(game, table, i)
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
