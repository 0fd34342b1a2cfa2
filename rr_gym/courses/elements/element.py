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

OF_ID = "of its id"  # of a glyph that has the name of its element

# Regular expressions of the parts of words in the board format
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
    """How a side with the element blocks what would cross it (`rr_gym.courses.tables.sides`).

    Attributes:
        kind: What stops a body that cannot leave over it, a name of `rr_gym.courses.tables.ground`; "" for a wall.
        shut: When it blocks: `always`, `never`, `between` its phases, or `by_face`.
        covers: Whether it also stops shots, beams and sight.
    """

    kind: str = ""
    shut: str = "always"
    covers: bool = True


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the generator of courses lays one occurrence of the element.

    Attributes:
        place: Its rank in the order in which elements are laid, those that need most room first. A new element takes
            the next number, since another order would change the courses of existing seeds.
        lay: The way of laying it, a name of `rr_gym.generate.expansions`.
        words: The words to lay, one of them at random; `@` is a direction, `#` are phases, `%` is a strength.
        squares: Squares that one occurrence needs for itself; 0 for what lies on sides or over other elements.
        most: Greatest number of occurrences on a board.
        patch: Greatest number of squares of a patch.
        sizes: Width and height of areas.
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
        acts: Sub-steps of the timing table in which it acts; `enter` when a robot comes onto it, `step` when one
            would cross it, `settle` when one would come to rest on it, `always`, or `sight`.
        sentence: A sentence that says what it does.
        words: Its words in the format RRB1 with their meaning. The first is the whole word of its sample.
        settings: Settings of games that change it (docs/rules/settings.md).
        sample: A board, or a course in YAML, that shows it; by default its first word.
        items: The grammar of its words as items of a square.
        sides: The grammar of its words as kinds of a side.
        group: The word that begins its line among the groups of a board, if it covers several squares.
        square: The values that an item puts into fields of SQUARE: a number, or the name of a reading of
            `rr_gym.courses.tables.terrain`.
        ground: The values that an item puts into fields of GROUND, in the same form; names in capitals are constants of
            `rr_gym.courses.tables.ground`.
        edge: What a side with it stops.
        features: Its feature bits, names of `rr_gym.courses.tables.ground`; the first one is its own. By default it has
            that of its group of observations.
        acts_on_comers: Field of GROUND that tells where it acts on robots that come, or holds those that stand there.
        acts_on_standers: Field of GROUND that tells where it acts on robots that stand there, and on no others.
        observed: Its group of features in observations, or the beginning of the name of a feature of the base game
            that shows it.
        glyph: The function of `rr_gym.render.board` that draws it, by default that of its id; "" if it is drawn with
            the ground around it.
        sign: Letter of its sides in terminals; items show their words.
        carries: Phrases for robots that it moves, by cause.
        harms: Phrases for robots that it damages ("" if it does not) and destroys, by harm.
        traces: Events, any of which shows that it acted.
        recipe: How the generator lays it; elements of the base game have densities of their own.
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
    acts_on_comers: str = ""
    acts_on_standers: str = ""
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
