"""The elements of the base game (R-E1 to R-E12)."""

from __future__ import annotations

from rr_gym.courses.elements.element import ARROW, BASE, PHASES, TURNS, Edge, Element, Pattern
from rr_gym.courses.elements.traces import MET, MOUNTED, destroyed, event, moved

ROWS = (
    Element(
        number=1, id="open_floor", name="Open floor", set=BASE, acts="always",
        sentence="Robots stand and move on it freely.",
        words={".": ""},
        items=(Pattern(r"\.", "floor", "floor"), Pattern("@(?P<number>[1-8])", "start", "start")),
        observed="floor",
        glyph="floor",
        traces=(event("moved", on_element=True),),
    ),
    Element(
        number=2, id="pit", name="Pit", set=BASE, acts="enter",
        sentence="Destroys every robot that enters it.",
        words={"X": "pit or drain"},
        items=(Pattern("X", "pit", "ground"),),
        square={"pit": "phases"},
        observed="pit",
        harms={"pit": ("", "{robot} is lost in a pit")},
        traces=(destroyed("pit", on_element=True),),
    ),
    Element(
        number=3, id="board_edge", name="Board edge", set=BASE, acts="enter",
        sentence="A robot that leaves the layout is destroyed.",
        sample=(
            "id: edge\n"
            "boards:\n"
            "- {board: b, rotation: 0, at: [0, 0]}\n"
            "- {board: b, rotation: 0, at: [1, 0]}\n"
            "- {board: b, rotation: 0, at: [0, 1]}\n"
            "board_texts: {b: .}"
        ),
        observed="floor",
        harms={"edge": ("", "{robot} falls off the board")},
        glyph="",
        traces=(destroyed("edge"),),
    ),
    Element(
        number=4, id="wall", name="Wall", set=BASE, acts="always",
        sentence="Stops robots and beams on the edge between two squares.",
        words={"./n": "its sides: n e s w"},
        sides=(Pattern("", "wall"),),
        edge=Edge(),
        observed="wall",
        traces=(MET,),
    ),
    Element(
        number=5, id="checkpoint", name="Checkpoint", set=BASE, acts="E1 F2",
        sentence="A flag: robots touch the flags in order; updates the archive and repairs 1 point.",
        words={"#1": "its number, 1-8"},
        settings=("flag_touch",),
        items=(Pattern("#(?P<number>[1-8])", "checkpoint", "checkpoint"),),
        observed="flag",
        glyph="numbered",
        traces=(event("flag"),),
    ),
    Element(
        number=6, id="repair_site", name="Repair site", set=BASE, acts="E1 F2",
        sentence="Updates the archive, and repairs one point per wrench; two wrenches may give an option.",
        words={"w1": "one wrench", "w2": "two wrenches"},
        settings=("two_wrench",),
        sample="w1 w2",
        items=(Pattern("w(?P<number>[12])", "site", "site"),),
        square={"wrenches": "number"},
        observed="wrenches",
        traces=(event("repaired", "F2", on_element=True),),
    ),
    Element(
        number=7, id="conveyor", name="Conveyor", set=BASE, acts="C6",
        sentence="Carries robots one square.",
        words={">": "its direction, an arrow", ":ns": "then the sides whose riders it turns"},
        sample="> >:n\n. ^",
        items=(Pattern(ARROW + TURNS, "belt", "ground"),),
        square={"belt": 1, "belt_direction": "direction", "belt_turns": "turns"},
        ground={"directions": "direction"},
        observed="belt",
        glyph="belt",
        carries={"belt": "the belt carries {robot}"},
        traces=(moved("belt", "C4", "C5", "C6", on_element=True),),
    ),
    Element(
        number=8, id="express_conveyor", name="Express conveyor", set=BASE, acts="C5 C6",
        sentence="Carries robots one square in each of two sub-steps.",
        words={">>": "the direction twice", ":ns": "then the sides whose riders it turns"},
        sample=">> >>:n\n. ^^",
        items=(Pattern(rf"{ARROW}\1{TURNS}", "belt", "ground"),),
        square={"belt": 2, "belt_direction": "direction", "belt_turns": "turns"},
        ground={"directions": "direction"},
        observed="belt",
        glyph="express_belt",
        traces=(moved("belt", "C4", "C5", "C6", on_element=True),),
    ),
    Element(
        number=9, id="pusher", name="Pusher", set=BASE, acts="C10",
        sentence="Pushes the robot in front of it one square in its phases.",
        words={"P>135/w": "the direction of the push and its phases; a wall behind it is written separately"},
        items=(Pattern(f"P{ARROW}{PHASES}", "pusher"),),
        square={"pushers": "mounted"},
        observed="push",
        carries={"pusher": "a pusher pushes {robot}"},
        traces=(moved("pusher", "C10", on_element=True),),
    ),
    Element(
        number=10, id="gear", name="Gear", set=BASE, acts="C11",
        sentence="Gives a robot a quarter turn.",
        words={"L": "to the left", "R": "to the right"},
        sample="L R",
        items=(Pattern("[LR]", "gear", "ground"),),
        square={"gear": "rotation"},
        observed="gear",
        traces=(event("turned", "C11", on_element=True),),
    ),
    Element(
        number=11, id="crusher", name="Crusher", set=BASE, acts="C12",
        sentence="Destroys the robot on it in its phases.",
        words={"C24": "its phases, none for all"},
        items=(Pattern("C" + PHASES, "crusher", "crusher"),),
        square={"crusher": "phases"},
        observed="crusher",
        harms={"crusher": ("", "{robot} is crushed")},
        traces=(destroyed("crusher", on_element=True),),
    ),
    Element(
        number=12, id="board_laser", name="Board laser", set=BASE, acts="D1",
        sentence="Fires along its line; the first robot takes a point per beam.",
        words={"./w*1": "the number of beams, 1-3"},
        sides=(Pattern(r"\*(?P<number>[1-3])", "laser"),),
        edge=Edge(),
        observed="laser",
        glyph="laser",
        harms={"laser": ("a board laser hits {robot}", "{robot} is destroyed by lasers")},
        traces=(MOUNTED,),
    ),
)
