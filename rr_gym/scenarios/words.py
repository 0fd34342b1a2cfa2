"""The words of the scenario format: every key, order, state and name that a scenario may use.

What has no rule in the game yet is listed too, so that it is refused by its name and a misspelling still gets the
nearest valid word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SCENARIO_KEYS = (
    "name", "source", "board", "course", "params", "robots", "programs", "orders", "deck", "option_deck", "devices",
    "state", "start_phase", "run", "then", "expect", "expect_devices", "expect_state", "winner", "error", "seed",
    "basis", "comment",
)  # fmt: skip
TURN_KEYS = (
    "programs", "orders", "deck", "option_deck", "run", "expect", "expect_devices", "expect_state", "winner", "comment",
)  # fmt: skip

# Keys that may stand there without a value.
MAY_BE_EMPTY = (
    "params", "programs", "orders", "deck", "option_deck", "devices", "state", "then", "expect_devices", "expect_state",
)  # fmt: skip

# What says "nothing special" wherever something has no rule yet; false is 0.
NOTHING: tuple[Any, ...] = (0, None, "none", [], {})

# Fields of a robot with a rule, then those that may only say "nothing special" (0, false, none, empty).
ROBOT_FIELDS = (
    "at", "facing", "damage", "lives", "flag", "archive", "virtual", "powered_down", "locked", "level",
)  # fmt: skip
ROBOT_FIELDS_LATER = ("flying", "burning", "asleep", "energized", "speed", "goo", "team", "options")
EXPECT_FIELDS = ("destroyed", "out", "registers")
EXPECT_FIELDS_LATER = ("counters", "on_ramp")

# Shared state by name, with the words for the start of a game beside `NOTHING`.
STATE_AT_START: dict[str, tuple[str, ...]] = {
    "flip": (), "piston_up": ("a",), "turrets": (), "turret_cards": (), "crumbled": (), "rooms": (),
}  # fmt: skip
DEVICE_KINDS = (
    "bridge", "goo", "mine", "proximity_mine", "portable_teleporter", "scrambler_bomb", "missile", "drone", "buzz_bomb",
    "big_one",
)  # fmt: skip
DEVICE_FIELDS = ("kind", "at", "level", "owner", "facing", "power", "priority", "target", "program")

OPTION_IDS = (
    "ablative_coat", "abort_switch", "brakes", "circuit_breaker", "conditional_program", "double_barreled_laser",
    "extra_memory", "fire_control", "flywheel", "fourth_gear", "gyroscopic_stabilizer", "high_power_laser",
    "mechanical_arm", "mini_howitzer", "power_down_shield", "pressor_beam", "radio_control", "ramming_gear",
    "rear_laser", "recompile", "reverse_gears", "scrambler", "shield", "superior_archive", "tractor_beam", "turret",
    "big_gun", "big_jet", "big_one", "bio_option", "bridge_layer", "buzz_bomb", "converter", "crab_legs",
    "drone_launcher", "dual_processor", "frog_legs", "goo_dropper", "homing_device", "interceptor", "mine_layer",
    "missile_launcher", "option_damping_field", "overload_override", "portable_teleporter", "proximity_mine",
    "reengineering_unit", "reflector", "retro_rockets", "robo_copter", "scrambler_bomb", "self_destruct",
)  # fmt: skip

# Special rules of courses that may stand in `params` beside the settings.
SPECIAL_RULES = ("no_power_down", "programming_seconds")
SPECIAL_RULES_LATER = (
    "option_draft", "sites_give_options", "start_options", "superbot", "racer_and_blocker", "rotate_board_on_flag",
    "team_shared_flags", "team_any_robot", "capture_the_flag", "flag_toggle", "team_elimination",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Order:
    """How the value of an order is written.

    Attributes:
        kind: ``flag``, ``choice``, ``number``, ``robot``, ``card``, ``cards``, ``option``, ``options``, ``threshold``
            (a number, or true for the largest), ``permutation`` or ``conditional``.
        names: The words of a choice; their index is the value of the order where it has a rule.
        low, high: The range of a number.
        per_register: A list of up to five such values, or one that stands for all registers.
        has_rule: The game follows it.
        default: What an order without a rule may say: its default, as it may be written.
    """

    kind: str
    names: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    per_register: bool = False
    has_rule: bool = False
    default: tuple[Any, ...] = ("none",)


_OFF = (False, "off")
_ON = (True, "on")
_SIDES = ("front", "right", "back", "left")

ORDERS: dict[str, Order] = {
    "power_down": Order("flag", has_rule=True),
    "stay_down": Order("flag", has_rule=True),
    "facing": Order("choice", ("n", "e", "s", "w"), has_rule=True),
    "unlock": Order("number", high=5, has_rule=True),
    "site": Order("choice", ("auto", "repair", "option"), has_rule=True),
    "square": Order("number", high=15, has_rule=True),
    "weapon": Order(
        "choice",
        ("main", "mini_howitzer", "pressor_beam", "tractor_beam", "radio_control", "scrambler", "big_gun", "missile",
         "drone", "homing", "interceptor"),
        default=("main",),
        per_register=True,
    ),
    "gadget": Order(
        "choice",
        ("none", "bridge", "mine", "proximity_mine", "goo", "portable_teleporter", "scrambler_bomb", "big_one"),
        per_register=True,
    ),
    "movement_option": Order(
        "choice",
        ("none", "crab_legs", "dual_processor", "overload", "overload_second_first", "overload_empty", "big_jet",
         "retro_1", "retro_2", "retro_3"),
        per_register=True,
    ),
    "second": Order("card", per_register=True),
    "gear": Order("flag", per_register=True, default=_OFF),
    "frog": Order("flag", per_register=True, default=_OFF),
    "gyro": Order("flag", per_register=True, default=_ON),
    "turret": Order("choice", _SIDES, per_register=True, default=("front",)),
    "shield": Order("choice", ("off", *_SIDES), per_register=True, default=("front",)),
    "fire_control": Order(
        "choice",
        ("damage", "lock_1", "lock_2", "lock_3", "lock_4", "lock_5", "destroy", "lock_next"),
        default=("lock_next",),
        per_register=True,
    ),
    "wcond": Order("flag", per_register=True, default=_ON),
    "sac_thr": Order("number", high=11, default=(10,)),
    "keep": Order("number", low=1, high=8),
    "target": Order("robot"),
    "abort": Order("number", high=5, default=(0,)),
    "conditional": Order("conditional", default=("none", {})),
    "flywheel": Order("card"),
    "reflector": Order("choice", ("off", *_SIDES), default=("front",)),
    "damping": Order("flag", default=_OFF),
    "homing": Order("flag", default=_OFF),
    "copter": Order("card"),
    "buzz": Order("flag", default=_OFF),
    "buzz_program": Order("cards", default=("none", [])),
    "self_destruct": Order("number", high=5, default=(0,)),
    "recompile": Order("threshold", high=9, default=_OFF),
    "intercept": Order("threshold", high=9, default=_OFF),
    "reengineering": Order("choice", ("never", "better", "always"), default=("better",)),
    "arm": Order("flag", default=_ON),
    "superior_archive": Order("flag", default=_ON),
    "give_up": Order("options", default=("none", [])),
    "lose": Order("option"),
    "chop": Order("choice", ("none", "swap", "reload", "draw")),
    "chop_option": Order("option"),
    "waste": Order("flag", default=_ON),
    "freak_order": Order("permutation", high=2, default=([0, 1, 2],)),
    "reset_card": Order("card"),
}  # fmt: skip
