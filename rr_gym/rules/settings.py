"""The settings of the game and the three presets (docs/rules/settings.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from rr_gym.courses.records import record
from rr_gym.errors import RoboRallyError, did_you_mean
from rr_gym.rules.constants import OFF, ON, UNLIMITED


class SettingError(RoboRallyError):
    """A setting that does not exist or a value that it does not have."""


def _choice(*values: str, doc: str) -> Any:
    return field(default=values[0], metadata={"values": values, "doc": doc})


def _number(default: int, low: int, high: int, doc: str) -> Any:
    return field(default=default, metadata={"range": (low, high), "doc": doc})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a game is played by. Every field is a setting of the rule texts under the same name."""

    virtual: str = _choice(
        "on", "off", doc="robots that share a square at the start or at re-entry are virtual (R-A14)"
    )
    virtual_exit: str = _choice("phase", "turn", doc="when virtual robots are first tested (R-A14)")
    reentry: str = _choice("virtual", "adjacent8", doc="where a robot returns whose archive square is taken (R-A13)")
    reentry_facing: str = _choice("orders", "cleanup", doc="when the facing of a returning robot is chosen (R-A13)")
    flag_touch: str = _choice("end", "pass", doc="flags count at the end of a phase or also in passing (R-A12, K1)")
    two_wrench: str = _choice("or2", "and1", doc="two repairs or an option, or one repair and an option (R-A12)")
    flag_repair: str = _choice("on", "off", doc="flags repair like one wrench (R-A12)")
    robot_lasers: str = _choice("on", "off", doc="robots fire their main lasers (R-A11)")
    pd_needs_damage: str = _choice("off", "on", doc="only a damaged robot may announce a power-down (R-A7)")
    pd_lock_card: str = _choice(
        "draw", "keep", "empty", doc="the card of a register locked while powered down (R-A7, U36)"
    )
    power_down: str = _choice("on", "off", doc="whether robots may power down (special rule no_power_down)")
    unlock: str = _choice("choice", "lowest", doc="which register a repair unlocks (R-A6)")
    first_card_moves: str = _choice("off", "on", doc="the first card of the game must be a movement card (R-A5.7)")
    tie: str = _choice("joint", "priority", doc="several robots touch the last flag in one phase (R-A12)")
    option_cards: str = _choice("off", "on", doc="two-wrench sites offer option cards (U26)")
    lives: int | str = field(
        default=3,
        metadata={"range": (1, 99), "values": ("amigo", "unlimited"), "doc": "robots per player (R-A13)"},
    )
    max_options: int | str = field(
        default="none", metadata={"range": (0, 52), "values": ("none",), "doc": "options a robot may own"}
    )
    reentry_damage: int = _number(2, 0, 9, doc="damage of a robot that re-enters (R-A13)")
    start_damage: int = _number(0, 0, 9, doc="damage at the start (special rule start_damage)")
    robot_laser_factor: int = _number(1, 1, 10, doc="points of a robot laser (special rule robot_laser_factor)")
    flip_state: int | str = field(
        default="random",
        metadata={"range": (0, 1), "values": ("random",), "doc": "first state of flip belts and flip gears (R-E32)"},
    )
    lava_mode: str = _choice("list", "page4", "page8", doc="how lava pits work (R-E30, K12)")
    ice_mode: str = _choice("careful", "chart", doc="how robots drive on ice (R-E57, K17)")
    crumble_leaves_pit: str = _choice("off", "on", doc="crumbly ground that gave way is a pit (R-E47)")
    jack_damage: str = _choice("off", "on", doc="landing after a jack-in-the-box costs two points (R-E58)")
    portal_trigger: str = _choice("any", "card", doc="which movements a portal transfers (R-E27, K5)")


# Settings of option cards and variants, with their defaults. There is no rule for them yet: their defaults change
# nothing, other values are refused by name (R-A2.5).
NOT_YET = {
    "dual": "table", "arm": "ortho_flags", "arm_archive": "on", "hpl": "one_obstacle", "dir_timing": "register",
    "gadget_time": "A3", "goo_on_belt": "keep", "fc_mandatory": "off", "biggun_needs_target": "off",
    "cb_immunity": "off", "copter_single_use": "off", "tele_backup": "2 back", "deck_scale": "1",
    "turbo_wrenches": "off", "bio_bots": "off", "moving_flags": "off", "option_package": "none", "scavenger": "off",
    "game": "race",
}  # fmt: skip
_SWITCH = {"0": "off", "False": "off", "1": "on", "True": "on"}
# Parameters of boards that are other names of settings: the setting, and its values for 0 and 1 (R-A2.4).
ALIASES = {"checkpoint_pass_over": ("flag_touch", "end", "pass"), "portal_card_only": ("portal_trigger", "any", "card")}

PRESETS: dict[str, dict[str, Any]] = {
    "wotc": {},
    "amigo": {
        "virtual": "off",
        "reentry": "adjacent8",
        "flag_touch": "pass",
        "lives": "amigo",
        "max_options": 3,
        "first_card_moves": "on",
    },
    "ah2005": {
        "virtual": "off",
        "reentry": "adjacent8",
        "reentry_facing": "cleanup",
        "two_wrench": "and1",
        "pd_needs_damage": "on",
        "unlock": "lowest",
    },
}

SETTING_NAMES = tuple(f.name for f in fields(Settings))
_FIELDS = {f.name: f for f in fields(Settings)}


def _checked(name: str, value: Any, where: str) -> Any:
    """The value in the setting's own type, or a SettingError."""
    meta = _FIELDS[name].metadata
    allowed: tuple[str, ...] = meta.get("values", ())
    if {"on", "off"} <= set(allowed) and isinstance(value, bool | int | str):
        value = _SWITCH.get(str(value), value)
    if isinstance(value, str) and value in allowed:
        return value
    if "range" in meta:
        low, high = meta["range"]
        if isinstance(value, str) and value.isascii() and value.isdigit():  # boards give their values as they stand
            value = int(value)
        if isinstance(value, int | np.integer) and not isinstance(value, bool) and low <= value <= high:
            return int(value)
        allowed = (*allowed, f"a whole number from {low} to {high}")
    raise SettingError(f"{where}: setting '{name}': {value!r}: expected {' | '.join(allowed)}")


def _default_of_later(name: str, value: Any) -> bool:
    """Whether this is the default of a setting without a rule, written as a word or as a number."""
    return str(value) == NOT_YET[name] or _SWITCH.get(str(value)) == NOT_YET[name]


def _named(name: str, value: Any, where: str) -> tuple[str, Any]:
    if name in ALIASES:
        if str(value) not in ("0", "1"):
            raise SettingError(f"{where}: setting '{name}': {value!r}: expected 0 | 1")
        return ALIASES[name][0], ALIASES[name][1 + int(value)]
    if name not in _FIELDS:
        hint = did_you_mean(name, [*SETTING_NAMES, "preset"])
        raise SettingError(f"{where}: there is no setting '{name}'" + (f"; {hint}" if hint else ""))
    return name, value


def resolve_settings(*layers: tuple[str, Mapping[str, Any]]) -> Settings:
    """Settings from layers of (where it stands, {name: value}), the most specific first (U37).

    A layer may name a `preset`; the first one found is the base of all. Raises SettingError for what does not exist.
    """
    chosen: dict[str, Any] = {}
    preset = None
    for where, layer in layers:
        if not isinstance(layer, Mapping):
            raise SettingError(f"{where}: {layer!r}: expected settings by name")
        for name, value in layer.items():
            if name == "preset":
                if not isinstance(value, str) or value not in PRESETS:
                    raise SettingError(f"{where}: setting 'preset': {value!r}: expected {' | '.join(PRESETS)}")
                preset = preset or value
                continue
            if name in NOT_YET:
                if _default_of_later(name, value):
                    continue
                raise SettingError(f"{where}: setting '{name}' has no rule yet")
            name, value = _named(name, value, where)
            chosen.setdefault(name, _checked(name, value, where))
    return replace(Settings(), **{**PRESETS[preset or "wotc"], **chosen})


def special_rule_settings(rules: list[dict[str, Any]]) -> dict[str, Any]:
    """The settings that stand for a course's special rules."""
    layer: dict[str, Any] = {}
    for rule in rules:
        match rule["rule"]:
            case "robot_laser_factor":
                layer["robot_laser_factor"] = rule["factor"]
            case "start_damage":
                layer["start_damage"] = rule["points"]
            case "no_power_down":
                layer["power_down"] = "off"
    return layer


def lives_for(settings: Settings, num_robots: int, num_boards: int) -> int:
    """The robots each player starts with; -1 without limit (settings.md: AMIGO gives one more to large games)."""
    if settings.lives == "unlimited":
        return UNLIMITED
    if settings.lives == "amigo":
        return 3 + (num_robots >= 5) + (num_boards >= 5)
    return int(settings.lives)


# The same settings as a record for the kernels: the number (-1 for a word in its place), 1 or 0 for on and off, or
# the index of the value.
CODES = {"on": ON, "off": OFF}
SETTINGS = record([(name, "i1") for name in SETTING_NAMES])


def settings_record(settings: Settings) -> np.ndarray[Any, Any]:
    """Shape (), dtype `SETTINGS`. Lives are a matter of each game and stay out of it."""
    values = np.zeros((), SETTINGS)
    for name, f in _FIELDS.items():
        value = getattr(settings, name)
        if "range" in f.metadata:
            value = value if isinstance(value, int) else UNLIMITED
        elif "values" in f.metadata:
            values_of = f.metadata["values"]
            value = CODES.get(value, values_of.index(value))
        values[name] = value
    return values
