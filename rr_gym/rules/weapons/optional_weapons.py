"""The table of optional weapons: the card of each, its legal targets, and its effect (R-O0)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rr_gym.rules.state.constants import (
    BY_BIG_GUN,
    BY_HOWITZER,
    DRONE_TOKEN,
    FIRE_BIG_GUN,
    FIRE_DRONE,
    FIRE_HOMING,
    FIRE_HOWITZER,
    FIRE_INTERCEPTOR,
    FIRE_MISSILE,
    FIRE_PRESSOR,
    FIRE_RADIO,
    FIRE_SCRAMBLER,
    FIRE_TRACTOR,
    MISSILE_TOKEN,
    NO_DEVICE,
    NUM_REGISTERS,
    WEAPON_NAMES,
)
from rr_gym.rules.state.option_cards import (
    BIG_GUN,
    DRONE_LAUNCHER,
    HOMING_DEVICE,
    INTERCEPTOR,
    MINI_HOWITZER,
    MISSILE_LAUNCHER,
    NO_OPTION,
    PRESSOR_BEAM,
    RADIO_CONTROL,
    SCRAMBLER,
    TRACTOR_BEAM,
)

FIRST_IN_LINE, NOT_ADJACENT, IN_RADIO_RANGE, NEEDS_NONE = range(4)  # values of `aims_at`
STAYS, AWAY, NEARER = range(3)  # values of `moves`


class OptionalWeapon(NamedTuple):
    """What a robot may fire instead of its main laser.

    Attributes:
        card: The option card.
        aims_at: Its legal targets: at the first robot in line; at that robot unless it is adjacent; at a robot
            within the range of Radio Control; or at nobody, because it needs no target.
        last_phase: The last register phase in which it may be fired.
        points: Points of damage to the target.
        harm: The kind of the damage (`BY_HOWITZER` ...).
        moves: Whether the target moves in D2, and if so away from the robot that fires or nearer to it.
        launches: The kind of device that it brings into play.
    """

    card: int
    aims_at: int = FIRST_IN_LINE
    last_phase: int = NUM_REGISTERS
    points: int = 0
    harm: int = 0
    moves: int = STAYS
    launches: int = NO_DEVICE


# Keyed by index of WEAPON_NAMES. `fire_weapon` implements effects without a column, such as taking over a program.
OPTIONAL_WEAPONS = {
    FIRE_HOWITZER: OptionalWeapon(MINI_HOWITZER, points=1, harm=BY_HOWITZER, moves=AWAY),
    FIRE_PRESSOR: OptionalWeapon(PRESSOR_BEAM, moves=AWAY),
    FIRE_TRACTOR: OptionalWeapon(TRACTOR_BEAM, aims_at=NOT_ADJACENT, moves=NEARER),
    FIRE_RADIO: OptionalWeapon(RADIO_CONTROL, aims_at=IN_RADIO_RANGE, last_phase=NUM_REGISTERS - 1),
    FIRE_SCRAMBLER: OptionalWeapon(SCRAMBLER, last_phase=NUM_REGISTERS - 1),
    FIRE_BIG_GUN: OptionalWeapon(BIG_GUN, points=2, harm=BY_BIG_GUN),
    FIRE_MISSILE: OptionalWeapon(MISSILE_LAUNCHER, aims_at=NEEDS_NONE, launches=MISSILE_TOKEN),
    FIRE_DRONE: OptionalWeapon(DRONE_LAUNCHER, launches=DRONE_TOKEN),
    FIRE_HOMING: OptionalWeapon(HOMING_DEVICE),
    FIRE_INTERCEPTOR: OptionalWeapon(INTERCEPTOR),
}
_ROWS = [OPTIONAL_WEAPONS.get(weapon, OptionalWeapon(NO_OPTION)) for weapon in range(len(WEAPON_NAMES))]
WEAPON_OPTION = np.array([row.card for row in _ROWS], np.int8)
AIMS_AT = np.array([row.aims_at for row in _ROWS], np.int8)
LAST_PHASE = np.array([row.last_phase for row in _ROWS], np.int8)
POINTS = np.array([row.points for row in _ROWS], np.int8)
HARM = np.array([row.harm for row in _ROWS], np.int8)
MOVES = np.array([row.moves for row in _ROWS], np.int8)
LAUNCHES = np.array([row.launches for row in _ROWS], np.int8)
