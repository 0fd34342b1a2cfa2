"""The 52 option cards as data (R-O1 to R-O52): option `k` is `OPTION_NAMES[k]`, each there once."""

from __future__ import annotations

import numpy as np

from rr_gym.option_facts import OPTION_CARDS

OPTION_NAMES = tuple(card.id for card in OPTION_CARDS)
(
    ABLATIVE_COAT, ABORT_SWITCH, BRAKES, CIRCUIT_BREAKER, CONDITIONAL_PROGRAM, DOUBLE_BARRELED_LASER,
    EXTRA_MEMORY, FIRE_CONTROL, FLYWHEEL, FOURTH_GEAR, GYROSCOPIC_STABILIZER, HIGH_POWER_LASER, MECHANICAL_ARM,
    MINI_HOWITZER, POWER_DOWN_SHIELD, PRESSOR_BEAM, RADIO_CONTROL, RAMMING_GEAR, REAR_LASER, RECOMPILE,
    REVERSE_GEARS, SCRAMBLER, SHIELD, SUPERIOR_ARCHIVE, TRACTOR_BEAM, TURRET, BIG_GUN, BIG_JET, BIG_ONE,
    BIO_OPTION, BRIDGE_LAYER, BUZZ_BOMB, CONVERTER, CRAB_LEGS, DRONE_LAUNCHER, DUAL_PROCESSOR, FROG_LEGS,
    GOO_DROPPER, HOMING_DEVICE, INTERCEPTOR, MINE_LAYER, MISSILE_LAUNCHER, OPTION_DAMPING_FIELD,
    OVERLOAD_OVERRIDE, PORTABLE_TELEPORTER, PROXIMITY_MINE, REENGINEERING_UNIT, REFLECTOR, RETRO_ROCKETS,
    ROBO_COPTER, SCRAMBLER_BOMB, SELF_DESTRUCT,
) = range(len(OPTION_NAMES))  # fmt: skip
NO_OPTION = -1

ABLATIVE_POINTS = OPTION_CARDS[ABLATIVE_COAT].holds  # that a new Ablative Coat absorbs
CONVERTER_LIMIT = 3  # energy counters with which a Converter explodes
# What launchers and boosters hold when they are new. (The points of an Ablative Coat are counted up.)
LOAD = np.array([0 if k == ABLATIVE_COAT else card.holds for k, card in enumerate(OPTION_CARDS)], np.int8)

# U24: the order in which options are given away where nobody chooses, the least valuable first.
CHEAPEST_FIRST = np.argsort([card.value for card in OPTION_CARDS]).astype(np.int8)
RANK = np.argsort(CHEAPEST_FIRST).astype(np.int8)  # by option: its place in that order
