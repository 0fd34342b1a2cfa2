"""Walls that do more, or stop less, than a plain wall (R-E21, R-E23, R-E28, R-E39, R-E51, R-E59, R-E63)."""

from __future__ import annotations

from rr_gym.courses.elements.element import (
    CRASH,
    LIST,
    PAGE,
    PHASES,
    PRIX,
    RADIOACTIVE,
    Edge,
    Element,
    Pattern,
    Recipe,
)
from rr_gym.courses.elements.observed import COVERS, Bound, Observed, kind, sides
from rr_gym.courses.elements.traces import MET, harmed, moved

_COVERS = Observed(3, "covers", squares=sides("cover", Bound.ALL_PHASES), columns=(COVERS,))

ROWS = (
    Element(
        number=21, id="one_way_wall", name="One-way wall", set=RADIOACTIVE, acts="always",
        sentence="A wall for robots that come from its red side, and open from the green one.",
        words={"./er": "its red face is here", "./eg": "its green face is here"},
        sample="./er ./eg",
        sides=(Pattern("[rg]", "one_way"),),
        edge=Edge(shut="by_face"),
        observed="wall",
        glyph="one_way",
        traces=(MET,),
        recipe=Recipe(56, "side", ("r", "g"), squares=0),
    ),
    Element(
        number=28, id="swing_door", name="Swing door", set=CRASH, acts="A1",
        sentence="A wall that is open in its phases.",
        words={"./nD24": "the phases in which it is open"},
        sides=(Pattern("D" + PHASES, "door"),),
        edge=Edge(shut="between"),
        observed="wall",
        glyph="door", sign="D",
        traces=(MET,),
        recipe=Recipe(58, "side", ("D#",), squares=0),
    ),
    Element(
        number=39, id="spiked_wall", name="Spiked wall", set=LIST, acts="step",
        sentence="A wall; a robot that runs into or is pushed against its spikes takes 1 point.",
        words={"./n!": "spikes towards this square"},
        sides=(Pattern("!", "spiked_wall"),),
        edge=Edge("SPIKED"),
        observed=Observed(4, "spikes", squares=sides("spikes", 1), columns=(kind("SPIKED"),)),
        sign="!",
        harms={"spikes": ("{robot} runs into spikes", "{robot} is destroyed by spikes")},
        traces=(harmed("spikes"),),
        recipe=Recipe(59, "side", ("!",), squares=0),
    ),
    Element(
        number=51, id="energy_wall", name="Energy wall", set=PAGE, acts="always",
        sentence="Stops robots but neither sight nor beams.",
        words={"./nf": ""},
        sides=(Pattern("f", "force_field"),),
        edge=Edge("ENERGY", covers=False),
        observed=_COVERS,
        sign="f",
        traces=(MET,),
        recipe=Recipe(60, "side", ("f",), squares=0),
    ),
    Element(
        number=59, id="loophole", name="Loophole", set=PAGE, acts="always",
        sentence="Stops robots but neither weapons nor sight.",
        words={"./no": ""},
        sides=(Pattern("o", "force_field"),),
        edge=Edge("LOOPHOLE", covers=False),
        observed=_COVERS,
        sign="o",
        traces=(MET,),
        recipe=Recipe(61, "side", ("o",), squares=0),
    ),
    Element(
        number=63, id="mirror", name="Mirror", set=PAGE, acts="B1 D1",
        sentence="A robot that looks into it moves mirrored and is hit by its own laser.",
        words={"./nm": "facing this square"},
        sides=(Pattern("m", "mirror"),),
        edge=Edge("MIRROR"),
        observed=Observed(42, "mirrors", "HAS_MIRRORS", sides("mirror", 1), columns=(kind("MIRROR"),)),
        sign="m",
        harms={"mirror": ("{robot} shoots itself in a mirror", "{robot} destroys itself in a mirror")},
        traces=(harmed("mirror"),),
        recipe=Recipe(63, "any_side", ("m",), squares=0),
    ),
    Element(
        number=23, id="repulsor_field", name="Repulsor field", set=PRIX, acts="B1",
        sentence="Pushes robots that run into it back by the value of the card.",
        words={"./eu": "on both squares if it repels from both sides"},
        sides=(Pattern("u", "repulsor"),),
        edge=Edge("REPULSOR"),
        observed=Observed(53, "repulsors", "HAS_REPULSORS", sides("repulsor", 1), columns=(kind("REPULSOR"),)),
        glyph="repulsor", sign="u",
        carries={"repulse": "a repulsor field throws {robot} back"},
        traces=(moved("repulse"),),
        recipe=Recipe(57, "both_faces", ("u",), squares=0),
    ),
)
