"""Elements that take robots elsewhere, or copy them (R-E16, R-E27, R-E37, R-E38, R-E45)."""

from __future__ import annotations

from rr_gym.courses.elements.element import AD, CRASH, LIST, PAGE, Edge, Element, Pattern, Recipe
from rr_gym.courses.elements.observed import (
    GATES,
    Bound,
    Observed,
    flag,
    ground,
    kind,
    number,
    overlay,
    sides,
    vector,
    way_to,
)
from rr_gym.courses.elements.traces import THROUGH_GATE, met_face, moved

ROWS = (
    Element(
        number=16, id="teleporter", name="Teleporter", set=AD, acts="B1",
        sentence="A robot whose movement card starts here jumps 2 squares further than the card says.",
        words={"T": ""},
        items=(Pattern("T", "teleporter", "jump"),),
        ground={"overlays": "TELEPORTER"},
        observed=Observed(23, "teleporters", "HAS_TELEPORTERS", flag("teleporter"), columns=(overlay("TELEPORTER"),)),
        traces=(moved("jump", "B1", "B2", on_element=True),),
        recipe=Recipe(40, "item", ("T",)),
    ),
    Element(
        number=37, id="freak_teleporter", name="Freak teleporter", set=LIST, acts="B1",
        sentence="Jumps by three random cards before the movement card is executed.",
        words={"Tf": ""},
        items=(Pattern("Tf", "teleporter", "jump"),),
        ground={"overlays": "FREAK_TELEPORTER"},
        observed=Observed(
            24, "freak_teleporters", "HAS_FREAKS", flag("freak_teleporter"), columns=(overlay("FREAK_TELEPORTER"),),
        ),
        glyph="teleporter",
        traces=(moved("jump", "B1", "B2", on_element=True),),
        recipe=Recipe(41, "item", ("Tf",)),
    ),
    Element(
        number=27, id="portal", name="Portal", set=CRASH, acts="enter",
        sentence="A robot that enters it is immediately on the other portal of its colour.",
        words={"=a": "its colour"},
        settings=("portal_trigger",),
        sample="=a =a",
        items=(Pattern("=(?P<colour>[a-z])", "portal", "jump"),),
        ground={"portal": 1},
        acts_on_arrival="portal",
        observed=Observed(
            26, "portals", "HAS_PORTALS", flag("portal") + vector("portal", Bound.FARTHEST),
            columns=(ground("portal"), way_to("twin")),
        ),
        traces=(moved("jump", on_element=True),),
        recipe=Recipe(10, "portals", squares=2),
    ),
    Element(
        number=38, id="gate", name="Gate", set=LIST, acts="B1",
        sentence="A robot that walks into its coloured face comes out of the other gate of that colour.",
        words={"./eka": "its colour, on the side of its face"},
        sample="./eka ./ska",
        sides=(Pattern("k(?P<colour>[a-z])", "gate"),),
        edge=Edge("GATE"),
        observed=Observed(
            44, "gates", "HAS_GATES",
            (
                *sides("gate", 1), *vector("gate_forward_to", Bound.FARTHEST), *vector("gate_right_to", Bound.FARTHEST),
                *vector("gate_back_to", Bound.FARTHEST), *vector("gate_left_to", Bound.FARTHEST),
            ),
            columns=(kind("GATE"), GATES),
        ),
        sign="k",
        traces=(THROUGH_GATE,),
        recipe=Recipe(55, "gates", squares=0, most=26),
    ),
    Element(
        number=45, id="copy_machine", name="Copy machine", set=PAGE, acts="B1",
        sentence="A robot that runs into its button gets a copy on the square behind the wall.",
        words={"./nb": "its button here, the antenna on the other face"},
        sample=".\n./nb",
        sides=(Pattern("b", "copy_machine"),),
        edge=Edge("BUTTON"),
        observed=Observed(
            45, "copies", "HAS_COPY_MACHINES", sides("button", 1), columns=(kind("BUTTON"),),
            robots=(
                *flag("copy"), *vector("copy", Bound.FARTHEST), *number("copy_facing", 3),
                *number("copy_level", Bound.HIGHEST_LEVEL),
                *vector("machine", Bound.FARTHEST), *number("machine_side", 3),
            ),
        ),
        sign="b",
        harms={"copy": ("", "{robot} perishes with its copy")},
        traces=(met_face("B1", "B2"),),
        recipe=Recipe(62, "side", ("b",), squares=0),
    ),
)
