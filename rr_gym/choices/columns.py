"""The columns of the tables `choices` and `prospects` (docs/observations.md)."""

from __future__ import annotations

import numpy as np

from rr_gym.encoding.act.components import COMPONENTS
from rr_gym.encoding.act.plans import LAST_ASKED
from rr_gym.encoding.observe.features import MAX_CARD_TYPE, MAX_DISTANCE, MAX_PRIORITY
from rr_gym.encoding.observe.groups import Feature
from rr_gym.rules.state.constants import FATAL_DAMAGE, HAND_SLOTS, NUM_REGISTERS

LOOKAHEADS = ("none", "paths", "turns", "trials", "trials+value")
NO_LOOKAHEAD, PATHS, TURNS, TRIALS, VALUED_TRIALS = range(len(LOOKAHEADS))
DEFAULT_LOOKAHEAD = LOOKAHEADS[TURNS]

FAR_AWAY = 255  # distance in registers where there is no path, and the longest distance
NEVER = 32767  # expected turns if the last flag is never reached; in units of 1/256 turn, as all turns here
CERTAIN = 4096  # a probability of 1
_LAST_CHOICE = max(HAND_SLOTS, *(component.choices for component in COMPONENTS)) - 1

CHOICE_FEATURES: tuple[Feature, ...] = (
    ("legal", 0, 1),
    ("decision", 0, LAST_ASKED),
    ("register", 0, NUM_REGISTERS),
    ("choice", 0, _LAST_CHOICE),
    ("type", 0, MAX_CARD_TYPE),  # of the card that the register will hold
    ("priority", 0, MAX_PRIORITY),
    ("copies", 0, HAND_SLOTS),  # cards of this type in the hand
    ("played", 0, 1),  # the phase has been played ahead
    ("forward", -MAX_DISTANCE, MAX_DISTANCE),
    ("right", -MAX_DISTANCE, MAX_DISTANCE),
    ("facing", 0, 3),
    ("destroyed", 0, 1),
    ("damage", 0, FATAL_DAMAGE),
    ("flag", 0, 1),
    ("registers_to_go", 0, FAR_AWAY),
    ("registers_gained", -FAR_AWAY, FAR_AWAY),
    ("turns_to_go", 0, NEVER),
    ("turns_behind", 0, NEVER),
)
TRIAL_FEATURES: tuple[Feature, ...] = (("tried", 0, 1), ("chance", 0, CERTAIN), ("chance_behind", 0, CERTAIN))
LIKELY_HANDS = 9  # number of sampled hands from which the positions of other robots are predicted
RELATIONS = (
    "in_way", "shoots", "is_shot", "likely_in_way", "likely_met", "likely_near", "likely_shoots", "likely_shot"
)  # fmt: skip
_MAX_COUNTS = {name: LIKELY_HANDS if name.startswith("likely") else 1 for name in RELATIONS}
PROSPECTS: tuple[Feature, ...] = (("registers_to_go", 0, FAR_AWAY), ("turns_to_go", 0, NEVER))
TRIAL_PROSPECTS: tuple[Feature, ...] = (("chance", 0, CERTAIN),)

NUM_CHOICE_FEATURES = len(CHOICE_FEATURES)
NUM_RELATIONS = len(RELATIONS)
TRIAL_COLUMNS = len(TRIAL_FEATURES)
RELATION_SCALES = np.array([1 / _MAX_COUNTS[name] for name in RELATIONS], np.float32)  # scales for networks
(
    LEGAL, DECISION, REGISTER, CHOICE, TYPE, PRIORITY, COPIES, PLAYED, FORWARD, RIGHT, FACING, DESTROYED, DAMAGE, FLAG,
    TO_GO, GAINED, TURNS_TO_GO, TURNS_BEHIND,
) = range(NUM_CHOICE_FEATURES)  # fmt: skip
TRIAL_PROSPECT = len(PROSPECTS)
TRIED, CHANCE, CHANCE_BEHIND = range(NUM_CHOICE_FEATURES, NUM_CHOICE_FEATURES + len(TRIAL_FEATURES))


def own_columns(lookahead: str) -> dict[str, tuple[Feature, ...]]:
    """Return the columns of both tables, except for the relations to other robots, the last columns of `choices`."""
    more = LOOKAHEADS.index(lookahead) >= TRIALS
    return {
        "choices": CHOICE_FEATURES + TRIAL_FEATURES * more,
        "prospects": PROSPECTS + TRIAL_PROSPECTS * more,
    }


def choice_columns(num_robots: int, lookahead: str = DEFAULT_LOOKAHEAD) -> dict[str, list[Feature]]:
    """Return the columns of both tables in order: (name, lowest value, highest value).

    Args:
        num_robots: Robots of each game.
        lookahead: One of `LOOKAHEADS`.
    """
    others = [(f"robot_{k}_{name}", 0, _MAX_COUNTS[name]) for k in range(1, num_robots) for name in RELATIONS]
    own = own_columns(lookahead)
    return {"choices": [*own["choices"], *others], "prospects": list(own["prospects"])}
