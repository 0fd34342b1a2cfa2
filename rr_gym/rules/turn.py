"""The timing table (R-T): a whole turn, sub-step by sub-step. Steps that only expansions fill are left out."""

from __future__ import annotations

from rr_gym.courses.tables import BELTS, CRUSHERS, EXPRESS, GEARS, PUSHERS
from rr_gym.jit import kernel
from rr_gym.rules import constants as at
from rr_gym.rules.cards import FIRST_MOVEMENT, deal, empty_registers, take_any, take_from_hand
from rr_gym.rules.checkpoints import become_real, end_by_elimination, touch_checkpoints
from rr_gym.rules.constants import HAND_SLOTS, LOCK_KEEP, NUM_REGISTERS, ON
from rr_gym.rules.conveyors import EXPRESS as EXPRESS_BELT
from rr_gym.rules.conveyors import NORMAL, belts_move
from rr_gym.rules.events import FACED, PROGRAMMED, note, note_at
from rr_gym.rules.lasers import lasers_fire
from rr_gym.rules.machines import crushers_crush, gears_turn, pushers_push
from rr_gym.rules.placing import reenter_all
from rr_gym.rules.power import announce_power_down, upkeep, will_be_down
from rr_gym.rules.records import GameRecord, LogRecord, OrdersRecords, RobotRecord, TableRecord
from rr_gym.rules.robots import by_priority, robots_move
from rr_gym.rules.sites import repair_robots


@kernel
def move_first(robot: RobotRecord) -> None:
    """R-A5.7: the first register gets a movement card of the hand, or of another register, if it holds none."""
    first = robot.registers[0]
    if first >= FIRST_MOVEMENT:
        return
    for r in range(1, NUM_REGISTERS):
        card = robot.registers[r]
        if card >= FIRST_MOVEMENT and not robot.locked >> r & 1:
            robot.registers[r] = first
            robot.registers[0] = card
            return
    for slot in range(HAND_SLOTS):
        card = robot.hand[slot]
        if card >= FIRST_MOVEMENT:
            robot.hand[slot] = first
            robot.registers[0] = card
            return


@kernel
def fill_registers(game: GameRecord, table: TableRecord, orders: OrdersRecords, robot: int) -> None:
    """T4: open registers get the ordered cards of the hand; what is missing is filled by chance (R-A5.3, R-A5.5)."""
    body = game.robots[robot]
    for r in range(NUM_REGISTERS):
        if not body.locked >> r & 1:
            card = orders[robot].program[r]
            body.registers[r] = card if take_from_hand(body, card) else 0
    for r in range(NUM_REGISTERS):
        if body.registers[r] == 0 and not body.locked >> r & 1:
            body.registers[r] = take_any(game, body)
    if table.settings.first_card_moves == ON and game.turn == 0:
        move_first(body)


@kernel
def choose_facing(game: GameRecord, orders: OrdersRecords, log: LogRecord, robot: int) -> None:
    """U28: in the first turn without a dock, and in the first turn after re-entry, the facing may be chosen."""
    body = game.robots[robot]
    facing = orders[robot].facing
    if body.may_face and 0 <= facing < 4:
        body.facing = facing
        note(game, log, FACED, robot, facing)
    body.may_face = 0


@kernel
def program(game: GameRecord, table: TableRecord, orders: OrdersRecords, log: LogRecord) -> None:
    """T4 and T5 of all robots on the board."""
    game.step = at.T4
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive:
            choose_facing(game, orders, log, i)
            if not robot.down:
                fill_registers(game, table, orders, i)
                if log.on:
                    for r in range(NUM_REGISTERS):
                        note_at(game, log, PROGRAMMED, i, -1, r + 1, robot.square, robot.registers[r])
    game.step = at.T5
    announce_power_down(game, table, orders, log)


@kernel
def register_phase(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """Segments A to E of the phase `game.phase` (1-5). Ends the game in E1 when the last flag is touched (U31)."""
    features = table.course.features
    order = by_priority(game)
    game.step = at.B1
    robots_move(game, table, log, order)
    if features & EXPRESS:
        game.step = at.C5
        belts_move(game, table, log, EXPRESS_BELT)
    if features & BELTS:
        game.step = at.C6
        belts_move(game, table, log, NORMAL)
    if features & PUSHERS:
        game.step = at.C10
        pushers_push(game, table, log)
    if features & GEARS:
        game.step = at.C11
        gears_turn(game, table, log)
    if features & CRUSHERS:
        game.step = at.C12
        crushers_crush(game, table, log)
    game.step = at.D1
    lasers_fire(game, table, log, order)
    game.step = at.E1
    touch_checkpoints(game, table, log)
    if game.over:
        return
    game.step = at.E3
    become_real(game, table, log, False)
    if game.num_destroyed:
        end_by_elimination(game, log)


@kernel
def end_turn(game: GameRecord, table: TableRecord, orders: OrdersRecords, log: LogRecord) -> None:
    """Segment F: repairs, virtual robots, re-entry, and the cards of open registers (R-A6.10)."""
    game.phase = 0
    game.step = at.F2
    repair_robots(game, table, orders, log)
    game.step = at.F4
    become_real(game, table, log, True)
    game.step = at.F5
    reenter_all(game, table, orders, log)
    game.step = at.F6
    for i in range(game.num_robots):
        robot = game.robots[i]
        # U36: with pd_lock_card = keep a robot goes down with its last program in the registers.
        if table.settings.pd_lock_card != LOCK_KEEP or not will_be_down(game, table, orders, i):
            empty_registers(robot, robot.locked)


@kernel
def next_turn(game: GameRecord, table: TableRecord, orders: OrdersRecords, log: LogRecord) -> None:
    """T1 and T2 of the next turn."""
    game.turn += 1
    game.step = at.T1
    upkeep(game, table, orders, log)


@kernel
def play_turn(game: GameRecord, table: TableRecord, orders: OrdersRecords, log: LogRecord) -> None:
    """One turn from the orders to the next hands. A game that is over stays as it was when it ended."""
    program(game, table, orders, log)
    for phase in range(1, NUM_REGISTERS + 1):
        game.phase = phase
        register_phase(game, table, log)
        if game.over:
            return
    end_turn(game, table, orders, log)
    next_turn(game, table, orders, log)
    game.step = at.T3
    deal(game, table, log)
