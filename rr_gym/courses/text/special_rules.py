"""The special rules of courses and the settings that each takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

# By rule: its settings, each with its lowest and highest value.
SPECIAL_RULES: dict[str, dict[str, tuple[int, int]]] = {
    "option_draft": {"deal": (1, 6), "keep": (0, 6)},
    "moving_flags": {},
    "robot_laser_factor": {"factor": (1, 10)},
    "start_damage": {"points": (0, 9)},
    "no_power_down": {},
    "sites_give_options": {"single": (0, 6), "double": (0, 6), "flag": (0, 6)},
    "programming_seconds": {"seconds": (1, 3600)},
    "start_options": {"count": (0, 6)},
    "superbot": {},
    "racer_and_blocker": {},
    "rotate_board_on_flag": {},
    "team_shared_flags": {},
    "team_any_robot": {},
    "capture_the_flag": {},
    "flag_toggle": {},
    "team_elimination": {},
    "death_match": {},
    "head_to_head": {},
}
_WITHOUT_FLAGS = ("team_elimination", "death_match")
GAME_WITHOUT_FLAGS = "survival"  # a value of the setting `game`
HOW_TO_OMIT_FLAGS = f"the special rule death_match or team_elimination, or params: {{game: {GAME_WITHOUT_FLAGS}}}"


def needs_flags(rules: Collection[str], params: Mapping[str, Any]) -> bool:
    """Tell whether a game with these special rules and settings needs flags (R-G2.2, R-G3.14)."""
    return not any(rule in _WITHOUT_FLAGS for rule in rules) and params.get("game") != GAME_WITHOUT_FLAGS


def expected_rule(rule: Any) -> str | None:
    """Return what was expected instead of this entry of a course's `rules`, or None if it is well formed."""
    name = rule.get("rule") if isinstance(rule, dict) else None
    if not isinstance(name, str) or name not in SPECIAL_RULES:
        return "a map with the key rule: one of " + ", ".join(SPECIAL_RULES)
    settings = SPECIAL_RULES[name]
    if set(rule) != {"rule", *settings}:
        return f"the keys {', '.join(['rule', *settings])}"
    for key, (low, high) in settings.items():
        if type(rule[key]) is not int or not low <= rule[key] <= high:
            return f"{key} as a whole number from {low} to {high}"
    return None
