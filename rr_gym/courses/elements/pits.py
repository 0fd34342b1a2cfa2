"""Pits that open, close or shoot (R-E22, R-E44, R-E47, R-E75, R-E76)."""

from __future__ import annotations

from rr_gym.courses.elements.element import (
    ARROW,
    PAGE,
    PHASES,
    PRIX,
    SOME_PHASES,
    Element,
    Pattern,
    Recipe,
)
from rr_gym.courses.elements.observed import TRAPDOORS, UNFILLED, Bound, Observed, flag, ground, number, overlay, vector
from rr_gym.courses.elements.traces import destroyed, harmed

ROWS = (
    Element(
        number=22, id="trap_door_pit", name="Trap-door pit", set=PRIX, acts="A1 enter",
        sentence="A pit in its phases, floor in all others.",
        words={"X135": "its phases"},
        items=(Pattern("X" + SOME_PHASES, "pit", "ground"),),
        square={"pit": "phases"},
        features=("HAS_TIMED_PITS",),
        observed="pit",
        traces=(destroyed("pit", on_element=True),),
        recipe=Recipe(24, "item", ("X#",)),
    ),
    Element(
        number=44, id="drawbridge", name="Drawbridge", set=PAGE, acts="A6 enter",
        sentence="Floor in its phases, a pit in all others.",
        words={"Xb24": "the phases in which it can be passed"},
        items=(Pattern("Xb" + PHASES, "drawbridge", "ground"),),
        square={"pit": "other_phases"},
        ground={"drawbridge": 1},
        acts_on_arrival="drawbridge",
        observed=Observed(5, "drawbridges", "HAS_DRAWBRIDGES", flag("drawbridge"), columns=(ground("drawbridge"),)),
        traces=(destroyed("pit", on_element=True),),
        recipe=Recipe(25, "item", ("Xb#",)),
    ),
    Element(
        number=47, id="crumbly_ground", name="Crumbly ground", set=PAGE, acts="A4",
        sentence="A robot about to execute a rotate card on it sinks.",
        words={"Y": ""},
        settings=("crumble_leaves_pit",),
        items=(Pattern("Y", "crumbly", "ground"),),
        ground={"surface": "CRUMBLING"},
        acts_on_arrival="surface",
        acts_on_occupants="surface",
        observed=Observed(11, "crumbly", "HAS_CRUMBLY", flag("crumbly")),
        glyph="crumbly",
        harms={"crumbled": ("", "{robot} sinks into crumbly ground")},
        traces=(destroyed("crumbled"),),
        recipe=Recipe(18, "item", ("Y",), squares=2, most=64, patch=3),
    ),
    Element(
        number=75, id="giant_trapdoor", name="Giant trapdoor", set=PAGE, acts="enter",
        sentence="One robot too many opens it under all others.",
        words={"trapdoor at 0,0 2x2 cap 1": "its corner, its size, and how many robots it carries"},
        sample="grid:\n. .\n. .\ngroups:\ntrapdoor at 0,0 2x2 cap 1",
        group="trapdoor",
        acts_on_arrival="trapdoor",
        observed=Observed(
            48, "trapdoors", "HAS_TRAPDOORS", number("trapdoor", Bound.MAX_ON_TRAPDOOR),
            columns=(TRAPDOORS,),
        ),
        glyph="trapdoor",
        harms={"trapdoor": ("", "{robot} falls through a giant trapdoor")},
        traces=(destroyed("trapdoor"),),
        recipe=Recipe(51, "area", ("trapdoor at % $ cap #",), squares=0, most=16, sizes=((2, 2),)),
    ),
    Element(
        number=76, id="turret_gun", name="Turret gun", set=PAGE, acts="T3 A2 C11 D1",
        sentence="A gun in a pit that turns and fires by its own cards.",
        words={"t^": "where it faces at the start"},
        items=(Pattern(f"t{ARROW}", "turret", "ground"),),
        square={"pit": "phases"},
        ground={"overlays": "TURRET_GUN"},
        observed=Observed(
            39, "turrets", "HAS_TURRETS", flag("turret") + vector("turret", 1),
            columns=(overlay("TURRET_GUN"), UNFILLED, UNFILLED),
        ),
        glyph="turret",
        harms={"turret": ("a turret gun hits {robot}", "{robot} is destroyed by a turret gun")},
        traces=(harmed("turret"), destroyed("pit", on_element=True)),
        recipe=Recipe(28, "item", ("t@",), most=8),
    ),
)
