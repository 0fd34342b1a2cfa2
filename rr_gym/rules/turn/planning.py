"""T4 and T5: programming robots, and announcing power-downs (R-A5, R-A7, R-O)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array
from rr_gym.rules.options.option_programs import program_options, set_cards_aside, turn_options_begin
from rr_gym.rules.robot.sleep import keeps_program
from rr_gym.rules.state import constants as at
from rr_gym.rules.state.cards import FIRST_MOVEMENT, take_any, take_from_hand
from rr_gym.rules.state.constants import HAND_SLOTS, NUM_REGISTERS, ON
from rr_gym.rules.state.decisions import note_decisions
from rr_gym.rules.state.events import FACED, PROGRAMMED, note, note_at
from rr_gym.rules.state.records import GameRecord, Log, OrdersRecord, Robot
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.late_programs import late_programs_cost
from rr_gym.rules.turn.power import announce_power_down
from rr_gym.rules.turn.team_hands import team_cards_go_round


# mutants: no scenario has a game's first turn: tests/rules/test_cards.py
@kernel
def move_first(robot: Robot) -> None:
    """Give the first register a movement card if it holds none (R-A5.7).

    The card is swapped with a movement card of another open register or, if there is none, of the hand.
    """
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
def fill_registers(game: GameRecord, table: Table, orders: Array[OrdersRecord], robot: int) -> None:
    """Fill open registers with the cards that orders name, and the rest at random (T4, R-A5.3, R-A5.5)."""
    body = game.robots[robot]
    for r in range(NUM_REGISTERS):
        if not body.locked >> r & 1:
            card = orders[robot].program[r]
            body.registers[r] = card if take_from_hand(body, card) else 0
    set_cards_aside(game, table, orders, robot)
    for r in range(NUM_REGISTERS):
        # mutants (never): scenarios leave nothing to be filled: tests/rules/test_cards.py
        if body.registers[r] == 0 and not body.locked >> r & 1:
            body.registers[r] = take_any(game, body)
    # mutants: no scenario has a game's first turn: tests/rules/test_cards.py
    if table.settings.first_card_moves == ON and game.turn == 0:
        move_first(body)


@kernel
def choose_facing(game: GameRecord, orders: Array[OrdersRecord], log: Log, robot: int) -> None:
    """Let a robot choose its facing in a first turn without a dock, or in the turn after re-entry (U28)."""
    body = game.robots[robot]
    facing = orders[robot].facing
    if body.may_face and 0 <= facing < 4:  # mutants (boundary 2): there is no direction 4
        body.facing = facing
        note(game, log, FACED, robot, facing)
    body.may_face = 0


@kernel
def program(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log) -> None:
    """Program all robots on the board, and let them announce power-downs (T4, T5)."""
    game.step = at.T4
    team_cards_go_round(game, table, orders)
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive:
            choose_facing(game, orders, log, i)
            note_decisions(game, table, orders, i)
            if not robot.down and not keeps_program(game, table, i):
                fill_registers(game, table, orders, i)
                program_options(game, table, orders, log, i)
                if log.on:
                    for r in range(NUM_REGISTERS):
                        note_at(game, log, PROGRAMMED, i, -1, r + 1, robot.square, robot.registers[r])
    turn_options_begin(game, table, orders, log)
    late_programs_cost(game, table, orders, log)
    game.step = at.T5
    announce_power_down(game, table, orders, log)
