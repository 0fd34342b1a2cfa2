"""The words of the scenario format: every key, state and name that a scenario may use.

The words of orders are in `rr_gym.rules.state.order_table`.
"""

from __future__ import annotations

from typing import Any

from rr_gym.rules.state.constants import DEVICE_NAMES

SCENARIO_KEYS = (
    "name", "source", "board", "course", "params", "robots", "programs", "orders", "deck", "option_deck", "devices",
    "state", "start_phase", "run", "then", "expect", "expect_devices", "expect_state", "winner", "error", "seed",
    "basis", "comment",
)  # fmt: skip
TURN_KEYS = (
    "programs", "orders", "deck", "option_deck", "state", "run", "expect", "expect_devices", "expect_state", "winner",
    "comment",
)  # fmt: skip

# Keys that may have an empty value
MAY_BE_EMPTY = (
    "params", "programs", "orders", "deck", "option_deck", "devices", "state", "then", "expect_devices", "expect_state",
)  # fmt: skip

# Values that mean "nothing special". False is one of them, since it equals 0 in Python.
NONE = "none"
NOTHING: tuple[Any, ...] = (0, None, NONE, [], {})

ROBOT_FIELDS = (
    "at", "facing", "damage", "lives", "flag", "archive", "virtual", "powered_down", "locked", "level", "flying",
    "on_ramp", "burning", "asleep", "energized", "speed", "options", "goo", "team",
)  # fmt: skip
EXPECT_FIELDS = ("destroyed", "out", "registers", "counters")

LATER_STATE_FIELDS = ("turret_cards",)  # what the `state` of a further turn may set (U53)
STATE_FIELDS = ("flip", "piston_up", "turrets", "turret_cards", "crumbled", "rooms")
DEVICE_KINDS = DEVICE_NAMES[1:]
DEVICE_FIELDS = ("kind", "at", "level", "owner", "facing", "power", "priority", "target", "program")

# Special rules of courses that `params` may name besides settings. With true or 1, a rule gets these numbers, which the
# printed courses use.
SPECIAL_RULES: dict[str, dict[str, int]] = {
    "option_draft": {"deal": 3, "keep": 1},
    "sites_give_options": {"single": 1, "double": 2, "flag": 1},
    "no_power_down": {},
    "team_shared_flags": {},
    "team_any_robot": {},
    "capture_the_flag": {},
    "flag_toggle": {},
    "team_elimination": {},
    "death_match": {},
    "head_to_head": {},
}
