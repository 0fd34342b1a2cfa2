"""The words of the scenario format: every key, order, state and name that a scenario may use.

What has no rule in the game yet is listed too, so that it is refused by its name and a misspelling still gets the
nearest valid word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rr_gym.encoding.orders import CHOPS, SITES
from rr_gym.rules.constants import DIRECTION_NAMES

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

# What says "nothing special"; false is 0.
NONE = "none"
NOTHING: tuple[Any, ...] = (0, None, NONE, [], {})

# Fields of a robot with a rule, then those that may only say "nothing special" (0, false, none, empty).
ROBOT_FIELDS = (
    "at", "facing", "damage", "lives", "flag", "archive", "virtual", "powered_down", "locked", "level", "flying",
    "on_ramp", "burning", "asleep", "energized", "speed", "options",
)  # fmt: skip
ROBOT_FIELDS_LATER = ("goo", "team")
EXPECT_FIELDS = ("destroyed", "out", "registers", "counters")

STATE_FIELDS = ("flip", "piston_up", "turrets", "turret_cards", "crumbled", "rooms")
DEVICE_KINDS = (
    "bridge", "goo", "mine", "proximity_mine", "portable_teleporter", "scrambler_bomb", "missile", "drone", "buzz_bomb",
    "big_one",
)  # fmt: skip
DEVICE_FIELDS = ("kind", "at", "level", "owner", "facing", "power", "priority", "target", "program")

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
        field: Of the record `ORDERS`, where it has another name.
    """

    kind: str
    names: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    per_register: bool = False
    has_rule: bool = False
    default: tuple[Any, ...] = ("none",)
    field: str = ""


_OFF = (False, "off")
_ON = (True, "on")
_SIDES = ("front", "right", "back", "left")

ORDERS: dict[str, Order] = {
    "power_down": Order("flag", has_rule=True),
    "stay_down": Order("flag", has_rule=True),
    "facing": Order("choice", DIRECTION_NAMES, has_rule=True),
    "unlock": Order("number", high=5, has_rule=True),
    "site": Order("choice", SITES, has_rule=True),
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
    "chop": Order("choice", CHOPS, has_rule=True),
    "chop_option": Order("option", has_rule=True),
    "waste": Order("flag", has_rule=True),
    "freak_order": Order("permutation", high=2, has_rule=True, field="freak"),
    "reset_card": Order("card", has_rule=True),
}  # fmt: skip
