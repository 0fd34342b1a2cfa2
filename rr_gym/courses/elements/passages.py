"""What takes robots elsewhere, or doubles them (R-E16, R-E27, R-E37, R-E38, R-E45)."""

from __future__ import annotations

from rr_gym.courses.elements.element import AD, CRASH, LIST, PAGE, Edge, Element, Observed, Pattern, Recipe, Trace

ROWS = (
    Element(
        number=16, id="teleporter", name="Teleporter", set=AD, acts="B1",
        sentence="A movement card started on it jumps 2 squares further than it says.",
        words={"T": ""},
        items=(Pattern("T", "teleporter", "jump"),),
        ground={"overlays": "TELEPORTER"},
        features=("HAS_TELEPORTERS",),
        observed=Observed(23, "teleporters", "HAS_TELEPORTERS", ("teleporter flag",), columns=("overlay TELEPORTER",)),
        glyph="teleporter",
        traces=(Trace("moved", "jump", here=True, steps="B1 B2"),),
        recipe=Recipe(40, "item", ("T",)),
    ),
    Element(
        number=37, id="freak_teleporter", name="Freak teleporter", set=LIST, acts="B1",
        sentence="Jumps by three random cards before the movement card is executed.",
        words={"Tf": ""},
        items=(Pattern("Tf", "teleporter", "jump"),),
        ground={"overlays": "FREAK_TELEPORTER"},
        features=("HAS_FREAKS",),
        observed=Observed(
            24, "freak_teleporters", "HAS_FREAKS", ("freak_teleporter flag",), columns=("overlay FREAK_TELEPORTER",),
        ),
        glyph="teleporter",
        traces=(Trace("moved", "jump", here=True, steps="B1 B2"),),
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
        features=("HAS_PORTALS",),
        acts_on_comers="portal",
        observed=Observed(
            26, "portals", "HAS_PORTALS", ("portal flag", "portal vector FARTHEST"),
            columns=("ground portal", "to twin"),
        ),
        glyph="portal",
        traces=(Trace("moved", "jump", here=True),),
        recipe=Recipe(10, "portals", squares=2),
    ),
    Element(
        number=38, id="gate", name="Gate", set=LIST, acts="B1",
        sentence="A robot that walks into its coloured face comes out of the other gate of that colour.",
        words={"./eka": "its colour, on the side of its face"},
        sample="./eka ./ska",
        sides=(Pattern("k(?P<colour>[a-z])", "gate"),),
        edge=Edge("GATE"),
        features=("HAS_GATES",),
        observed=Observed(
            44, "gates", "HAS_GATES",
            ("gate sides 1", *(f"gate_{side}_to vector FARTHEST" for side in ("forward", "right", "back", "left"))),
            columns=("kind GATE", "gates"),
        ),
        glyph="gate", sign="k",
        traces=(Trace("through_gate"),),
        recipe=Recipe(55, "gates", squares=0, most=26),
    ),
    Element(
        number=45, id="copy_machine", name="Copy machine", set=PAGE, acts="B1",
        sentence="A robot that runs into its button gets a copy on the square behind the wall.",
        words={"./nb": "its button here, the antenna on the other face"},
        sample=".\n./nb",
        sides=(Pattern("b", "copy_machine"),),
        edge=Edge("BUTTON"),
        features=("HAS_COPY_MACHINES",),
        observed=Observed(
            45, "copies", "HAS_COPY_MACHINES", ("button sides 1",), columns=("kind BUTTON",),
            robots=(
                "copy flag", "copy vector FARTHEST", "copy_facing 0 3", "copy_level 0 HIGHEST_LEVEL",
                "machine vector FARTHEST", "machine_side 0 3",
            ),
        ),
        glyph="copy_machine", sign="b",
        harms={"copy": ("", "{robot} perishes with its copy")},
        traces=(Trace("met_face", steps="B1 B2"),),
        recipe=Recipe(62, "side", ("b",), squares=0),
    ),
)
