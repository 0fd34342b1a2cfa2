"""The fields of a row of the table of board elements. Rows are plain data; each layer looks up the names in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rr_gym.courses.elements.observed import Observed
from rr_gym.courses.elements.traces import Trace

BASE, AD, RADIOACTIVE, PRIX = "base game", "Armed and Dangerous", "Radioactive", "Grand Prix"
CRASH, LIST, PAGE = "Crash & Burn", "fan-created list", "additional page"
# The documents with the rules of elements, by the number of the first element in them
RULE_FILES = {
    1: "elements.md",
    13: "elements-armed-and-dangerous.md",
    19: "elements-radioactive-and-grand-prix.md",
    25: "elements-crash-and-burn.md",
    29: "elements-fan-list.md",
    40: "elements-page-1.md",
    59: "elements-page-2.md",
}

OF_ID = "of its id"  # the default of `glyph`: a function named after the element's id

# Regular expressions for parts of words in the board format
PHASES = "(?P<phases>1?2?3?4?5?)"
SOME_PHASES = f"(?=[1-5]){PHASES}"
ARROW = "(?P<arrow>[>^v<])"
TURNS = "(:(?P<turns>[nesw]+))?"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A word of the grammar.

    Attributes:
        regex: Regular expression that matches the whole item or kind of side.
        kind: The kind of part, by which the code that reads boards distinguishes parts.
        group: Items of one group exclude each other on a square; "" never excludes.
    """

    regex: str
    kind: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """How a side with the element blocks what tries to cross it (`rr_gym.courses.tables.sides`).

    Attributes:
        kind: The kind of obstacle that a robot is reported to hit, a name of `rr_gym.courses.tables.ground`; "" for a
          wall.
        shut: When it blocks: `always`, `never`, `between` its phases, or `by_face`.
        covers: Whether it also stops shots, beams and lines of sight.
    """

    kind: str = ""
    shut: str = "always"
    covers: bool = True


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the course generator places one occurrence of the element.

    Attributes:
        place: Its rank in the order of placement; elements that need most room come first. A new element takes the next
          free number, since any other order would change the courses of existing seeds.
        lay: How to place it: a name of `rr_gym.generate.expansions`.
        words: Words of which one is chosen at random; in them `@` stands for a direction, `#` for phases, `%` for a
          strength.
        squares: Squares that one occurrence needs for itself; 0 if it lies on sides or over other elements.
        most: Greatest number of occurrences on a board.
        patch: Greatest number of adjacent squares that are filled with it.
        sizes: Possible (width, height) of areas.
    """

    place: int
    lay: str
    words: tuple[str, ...] = ()
    squares: int = 1
    most: int = 1 << 16
    patch: int = 1
    sizes: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """A board element.

    Attributes:
        number: Its number from 1; its rules are R-E<number>.1, R-E<number>.2, ...
        id: Its name in code, courses and scenarios.
        name: Its name in words.
        set: The publication that it comes from.
        acts: Sub-steps of the timing table in which it acts; `enter` when a robot comes onto it, `step` when one would
          cross it, `settle` when one would come to rest on it, `always`, or `sight`.
        sentence: A sentence that says what it does.
        words: Its words in the format RRB1 with their meaning. The first is the complete word of its sample.
        settings: Settings of games that change it (docs/rules/settings.md).
        sample: A board, or a course in YAML, that shows it; by default its first word.
        items: The grammar of its words as items of a square.
        sides: The grammar of its words as kinds of a side.
        group: The word that begins its line among the groups of a board, if it covers several squares.
        square: The values that an item sets in fields of SQUARE: a number, or the name of a function of
          `rr_gym.courses.tables.terrain` that reads it from the word.
        ground: The values that an item sets in fields of GROUND, in the same form; names in capitals are constants of
          `rr_gym.courses.tables.ground`.
        edge: How a side with it blocks.
        features: Its feature bits, names of `rr_gym.courses.tables.ground`; the first is its own. The default is the
          bit of `observed`.
        acts_on_arrival: Field of GROUND that marks the squares where it acts on arriving robots or
          holds robots in place.
        acts_on_occupants: Field of GROUND that marks the squares where it acts only on robots
          that stand there.
        observed: Its group of features in observations, or the prefix of the names of base features that show it.
        glyph: The function of `rr_gym.render.board` that draws it, by default the one named after its id; "" if it is
          drawn as part of the ground.
        sign: Letter that shows its sides in terminals; items are shown by their words.
        carries: Phrases for robots that it moves, by cause.
        harms: By harm, two phrases: for robots that it damages ("" if it does not) and for robots that it destroys.
        traces: Events, each of which shows that it acted.
        recipe: How the generator places it; None for elements of the base game, which have densities.
    """

    number: int
    id: str
    name: str
    set: str
    acts: str
    sentence: str
    words: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    sample: str = ""
    items: tuple[Pattern, ...] = ()
    sides: tuple[Pattern, ...] = ()
    group: str = ""
    square: Mapping[str, int | str] = field(default_factory=dict)
    ground: Mapping[str, int | str] = field(default_factory=dict)
    edge: Edge | None = None
    features: tuple[str, ...] = ()
    acts_on_arrival: str = ""
    acts_on_occupants: str = ""
    observed: Observed | str
    glyph: str = OF_ID
    sign: str = ""
    carries: Mapping[str, str] = field(default_factory=dict)
    harms: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    traces: tuple[Trace, ...]
    recipe: Recipe | None = None

    def __post_init__(self) -> None:
        if not self.features and isinstance(self.observed, Observed) and self.observed.feature:
            object.__setattr__(self, "features", (self.observed.feature,))  # the row is frozen
        if self.glyph == OF_ID:
            object.__setattr__(self, "glyph", self.id)

    @property
    def steps(self) -> tuple[str, ...]:
        """Return the entries of `acts` as a tuple."""
        return tuple(self.acts.split())

    @property
    def rule(self) -> str:
        """Return the id of its rules."""
        return f"R-E{self.number}"

    @property
    def rule_file(self) -> str:
        """Return the file in docs/rules that contains its rules."""
        return RULE_FILES[max(first for first in RULE_FILES if first <= self.number)]

    @property
    def token(self) -> str:
        """Return its first word in the format RRB1, "" if it has none of its own."""
        return next(iter(self.words), "")
