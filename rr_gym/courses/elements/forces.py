"""Elements that act on robots from a distance, hold them or lift them (R-E29, R-E40, R-E43, R-E60, R-E77)."""

from __future__ import annotations

from rr_gym.courses.elements.element import LIST, PAGE, PHASES, Edge, Element, Pattern, Recipe
from rr_gym.courses.elements.observed import WIND, Observed, flag, ground, overlay, phases, sides
from rr_gym.courses.elements.traces import PULLED, began, destroyed, moved

_ATTRACTORS = Observed(
    30, "attractors", "HAS_ATTRACTORS", flag("attractor"),
    columns=(overlay("MAGNET", "BLACK_HOLE"),),
)

ROWS = (
    Element(
        number=60, id="magnet", name="Magnet", set=PAGE, acts="C10b",
        sentence="Pulls robots in its row and column one square closer.",
        words={"U": ""},
        items=(Pattern("U", "magnet", "ground"),),
        ground={"overlays": "MAGNET"},
        observed=_ATTRACTORS,
        carries={"pull": "{robot} is pulled"},
        traces=(PULLED,),
        recipe=Recipe(27, "item", ("U",), most=8),
    ),
    Element(
        number=43, id="black_hole", name="Black hole", set=PAGE, acts="C10b enter",
        sentence="A pit that pulls robots in its row and column one square closer.",
        words={"B": ""},
        items=(Pattern("B", "black_hole", "ground"),),
        square={"pit": "phases"},
        ground={"overlays": "BLACK_HOLE"},
        observed=_ATTRACTORS,
        traces=(PULLED, destroyed("pit", on_element=True)),
        recipe=Recipe(26, "item", ("B",), most=8),
    ),
    Element(
        number=77, id="ventilator", name="Ventilator", set=PAGE, acts="C2",
        sentence="In its phases, blows robots in its line away by its strength.",
        words={"./wv2:135": "its strength 1-3 and its phases"},
        sides=(Pattern(f"v(?P<number>[1-3])(:{PHASES})?", "ventilator"),),
        edge=Edge(),
        observed=Observed(43, "wind", "HAS_FANS", sides("wind", 3) + phases("wind_phases"), columns=(WIND,)),
        sign="v",
        carries={"fan": "a ventilator blows {robot}"},
        traces=(moved("fan"),),
        recipe=Recipe(66, "mount", ("v%:#",), squares=0, most=64),
    ),
    Element(
        number=29, id="mag_lock", name="Mag-lock", set=LIST, acts="enter B1",
        sentence="Holds robots in its phases: they can neither move nor be moved.",
        words={"M135": "its phases, none for all"},
        items=(Pattern("M" + PHASES, "mag_lock", "mag_lock"),),
        ground={"mag_lock": "phases"},
        acts_on_arrival="mag_lock",
        observed=Observed(22, "mag_locks", "HAS_MAG_LOCKS", phases("mag_lock"), columns=(ground("mag_lock"),)),
        glyph="lock",
        traces=(began("back_up", "move_1", "move_2", "move_3"),),
        recipe=Recipe(42, "item", ("M#",)),
    ),
    Element(
        number=40, id="antigrav_field", name="Antigrav field", set=PAGE, acts="B1 F1",
        sentence="A robot that starts a card on it flies until the end of the turn or a hit.",
        words={"A": ""},
        items=(Pattern("A", "antigrav", "antigrav"),),
        ground={"overlays": "ANTIGRAV_FIELD"},
        observed=Observed(
            29, "antigrav_fields", "HAS_ANTIGRAV", flag("antigrav_field"), columns=(overlay("ANTIGRAV_FIELD"),),
            robots=flag("flying"),
        ),
        glyph="antigrav",
        traces=(began(),),
        recipe=Recipe(44, "item", ("A",)),
    ),
)
