"""The settings of the game and the three presets (docs/rules/settings.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from rr_gym.compilation.records import Record, i1, u8
from rr_gym.courses.text.special_rules import GAME_WITHOUT_FLAGS
from rr_gym.errors import RoboRallyError, did_you_mean, short_repr
from rr_gym.rules.state.constants import OFF, ON, UNLIMITED
from rr_gym.rules.state.option_cards import OPTION_NAMES


class SettingError(RoboRallyError):
    """There is no setting of this name, or the setting does not have this value."""


NO_CARDS = "none"  # the value of a setting that names option cards


def _choice(*values: str, doc: str) -> Any:
    return field(default=values[0], metadata={"values": values, "doc": doc})


def _number(default: int, low: int, high: int, doc: str) -> Any:
    return field(default=default, metadata={"range": (low, high), "doc": doc})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a game. The rule texts describe each field under its name."""

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
    banned_options: str = field(
        default=NO_CARDS,
        metadata={"cards": True, "values": (NO_CARDS,), "doc": "option cards that are not in the deck (R-G4.1)"},
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
    dual: str = _choice("table", "general", doc="which cards Dual Processor combines (R-O36)")
    arm: str = _choice("ortho_flags", "2005", doc="what Mechanical Arm reaches (R-O13)")
    arm_archive: str = _choice("on", "off", doc="a flag touched by Mechanical Arm becomes the archive (R-O13)")
    hpl: str = _choice("one_obstacle", "wall_and_robot", doc="what High-Power Laser shoots through (R-O12)")
    dir_timing: str = _choice("register", "turn", doc="Shield, Turret and Gyroscope are set per register or turn (D9)")
    gadget_time: str = _choice("A3", "priority", doc="when gadgets are laid (R-O0)")
    goo_on_belt: str = _choice("keep", "lose", doc="whether goo programmed on a belt is kept (D4, U19)")
    fc_mandatory: str = _choice("off", "on", doc="Fire Control must lock or destroy (D11)")
    biggun_needs_target: str = _choice("off", "on", doc="Big Gun fires only at a robot (R-O27)")
    cb_immunity: str = _choice("off", "on", doc="a robot put down by its Circuit Breaker takes no damage (D8)")
    cb_choice: str = _choice("off", "on", doc="players decide whether their Circuit Breaker works (R-O4.5)")
    copter_single_use: str = _choice("off", "on", doc="Robo-Copter is discarded after the turn it is used (D10)")
    tele_backup: str = _choice("2 back", "2 forward", doc="where Back-Up on a teleporter leads (D12)")
    option_package: str = _choice("none", "standard", "deluxe", doc="options at the start (R-G1)")
    option_draft_deal: int = _number(0, 0, 6, doc="options dealt at the start, of which some are kept (R-G3)")
    option_draft_keep: int = _number(0, 0, 6, doc="options kept of those dealt (R-G3)")
    start_options: int = _number(0, 0, 6, doc="options that every robot starts with (R-G3)")
    single_wrench_options: int = _number(0, 0, 6, doc="options a one-wrench site gives instead of repairs (R-G3)")
    double_wrench_options: int = _number(0, 0, 6, doc="options a two-wrench site gives instead of repairs (R-G3)")
    flag_options: int = _number(0, 0, 6, doc="options a flag gives instead of repairs (R-G3)")
    turbo_wrenches: str = _choice("off", "on", doc="wrenches give options (R-G1)")
    scavenger: int | str = field(
        default="off", metadata={"range": (1, 2), "values": ("off",), "doc": "options lie beside the flags (R-G1)"}
    )
    bio_bots: str = _choice("off", "on", doc="every robot has a Bio Option built in (R-G1)")
    moving_flags: str = _choice("off", "on", doc="belts carry flags (R-G2)")
    game: str = _choice(
        "race", "survival", "tag_teams", "runner", "flag_toggle", "head_to_head", "capture_the_flag",
        doc="what is played for (R-G2, R-G3)",
    )  # fmt: skip
    teams: int = _number(0, 0, 4, doc="teams that the robots are dealt to in turn; 0: by the game (R-G2)")
    team_cards: str = _choice("own", "shared", doc="teammates program from their joint hands (R-G2)")
    sit_out: int = _number(0, 0, 9, doc="full turns that a destroyed robot misses (R-G3)")
    superbot: str = _choice("off", "on", doc="one robot is the SuperBot (R-G3)")
    racer_and_blocker: str = _choice("off", "on", doc="of each pair of robots only the racer touches flags (R-G3)")
    rotate_board_on_flag: str = _choice("off", "on", doc="touching a flag may turn its board (R-G3)")
    late_damage: int = _number(0, 0, 9, doc="points of damage for a program that is late (R-G4.2)")


_SWITCH = {"0": "off", "False": "off", "1": "on", "True": "on"}
# Parameters of board files that set a setting: the setting, and its values for 0 and 1 (R-A2.4).
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
        "hpl": "wall_and_robot",
        "fc_mandatory": "on",
    },
    "ah2005": {
        "virtual": "off",
        "reentry": "adjacent8",
        "reentry_facing": "cleanup",
        "two_wrench": "and1",
        "pd_needs_damage": "on",
        "unlock": "lowest",
        "dual": "general",
        "arm": "2005",
        "dir_timing": "turn",
    },
}

SETTING_NAMES = tuple(f.name for f in fields(Settings))
_FIELDS = {f.name: f for f in fields(Settings)}


def _checked(name: str, value: Any, where: str) -> Any:
    """Return a value in the setting's own type, or raise a SettingError."""
    meta = _FIELDS[name].metadata
    allowed: tuple[str, ...] = meta.get("values", ())
    if isinstance(value, bool | int):  # YAML may read a word as a number or a boolean
        switch = _SWITCH.get(str(value))
        value = switch if switch in allowed else str(value) if str(value) in allowed else value
    elif isinstance(value, str) and _SWITCH.get(value) in allowed:
        value = _SWITCH[value]
    if isinstance(value, str) and value in allowed:
        return value
    if "cards" in meta:
        return _checked_cards(name, value, where)
    if "range" in meta:
        low, high = meta["range"]
        if isinstance(value, str) and value.isascii() and value.isdigit():  # board files give values as text
            value = int(value)
        if isinstance(value, int | np.integer) and not isinstance(value, bool) and low <= value <= high:
            return int(value)
        allowed = (*allowed, f"a whole number from {low} to {high}")
    raise SettingError(f"{where}: setting '{name}': {short_repr(value)}: expected {' | '.join(allowed)}")


def _checked_cards(name: str, value: Any, where: str) -> str:
    """Return names of option cards, in the order of their numbers, each once; raise a SettingError for others."""
    if not isinstance(value, str):
        example = f"{OPTION_NAMES[0]},{OPTION_NAMES[1]}"
        expected = f"{NO_CARDS} | names of option cards with commas between, such as {example}"
        raise SettingError(f"{where}: setting '{name}': {short_repr(value)}: expected {expected}")
    cards = {card.strip() for card in value.split(",")}
    for card in sorted(cards - {*OPTION_NAMES}):
        hint = did_you_mean(card, OPTION_NAMES) or "docs/options.md has the names"
        raise SettingError(f"{where}: setting '{name}': there is no option card {short_repr(card)}: {hint}")
    return ",".join(card for card in OPTION_NAMES if card in cards)


def cards_of(names: str) -> int:
    """Return the mask of the option cards that a setting such as `banned_options` names."""
    named = [] if names == NO_CARDS else names.split(",")
    return sum(1 << OPTION_NAMES.index(card) for card in named)


def _without_alias(name: str, value: Any, where: str) -> tuple[str, Any]:
    """Return the setting that a name or an alias stands for, with its value; raise a SettingError for other names."""
    if name in ALIASES:
        if str(value) not in ("0", "1"):
            raise SettingError(f"{where}: setting '{name}': {short_repr(value)}: expected 0 | 1")
        return ALIASES[name][0], ALIASES[name][1 + int(value)]
    if name not in _FIELDS:
        hint = did_you_mean(name, [*SETTING_NAMES, "preset"])
        raise SettingError(f"{where}: there is no setting '{name}'" + (f"; {hint}" if hint else ""))
    return name, value


def resolve_settings(*layers: tuple[str, Mapping[str, Any]]) -> Settings:
    """Resolve settings from layers of (place for messages, {name: value}), the most specific first (U37).

    A layer may name a `preset`; the first one found gives the values that no layer sets. Raises SettingError for
    unknown names and values.
    """
    chosen: dict[str, Any] = {}
    preset = None
    for where, layer in layers:
        if not isinstance(layer, Mapping):
            raise SettingError(f"{where}: {short_repr(layer)}: expected settings by name")
        for name, value in layer.items():
            if name == "preset":
                if not isinstance(value, str) or value not in PRESETS:
                    raise SettingError(
                        f"{where}: setting 'preset': {short_repr(value)}: expected {' | '.join(PRESETS)}"
                    )
                preset = preset or value
                continue
            name, value = _without_alias(name, value, where)
            chosen.setdefault(name, _checked(name, value, where))
    settings = replace(Settings(), **{**PRESETS[preset or "wotc"], **chosen})
    if "option_cards" not in chosen and _deals_options(settings):
        settings = replace(settings, option_cards="on")  # U26: settings that deal option cards switch them on
    return settings


# Settings that deal option cards.
_DEALING = (
    "option_package", "option_draft_deal", "start_options", "single_wrench_options", "double_wrench_options",
    "flag_options", "turbo_wrenches", "scavenger", "bio_bots",
)  # fmt: skip


def _deals_options(settings: Settings) -> bool:
    plain = Settings()
    return settings.game == "head_to_head" or any(getattr(settings, n) != getattr(plain, n) for n in _DEALING)


# Settings of variants. Any other value than the default needs the rules of the expansions, even on a course without
# their elements.
_OF_EXPANSIONS = SETTING_NAMES[SETTING_NAMES.index("option_package") :]


def needs_expansions(settings: Settings) -> bool:
    """Tell whether settings require rules beyond the base game, on any course."""
    plain = Settings()
    return settings.option_cards == "on" or any(getattr(settings, n) != getattr(plain, n) for n in _OF_EXPANSIONS)


_SITES = (("single_wrench", "single"), ("double_wrench", "double"), ("flag", "flag"))


def special_rule_settings(rules: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the settings that stand for a course's special rules."""
    layer: dict[str, Any] = {}
    for rule in rules:
        match rule["rule"]:
            case "robot_laser_factor":
                layer["robot_laser_factor"] = rule["factor"]
            case "start_damage":
                layer["start_damage"] = rule["points"]
            case "no_power_down":
                layer["power_down"] = "off"
            case "option_draft":
                layer["option_draft_deal"], layer["option_draft_keep"] = rule["deal"], rule["keep"]
            case "sites_give_options":
                layer |= {f"{site}_options": rule[key] for site, key in _SITES}
            case "start_options":
                layer["start_options"] = rule["count"]
            case "moving_flags" | "superbot" | "racer_and_blocker" | "rotate_board_on_flag" as switch:
                layer[switch] = "on"
            case "team_shared_flags":
                layer["game"] = "tag_teams"
            case "team_any_robot":
                layer["game"] = "runner"
            case "capture_the_flag":
                layer["game"] = "capture_the_flag"
            case "flag_toggle":
                layer["game"], layer["sit_out"] = "flag_toggle", 1
            case "team_elimination":
                layer["game"] = GAME_WITHOUT_FLAGS
                layer["teams"] = 2
            case "death_match":
                layer["game"] = GAME_WITHOUT_FLAGS
            case "head_to_head":
                layer["game"] = "head_to_head"
    return layer


def flags_needed(settings: Settings) -> int:
    """Return how many flags a course needs for the kind of game that is played (R-G2, R-G3.15)."""
    if settings.game == GAME_WITHOUT_FLAGS:
        return 0
    return 2 if settings.game in ("head_to_head", "capture_the_flag") else 1  # there, each team has its own flags


def lives_for(settings: Settings, num_robots: int, num_boards: int) -> int:
    """Return how many robots each player starts with; -1 for no limit.

    AMIGO gives one more to large games (settings.md).
    """
    if settings.lives == "unlimited":
        return UNLIMITED
    if settings.lives == "amigo":
        return 3 + (num_robots >= 5) + (num_boards >= 5)
    return int(settings.lives)


class SettingCodes(Record):
    """The settings as kernels read them.

    Each is a number (-1 for a word like `none`), 1 or 0 for on and off, or the index of the value.
    """

    virtual: i1
    virtual_exit: i1
    reentry: i1
    reentry_facing: i1
    flag_touch: i1
    two_wrench: i1
    flag_repair: i1
    robot_lasers: i1
    pd_needs_damage: i1
    pd_lock_card: i1
    power_down: i1
    unlock: i1
    first_card_moves: i1
    tie: i1
    option_cards: i1
    lives: i1
    max_options: i1
    reentry_damage: i1
    start_damage: i1
    robot_laser_factor: i1
    flip_state: i1
    lava_mode: i1
    ice_mode: i1
    crumble_leaves_pit: i1
    jack_damage: i1
    portal_trigger: i1
    dual: i1
    arm: i1
    arm_archive: i1
    hpl: i1
    dir_timing: i1
    gadget_time: i1
    goo_on_belt: i1
    fc_mandatory: i1
    biggun_needs_target: i1
    cb_immunity: i1
    cb_choice: i1
    copter_single_use: i1
    tele_backup: i1
    option_package: i1
    option_draft_deal: i1
    option_draft_keep: i1
    start_options: i1
    single_wrench_options: i1
    double_wrench_options: i1
    flag_options: i1
    turbo_wrenches: i1
    scavenger: i1
    bio_bots: i1
    moving_flags: i1
    game: i1
    teams: i1
    team_cards: i1
    sit_out: i1
    superbot: i1
    racer_and_blocker: i1
    rotate_board_on_flag: i1
    late_damage: i1
    banned_options: u8  # bit i: option i is not in the deck


CODES = {"on": ON, "off": OFF}
SETTINGS = SettingCodes.dtype


def settings_record(settings: Settings) -> np.ndarray[Any, Any]:
    """Return settings as kernels read them: shape (), dtype `SETTINGS`.

    Lives are stored in each game and left out here.
    """
    values = np.zeros((), SETTINGS)
    for name, f in _FIELDS.items():
        value = getattr(settings, name)
        if "cards" in f.metadata:
            value = cards_of(value)
        elif "range" in f.metadata:
            value = value if isinstance(value, int) else UNLIMITED
        elif "values" in f.metadata:
            values_of = f.metadata["values"]
            value = CODES.get(value, values_of.index(value))
        values[name] = value
    return values
