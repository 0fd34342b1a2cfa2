"""The features that observations have for the elements of expansions, and all groups of features in order.

`GROUPS` is the documented order (docs/observations.md); elements declare their groups and their position in it.
Features of a group come after all features of the base game and after those of the groups before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from rr_gym.courses.elements import ELEMENTS
from rr_gym.courses.elements.observed import Observed
from rr_gym.courses.tables import ground as at
from rr_gym.encoding.observe.bounds import features_shown
from rr_gym.encoding.observe.columns import read_columns
from rr_gym.encoding.observe.frame import SIDES
from rr_gym.encoding.observe.game_groups import GAME_GROUPS
from rr_gym.encoding.observe.groups import Feature, FeatureGroup
from rr_gym.errors import RoboRallyError, did_you_mean, short_repr

Array = np.ndarray[Any, Any]

# Features of squares that change during games; the static sheets hold 0 for them.
CHANGING = (
    "pit",  # crumbly ground becomes a pit
    "crumbly",
    *(f"{name}_{axis}" for name in ("flip_belt", "flip_belt_next") for axis in SIDES[:2]),
    "flip_gear",
    "turret_forward",
    "turret_right",
    "piston",
    "elevator_up",
)
# Further features that change in and around rotating rooms
TURNING = (
    *(f"wall_{side}" for side in SIDES),
    *(f"cover_{side}" for side in SIDES),
    "laser",
    "melting_beam",
    *(f"wind_{side}" for side in SIDES),
    "wind_phases",
)
CHANGES = (*CHANGING, *TURNING)


def _group(observed: Observed) -> FeatureGroup:
    """Make a group from its declaration."""
    return FeatureGroup(
        observed.name,
        getattr(at, observed.feature) if observed.feature else 0,
        features_shown(observed.squares),
        partial(read_columns, observed.columns) if observed.columns else None,
        robots=features_shown(observed.robots),
        game=features_shown(observed.game),
    )


_OBSERVED = {element.observed.name: element.observed for element in ELEMENTS if isinstance(element.observed, Observed)}
ELEMENT_GROUPS = tuple(_group(observed) for observed in sorted(_OBSERVED.values(), key=lambda one: one.place))
GROUPS = (*ELEMENT_GROUPS, *GAME_GROUPS)
GROUP_NAMES = tuple(group.name for group in GROUPS)
# The names of all features that groups add to robots, the game, cards and flags
STATES = tuple(name for group in GROUPS for name, _, _ in group.robots)
FACTS = tuple(name for group in GROUPS for name, _, _ in group.game)
MORE_CARDS = tuple(name for group in GROUPS for name in group.cards)
OF_FLAGS = tuple(name for group in GROUPS for name, _, _ in group.flags)


def elements_of(tables: Array) -> tuple[str, ...]:
    """Return the names of the groups that courses and settings need, in the order of `GROUPS`; () for base tables."""
    if "ground" not in (tables.dtype.names or ()):
        return ()
    features = int(np.bitwise_or.reduce(tables["course"]["features"]))
    present = {group.name for group in GROUPS if features & group.bits}
    present |= {group.name for group in GROUPS if any(group.settings(table["settings"]) for table in tables)}
    # These two groups have no bit among the features of courses.
    for table in tables:
        count = int(table["extras"]["num_visible"])
        squares, ground = table["squares"][:count], table["ground"][:count]
        if (squares["wall"] != squares["cover"]).any():
            present.add("covers")
        if (ground["kinds"] == at.SPIKED).any():
            present.add("spikes")
    return tuple(name for name in GROUP_NAMES if name in present)


def check_elements(elements: Iterable[str] | None, tables: Array, whole: bool = True) -> tuple[str, ...]:
    """Return the names of the groups to observe, in order.

    Args:
        elements: Names of groups; None for those that the courses need.
        tables: Tables of the courses.
        whole: Whether all groups that the courses have must be observed.

    Raises:
        RoboRallyError: There is no such group, or one that must be observed is missing.
    """
    needed = elements_of(tables)
    if elements is None:
        return needed
    chosen = tuple(elements)
    for name in chosen:
        if name not in GROUP_NAMES:
            hint = did_you_mean(name, GROUP_NAMES) or f"expected some of {', '.join(GROUP_NAMES)}"
            raise RoboRallyError(f"elements: {short_repr(name)}: {hint}")
    missing = [name for name in needed if name not in chosen]
    if missing and whole:
        raise RoboRallyError(f"elements: {', '.join(missing)}: the courses have them: expected them to be seen")
    return tuple(name for name in GROUP_NAMES if name in chosen)


def groups_of(elements: Iterable[str]) -> list[FeatureGroup]:
    """Return the groups of these names, in the order of `GROUPS`."""
    chosen = set(elements)
    return [group for group in GROUPS if group.name in chosen]


def changes_boards(elements: Iterable[str]) -> bool:
    """Tell whether features of squares with such elements change during games. Devices have their own table."""
    chosen = set(elements)
    return bool(chosen & {"rooms", "moving_flags"}) or any(
        name in CHANGING for name, _, _ in extra_square_features(chosen)
    )


def extra_square_features(elements: Iterable[str]) -> list[Feature]:
    """Return the features that groups add to those of a square."""
    return [feature for group in groups_of(elements) for feature in group.squares]


def extra_robot_features(elements: Iterable[str]) -> list[Feature]:
    """Return the features that groups add to those of a robot."""
    return [feature for group in groups_of(elements) for feature in group.robots]


def extra_game_features(elements: Iterable[str]) -> list[Feature]:
    """Return the facts that groups add to those of a game."""
    return [feature for group in groups_of(elements) for feature in group.game]


def extra_flag_features(elements: Iterable[str]) -> list[Feature]:
    """Return the features that groups add to those of a flag."""
    return [feature for group in groups_of(elements) for feature in group.flags]


def extra_card_places(elements: Iterable[str]) -> list[str]:
    """Return the names of the places of cards that groups add to the seat's hand and registers."""
    return [name for group in groups_of(elements) for name in group.cards]
