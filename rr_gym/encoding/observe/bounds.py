"""The numbers behind the named bounds of features that the table of elements uses."""

from __future__ import annotations

from collections.abc import Mapping

from rr_gym.courses.elements.observed import Bound, FeatureForm, NamedFeatures, Shows
from rr_gym.courses.text.grammar import ALL_PHASES
from rr_gym.encoding.observe.frame import SIDES
from rr_gym.encoding.observe.groups import FARTHEST, Feature
from rr_gym.rules.driving.ice import TOP_SPEED as FASTEST_SLIDE
from rr_gym.rules.elements.accelerators import TOP_SPEED as FASTEST_RING
from rr_gym.rules.hazards.fire import MAX_BURNING
from rr_gym.rules.robot.sleep import PHASES_OF_SLEEP
from rr_gym.rules.state.constants import MAX_ROBOTS, NUM_REGISTERS

HIGHEST_FLOOR = 9
FASTEST_BELT = 3
BOUNDS: Mapping[Bound, int] = {
    Bound.ALL_PHASES: ALL_PHASES,
    Bound.FARTHEST: FARTHEST,
    Bound.FASTEST_BELT: FASTEST_BELT,
    Bound.FASTEST_RING: FASTEST_RING,
    Bound.FASTEST_SLIDE: FASTEST_SLIDE,
    Bound.HIGHEST_FLOOR: HIGHEST_FLOOR,
    Bound.HIGHEST_LEVEL: HIGHEST_FLOOR + 1,  # on an elevator that is up
    Bound.MAX_BURNING: MAX_BURNING,
    Bound.MAX_ON_TRAPDOOR: 1 + MAX_ROBOTS,
    Bound.NUM_REGISTERS: NUM_REGISTERS,
    Bound.PHASES_OF_SLEEP: PHASES_OF_SLEEP,
}


def number_of(bound: int | Bound) -> int:
    """Return the number that a bound stands for."""
    return BOUNDS[bound] if isinstance(bound, Bound) else bound


def features_shown(shows: Shows) -> tuple[Feature, ...]:
    """Return the single features, each as (name, lowest, highest), that a sequence of `NamedFeatures` stands for."""
    return tuple(feature for shown in shows for feature in _features(shown))


def _features(shown: NamedFeatures) -> tuple[Feature, ...]:
    name, high = shown.name, number_of(shown.high)
    match shown.form:
        case FeatureForm.BY_SIDE:
            return tuple((f"{name}_{side}", 0, high) for side in SIDES)
        case FeatureForm.OFFSET:
            return (f"{name}_forward", -high, high), (f"{name}_right", -high, high)
        case FeatureForm.RANGE:
            return ((name, shown.low * high, high),)
