"""The groups of features for option cards, devices, and games that are not plain races."""

from __future__ import annotations

from typing import Any

from rr_gym.courses.elements.observed import flag, vector
from rr_gym.encoding.act.components import COMPONENTS
from rr_gym.encoding.observe.bounds import features_shown
from rr_gym.encoding.observe.groups import Feature, FeatureGroup
from rr_gym.rules.devices.devices import GOO_SQUARES, POWER
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import (
    CAPTURE,
    DECK_SIZE,
    HAND_SLOTS,
    HEAD_TO_HEAD,
    MAX_FLAGS,
    MAX_ROBOTS,
    NUM_OPTIONS,
    NUM_REGISTERS,
    ON,
    RACE,
    SURVIVAL,
    TOGGLE,
)
from rr_gym.rules.state.option_cards import (
    ABLATIVE_COAT,
    ABLATIVE_POINTS,
    CONVERTER,
    CONVERTER_LIMIT,
    INITIAL_PAYLOAD,
    OPTION_NAMES,
)

STRONGEST = int(POWER.max())
NOBODYS, OWN, MATES, OTHERS = range(4)  # who owns a device, as the observing robot sees it
NO_TEAM, OWN_TEAM, OTHER_TEAM = range(3)  # which team holds a flag
LAST_DECISION = 1 + len(COMPONENTS)  # the highest number of a decision, see rr_gym.encoding.act.plans
# By option: the maximum number of tokens, counters, shots or points that it can hold
MAX_PAYLOAD = INITIAL_PAYLOAD.copy()
MAX_PAYLOAD[ABLATIVE_COAT], MAX_PAYLOAD[CONVERTER] = ABLATIVE_POINTS, CONVERTER_LIMIT

# Features of a square; if several devices of one kind lie on it, the last one counts
DEVICES: tuple[Feature, ...] = (
    ("bridge", 0, 1),
    ("mine", 0, STRONGEST),  # power of the explosion
    ("proximity_mine", 0, STRONGEST),
    ("goo", 0, GOO_SQUARES),  # squares of movement until it breaks
    ("portable_teleporter", 0, 1),
    ("scrambler_bomb", 0, 1),
    ("big_one", 0, STRONGEST),
    ("missile", 0, STRONGEST),
    ("drone", 0, STRONGEST),
    ("buzz_bomb", 0, STRONGEST),
    ("device_owner", 0, OTHERS),
    *features_shown(vector("device", 1)),  # the direction in which the last device on the square flies
)
# Columns of the table `devices`
DEVICE_FEATURES: tuple[Feature, ...] = (
    ("kind", 0, 10),
    ("forward", -2047, 2047),
    ("right", -2047, 2047),
    ("facing", 0, 3),  # quarter turns clockwise from the facing of the own robot
    ("owner", 0, OTHERS),
    ("power", 0, STRONGEST),
    ("left", 0, GOO_SQUARES),
    ("priority", 0, 880),
    ("level", 0, 10),
    ("virtual", 0, 1),
    ("spares_own", 0, 1),  # the own robot cannot set it off yet
    ("target_forward", -2047, 2047),  # the square that a drone flies to
    ("target_right", -2047, 2047),
)
_HAND = tuple(
    feature
    for slot in range(HAND_SLOTS)
    for feature in ((f"hand_{slot}_type", 0, int(CARD_TYPE.max())), (f"hand_{slot}_priority", 0, 10 * DECK_SIZE))
)


def _options(settings: Any) -> bool:
    return bool(settings["option_cards"] == ON)


def has_teams(settings: Any) -> bool:
    """Tell whether robots play in teams under the settings of a table."""
    solo = settings["game"] in (RACE, SURVIVAL) and settings["teams"] == 0 and settings["racer_and_blocker"] != ON
    return not solo


def _moves_flags(settings: Any) -> bool:
    turns = settings["rotate_board_on_flag"] == ON
    return bool(settings["moving_flags"] == ON or settings["game"] == CAPTURE or turns)


GAME_GROUPS = (
    FeatureGroup(
        "options", settings=_options,
        robots=(
            # 0 for an option that the robot does not own, otherwise 1 + the counters that are left on it
            *((f"option_{name}", 0, 1 + int(full)) for name, full in zip(OPTION_NAMES, MAX_PAYLOAD, strict=True)),
            ("goo", 0, GOO_SQUARES),  # squares of movement until the goo that holds it breaks
            *features_shown(flag("bombed", "homing_token", "interceptor_token", "stores_card", "damping")),
        ),
        game=(
            ("decision", 0, LAST_DECISION), ("decision_register", 0, NUM_REGISTERS), ("options_left", 0, NUM_OPTIONS),
        ),
        cards=(
            *(f"second_{r + 1}" for r in range(NUM_REGISTERS)), "conditional", "flywheel", "copter",
            *(f"buzz_program_{k + 1}" for k in range(NUM_REGISTERS)),
        ),
    ),
    FeatureGroup("devices", settings=_options, squares=DEVICES),
    FeatureGroup("teams", settings=has_teams, robots=features_shown(flag("friend"))),
    FeatureGroup("team_hands", settings=lambda s: bool(s["team_cards"] and has_teams(s)), robots=_HAND),
    FeatureGroup("racers", settings=lambda s: bool(s["racer_and_blocker"] == ON), robots=features_shown(flag("racer"))),
    FeatureGroup("superbot", settings=lambda s: bool(s["superbot"] == ON), robots=features_shown(flag("superbot"))),
    FeatureGroup("sitting_out", settings=lambda s: bool(s["sit_out"] > 0), robots=(("sits_out", 0, 10),)),
    FeatureGroup(
        "flag_owners", settings=lambda s: s["game"] in (TOGGLE, CAPTURE, HEAD_TO_HEAD),
        flags=(("owner", 0, OTHER_TEAM),),
    ),
    FeatureGroup(
        "carried_flags", settings=lambda s: bool(s["game"] == CAPTURE), robots=(("carries", 0, MAX_FLAGS),),
        flags=features_shown(flag("carried")),
    ),
    FeatureGroup(
        "piles", settings=lambda s: bool(s["scavenger"] > 0), robots=(("piles_taken", 0, (1 << MAX_FLAGS) - 1),),
        flags=(("pile", 0, MAX_ROBOTS),),
    ),
    FeatureGroup("moving_flags", settings=_moves_flags),  # the feature `flag` of squares follows the flags
)  # fmt: skip
