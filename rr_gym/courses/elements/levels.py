"""Floors of several levels, and the ways between them (R-E13, R-E14, R-E49, R-E52)."""

from __future__ import annotations

from rr_gym.courses.elements.element import AD, PAGE, PHASES, Edge, Element, Pattern, Recipe
from rr_gym.courses.elements.observed import (
    LEVEL,
    RAMPS,
    UNFILLED,
    Bound,
    Observed,
    flag,
    ground,
    number,
    phases,
    sides,
)
from rr_gym.courses.elements.traces import CLIMBED, CLIMBED_FAST, destroyed, harmed, moved

_RAMPS = Observed(2, "ramps", "HAS_RAMPS", sides("ramp", 2), columns=(RAMPS,), robots=number("on_ramp", 4))

ROWS = (
    Element(
        number=13, id="ledge", name="Ledge", set=AD, acts="step",
        sentence="Where floors of two levels meet: a wall from below, a fall of 2 points per level from above.",
        words={"levels:": "a digit for the floor level of every square"},
        sample="grid:\n. .\nlevels:\n01",
        observed=Observed(
            1, "levels", "HAS_LEVELS", number("level", Bound.HIGHEST_FLOOR),
            columns=(LEVEL,), robots=number("level", Bound.HIGHEST_LEVEL),
        ),
        harms={"fall": ("{robot} falls", "{robot} is destroyed by its fall")},
        glyph="",
        traces=(harmed("fall"),),
        recipe=Recipe(1, "hill", squares=4, most=4),
    ),
    Element(
        number=14, id="ramp", name="Ramp", set=AD, acts="step settle",
        sentence="Leads up to the next level and takes one square of movement on the way up.",
        words={"./eh": "the side to which it rises"},
        sample="grid:\n./eh .\nlevels:\n01",
        sides=(Pattern("h", "ramp"),),
        edge=Edge(shut="never"),
        features=("HAS_RAMPS", "HAS_LEVELS"),
        observed=_RAMPS,
        sign="h",
        carries={"ramp_back": "{robot} rolls back down the ramp"},
        traces=(CLIMBED,),
        recipe=Recipe(2, "hill", squares=4, most=4),
    ),
    Element(
        number=52, id="fast_ramp", name="Fast ramp", set=PAGE, acts="step C5 C6",
        sentence="A ramp with an express belt that carries robots up.",
        words={">>/ehh": "the side to which it rises, on a belt that points there"},
        sample="grid:\n>>/ehh .\nlevels:\n01",
        sides=(Pattern("hh", "ramp"),),
        edge=Edge(shut="never"),
        features=("HAS_RAMPS", "HAS_LEVELS"),
        observed=_RAMPS,
        glyph="ramp", sign="H",
        traces=(CLIMBED_FAST,),
        recipe=Recipe(3, "hill", squares=4, most=4),
    ),
    Element(
        number=49, id="elevator", name="Elevator", set=PAGE, acts="C13",
        sentence="Rises by a level in its phases; robots on it ride, those beneath are crushed.",
        words={"h13": "the phases in which it goes up"},
        sample="grid:\nh13 .\nlevels:\n01",
        items=(Pattern("h" + PHASES, "elevator", "ground"),),
        ground={"has_elevator": 1, "elevator": "phases"},
        features=("HAS_ELEVATORS", "HAS_LEVELS"),
        acts_on_occupants="has_elevator",
        observed=Observed(
            41, "elevators", "HAS_ELEVATORS", flag("elevator", "elevator_up") + phases("elevator_phases"),
            columns=(ground("has_elevator"), UNFILLED, ground("elevator")),
        ),
        harms={"elevator": ("", "{robot} is crushed by an elevator")},
        traces=(moved("carry", "C13"), destroyed("elevator")),
        recipe=Recipe(4, "hill", squares=4, most=4),
    ),
)
