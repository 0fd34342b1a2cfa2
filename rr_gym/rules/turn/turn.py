"""The timing table (R-T): a whole turn, sub-step by sub-step. A course pays only for what lies on it.

Its segments: `reveal_cards` (A), `rr_gym.rules.driving.robots_move` (B), `board_elements_move` (C),
`rr_gym.rules.weapons.lasers` (D), `touch_checkpoints` (E), `end_of_turn` (F).
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_elements, with_expansions
from rr_gym.courses.tables.ground import (
    HAS_DEEP_WATER,
    HAS_ENERGIZERS,
    HAS_FLAMERS,
    HAS_GAS,
    HAS_LAVA,
    HAS_MELTING,
    HAS_PLATFORMS,
    HAS_REPEATERS,
)
from rr_gym.records import Array
from rr_gym.rules.damage.explosions import blasts_go_off
from rr_gym.rules.devices.scrambler_bombs import scrambler_bombs_go_off
from rr_gym.rules.devices.watch import look_everywhere, mark_all_dangers
from rr_gym.rules.driving.priority import by_priority
from rr_gym.rules.driving.repeaters import repeaters_repeat
from rr_gym.rules.driving.robots_move import robots_move
from rr_gym.rules.elements.platforms import platforms_tilt
from rr_gym.rules.floor.copies import copies_begin_phase, has_copies, swap_copies
from rr_gym.rules.floor.ground import features_here, features_of, features_there
from rr_gym.rules.hazards.fire import flamers_scorch, nobody_is_lit
from rr_gym.rules.hazards.lava import lava_erupts
from rr_gym.rules.hazards.melting import melting_beams_hit
from rr_gym.rules.hazards.surroundings import hazards_hurt
from rr_gym.rules.hazards.water import deep_water_marks
from rr_gym.rules.launching.flying_devices import drones_retarget, launched_missiles_fly
from rr_gym.rules.launching.riding import devices_arm
from rr_gym.rules.movement.settling import flights_end, launches_meet, settle
from rr_gym.rules.options.condition_events import begin_conditions, note_conditions
from rr_gym.rules.robot.energizers import energizers_charge
from rr_gym.rules.robot.sleep import gas_puts_to_sleep
from rr_gym.rules.state import constants as at
from rr_gym.rules.state.constants import DISPLACED, NOBODY, NUM_REGISTERS
from rr_gym.rules.state.records import Game, Log, Orders
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.board_elements_move import board_elements_move
from rr_gym.rules.turn.dealing import deal
from rr_gym.rules.turn.end_of_turn import end_turn
from rr_gym.rules.turn.planning import program
from rr_gym.rules.turn.power import upkeep
from rr_gym.rules.turn.reveal_cards import reveal
from rr_gym.rules.turn.shops import shops_serve
from rr_gym.rules.turn.touch_checkpoints import touch_checkpoints
from rr_gym.rules.turn.virtual_robots import become_real
from rr_gym.rules.turn.winning import end_by_elimination
from rr_gym.rules.weapons.lasers import lasers_fire
from rr_gym.rules.weapons.weapons import weapons_displace


@with_expansions(None)
def phase_begins(game: Game, table: Table, here: int) -> None:
    """What has been noted for a phase is gone: marks of robots and copies, used sides of shields, who hit the SuperBot.

    What spares looks begins anew as well; places that devices guard no more cost only time, so once a turn is enough.

    `here`: see `cards_are_revealed`.
    """
    if game.phase == 1:
        mark_all_dangers(game, table)
    look_everywhere(game, table)
    game.culprit = NOBODY
    game.unsettled = 1
    game.aloft = 0
    for i in range(game.num_robots):
        robot = game.robots[i]
        robot.shields = 0
        robot.marks &= DISPLACED
        game.aloft |= int(robot.flying != 0) << i
    copies_begin_phase(game, table)
    if features_of(table) & HAS_FLAMERS:
        nobody_is_lit(game)
    if features_of(table) & HAS_DEEP_WATER:
        deep_water_marks(game, table, here)


@kernel
def cards_are_revealed(game: Game, table: Table, log: Log) -> None:
    """Segment A. `here`, also below: the features of the squares that robots stand on; the rest acts on nobody."""
    here = features_here(game, table)
    phase_begins(game, table, here)
    reveal(game, table, log, here)
    by_priority(game, table, game.order)


@kernel
def robots_act(game: Game, table: Table, log: Log) -> None:
    """B1 and B2. Copies execute the cards of their robots right after them."""
    game.step = at.B1
    robots_move(game, table, log)
    if features_of(table) & HAS_REPEATERS and features_here(game, table) & HAS_REPEATERS:
        game.step = at.B2
        repeaters_repeat(game, table, log)


@kernel
def robots_have_moved(game: Game, table: Table, log: Log, here: int) -> int:
    """B3 and B4: what looks at where robots stand when all have moved. The features of the squares there after it."""
    features = features_of(table)
    if here & HAS_PLATFORMS:
        game.step = at.B3
        platforms_tilt(game, table, log)
        settle(game, table, log)
        here = features_here(game, table)
    game.step = at.B4
    if here & HAS_FLAMERS:
        flamers_scorch(game, table, log)
    if features & HAS_MELTING:
        melting_beams_hit(game, table, log)
    if features & HAS_LAVA:
        lava_erupts(game, table, log)
    here = features_there(game, table, here, flights_end(game, table, log))
    if here & HAS_GAS:
        gas_puts_to_sleep(game, table, log)
        here = features_there(game, table, here, flights_end(game, table, log))
    if here & HAS_ENERGIZERS:
        energizers_charge(game, table, log)
    note_conditions(game, table, log)
    return here


@with_elements(robots_have_moved)
def all_have_moved(game: Game, table: Table, log: Log, here: int) -> int:
    """B3 and B4 for robots, then for copies, which are virtual and meet nobody (R-E45); platforms tip both at once."""
    here = int(robots_have_moved(game, table, log, here))
    if has_copies(game, table):
        swap_copies(game, table)
        robots_have_moved(game, table, log, features_here(game, table))
        swap_copies(game, table)
    return here


@with_expansions(None)
def all_hazards_hurt(game: Game, table: Table, log: Log) -> None:
    """D3 for robots, then for their copies; D1 and D3 may end flights."""
    hazards_hurt(game, table, log)
    if has_copies(game, table):
        swap_copies(game, table)
        hazards_hurt(game, table, log)
        flights_end(game, table, log)
        swap_copies(game, table)
    flights_end(game, table, log)


@kernel
def board_acts(game: Game, table: Table, log: Log) -> None:
    """B3 to C13."""
    here = all_have_moved(game, table, log, features_here(game, table))
    board_elements_move(game, table, log, here)


@kernel
def weapons_act(game: Game, table: Table, log: Log) -> None:
    """Segment D."""
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
def phase_ends(game: Game, table: Table, log: Log) -> None:
    """Segment E. Ends the game in E1 when the last flag is touched (U31)."""
    game.step = at.E1
    touch_checkpoints(game, table, log)
    if not game.over:
        game.step = at.E2
        shops_serve(game, table, log)
        flights_end(game, table, log)  # of a Robo-Copter that has been swapped or discarded
        game.step = at.E3
        become_real(game, table, log, False)
        if game.num_destroyed:
            end_by_elimination(game, table, log)
    game.order[:] = 0
    game.order_now[:] = 0


@kernel
def register_phase(game: Game, table: Table, log: Log) -> None:
    """Segments A to E of the phase `game.phase` (1-5)."""
    cards_are_revealed(game, table, log)
    robots_act(game, table, log)
    board_acts(game, table, log)
    weapons_act(game, table, log)
    phase_ends(game, table, log)


@kernel
def play_phase(game: Game, table: Table, log: Log) -> None:
    """`register_phase` for callers that are no kernels."""
    register_phase(game, table, log)


@kernel
def next_turn(game: Game, table: Table, orders: Array[Orders], log: Log) -> None:
    """T1 and T2 of the next turn."""
    game.turn += 1
    game.step = at.T1
    upkeep(game, table, orders, log)
    game.step = at.T2
    scrambler_bombs_go_off(game, table, log)
    note_conditions(game, table, log)


@kernel
def turn_begins(game: Game, table: Table, orders: Array[Orders], log: Log) -> None:
    """T4 and T5, with the orders of all players."""
    begin_conditions(game, table, log)
    program(game, table, orders, log)


@kernel
def turn_ends(game: Game, table: Table, orders: Array[Orders], log: Log) -> None:
    """F1 to F6, then T1 to T3 of the next turn."""
    end_turn(game, table, orders, log)
    if game.over:
        return
    next_turn(game, table, orders, log)
    game.step = at.T3
    deal(game, table, log)


@kernel
def play_registers(game: Game, table: Table, orders: Array[Orders], log: Log) -> None:
    """A turn from the orders to its last register phase, or to the one in which the game ends."""
    turn_begins(game, table, orders, log)
    for phase in range(1, NUM_REGISTERS + 1):
        game.phase = phase
        register_phase(game, table, log)
        if game.over:
            return


@kernel
def play_turn(game: Game, table: Table, orders: Array[Orders], log: Log) -> None:
    """One turn from the orders to the next hands. A game that is over stays as it was when it ended."""
    play_registers(game, table, orders, log)
    if not game.over:
        turn_ends(game, table, orders, log)


SEGMENTS = 5  # of a register phase
PARTS = 2 + SEGMENTS * NUM_REGISTERS  # of a turn: its beginning, the segments of all phases, its end


@kernel
def play_part(game: Game, table: Table, orders: Array[Orders], log: Log, part: int) -> None:
    """One of the `PARTS` of a turn of a game that is not over. One after the other they are `play_turn`."""
    segment = (part - 1) % SEGMENTS
    if part == 0:
        turn_begins(game, table, orders, log)
    elif part == PARTS - 1:
        turn_ends(game, table, orders, log)
    elif segment == 0:
        game.phase = 1 + part // SEGMENTS
        cards_are_revealed(game, table, log)
    elif segment == 1:
        robots_act(game, table, log)
    elif segment == 2:
        board_acts(game, table, log)
    elif segment == 3:
        weapons_act(game, table, log)
    else:
        phase_ends(game, table, log)
