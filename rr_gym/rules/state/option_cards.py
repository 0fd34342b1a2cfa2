"""The 52 option cards as data (R-O1 to R-O52): option `k` is `OPTION_NAMES[k]`, each there once."""

from __future__ import annotations

import numpy as np

OPTION_NAMES = (
    "ablative_coat", "abort_switch", "brakes", "circuit_breaker", "conditional_program", "double_barreled_laser",
    "extra_memory", "fire_control", "flywheel", "fourth_gear", "gyroscopic_stabilizer", "high_power_laser",
    "mechanical_arm", "mini_howitzer", "power_down_shield", "pressor_beam", "radio_control", "ramming_gear",
    "rear_laser", "recompile", "reverse_gears", "scrambler", "shield", "superior_archive", "tractor_beam", "turret",
    "big_gun", "big_jet", "big_one", "bio_option", "bridge_layer", "buzz_bomb", "converter", "crab_legs",
    "drone_launcher", "dual_processor", "frog_legs", "goo_dropper", "homing_device", "interceptor", "mine_layer",
    "missile_launcher", "option_damping_field", "overload_override", "portable_teleporter", "proximity_mine",
    "reengineering_unit", "reflector", "retro_rockets", "robo_copter", "scrambler_bomb", "self_destruct",
)  # fmt: skip
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

# What launchers and boosters hold when they are new.
_LOADS = {
    "mini_howitzer": 5, "big_gun": 5, "big_jet": 1, "big_one": 1, "bridge_layer": 2, "buzz_bomb": 3,
    "drone_launcher": 3, "goo_dropper": 3, "mine_layer": 3, "missile_launcher": 3, "portable_teleporter": 1,
    "proximity_mine": 3, "retro_rockets": 3, "scrambler_bomb": 1,
}  # fmt: skip
LOAD = np.array([_LOADS.get(name, 0) for name in OPTION_NAMES], np.int8)
ABLATIVE_POINTS = 3  # that a new Ablative Coat absorbs
CONVERTER_LIMIT = 3  # energy counters with which a Converter explodes

# U24: the order in which options are given away where nobody chooses, the least valuable first.
_CHEAPEST_FIRST = (
    "circuit_breaker",
    "interceptor", "homing_device", "portable_teleporter", "bridge_layer", "abort_switch", "scrambler_bomb",
    "goo_dropper", "reengineering_unit", "recompile",
    "scrambler", "pressor_beam", "tractor_beam", "brakes", "reverse_gears", "rear_laser", "flywheel",
    "power_down_shield", "option_damping_field", "overload_override",
    "mini_howitzer", "big_gun", "turret", "gyroscopic_stabilizer", "conditional_program", "dual_processor",
    "crab_legs", "frog_legs", "fourth_gear", "ramming_gear", "reflector", "superior_archive", "converter",
    "shield", "high_power_laser", "double_barreled_laser", "fire_control", "radio_control", "extra_memory",
    "robo_copter", "ablative_coat", "mechanical_arm",
    "big_jet", "big_one", "bio_option", "buzz_bomb", "drone_launcher", "mine_layer", "missile_launcher",
    "proximity_mine", "retro_rockets", "self_destruct",
)  # fmt: skip
CHEAPEST_FIRST = np.array([OPTION_NAMES.index(name) for name in _CHEAPEST_FIRST], np.int8)
RANK = np.argsort(CHEAPEST_FIRST).astype(np.int8)  # by option: its place in that order
