"""Segment A of the timing table (R-T): registers are revealed, and some elements act before robots move."""

from __future__ import annotations

from rr_gym.courses.tables.ground import HAS_CRUMBLY, HAS_DRAWBRIDGES, HAS_RANDOMIZERS, HAS_TIMED_PITS
from rr_gym.rules.damage.explosions import timed_explosions
from rr_gym.rules.driving.randomizers import randomizers_replace
from rr_gym.rules.driving.registers import registers_change
from rr_gym.rules.hazards.crumbly import crumbly_ground_gives_way
from rr_gym.rules.hazards.fire import fires_burn
from rr_gym.rules.hazards.pits import drawbridges_open, pits_open
from rr_gym.rules.launching.gadgets import gadgets_are_laid
from rr_gym.rules.movement.settling import flights_end
from rr_gym.rules.robot.sleep import sleepers_sleep
from rr_gym.rules.state import constants as at
from rr_gym.rules.turn.sub_steps import SubStep, in_order, robots_then_copies

SEGMENT_A = (
    SubStep(at.A1, robots_then_copies(f"{__name__}.pits", pits_open), on_board=HAS_TIMED_PITS),
    SubStep(at.A1, timed_explosions),
    SubStep(at.A1, fires_burn),
    SubStep(at.A1, flights_end),
    SubStep(at.A1, sleepers_sleep),
    SubStep(at.A2, registers_change),
    SubStep(at.A3, randomizers_replace, under=HAS_RANDOMIZERS),
    SubStep(at.A4, robots_then_copies(f"{__name__}.crumbly_ground", crumbly_ground_gives_way), on_board=HAS_CRUMBLY),
    SubStep(at.A5, gadgets_are_laid),
    SubStep(at.A6, robots_then_copies(f"{__name__}.drawbridges", drawbridges_open), on_board=HAS_DRAWBRIDGES),
)

reveal = in_order(f"{__name__}.segment_a", SEGMENT_A)
