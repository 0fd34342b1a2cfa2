"""Settings: presets, precedence, aliases, errors."""

import re
from dataclasses import asdict
from pathlib import Path

import pytest

from rr_gym.rules.state import constants
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.settings import (
    PRESETS,
    SETTING_NAMES,
    SettingError,
    Settings,
    lives_for,
    needs_expansions,
    resolve_settings,
    settings_record,
    special_rule_settings,
)

RULES = Path(__file__).parents[2] / "docs" / "rules" / "settings.md"


def documented():
    """Return settings by name from the tables of the rule text: (values, default, amigo, ah2005) as written."""
    tables = RULES.read_text(encoding="utf-8").split("## Base game")[1]
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|", tables, re.MULTILINE)
    return {name: [cell.strip().replace("`", "") for cell in cells] for name, *cells in rows}


def test_documented_settings_are_the_real_ones():
    assert set(documented()) == {*SETTING_NAMES, "preset"}


@pytest.mark.parametrize("preset", ["wotc", "amigo", "ah2005"])
def test_presets_are_as_documented(preset):
    settings = asdict(resolve_settings(("test", {"preset": preset})))
    column = {"wotc": 1, "amigo": 2, "ah2005": 3}[preset]
    for name, cells in documented().items():
        if name not in ("preset", "option_cards"):
            assert str(settings[name]) == cells[column], name
    assert settings["option_cards"] == "off"


def test_the_most_specific_layer_wins():
    layers = [
        ("game", {"tie": "priority"}),
        ("course", {"tie": "joint", "unlock": "lowest"}),
        ("board", {"unlock": "choice"}),
    ]
    settings = resolve_settings(*layers)
    assert (settings.tie, settings.unlock) == ("priority", "lowest")


def test_a_preset_is_the_base_of_all_layers():
    settings = resolve_settings(("game", {"preset": "amigo", "lives": 5}), ("board", {"checkpoint_pass_over": 0}))
    assert (settings.flag_touch, settings.lives, settings.virtual) == ("end", 5, "off")


@pytest.mark.parametrize(("value", "chosen"), [(1, 1), ("1", 1), (0, 0), ("0", 0), (True, 1)])
def test_parameters_of_boards(value, chosen):
    """Parameters of boards (docs/board-format.md), given as text or numbers, set the setting of the same meaning."""
    if value is not True:
        board = resolve_settings(("board", {"checkpoint_pass_over": value, "portal_card_only": value}))
        assert board.flag_touch == ("end", "pass")[chosen]
        assert board.portal_trigger == ("any", "card")[chosen]
        assert resolve_settings(("board", {"flip_state": value})).flip_state == chosen
    board = resolve_settings(("board", {"jack_damage": value, "crumble_leaves_pit": value}))
    assert (board.jack_damage, board.crumble_leaves_pit) == (("off", "on")[chosen],) * 2


def test_a_game_wins_over_the_alias_of_a_board():
    layers = ("game", {"portal_trigger": "any"}), ("board", {"portal_card_only": 1})
    assert resolve_settings(*layers).portal_trigger == "any"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("flag_tuch", "end", "did you mean 'flag_touch'"),
        ("flag_touch", "begin", "expected end | pass"),
        ("lives", 0, "expected amigo | unlimited | a whole number from 1 to 99"),
        ("lives", 2.5, "2.5: expected"),
        ("start_damage", 10, "expected a whole number from 0 to 9"),
        ("preset", "wotk", "expected wotc | amigo | ah2005"),
        ("dual", "both", "'both': expected table | general"),
        ("arm", 2004, "2004: expected ortho_flags | 2005"),
        ("scavenger", 3, "3: expected off | a whole number from 1 to 2"),
        ("option_package", "large", "expected none | standard | deluxe"),
        ("game", "chess", "expected race | survival | tag_teams"),
        ("lava_mode", "page", "expected list | page4 | page8"),
        ("flip_state", 2, "expected random | a whole number from 0 to 1"),
        ("jack_damage", 2, "2: expected off | on"),
        ("portal_card_only", "card", "expected 0 | 1"),
        ("checkpoint_pass_over", 2, "expected 0 | 1"),
        ("preset", ["wotc"], "expected wotc | amigo | ah2005"),
        ("lives", [1], "[1]: expected"),
        ("lives", True, "True: expected"),
        (1, 2, "there is no setting '1'"),
        ("banned_options", "circuit_braker", "'circuit_braker': did you mean 'circuit_breaker'"),
        ("banned_options", "brakes,,arm", "there is no option card '': docs/options.md has the names"),
        ("banned_options", ["brakes"], "['brakes']: expected none | names of option cards with commas between"),
        ("banned_options", 3, "3: expected none | names of option cards"),
        ("late_damage", 10, "expected a whole number from 0 to 9"),
    ],
)
def test_errors_name_place_setting_value_and_what_was_expected(name, value, message):
    with pytest.raises(SettingError, match=re.escape(message)) as caught:
        resolve_settings(("scenario 'x'", {name: value}))
    assert str(caught.value).startswith("scenario 'x': ")


@pytest.mark.parametrize("value", [0, "0", False, "off"])
def test_switches_of_variants_may_be_numbers(value):
    given = {"turbo_wrenches": value, "scavenger": value, "bio_bots": value, "superbot": value}
    assert resolve_settings(("board", given)) == Settings()


def test_words_and_numbers_of_variants():
    chosen = resolve_settings(("test", {"arm": 2005, "scavenger": "2", "turbo_wrenches": 1, "teams": "3"}))
    assert (chosen.arm, chosen.scavenger, chosen.turbo_wrenches, chosen.teams) == ("2005", 2, "on", 3)


def test_option_cards_are_banned_by_name_in_any_order():
    chosen = resolve_settings(("test", {"banned_options": "shield, brakes,shield"}))
    assert chosen.banned_options == "brakes,shield"
    assert resolve_settings(("test", {"banned_options": chosen.banned_options})) == chosen
    mask = int(settings_record(chosen)["banned_options"])
    assert [name for k, name in enumerate(OPTION_NAMES) if mask >> k & 1] == ["brakes", "shield"]
    everything = resolve_settings(("test", {"banned_options": ",".join(OPTION_NAMES)}))
    assert int(settings_record(everything)["banned_options"]) == 2 ** len(OPTION_NAMES) - 1
    assert settings_record(Settings())["banned_options"] == 0


def test_a_ban_replaces_that_of_the_course_and_switches_no_option_cards_on():
    chosen = resolve_settings(("game", {"banned_options": "brakes"}), ("course", {"banned_options": "shield"}))
    assert (chosen.banned_options, chosen.option_cards) == ("brakes", "off")
    assert not needs_expansions(chosen)
    none = resolve_settings(("game", {"banned_options": "none"}), ("course", {"banned_options": "shield"}))
    assert none == Settings()


def test_variants_ask_for_the_rules_of_expansions():
    assert not needs_expansions(Settings())
    assert not any(needs_expansions(resolve_settings(("test", {"preset": preset}))) for preset in PRESETS)
    for given in (
        {"option_cards": "on"}, {"option_package": "standard"}, {"moving_flags": "on"}, {"game": "runner"},
        {"teams": 2}, {"scavenger": 1}, {"superbot": 1}, {"sit_out": 1}, {"single_wrench_options": 1},
        {"late_damage": 1},
    ):  # fmt: skip
        assert needs_expansions(resolve_settings(("test", given))), given


SPECIAL_RULES = [
    ({"rule": "option_draft", "deal": 3, "keep": 1}, {"option_draft_deal": 3, "option_draft_keep": 1}),
    ({"rule": "moving_flags"}, {"moving_flags": "on"}),
    ({"rule": "robot_laser_factor", "factor": 2}, {"robot_laser_factor": 2}),
    ({"rule": "start_damage", "points": 2}, {"start_damage": 2}),
    ({"rule": "no_power_down"}, {"power_down": "off"}),
    (
        {"rule": "sites_give_options", "single": 1, "double": 2, "flag": 3},
        {"single_wrench_options": 1, "double_wrench_options": 2, "flag_options": 3},
    ),
    ({"rule": "programming_seconds", "seconds": 30}, {}),
    ({"rule": "start_options", "count": 1}, {"start_options": 1}),
    ({"rule": "superbot"}, {"superbot": "on"}),
    ({"rule": "racer_and_blocker"}, {"racer_and_blocker": "on"}),
    ({"rule": "rotate_board_on_flag"}, {"rotate_board_on_flag": "on"}),
    ({"rule": "team_shared_flags"}, {"game": "tag_teams"}),
    ({"rule": "team_any_robot"}, {"game": "runner"}),
    ({"rule": "capture_the_flag"}, {"game": "capture_the_flag"}),
    ({"rule": "flag_toggle"}, {"game": "flag_toggle", "sit_out": 1}),
    ({"rule": "team_elimination"}, {"game": "survival", "teams": 2}),
    ({"rule": "death_match"}, {"game": "survival"}),
    ({"rule": "head_to_head"}, {"game": "head_to_head"}),
]


@pytest.mark.parametrize(("rule", "settings"), SPECIAL_RULES)
def test_special_rules_of_courses_are_settings(rule, settings):
    layer = special_rule_settings([rule])
    assert {name: layer[name] for name in settings} == settings
    resolve_settings(("course", layer))


def test_record_holds_indices_of_values():
    record = settings_record(resolve_settings(("test", {**PRESETS["ah2005"], "start_damage": 2})))
    assert record["two_wrench"] == 1
    assert record["unlock"] == 1
    assert record["start_damage"] == 2
    assert not any(settings_record(Settings())[name] for name in ("reentry", "flag_touch", "tie", "virtual_exit"))


@pytest.mark.parametrize(("robots", "boards", "lives"), [(4, 4, 3), (5, 4, 4), (4, 5, 4), (5, 5, 5)])
def test_amigo_lives(robots, boards, lives):
    assert lives_for(Settings(lives="amigo"), robots, boards) == lives


@pytest.mark.parametrize("value", ["on", "off"])
@pytest.mark.parametrize(
    "name",
    ["virtual", "flag_repair", "robot_lasers", "pd_needs_damage", "power_down", "first_card_moves", "option_cards",
     "jack_damage", "crumble_leaves_pit"],
)  # fmt: skip
def test_switches_have_one_code(name, value):
    assert settings_record(resolve_settings(("test", {name: value})))[name] == (
        constants.ON if value == "on" else constants.OFF
    )


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("virtual_exit", {"phase": constants.AT_PHASE, "turn": constants.AT_TURN}),
        ("reentry", {"virtual": constants.REENTRY_VIRTUAL, "adjacent8": constants.REENTRY_ADJACENT}),
        ("reentry_facing", {"orders": constants.BY_ORDERS, "cleanup": constants.BY_CLEANUP}),
        ("flag_touch", {"end": constants.TOUCH_END, "pass": constants.TOUCH_PASS}),
        ("two_wrench", {"or2": constants.SITE_OR, "and1": constants.SITE_AND}),
        ("unlock", {"choice": constants.UNLOCK_CHOICE, "lowest": constants.UNLOCK_LOWEST}),
        ("pd_lock_card", {"draw": constants.LOCK_DRAW, "keep": constants.LOCK_KEEP, "empty": constants.LOCK_EMPTY}),
        ("tie", {"joint": constants.TIE_JOINT, "priority": constants.TIE_PRIORITY}),
        ("lava_mode", {"list": constants.LAVA_LIST, "page4": constants.LAVA_PAGE4, "page8": constants.LAVA_PAGE8}),
        ("ice_mode", {"careful": constants.ICE_CAREFUL, "chart": constants.ICE_CHART}),
        ("portal_trigger", {"any": constants.PORTAL_ANY, "card": constants.PORTAL_CARD}),
        ("flip_state", {"random": constants.UNLIMITED, 0: 0, 1: 1}),
    ],
)
def test_choices_have_the_codes_that_kernels_compare_with(name, codes):
    for value, code in codes.items():
        assert settings_record(resolve_settings(("test", {name: value})))[name] == code
