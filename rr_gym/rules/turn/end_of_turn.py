"""Segment F of the timing table (R-T): landings, repairs, rotating rooms, re-entry, and emptying registers."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array
from rr_gym.courses.tables.ground import HAS_ROOMS
from rr_gym.forms import with_expansions
from rr_gym.rules.driving.flying import flyers_land
from rr_gym.rules.elements.rotating_rooms import rooms_turn
from rr_gym.rules.floor.ground import features_of
from rr_gym.rules.options.condition_events import note_conditions
from rr_gym.rules.options.option_programs import options_end_turn
from rr_gym.rules.options.supply import circuit_breakers_trip
from rr_gym.rules.robot.energizers import energy_fades
from rr_gym.rules.robot.sleep import slept_through
from rr_gym.rules.state import constants as at
from rr_gym.rules.state.cards import empty_registers
from rr_gym.rules.state.constants import LOCK_KEEP
from rr_gym.rules.state.records import GameRecord, Log, OrdersRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.after_deal import kept_for_recompile
from rr_gym.rules.turn.placing import reenter_all
from rr_gym.rules.turn.power import will_be_down
from rr_gym.rules.turn.sites import repair_robots
from rr_gym.rules.turn.sub_steps import robots_then_copies
from rr_gym.rules.turn.virtual_robots import become_real
from rr_gym.rules.turn.winning import end_by_elimination
from rr_gym.rules.variants.flags import flags_follow
from rr_gym.rules.variants.superbot import superbot_recovers


@with_expansions(None)
def end_by_late_elimination(game: GameRecord, table: Table, log: Log) -> None:
    """End the game if robots destroyed in segment F leave only one robot or team (U31).

    In this segment robots may be destroyed as they land, or as they return to an archive that has become a pit.
    """
    if game.num_destroyed:
        end_by_elimination(game, table, log)


all_flyers_land = robots_then_copies(f"{__name__}.all_flyers_land", flyers_land)


@kernel
def end_turn(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log) -> None:
    """Play segment F: landings, repairs, virtual robots, re-entry, and emptying the open registers (R-A6.10)."""
    game.phase = 0
    game.step = at.F1
    all_flyers_land(game, table, log)
    game.step = at.F2
    repair_robots(game, table, orders, log)
    superbot_recovers(game, table, log)
    if features_of(table) & HAS_ROOMS:
        game.step = at.F3
        rooms_turn(game, table, log)
    game.step = at.F4
    become_real(game, table, log, True)
    game.step = at.F5
    reenter_all(game, table, orders, log)
    flags_follow(game, table, log)  # a re-entry may set off a drone, which pushes robots that carry flags
    end_by_late_elimination(game, table, log)
    if game.over:
        return
    game.step = at.F6
    circuit_breakers_trip(game, table, orders, log)
    energy_fades(game, table)
    note_conditions(game, table, log)
    for i in range(game.num_robots):
        robot = game.robots[i]
        # U36: with pd_lock_card = keep, a robot that powers down keeps its last program in the registers.
        if table.settings.pd_lock_card != LOCK_KEEP or not will_be_down(game, table, orders, i):
            empty_registers(robot, robot.locked | slept_through(game, table, i) | kept_for_recompile(game, table, i))
    options_end_turn(game, table, log)
