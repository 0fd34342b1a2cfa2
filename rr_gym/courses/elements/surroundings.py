"""Elements that harm or hide robots that stand on them (R-E19, R-E20, R-E54, R-E55, R-E73)."""

from __future__ import annotations

from rr_gym.courses.elements.element import PAGE, RADIOACTIVE, Element, Pattern, Recipe
from rr_gym.courses.elements.observed import Bound, Observed, flag, number, overlay
from rr_gym.courses.elements.traces import event, harmed

ROWS = (
    Element(
        number=19, id="radiation", name="Radiation", set=RADIOACTIVE, acts="D3",
        sentence="1 point of damage in phase 5.",
        words={"Z": ""},
        items=(Pattern("Z", "radiation", "radiation"),),
        ground={"overlays": "RADIANT"},
        acts_on_occupants="overlays",
        observed=Observed(35, "radiation", "HAS_RADIATION", flag("radiation"), columns=(overlay("RADIANT"),)),
        harms={"radiation": ("radiation harms {robot}", "{robot} is destroyed by radiation")},
        traces=(harmed("radiation"),),
        recipe=Recipe(19, "item", ("Z",), squares=2, patch=3),
    ),
    Element(
        number=20, id="radioactive_waste", name="Radioactive waste", set=RADIOACTIVE, acts="D3 E2",
        sentence="1 point of damage in every phase, and an option may be drawn.",
        words={"ZZ": ""},
        items=(Pattern("ZZ", "radiation", "radiation"),),
        ground={"overlays": "WASTED"},
        acts_on_occupants="overlays",
        observed=Observed(36, "waste", "HAS_WASTE", flag("waste"), columns=(overlay("WASTED"),)),
        glyph="radiation",
        harms={"waste": ("radioactive waste harms {robot}", "{robot} is destroyed by radioactive waste")},
        traces=(harmed("waste"),),
        recipe=Recipe(23, "item", ("ZZ",)),
    ),
    Element(
        number=55, id="grave", name="Grave", set=PAGE, acts="D3",
        sentence="1 point of damage in every phase.",
        words={"G": ""},
        items=(Pattern("G", "grave", "grave"),),
        ground={"overlays": "GRAVE"},
        acts_on_occupants="overlays",
        observed=Observed(34, "graves", "HAS_GRAVES", flag("grave"), columns=(overlay("GRAVE"),)),
        harms={"grave": ("a grave haunts {robot}", "{robot} is destroyed on a grave")},
        traces=(harmed("grave"),),
        recipe=Recipe(46, "item", ("G",)),
    ),
    Element(
        number=54, id="fog", name="Fog", set=PAGE, acts="sight",
        sentence="Robots neither see nor fire into it, out of it or through it.",
        words={"f": "fog or smoke"},
        items=(Pattern("f", "fog", "fog"),),
        ground={"overlays": "FOGGY"},
        observed=Observed(32, "fog", "HAS_FOG", flag("fog"), columns=(overlay("FOGGY"),)),
        traces=(event("moved", on_element=True),),
        recipe=Recipe(20, "item", ("f",), squares=2, patch=3),
    ),
    Element(
        number=73, id="soporific_gas", name="Soporific gas", set=PAGE, acts="B4",
        sentence="A robot that ends its move in it sleeps for five phases.",
        words={"z": ""},
        items=(Pattern("z", "gas", "gas"),),
        ground={"overlays": "GASSED"},
        acts_on_occupants="overlays",
        observed=Observed(
            33, "gas", "HAS_GAS", flag("gas"),
            columns=(overlay("GASSED"),), robots=number("asleep", Bound.PHASES_OF_SLEEP),
        ),
        glyph="gas",
        traces=(event("asleep", value=Bound.PHASES_OF_SLEEP),),
        recipe=Recipe(21, "item", ("z",), patch=2),
    ),
)
