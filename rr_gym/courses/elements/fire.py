"""Elements that burn or melt robots (R-E25, R-E30, R-E62, R-E64)."""

from __future__ import annotations

from rr_gym.courses.elements.element import CRASH, LIST, PAGE, PHASES, Edge, Element, Pattern, Recipe
from rr_gym.courses.elements.observed import MELTING, Bound, Observed, flag, ground, number, phases, surface
from rr_gym.courses.elements.traces import harmed

_BURNING = Observed(
    20, "flamers", "HAS_FLAMERS", phases("flamer", "napalm"), columns=(ground("flamer"), ground("napalm")),
    robots=number("burning", Bound.MAX_BURNING),
)

ROWS = (
    Element(
        number=25, id="flamer", name="Flamer", set=CRASH, acts="B1 B4 D3",
        sentence="In its phases, burns robots that enter or stay in B, and those that stand in it in D.",
        words={"F135": "its phases, none for all"},
        items=(Pattern("F" + PHASES, "flamer", "flamer"),),
        ground={"flamer": "phases"},
        acts_on_arrival="flamer",
        acts_on_occupants="flamer",
        observed=_BURNING,
        glyph="flames",
        harms={"fire": ("a flamer scorches {robot}", "{robot} is destroyed by a flamer")},
        traces=(harmed("fire", on_element=True),),
        recipe=Recipe(30, "item", ("F", "F#", "F#")),
    ),
    Element(
        number=64, id="napalm_flamer", name="Napalm flamer", set=PAGE, acts="B1 B4 D3 A1",
        sentence="A flamer that sets robots on fire: they burn until they find water.",
        words={"N24": "its phases, none for all"},
        items=(Pattern("N" + PHASES, "flamer", "flamer"),),
        ground={"flamer": "phases", "napalm": "phases"},
        acts_on_arrival="flamer",
        acts_on_occupants="flamer",
        observed=_BURNING,
        glyph="black_flames",
        harms={"burning": ("{robot} burns", "{robot} burns out")},
        traces=(harmed("burning"), harmed("fire", on_element=True)),
        recipe=Recipe(31, "item", ("N#",)),
    ),
    Element(
        number=30, id="lava_pit", name="Lava pit", set=LIST, acts="B1 B4 D3",
        sentence="Burns robots in it, and its surroundings when it erupts.",
        words={"V24": "the phases of its eruptions, none for all"},
        settings=("lava_mode",),
        items=(Pattern("V" + PHASES, "lava", "ground"),),
        ground={"surface": "LAVA_PIT", "eruption": "phases"},
        acts_on_arrival="surface",
        observed=Observed(
            14, "lava", "HAS_LAVA", flag("lava") + phases("eruption"),
            columns=(surface("LAVA_PIT"), ground("eruption")),
        ),
        glyph="lava",
        harms={"lava": ("lava scorches {robot}", "{robot} is destroyed by lava")},
        traces=(harmed("lava"),),
        recipe=Recipe(29, "item", ("V", "V#", "V#")),
    ),
    Element(
        number=62, id="melting_beam", name="Melting beam", set=PAGE, acts="B1 B4",
        sentence="A robot that enters it or stays takes 1 point, which locks the current register.",
        words={"./w*m": "its mount"},
        sides=(Pattern(r"\*m", "melting_beam"),),
        edge=Edge(),
        observed=Observed(21, "melting_beams", "HAS_MELTING", flag("melting_beam"), columns=(MELTING,)),
        sign="*",
        harms={"melting_beam": ("a melting beam hits {robot}", "{robot} melts")},
        traces=(harmed("melting_beam"),),
        recipe=Recipe(65, "mount", ("*m",), squares=0, most=64),
    ),
)
