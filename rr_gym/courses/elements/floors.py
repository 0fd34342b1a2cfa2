"""Floors on which robots slide, slip, stick or bounce (R-E26, R-E36, R-E57, R-E65, R-E66, R-E74)."""

from __future__ import annotations

from rr_gym.courses.elements.element import ARROW, CRASH, LIST, PAGE, Edge, Element, Pattern, Recipe
from rr_gym.courses.elements.observed import TILT, Bound, Observed, flag, kind, sides, signed, surface, vector
from rr_gym.courses.elements.traces import began, met_face, moved

_PADS = Observed(
    12, "pads", "HAS_PADDED", flag("padding") + sides("pad", 1), columns=(surface("PADDING"), kind("PADDED_WALL"))
)

ROWS = (
    Element(
        number=26, id="oil_slick", name="Oil slick", set=CRASH, acts="B1 settle",
        sentence="Robots that come to rest on it slide on; starting on it costs a square.",
        words={"O": ""},
        items=(Pattern("O", "oil", "ground"),),
        ground={"surface": "OILY"},
        observed=Observed(6, "oil", "HAS_OIL", flag("oil"), columns=(surface("OILY"),)),
        glyph="oil",
        carries={"oil": "{robot} slides on oil"},
        traces=(moved("oil"),),
        recipe=Recipe(14, "item", ("O",), squares=2, patch=4),
    ),
    Element(
        number=57, id="ice", name="Ice", set=PAGE, acts="B1 T3",
        sentence="Robots that move fast on it slide on; starting the turn on it costs a card.",
        words={"I": ""},
        settings=("ice_mode",),
        items=(Pattern("I", "ice", "ground"),),
        ground={"surface": "ICY"},
        acts_on_arrival="surface",
        observed=Observed(
            7, "ice", "HAS_ICE", flag("ice"), columns=(surface("ICY"),),
            robots=vector("slide", Bound.FASTEST_SLIDE) + signed("spin", Bound.FASTEST_SLIDE),
        ),
        carries={"ice": "{robot} slides on ice"},
        traces=(moved("ice"),),
        recipe=Recipe(15, "item", ("I",), squares=3, patch=5),
    ),
    Element(
        number=36, id="slime", name="Slime", set=LIST, acts="B1",
        sentence="Holds robots that start a card on it; only Move 2 and Move 3 get out.",
        words={"Q": ""},
        items=(Pattern("Q", "slime", "ground"),),
        ground={"surface": "SLIMY"},
        observed=Observed(10, "slime", "HAS_SLIME", flag("slime"), columns=(surface("SLIMY"),)),
        traces=(began("u_turn", "rotate_left", "rotate_right", "back_up", "move_1"),),
        recipe=Recipe(17, "item", ("Q",), squares=2, patch=3),
    ),
    Element(
        number=65, id="padded_square", name="Padded square", set=PAGE, acts="B1",
        sentence="A robot whose card would end on it continues for as many squares again.",
        words={"D": ""},
        items=(Pattern("D", "padded", "ground"),),
        ground={"surface": "PADDING"},
        observed=_PADS,
        glyph="padded",
        carries={"bounce": "{robot} bounces"},
        traces=(moved("bounce"),),
        recipe=Recipe(16, "item", ("D",), squares=2, patch=4),
    ),
    Element(
        number=66, id="padded_wall", name="Padded wall", set=PAGE, acts="B1",
        sentence="A robot that runs into it from a padded square bounces back.",
        words={"D/n)": "pads here"},
        sides=(Pattern(r"\)", "padded_wall"),),
        edge=Edge("PADDED_WALL"),
        observed=_PADS,
        sign=")",
        traces=(met_face("B1", "B2", on="padded_square"),),
        recipe=Recipe(64, "pads", squares=0),
    ),
    Element(
        number=74, id="tilted_ground", name="Tilted ground", set=PAGE, acts="settle",
        sentence="A robot that would come to rest on it slips one square downhill.",
        words={"S^": "where it slopes down: an arrow", "S^>": "or two"},
        sample="S^ S^>",
        items=(Pattern(f"S{ARROW}(?P<arrow2>[>^v<])?", "tilt", "ground"),),
        ground={"surface": "TILT", "tilt": "slope"},
        observed=Observed(13, "tilted", "HAS_TILTED", vector("tilt", 1), columns=(TILT,)),
        glyph="tilt",
        carries={"slide": "{robot} slides"},
        traces=(moved("slide", on_element=True),),
        recipe=Recipe(34, "slope"),
    ),
)
