"""The timing table (R-T): a whole turn, sub-step by sub-step. Rules of elements that a course lacks cost no time.

Its segments: `reveal_cards` (A), `rr_gym.rules.driving.robots_move` (B), `board_elements_move` (C),
`rr_gym.rules.weapons.lasers` (D), `touch_checkpoints` (E), `end_of_turn` (F).
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array
from rr_gym.courses.tables.ground import HAS_DEEP_WATER, HAS_REPEATERS
from rr_gym.forms import with_expansions
from rr_gym.rules.damage.explosions import blasts_go_off
from rr_gym.rules.devices.scrambler_bombs import scrambler_bombs_go_off
from rr_gym.rules.driving.priority import by_priority
from rr_gym.rules.driving.repeaters import repeaters_repeat
from rr_gym.rules.driving.robots_move import robots_move
from rr_gym.rules.floor.copies import copies_begin_phase
from rr_gym.rules.floor.ground import features_of
from rr_gym.rules.hazards.fire import nobody_is_lit
from rr_gym.rules.hazards.water import deep_water_marks
from rr_gym.rules.launching.flying_devices import drones_retarget, launched_missiles_fly
from rr_gym.rules.launching.riding import devices_arm
from rr_gym.rules.movement.settling import flights_end, launches_meet, settle
from rr_gym.rules.options.condition_events import begin_conditions, note_conditions
from rr_gym.rules.state import constants as at
from rr_gym.rules.state.constants import DISPLACED, NOBODY, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord, Log, OrdersRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.all_have_moved import all_have_moved
from rr_gym.rules.turn.board_elements_move import board_elements_move
from rr_gym.rules.turn.dealing import deal
from rr_gym.rules.turn.end_of_turn import end_turn
from rr_gym.rules.turn.hazards_hurt import all_hazards_hurt
from rr_gym.rules.turn.planning import program
from rr_gym.rules.turn.power import upkeep
from rr_gym.rules.turn.reveal_cards import reveal
from rr_gym.rules.turn.shops import shops_serve
from rr_gym.rules.turn.sub_steps import SubStep, in_order
from rr_gym.rules.turn.touch_checkpoints import touch_checkpoints
from rr_gym.rules.turn.virtual_robots import become_real
from rr_gym.rules.turn.winning import end_by_elimination
from rr_gym.rules.weapons.lasers import lasers_fire
from rr_gym.rules.weapons.weapons import weapons_displace


@with_expansions(None)
def phase_begins(game: GameRecord, table: Table) -> None:
    """Clear the state that lasts for one phase.

    It comprises the marks of robots and copies, the used sides of shields, and the robot that hit the SuperBot.
    """
    game.culprit = NOBODY
    for i in range(game.num_robots):
        robot = game.robots[i]
        robot.shields = 0
        robot.marks &= DISPLACED
    copies_begin_phase(game, table)
    nobody_is_lit(game, table)
    if features_of(table) & HAS_DEEP_WATER:
        deep_water_marks(game, table)


@kernel
def cards_are_revealed(game: GameRecord, table: Table, log: Log) -> None:
    """Play segment A, then find the order in which robots move and shoot in this phase."""
    phase_begins(game, table)
    reveal(game, table, log)
    note_conditions(game, table, log)
    by_priority(game, table, game.order)


repeaters_act = in_order(f"{__name__}.repeaters", (SubStep(at.B2, repeaters_repeat, under=HAS_REPEATERS),))


@kernel
def robots_act(game: GameRecord, table: Table, log: Log) -> None:
    """Play B1 and B2; copies execute the cards of their robots right after them."""
    game.step = at.B1
    robots_move(game, table, log)
    repeaters_act(game, table, log)


@kernel
def board_acts(game: GameRecord, table: Table, log: Log) -> None:
    """Play B3 to C13."""
    all_have_moved(game, table, log)
    board_elements_move(game, table, log)


@kernel
def weapons_act(game: GameRecord, table: Table, log: Log) -> None:
    """Play segment D."""
    game.step = at.D0
    devices_arm(game, table, log)
    game.step = at.D1
    lasers_fire(game, table, log)
    blasts_go_off(game, table, log)
    flights_end(game, table, log)
    launches_meet(game, table, log)
    game.step = at.D2
    weapons_displace(game, table, log)
    launched_missiles_fly(game, table, log)
    settle(game, table, log)
    game.step = at.D3
    all_hazards_hurt(game, table, log)
    game.step = at.D4
    drones_retarget(game, table, log)


@kernel
def phase_ends(game: GameRecord, table: Table, log: Log) -> None:
    """Play segment E; in E1 it ends the game when the last flag is touched (U31)."""
    game.step = at.E1
    touch_checkpoints(game, table, log)
    if not game.over:
        game.step = at.E2
        shops_serve(game, table, log)
        flights_end(game, table, log)  # a flying robot may have lost its Robo-Copter in E2
        game.step = at.E3
        become_real(game, table, log, False)
        if game.num_destroyed:
            end_by_elimination(game, table, log)
    game.order[:] = 0
    game.order_now[:] = 0


SEGMENTS = 5  # number of segments of a register phase


@kernel
def play_segment(game: GameRecord, table: Table, log: Log, segment: int) -> None:
    """Play one segment, 0-4, of the phase `game.phase` (1-5)."""
    if segment == 0:
        cards_are_revealed(game, table, log)
    elif segment == 1:
        robots_act(game, table, log)
    elif segment == 2:
        board_acts(game, table, log)
    elif segment == 3:
        weapons_act(game, table, log)
    else:
        phase_ends(game, table, log)


@kernel
def register_phase(game: GameRecord, table: Table, log: Log) -> None:
    """Play segments A to E of the phase `game.phase` (1-5)."""
    for segment in range(SEGMENTS):
        play_segment(game, table, log, segment)


@kernel
def play_phase(game: GameRecord, table: Table, log: Log) -> None:
    """Play a phase for callers that are not kernels: see `register_phase`."""
    register_phase(game, table, log)


@kernel
def next_turn(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log) -> None:
    """Begin the next turn with T1 and T2."""
    game.turn += 1
    game.step = at.T1
    upkeep(game, table, orders, log)
    game.step = at.T2
    scrambler_bombs_go_off(game, table, log)
    note_conditions(game, table, log)


@kernel
def turn_begins(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log) -> None:
    """Play T4 and T5 with the orders of all players."""
    begin_conditions(game, table, log)
    program(game, table, orders, log)


@kernel
def turn_ends(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log) -> None:
    """Play F1 to F6, then T1 to T3 of the next turn."""
    end_turn(game, table, orders, log)
    if game.over:
        return
    next_turn(game, table, orders, log)
    game.step = at.T3
    deal(game, table, log)


PARTS = 2 + SEGMENTS * NUM_REGISTERS  # number of parts of a turn: its beginning, all segments, its end


# mutants: scenarios call the steps themselves: tests/rules/test_trajectories.py
@kernel
def play_part(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log, part: int) -> None:
    """Play one of the `PARTS` of a turn of a game that is not over."""
    if part == 0:
        turn_begins(game, table, orders, log)
    elif part == PARTS - 1:
        turn_ends(game, table, orders, log)
    else:
        game.phase = 1 + (part - 1) // SEGMENTS
        play_segment(game, table, log, (part - 1) % SEGMENTS)


@kernel
def play_registers(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log) -> None:
    """Play a turn from the orders to its last register phase, or to the one in which the game ends."""
    for part in range(PARTS - 1):
        play_part(game, table, orders, log, part)
        if game.over:
            return


# mutants: scenarios call the steps themselves: tests/rules/test_trajectories.py
@kernel
def play_turn(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log) -> None:
    """Play one turn from the orders to the next hands.

    A game that is over does not change.
    """
    play_registers(game, table, orders, log)
    if not game.over:
        play_part(game, table, orders, log, PARTS - 1)
