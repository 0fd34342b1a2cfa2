"""Water, currents and rivers (R-E17, R-E18, R-E35, R-E48, R-E69, R-E78)."""

from __future__ import annotations

from rr_gym.courses.elements.element import AD, ARROW, LIST, PAGE, TURNS, Element, Pattern, Recipe
from rr_gym.courses.elements.observed import CURRENTS, WATER, Observed, flag, number, vector
from rr_gym.courses.elements.traces import began, harmed, moved

_WATER = Observed(8, "water", "HAS_WATERS", number("water", 2) + flag("puddle"), columns=(WATER,))
_CURRENTS = Observed(
    9, "currents", "HAS_CURRENTS", vector("current", 1) + number("current_turns", 15) + flag("molten"),
    columns=(CURRENTS,),
)

ROWS = (
    Element(
        number=17, id="water", name="Water", set=AD, acts="B1",
        sentence="A movement card started in it loses its first square; puts out fires.",
        words={"W": ""},
        items=(Pattern("W", "water", "ground"),),
        ground={"surface": "WATER"},
        acts_on_arrival="surface",
        observed=_WATER,
        traces=(began("back_up", "move_1", "move_2", "move_3"),),
        recipe=Recipe(12, "item", ("W",), squares=2, patch=4),
    ),
    Element(
        number=48, id="deep_water", name="Deep water", set=PAGE, acts="B1 D3",
        sentence="Water that also does 1 point of damage per phase.",
        words={"WW": ""},
        items=(Pattern("WW", "water", "ground"),),
        ground={"surface": "DEEP"},
        features=("HAS_DEEP_WATER", "HAS_WATERS"),
        acts_on_arrival="surface",
        acts_on_occupants="surface",
        observed=_WATER,
        glyph="water",
        harms={"deep_water": ("deep water gets into {robot}", "{robot} drowns")},
        traces=(harmed("deep_water"),),
        recipe=Recipe(13, "item", ("WW",), squares=2, patch=3),
    ),
    Element(
        number=69, id="puddle", name="Puddle", set=PAGE, acts="enter B1",
        sentence="Puts out fires; a movement card started in it loses its first square.",
        words={"Wp": ""},
        items=(Pattern("Wp", "water", "ground"),),
        ground={"surface": "PUDDLE"},
        acts_on_arrival="surface",
        observed=_WATER,
        glyph="water",
        traces=(began("back_up", "move_1", "move_2", "move_3"),),
        recipe=Recipe(22, "item", ("Wp",)),
    ),
    Element(
        number=18, id="current", name="Current", set=AD, acts="B1 C8",
        sentence="Water that carries robots one square.",
        words={"c>": "its direction", ":ns": "then the sides whose riders it turns"},
        items=(Pattern(f"c{ARROW}{TURNS}", "stream", "ground"),),
        ground={"surface": "WATER", "mover": "CURRENT", "directions": "direction", "mover_turns": "turns"},
        features=("HAS_CURRENTS", "HAS_WATERS"),
        acts_on_arrival="surface",
        acts_on_occupants="mover",
        observed=_CURRENTS,
        glyph="stream",
        carries={"current": "the current carries {robot}"},
        traces=(moved("current", on_element=True),),
        recipe=Recipe(8, "run", ("CURRENT",), squares=4),
    ),
    Element(
        number=35, id="molten_river", name="Molten river", set=LIST, acts="C8",
        sentence="Carries robots one square and burns them for 1 point.",
        words={"m>": "its direction", ":ns": "then the sides whose riders it turns"},
        items=(Pattern(f"m{ARROW}{TURNS}", "stream", "ground"),),
        ground={"mover": "RIVER", "directions": "direction", "mover_turns": "turns"},
        acts_on_occupants="mover",
        observed=_CURRENTS,
        glyph="stream",
        harms={"river": ("molten metal scorches {robot}", "{robot} is destroyed by molten metal")},
        traces=(harmed("river"),),
        recipe=Recipe(7, "run", ("RIVER",), squares=4),
    ),
    Element(
        number=78, id="waterfall", name="Waterfall", set=PAGE, acts="C8",
        sentence="A current or river over a ledge: it carries robots down, 2 points per level.",
        sample="grid:\nc> .\nlevels:\n10",
        observed=_CURRENTS,
        glyph="",
        traces=(moved("current", on_element=True),),
        recipe=Recipe(5, "hill", squares=4, most=4),
    ),
)
