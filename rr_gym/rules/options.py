"""The pile of option cards, and who owns which (R-A15, U26): option `k` is `OPTION_NAMES[k]`, each there once."""

from __future__ import annotations

import numpy as np

from rr_gym.jit import kernel
from rr_gym.rules.chance import below
from rr_gym.rules.constants import NUM_OPTIONS, ON, OPTIONS_DRAWN, UNLIMITED
from rr_gym.rules.events import OPTION_DRAWN, OPTION_LOST, note
from rr_gym.rules.records import GameRecord, LogRecord, RobotRecord, TableRecord

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
NO_OPTION = -1

# What launchers and boosters hold when they are new.
_LOADS = {
    "mini_howitzer": 5, "big_gun": 5, "big_jet": 1, "big_one": 1, "bridge_layer": 2, "buzz_bomb": 3,
    "drone_launcher": 3, "goo_dropper": 3, "mine_layer": 3, "missile_launcher": 3, "portable_teleporter": 1,
    "proximity_mine": 3, "retro_rockets": 3, "scrambler_bomb": 1,
}  # fmt: skip
LOAD = np.array([_LOADS.get(name, 0) for name in OPTION_NAMES], np.int8)
ABLATIVE_COAT = OPTION_NAMES.index("ablative_coat")
ABLATIVE_POINTS = 3  # that a new Ablative Coat absorbs

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


@kernel
def owns(robot: RobotRecord, option: int) -> bool:
    """Whether the robot has the option; False for `NO_OPTION`."""
    return 0 <= option < NUM_OPTIONS and robot.options >> np.uint64(option) & np.uint64(1) != 0


@kernel
def count_options(robot: RobotRecord) -> int:
    """How many options the robot has."""
    count = 0
    for k in range(NUM_OPTIONS):
        if owns(robot, k):
            count += 1
    return count


@kernel
def shuffle_options(game: GameRecord, table: TableRecord) -> None:
    """The start of a game with option cards: all of them form the undealt pile, its top the last one."""
    if table.settings.option_cards != ON:
        return
    for k in range(NUM_OPTIONS):
        other = below(game, OPTIONS_DRAWN, k + 1)
        game.option_deck[k] = game.option_deck[other]
        game.option_deck[other] = k
    game.option_deck_left = NUM_OPTIONS


@kernel
def top_option(game: GameRecord) -> int:
    """Take the top card of the pile; the discards are shuffled when it is empty. `NO_OPTION` if there is none."""
    if game.option_deck_left == 0:
        for k in range(game.option_discards_left):
            other = below(game, OPTIONS_DRAWN, k + 1)
            game.option_deck[k] = game.option_deck[other]
            game.option_deck[other] = game.option_discards[k]
        game.option_deck_left = game.option_discards_left
        game.option_discards_left = 0
        if game.option_deck_left == 0:
            return NO_OPTION
    game.option_deck_left -= 1
    return int(game.option_deck[game.option_deck_left])


@kernel
def least_valuable(robot: RobotRecord) -> int:
    """Empty launchers and boosters first, then by the fixed order (U24); `NO_OPTION` if it has none."""
    for k in range(NUM_OPTIONS):
        if owns(robot, k) and LOAD[k] > 0 and robot.payload[k] == 0:
            return k
    for k in range(NUM_OPTIONS):
        option = int(CHEAPEST_FIRST[k])
        if owns(robot, option):
            return option
    return NO_OPTION


@kernel
def discard_option(game: GameRecord, log: LogRecord, robot: int, option: int) -> None:
    """The robot gives an option that it owns to the discards."""
    body = game.robots[robot]
    body.options &= ~(np.uint64(1) << np.uint64(option))
    body.payload[option] = 0
    game.option_discards[game.option_discards_left] = option
    game.option_discards_left += 1
    note(game, log, OPTION_LOST, robot, option)


@kernel
def may_draw(game: GameRecord, table: TableRecord, robot: int) -> bool:
    """Whether options can be drawn: the game has option cards, some are left, and the robot may own one."""
    left = game.option_deck_left + game.option_discards_left > 0
    return table.settings.option_cards == ON and left and table.settings.max_options != 0


@kernel
def draw_option(game: GameRecord, table: TableRecord, log: LogRecord, robot: int) -> None:
    """The robot draws an option, new and full, if it may; what exceeds `max_options` goes, the least valuable first."""
    if not may_draw(game, table, robot):
        return
    option = top_option(game)
    body = game.robots[robot]
    body.options |= np.uint64(1) << np.uint64(option)
    body.payload[option] = ABLATIVE_POINTS if option == ABLATIVE_COAT else LOAD[option]
    note(game, log, OPTION_DRAWN, robot, option)
    limit = table.settings.max_options
    if limit != UNLIMITED and count_options(body) > limit:
        discard_option(game, log, robot, least_valuable(body))


@kernel
def emptiest(robot: RobotRecord) -> int:
    """The launcher or booster with the least left in it that is not full; `NO_OPTION` for none."""
    found = NO_OPTION
    for k in range(NUM_OPTIONS):
        if owns(robot, k) and robot.payload[k] < LOAD[k] and (found < 0 or robot.payload[k] < robot.payload[found]):
            found = k
    return found


@kernel
def reload_option(robot: RobotRecord, option: int) -> bool:
    """Fill a launcher or booster that the robot owns and that is not full; whether there was anything to fill."""
    if not owns(robot, option) or robot.payload[option] >= LOAD[option]:
        return False
    robot.payload[option] = LOAD[option]
    return True
