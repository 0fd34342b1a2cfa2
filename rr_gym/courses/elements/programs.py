"""Elements that change programs, cards and options (R-E15, R-E24, R-E31, R-E50, R-E70)."""

from __future__ import annotations

from rr_gym.courses.elements.element import AD, LIST, PAGE, PRIX, Element, Pattern, Recipe
from rr_gym.courses.elements.observed import Bound, Observed, flag, number, overlay
from rr_gym.courses.elements.traces import event

ROWS = (
    Element(
        number=15, id="randomizer", name="Randomizer", set=AD, acts="A3",
        sentence="Replaces the card of this phase with a random one.",
        words={"?": ""},
        items=(Pattern(r"\?", "teleporter", "jump"),),
        ground={"overlays": "RANDOMIZER"},
        acts_on_occupants="overlays",
        observed=Observed(25, "randomizers", "HAS_RANDOMIZERS", flag("randomizer"), columns=(overlay("RANDOMIZER"),)),
        traces=(event("programmed", "A3"),),
        recipe=Recipe(39, "item", ("?",)),
    ),
    Element(
        number=31, id="repeater", name="Repeater", set=LIST, acts="B2",
        sentence="Repeats the movement card of a robot on it.",
        words={"&": ""},
        items=(Pattern("&", "repeater", "repeater"),),
        ground={"overlays": "REPEATER"},
        acts_on_occupants="overlays",
        observed=Observed(27, "repeaters", "HAS_REPEATERS", flag("repeater"), columns=(overlay("REPEATER"),)),
        glyph="twice",
        traces=(event("card", "B2"),),
        recipe=Recipe(43, "item", ("&",)),
    ),
    Element(
        number=50, id="energizer", name="Energizer", set=PAGE, acts="B4 B1",
        sentence="A robot that ends its move on it executes two cards in every later phase of the turn.",
        words={"E": ""},
        items=(Pattern("E", "energizer", "energizer"),),
        ground={"overlays": "ENERGIZER"},
        acts_on_occupants="overlays",
        observed=Observed(
            28, "energizers", "HAS_ENERGIZERS", flag("energizer"), columns=(overlay("ENERGIZER"),),
            robots=number("energized", Bound.NUM_REGISTERS),
        ),
        traces=(event("energized", value=1),),
        recipe=Recipe(45, "item", ("E",)),
    ),
    Element(
        number=70, id="reset_site", name="Reset site", set=PAGE, acts="E1 E2 T3",
        sentence="Archives, and lets the robot choose a card still in the pile.",
        words={"ws": ""},
        items=(Pattern("ws", "site", "site"),),
        ground={"overlays": "RESET_SITE"},
        observed=Observed(
            37, "reset_sites", "HAS_RESET_SITES", flag("reset_site"), columns=(overlay("RESET_SITE"),),
            robots=flag("claims_card"),
        ),
        traces=(event("archived", "E1", on_element=True),),
        recipe=Recipe(47, "item", ("ws",)),
    ),
    Element(
        number=24, id="chop_shop", name="Chop shop", set=PRIX, acts="E2",
        sentence="Swaps or reloads an option; in phase 5 it may give one.",
        words={"wc": ""},
        items=(Pattern("wc", "site", "site"),),
        ground={"overlays": "CHOP_SHOP"},
        observed=Observed(38, "chop_shops", "HAS_CHOP_SHOPS", flag("chop_shop"), columns=(overlay("CHOP_SHOP"),)),
        traces=(event("option", "E2", on_element=True),),
        recipe=Recipe(48, "item", ("wc",)),
    ),
)
