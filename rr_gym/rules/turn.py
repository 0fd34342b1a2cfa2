"""The timing table (R-T): a whole turn, sub-step by sub-step. A course pays only for what lies on it."""

from __future__ import annotations

from rr_gym.courses.ground import (
    ATTRACTORS,
    BARRIERS,
    BIG_GEARS,
    CRUMBLY,
    CURRENTS,
    DRAWBRIDGES,
    ELEVATORS,
    ENERGIZERS,
    FANS,
    FLAMERS,
    FLIP_BELTS,
    FLIP_GEARS,
    GAS,
    GOLD_BELTS,
    JACKS,
    LAVA,
    MEGA_CRUSHERS,
    MELTING,
    PLATFORMS,
    RANDOMIZERS,
    REPEATERS,
    RINGS,
    ROOMS,
    TIMED_PITS,
    TURRETS,
)
from rr_gym.courses.tables import BELTS, CRUSHERS, EXPRESS, GEARS, PUSHERS
from rr_gym.jit import alone, expansion, kernel
from rr_gym.rules import constants as at
from rr_gym.rules.attractors import attractors_pull
from rr_gym.rules.barriers import barriers_decide
from rr_gym.rules.cards import FIRST_MOVEMENT, empty_registers, take_any, take_from_hand
from rr_gym.rules.checkpoints import become_real, end_by_elimination, touch_checkpoints
from rr_gym.rules.conditions import begin_conditions, note_conditions
from rr_gym.rules.constants import HAND_SLOTS, LOCK_KEEP, NUM_REGISTERS, ON
from rr_gym.rules.conveyors import EXPRESS as EXPRESS_BELT
from rr_gym.rules.conveyors import GOLD as GOLD_BELT
from rr_gym.rules.conveyors import NORMAL, belts_move, flip_belts_move
from rr_gym.rules.copies import has_copies, swap_copies
from rr_gym.rules.crumbly import crumbly_ground_gives_way
from rr_gym.rules.currents import currents_flow
from rr_gym.rules.dealing import deal
from rr_gym.rules.elevators import elevators_move
from rr_gym.rules.energizers import energizers_charge, energy_fades
from rr_gym.rules.events import FACED, PROGRAMMED, note, note_at
from rr_gym.rules.fans import ventilators_blow
from rr_gym.rules.fire import fires_burn, flamers_scorch_who_stayed
from rr_gym.rules.flying import flyers_land
from rr_gym.rules.gears import big_gears_turn, flip_gears_turn, gears_turn
from rr_gym.rules.ground import features_here
from rr_gym.rules.hazards import clear_phase_marks, hazards_hurt
from rr_gym.rules.jacks import jacks_sling
from rr_gym.rules.lasers import lasers_fire
from rr_gym.rules.lava import lava_erupts
from rr_gym.rules.machines import crushers_crush, pushers_push
from rr_gym.rules.melting import melting_beams_hit_who_stayed
from rr_gym.rules.pits import pits_switch
from rr_gym.rules.placing import reenter_all
from rr_gym.rules.platforms import platforms_tilt
from rr_gym.rules.power import announce_power_down, upkeep, will_be_down
from rr_gym.rules.randomizers import randomizers_replace
from rr_gym.rules.records import GameRecord, LogRecord, OrdersRecords, RobotRecord, TableRecord
from rr_gym.rules.repeaters import repeaters_repeat
from rr_gym.rules.rings import rings_accelerate
from rr_gym.rules.robots import by_priority, robots_move
from rr_gym.rules.rooms import rooms_turn
from rr_gym.rules.settling import flights_end, settle
from rr_gym.rules.shops import note_decisions, shops_serve
from rr_gym.rules.sites import repair_robots
from rr_gym.rules.sleep import gas_puts_to_sleep, keeps_program, sleepers_sleep, slept_through
from rr_gym.rules.turrets import turrets_turn


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
            note_decisions(game, table, orders, i)
            if not robot.down and not keeps_program(game, table, i):
                fill_registers(game, table, orders, i)
                if log.on:
                    for r in range(NUM_REGISTERS):
                        note_at(game, log, PROGRAMMED, i, -1, r + 1, robot.square, robot.registers[r])
    game.step = at.T5
    announce_power_down(game, table, orders, log)


@kernel
def pits_open(game: GameRecord, table: TableRecord, log: LogRecord, at_reveal: bool) -> None:
    """A1 and A6 for robots and their copies."""
    pits_switch(game, table, log, at_reveal)
    if has_copies(game, table):
        swap_copies(game, table)
        pits_switch(game, table, log, at_reveal)
        swap_copies(game, table)


@kernel
def reveal(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """Segment A."""
    features = table.course.features
    game.step = at.A1
    if features & TIMED_PITS:
        pits_open(game, table, log, False)
    fires_burn(game, table, log)
    flights_end(game, table, log)
    sleepers_sleep(game, table, log)
    if features & RANDOMIZERS:
        game.step = at.A3
        randomizers_replace(game, table, log)
    if features & CRUMBLY:
        game.step = at.A4
        crumbly_ground_gives_way(game, table, log)
        if has_copies(game, table):
            swap_copies(game, table)
            crumbly_ground_gives_way(game, table, log)
            swap_copies(game, table)
    if features & DRAWBRIDGES:
        game.step = at.A6
        pits_open(game, table, log, True)
    note_conditions(game, table, log)


@kernel
def robots_act(game: GameRecord, table: TableRecord, log: LogRecord, order: int) -> None:
    """B1 and B2. `order` is that of `by_priority`. Copies execute the cards of their robots right after them."""
    game.step = at.B1
    robots_move(game, table, log, order)
    if features_here(game, table) & REPEATERS:
        game.step = at.B2
        repeaters_repeat(game, table, log)


@kernel
def robots_have_moved(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """B3 and B4: what looks at where robots stand when all have moved."""
    features = table.course.features
    if features_here(game, table) & PLATFORMS:
        game.step = at.B3
        platforms_tilt(game, table, log)
        settle(game, table, log)
    game.step = at.B4
    here = features_here(game, table)
    if here & FLAMERS:
        flamers_scorch_who_stayed(game, table, log)
    if features & MELTING:
        melting_beams_hit_who_stayed(game, table, log)
    if features & LAVA:
        lava_erupts(game, table, log)
    flights_end(game, table, log)
    if here & GAS:
        gas_puts_to_sleep(game, table, log)
    if here & ENERGIZERS:
        energizers_charge(game, table, log)
    note_conditions(game, table, log)


@kernel
def board_elements_move(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """Segment C. `here` are the features of the squares on which robots stand before each sub-step."""
    features = table.course.features
    if features & RINGS:
        game.step = at.C1
        rings_accelerate(game, table, log)
        settle(game, table, log)
    if features & FANS:
        game.step = at.C2
        ventilators_blow(game, table, log)
        settle(game, table, log)
    here = features_here(game, table)
    if here & GOLD_BELTS:
        game.step = at.C4
        belts_move(game, table, log, GOLD_BELT)
        settle(game, table, log)
        here = features_here(game, table)
    if here & EXPRESS:
        game.step = at.C5
        belts_move(game, table, log, EXPRESS_BELT)
        settle(game, table, log)
        here = features_here(game, table)
    if here & BELTS:
        game.step = at.C6
        belts_move(game, table, log, NORMAL)
        settle(game, table, log)
        here = features_here(game, table)
    if features & (FLIP_BELTS | FLIP_GEARS | BARRIERS):
        game.step = at.C7
        barriers_decide(game, table, log)
        if here & FLIP_BELTS:
            flip_belts_move(game, table, log)
            settle(game, table, log)
            here = features_here(game, table)
    if here & CURRENTS:
        game.step = at.C8
        currents_flow(game, table, log)
        settle(game, table, log)
        here = features_here(game, table)
    if here & JACKS:
        game.step = at.C9
        jacks_sling(game, table, log)
        settle(game, table, log)
        here = features_here(game, table)
    if here & PUSHERS:
        game.step = at.C10
        pushers_push(game, table, log)
        settle(game, table, log)
    if features & ATTRACTORS:
        game.step = at.C10B
        attractors_pull(game, table, log)
        settle(game, table, log)
    here = features_here(game, table)
    if here & (GEARS | FLIP_GEARS | BIG_GEARS) or features & TURRETS:
        game.step = at.C11
        gears_turn(game, table, log)
        flip_gears_turn(game, table, log)
        big_gears_turn(game, table, log)
        turrets_turn(game, table, log)
    if here & CRUSHERS or features & MEGA_CRUSHERS:
        game.step = at.C12
        crushers_crush(game, table, log)
        settle(game, table, log)
        here = features_here(game, table)
    if here & ELEVATORS:
        game.step = at.C13
        elevators_move(game, table, log)
        note_conditions(game, table, log)


@expansion(None)
def copies_are_moved(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """Copies are virtual and meet nobody, so B3 to C13 act on all of them after they have acted on robots (R-E45)."""
    if has_copies(game, table):
        swap_copies(game, table)
        robots_have_moved(game, table, log)
        board_elements_move(game, table, log)
        swap_copies(game, table)


@expansion(None)
def all_hazards_hurt(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """D3 for robots, then for their copies; D1 and D3 may end flights."""
    hazards_hurt(game, table, log)
    if has_copies(game, table):
        swap_copies(game, table)
        hazards_hurt(game, table, log)
        flights_end(game, table, log)
        swap_copies(game, table)
    flights_end(game, table, log)


@alone
def register_phase(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """Segments A to E of the phase `game.phase` (1-5). Ends the game in E1 when the last flag is touched (U31)."""
    clear_phase_marks(game, table)
    reveal(game, table, log)
    order = by_priority(game, table)
    robots_act(game, table, log, order)
    robots_have_moved(game, table, log)
    board_elements_move(game, table, log)
    copies_are_moved(game, table, log)
    game.step = at.D1
    lasers_fire(game, table, log, order)
    game.step = at.D2
    settle(game, table, log)
    game.step = at.D3
    all_hazards_hurt(game, table, log)
    game.step = at.E1
    touch_checkpoints(game, table, log)
    if game.over:
        return
    game.step = at.E2
    shops_serve(game, table, log)
    game.step = at.E3
    become_real(game, table, log, False)
    if game.num_destroyed:
        end_by_elimination(game, log)


@kernel
def play_phase(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """`register_phase` for callers that are no kernels."""
    register_phase(game, table, log)


@expansion(None)
def end_by_late_elimination(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """Landings and returns to a pit destroy robots in segment F, where the last one left wins too (U31)."""
    if game.num_destroyed:
        end_by_elimination(game, log)


@kernel
def end_turn(game: GameRecord, table: TableRecord, orders: OrdersRecords, log: LogRecord) -> None:
    """Segment F: repairs, virtual robots, re-entry, and the cards of open registers (R-A6.10)."""
    game.phase = 0
    game.step = at.F1
    flyers_land(game, table, log)
    game.step = at.F2
    repair_robots(game, table, orders, log)
    if table.course.features & ROOMS:
        game.step = at.F3
        rooms_turn(game, table, log)
    game.step = at.F4
    become_real(game, table, log, True)
    game.step = at.F5
    reenter_all(game, table, orders, log)
    end_by_late_elimination(game, table, log)
    if game.over:
        return
    game.step = at.F6
    energy_fades(game, table)
    note_conditions(game, table, log)
    for i in range(game.num_robots):
        robot = game.robots[i]
        # U36: with pd_lock_card = keep a robot goes down with its last program in the registers.
        if table.settings.pd_lock_card != LOCK_KEEP or not will_be_down(game, table, orders, i):
            empty_registers(robot, robot.locked | slept_through(game, table, i))


@kernel
def next_turn(game: GameRecord, table: TableRecord, orders: OrdersRecords, log: LogRecord) -> None:
    """T1 and T2 of the next turn."""
    game.turn += 1
    game.step = at.T1
    upkeep(game, table, orders, log)
    note_conditions(game, table, log)


@kernel
def play_turn(game: GameRecord, table: TableRecord, orders: OrdersRecords, log: LogRecord) -> None:
    """One turn from the orders to the next hands. A game that is over stays as it was when it ended."""
    begin_conditions(game, table, log)
    program(game, table, orders, log)
    for phase in range(1, NUM_REGISTERS + 1):
        game.phase = phase
        register_phase(game, table, log)
        if game.over:
            return
    end_turn(game, table, orders, log)
    if game.over:
        return
    next_turn(game, table, orders, log)
    game.step = at.T3
    deal(game, table, log)
