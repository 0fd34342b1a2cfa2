"""Constructors for the observed features of an element, used in its row in the table of elements.

Rows hold only data; `rr_gym.encoding.observe` reads the values of the features from the compiled tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple


class Bound(Enum):
    """A bound of a feature whose number is set elsewhere, such as by a rule (`rr_gym.encoding.observe.bounds`)."""

    ALL_PHASES = auto()
    FARTHEST = auto()
    FASTEST_BELT = auto()
    FASTEST_RING = auto()
    FASTEST_SLIDE = auto()
    HIGHEST_FLOOR = auto()
    HIGHEST_LEVEL = auto()
    MAX_BURNING = auto()
    MAX_ON_TRAPDOOR = auto()
    NUM_REGISTERS = auto()
    PHASES_OF_SLEEP = auto()


class FeatureForm(Enum):
    """The form of a feature: one number in a range, one number for each side, or an offset ahead and to the right."""

    RANGE = auto()
    BY_SIDE = auto()
    OFFSET = auto()


class NamedFeatures(NamedTuple):
    """One or more features of observations that share a name.

    Attributes:
        name: The name of the single feature, or the prefix of their names.
        form: The form of the features.
        high: The highest number.
        low: The lowest number of a range: 0, or -1 for -`high`.
    """

    name: str
    form: FeatureForm
    high: int | Bound
    low: int = 0


Shows = tuple[NamedFeatures, ...]


def flag(*names: str) -> Shows:
    """Show one condition per name: 1 if it holds, otherwise 0."""
    return tuple(NamedFeatures(name, FeatureForm.RANGE, 1) for name in names)


def phases(*names: str) -> Shows:
    """Show for each name in which phases something acts, as a mask with bit p - 1 for phase p."""
    return tuple(NamedFeatures(name, FeatureForm.RANGE, Bound.ALL_PHASES) for name in names)


def sides(name: str, high: int | Bound) -> Shows:
    """Show a number from 0 to `high` for each side of the square: ahead, to the right, behind, to the left."""
    return (NamedFeatures(name, FeatureForm.BY_SIDE, high),)


def vector(name: str, reach: int | Bound) -> Shows:
    """Show an offset in squares as two numbers from -`reach` to `reach`: ahead, and to the right."""
    return (NamedFeatures(name, FeatureForm.OFFSET, reach),)


def number(name: str, high: int | Bound) -> Shows:
    """Show a number from 0 to `high`."""
    return (NamedFeatures(name, FeatureForm.RANGE, high),)


def signed(name: str, reach: int | Bound) -> Shows:
    """Show a number from -`reach` to `reach`."""
    return (NamedFeatures(name, FeatureForm.RANGE, reach, -1),)


def vector_by_phase(name: str, numbers: Iterable[int], reach: int | Bound) -> Shows:
    """Show an offset for each of these phases, as features NAME_forward_PHASE and NAME_right_PHASE."""
    return tuple(
        NamedFeatures(f"{name}_{axis}_{phase}", FeatureForm.RANGE, reach, -1)
        for phase in numbers
        for axis in ("forward", "right")
    )


class Reading(NamedTuple):
    """How some features of a square are read from the compiled tables.

    Attributes:
        source: The function that reads them, a key of `rr_gym.encoding.observe.columns.READS`.
        names: A field of GROUND, or constants of `rr_gym.courses.tables.ground`.
    """

    source: str
    names: tuple[str, ...] = ()


UNFILLED = Reading("unfilled")  # not in the tables: filled in from the state of each game
LEVEL = Reading("level")
COVERS = Reading("covers")
MELTING = Reading("melting")
WIND = Reading("wind")
TILT = Reading("tilt")
RAMPS = Reading("ramps")
WATER = Reading("water")
CURRENTS = Reading("currents")
BELTS_BY_PHASE = Reading("belts_by_phase")
JACKS = Reading("jacks")
GATES = Reading("gates")
AREAS = Reading("areas")
TRAPDOORS = Reading("trapdoors")
HYDRAULICS = Reading("hydraulics")


def ground(field: str) -> Reading:
    """Read a field of GROUND."""
    return Reading("ground", (field,))


def numbered(field: str) -> Reading:
    """Read whether a field of GROUND holds a number, that is, is not negative."""
    return Reading("numbered", (field,))


def way_to(field: str) -> Reading:
    """Read the offset, ahead and to the right, of the square whose number a field of GROUND holds."""
    return Reading("way_to", (field,))


def arrow(field: str) -> Reading:
    """Read the direction in a field of GROUND as a step ahead and to the right; zeros for no direction."""
    return Reading("arrow", (field,))


def surface(*surfaces: str) -> Reading:
    """Read whether the square has one of these surfaces."""
    return Reading("surface", surfaces)


def overlay(*overlays: str) -> Reading:
    """Read whether the square has one of these overlays."""
    return Reading("overlay", overlays)


def kind(name: str) -> Reading:
    """Read for each side of the square whether it is of a kind, such as MIRROR."""
    return Reading("kind", (name,))


@dataclass(frozen=True, slots=True)
class Observed:
    """A group of features of observations (`rr_gym.encoding.observe.groups.FeatureGroup`) that elements may share.

    Attributes:
        place: Its position among the groups. A new group takes the next number, so that older trained models keep their
          columns.
        name: Name of the group.
        feature: Feature bit of courses that switches the group on, a name of `rr_gym.courses.tables.ground`.
        squares: Features of a square.
        columns: How the values of `squares` are read; empty if all depend on the state of the game.
        robots: Features of a robot.
        game: Features of the game as a whole.
    """

    place: int
    name: str
    feature: str = ""
    squares: Shows = ()
    columns: tuple[Reading, ...] = ()
    robots: Shows = ()
    game: Shows = ()
