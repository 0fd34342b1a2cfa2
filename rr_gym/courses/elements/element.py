"""What a row of the table of board elements holds. It is data alone: names, which each layer resolves for itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rr_gym.courses.elements.observed import Observed
from rr_gym.courses.elements.traces import Trace

BASE, AD, RADIOACTIVE, PRIX = "base game", "Armed and Dangerous", "Radioactive", "Grand Prix"
CRASH, LIST, PAGE = "Crash & Burn", "fan-created list", "additional page"
# The documents of their rules, by the first number in them.
RULE_FILES = {
    1: "elements.md",
    13: "elements-armed-and-dangerous.md",
    19: "elements-radioactive-and-grand-prix.md",
    25: "elements-crash-and-burn.md",
    29: "elements-fan-list.md",
    40: "elements-page-1.md",
    59: "elements-page-2.md",
}

# What words of the board format are made of, as regular expressions
PHASES = "(?P<phases>1?2?3?4?5?)"
SOME_PHASES = f"(?=[1-5]){PHASES}"
ARROW = "(?P<arrow>[>^v<])"
TURNS = "(:(?P<turns>[nesw]+))?"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A word of the grammar.

    Attributes:
        regex: Regular expression of the whole item or side kind.
        kind: What it is, for the code that reads boards.
        group: Items of one group exclude each other on a square; "" never excludes.
    """

    regex: str
    kind: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """What a side with the element does to what would cross it (`rr_gym.courses.tables.sides`).

    Attributes:
        kind: What a body meets that cannot leave over it, a name of `rr_gym.courses.tables.ground`; "" for a wall.
        shut: `always`, `never`, `between` its phases, or `by_face`.
        covers: Whether it also stops shots, beams and sight.
    """

    kind: str = ""
    shut: str = "always"
    covers: bool = True


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the generator of courses lays one place of the element.

    Attributes:
        place: Its place in the order in which elements are laid: what needs most room first. A new one takes the next
            number; another order would give other courses for the same seeds.
        lay: The way of laying it, a name of `rr_gym.generate.expansions`.
        words: What is laid, one of several at random; `@` is a direction, `#` are phases, `%` is a strength.
        squares: Squares that one place needs for itself; 0 for what lies on sides or over other elements.
        most: Places on a board at most.
        patch: Squares of a patch at most.
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
        set: What it was published in.
        acts: Sub-steps of the timing table in which it acts; `enter` when a robot comes onto it, `step` when one
            would cross it, `settle` when one would come to rest on it, `always`, or `sight`.
        sentence: What it does.
        words: Its words in the format RRB1 with their meaning. The first is the whole word of its sample.
        settings: Settings of games that change it (docs/rules/settings.md).
        sample: A board, or a course in YAML, that shows it; by default its first word.
        items: The grammar of its words as items of a square.
        sides: The grammar of its words as kinds of a side.
        group: The word that begins its line among the groups of a board, for what covers several squares.
        square: What an item puts into fields of SQUARE: a number or the name of a reading of
            `rr_gym.courses.tables.terrain`.
        ground: Likewise for fields of GROUND; names in capitals are those of `rr_gym.courses.tables.ground`.
        edge: What a side with it stops.
        features: Its feature bits, names of `rr_gym.courses.tables.ground`; the first one is its own.
        acts_on_comers: Field of GROUND that tells where it acts on robots that come, or holds those that stand there.
        acts_on_standers: Field of GROUND that tells where it acts on robots that stand there, and on no others.
        observed: Its group of features in observations, or the beginning of the name of a feature of the base game
            that shows it.
        glyph: The function of `rr_gym.render.board` that draws it; "" for what is drawn with the ground around it.
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
    glyph: str = ""
    sign: str = ""
    carries: Mapping[str, str] = field(default_factory=dict)
    harms: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    traces: tuple[Trace, ...]
    recipe: Recipe | None = None

    @property
    def steps(self) -> tuple[str, ...]:
        """What `acts` names, one by one."""
        return tuple(self.acts.split())

    @property
    def rule(self) -> str:
        """The id of its rules."""
        return f"R-E{self.number}"

    @property
    def rule_file(self) -> str:
        """The document in docs/rules that has them."""
        return RULE_FILES[max(first for first in RULE_FILES if first <= self.number)]

    @property
    def token(self) -> str:
        """Its word in the format RRB1, "" for what has none of its own."""
        return next(iter(self.words), "")
