"""Segment A of the timing table (R-T): the cards of a register are shown, after what comes before them."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_CRUMBLY, HAS_DRAWBRIDGES, HAS_RANDOMIZERS, HAS_TIMED_PITS
from rr_gym.rules.damage.explosions import timed_explosions
from rr_gym.rules.devices.watch import ALL_DEVICES
from rr_gym.rules.driving.randomizers import randomizers_replace
from rr_gym.rules.driving.registers import registers_change
from rr_gym.rules.floor.copies import has_copies, swap_copies
from rr_gym.rules.floor.ground import features_here, features_of, features_there
from rr_gym.rules.hazards.crumbly import crumbly_ground_gives_way
from rr_gym.rules.hazards.fire import fires_burn
from rr_gym.rules.hazards.pits import pits_switch
from rr_gym.rules.launching.gadgets import gadgets_are_laid
from rr_gym.rules.movement.settling import flights_end
from rr_gym.rules.options.condition_events import note_conditions
from rr_gym.rules.robot.sleep import sleepers_sleep
from rr_gym.rules.state import constants as at
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@kernel
def pits_open(game: Game, table: Table, log: Log, here: int, at_reveal: bool) -> None:
    """A1 and A6 for robots and their copies. `here`: the features of the squares that robots stand on."""
    game.shifted = ALL_DEVICES
    if here & (HAS_TIMED_PITS | HAS_DRAWBRIDGES):
        pits_switch(game, table, log, at_reveal)
    if has_copies(game, table):
        swap_copies(game, table)
        pits_switch(game, table, log, at_reveal)
        swap_copies(game, table)


@kernel
def reveal(game: Game, table: Table, log: Log, here: int) -> None:
    """Segment A. `here`: the features of the squares that robots stand on as it begins."""
    features = features_of(table)
    game.step = at.A1
    if features & HAS_TIMED_PITS:
        pits_open(game, table, log, here, False)
    timed_explosions(game, table, log)
    fires_burn(game, table, log)
    here = features_there(game, table, here, flights_end(game, table, log))
    sleepers_sleep(game, table, log)
    game.step = at.A2
    registers_change(game, table, log)
    game.step = at.A3
    if here & HAS_RANDOMIZERS:
        randomizers_replace(game, table, log)
    if features & HAS_CRUMBLY:
        game.step = at.A4
        if here & HAS_CRUMBLY:
            crumbly_ground_gives_way(game, table, log)
        if has_copies(game, table):
            swap_copies(game, table)
            crumbly_ground_gives_way(game, table, log)
            swap_copies(game, table)
    gadgets_are_laid(game, table, log)
    if features & HAS_DRAWBRIDGES:
        game.step = at.A6
        pits_open(game, table, log, features_here(game, table), True)  # gadgets may have thrown somebody
    note_conditions(game, table, log)
