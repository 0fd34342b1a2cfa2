"""Bounds of features, by the names that the rows of elements have for them."""

from __future__ import annotations

from rr_gym.courses.text.grammar import ALL_PHASES
from rr_gym.encoding.observe.groups import FARTHEST, Feature, phases, sides, vector
from rr_gym.rules.driving.ice import TOP_SPEED as FASTEST_SLIDE
from rr_gym.rules.elements.accelerators import TOP_SPEED as FASTEST_RING
from rr_gym.rules.hazards.fire import MAX_BURNING
from rr_gym.rules.robot.sleep import PHASES_OF_SLEEP
from rr_gym.rules.state.constants import MAX_ROBOTS, NUM_REGISTERS

HIGHEST_FLOOR = 9
FASTEST_BELT = 3
BOUNDS = {
    "ALL_PHASES": ALL_PHASES,
    "FARTHEST": FARTHEST,
    "FASTEST_BELT": FASTEST_BELT,
    "FASTEST_RING": FASTEST_RING,
    "FASTEST_SLIDE": FASTEST_SLIDE,
    "HIGHEST_FLOOR": HIGHEST_FLOOR,
    "HIGHEST_LEVEL": HIGHEST_FLOOR + 1,  # on an elevator that is up
    "MAX_BURNING": MAX_BURNING,
    "MOST_ON_TRAPDOOR": 1 + MAX_ROBOTS,
    "NUM_REGISTERS": NUM_REGISTERS,
    "PHASES_OF_SLEEP": PHASES_OF_SLEEP,
}


def read_features(specs: tuple[str, ...]) -> tuple[Feature, ...]:
    """The features that a row of elements writes as `NAME FORM`, see `rr_gym.courses.elements.element.Observed`."""
    return tuple(feature for spec in specs for feature in _read(*spec.split()))


def _read(name: str, form: str, bound: str = "") -> tuple[Feature, ...]:
    match form:
        case "flag":
            return ((name, 0, 1),)
        case "phases":
            return phases(name)
        case "sides":
            return sides(name, _bound(bound))
        case "vector":
            return vector(name, _bound(bound))
        case _:
            return ((name, _bound(form), _bound(bound)),)


def _bound(text: str) -> int:
    number = text.lstrip("-")
    return (-1 if text.startswith("-") else 1) * (int(number) if number.isdecimal() else BOUNDS[number])
