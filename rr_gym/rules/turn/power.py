"""Power-down: announcing it, going down, staying down (R-A7, U33, U34)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array
from rr_gym.rules.options.supply import BY_BREAKER, bio_options_swap
from rr_gym.rules.robot.sleep import keeps_program, slept_through
from rr_gym.rules.state.cards import empty_registers
from rr_gym.rules.state.constants import LOCK_KEEP, NUM_REGISTERS, ON
from rr_gym.rules.state.events import ANNOUNCED, POWERED_DOWN, POWERED_UP, REPAIRED, UNLOCKED, note
from rr_gym.rules.state.records import GameRecord, Log, OrdersRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.sitting_out import misses_turn


@kernel
def announce_power_down(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log) -> None:
    """Let robots that are up and awake announce a power-down for the next turn (T5, R-A7.1, R-A7.11, U34)."""
    if table.settings.power_down != ON:
        return
    for i in range(game.num_robots):
        robot = game.robots[i]
        if orders[i].power_down > 0 and robot.alive and not robot.down and not keeps_program(game, table, i):
            if table.settings.pd_needs_damage == ON and robot.damage == 0:
                continue
            robot.announced = 1
            note(game, log, ANNOUNCED, i, 0)


@kernel
def will_be_down(game: GameRecord, table: Table, orders: Array[OrdersRecord], robot: int) -> bool:
    """Tell whether a robot is powered down in the next turn (R-A7.7 to R-A7.9, U33)."""
    body = game.robots[robot]
    if body.out or misses_turn(game, table, robot):
        return False
    comes_back = body.destroyed > 0 and body.announced != BY_BREAKER
    if body.down > 0 or comes_back:
        return orders[robot].stay_down > 0 and table.settings.power_down == ON
    return body.announced > 0


@kernel
def carry_over_destroyed(game: GameRecord) -> None:
    """Start a new turn's count of destroyed robots with those that were destroyed as they re-entered.

    They re-enter at the end of this turn.
    """
    game.num_destroyed = 0
    for i in range(game.num_robots):
        robot = game.robots[i]
        robot.destroyed = 0
        if not robot.alive and not robot.out:
            game.num_destroyed += 1
            robot.destroyed = game.num_destroyed


@kernel
def forget_damage(game: GameRecord, log: Log, sleeper: int) -> None:
    """Remove all damage and all locks from a sleeping robot."""
    robot = game.robots[sleeper]
    if robot.damage:
        note(game, log, REPAIRED, sleeper, robot.damage)
    for r in range(NUM_REGISTERS):
        if robot.locked >> r & 1:
            note(game, log, UNLOCKED, sleeper, r + 1)
    robot.damage = 0
    robot.locked = 0


@kernel
def upkeep(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log) -> None:
    """Remove all damage, locks and locked cards from robots that are powered down in the new turn (T1, R-A7.2).

    Sleeping robots lose damage and locks too, but keep the cards that they will execute when they wake (R-E73).
    """
    for i in range(game.num_robots):
        robot = game.robots[i]
        down = will_be_down(game, table, orders, i)
        if down:
            if table.settings.pd_lock_card != LOCK_KEEP:
                empty_registers(robot, 0)
            robot.damage = 0
            robot.locked = 0
            note(game, log, POWERED_DOWN, i, 0)
            bio_options_swap(game, table, log, i)
        elif robot.down:
            note(game, log, POWERED_UP, i, 0)
        if not down and robot.alive and keeps_program(game, table, i):
            empty_registers(robot, slept_through(game, table, i))
            forget_damage(game, log, i)
        robot.down = max(robot.announced, 1) if down else 0
        robot.announced = 0
    carry_over_destroyed(game)
