"""The 78 board elements: the one table of what they are. Their rules stand in docs/rules under R-E<number>.

``rr-gym course elements --markdown`` writes the table as docs/elements.md has it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rr_gym.courses.course import Course

BASE, AD, RADIOACTIVE, PRIX = "base game", "Armed and Dangerous", "Radioactive", "Grand Prix"
CRASH, LIST, PAGE = "Crash & Burn", "fan-created list", "additional page"
# The documents of their rules, by the first number in them.
RULE_FILES = {
    1: "elements.md",
    13: "elements-armed-and-dangerous.md",
    19: "elements-radioactive-and-grand-prix.md",
    25: "elements-crash-and-burn.md",
    29: "elements-fan-list.md",
    40: "elements-page-1.md",
    59: "elements-page-2.md",
}
BELT = {">": "its direction, an arrow", ":ns": "after it the sides whose riders it turns"}


@dataclass(frozen=True, slots=True)
class Element:
    """A board element.

    Attributes:
        number: 1-78; its rules are R-E<number>.1, R-E<number>.2, ...
        id: Its name in code, courses and scenarios.
        name: Its name in words.
        set: What it was published in.
        steps: Sub-steps of the timing table in which it acts; `enter` when a robot comes onto it, `step` when one
            would cross it, `settle` when one would come to rest on it, `always`, or `sight`.
        sentence: What it does.
        words: Its words in the format RRB1 with their meaning. The first is the whole word of its sample.
        settings: Settings of games that change it (docs/rules/settings.md).
        sample: A board, or a course in YAML, that shows it; by default its first word.
    """

    number: int
    id: str
    name: str
    set: str
    steps: tuple[str, ...]
    sentence: str
    words: dict[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    sample: str = ""

    @property
    def rule(self) -> str:
        """The id of its rules."""
        return f"R-E{self.number}"

    @property
    def rule_file(self) -> str:
        """The document in docs/rules that has them."""
        return RULE_FILES[max(first for first in RULE_FILES if first <= self.number)]

    @property
    def token(self) -> str:
        """Its word in the format RRB1, "" for what has none of its own."""
        return next(iter(self.words), "")

    def course(self) -> Course:
        """A small course on which it lies."""
        if self.sample.startswith("id:"):
            return Course.from_yaml(self.sample, f"{self.id}.yaml")
        return Course.from_board(self.sample or self.token, self.id)


def _row(
    number: int, name: str, published: str, steps: str, sentence: str,
    words: dict[str, str] | None = None, settings: str = "", sample: str = "", id: str = "",
) -> Element:  # fmt: skip
    id = id or name.lower().replace(" ", "_").replace("-", "_")
    return Element(
        number, id, name, published, tuple(steps.split()), sentence, words or {}, tuple(settings.split()), sample
    )


_PHASES = "its phases, none for all"
_UPLAND = "levels:\n01"

# fmt: off
ELEMENTS: tuple[Element, ...] = (
    _row(1, "Open floor", BASE, "always", "Robots stand and move on it freely.", {".": ""}),
    _row(2, "Pit", BASE, "enter", "Destroys every robot that comes onto it.", {"X": "pit or drain"}),
    _row(3, "Board edge", BASE, "enter", "A robot that leaves the layout is destroyed.",
         sample="id: edge\nboards:\n- {board: b, rotation: 0, at: [0, 0]}\n- {board: b, rotation: 0, at: [1, 0]}\n"
                "- {board: b, rotation: 0, at: [0, 1]}\nboard_texts: {b: .}"),
    _row(4, "Wall", BASE, "always", "Stops robots and beams on the edge between two squares.",
         {"./n": "its sides: n e s w"}),
    _row(5, "Checkpoint", BASE, "E1 F2", "A flag: robots touch the flags in order; it archives and repairs 1 point.",
         {"#1": "its number, 1-8"}, "flag_touch"),
    _row(6, "Repair site", BASE, "E1 F2", "Archives, and repairs a point per wrench; two wrenches may give an option.",
         {"w1": "one wrench", "w2": "two wrenches"}, "two_wrench", "w1 w2"),
    _row(7, "Conveyor", BASE, "C6", "Carries robots one square.", BELT, sample="> >:n\n. ^"),
    _row(8, "Express conveyor", BASE, "C5 C6", "Carries robots one square in each of two sub-steps.",
         {">>": "the direction twice", ":ns": "after it the sides whose riders it turns"}, sample=">> >>:n\n. ^^"),
    _row(9, "Pusher", BASE, "C10", "Pushes the robot before it one square in its phases.",
         {"P>135/w": "the direction of the push and its phases; a wall behind it is written for itself"}),
    _row(10, "Gear", BASE, "C11", "Turns a robot a quarter.", {"L": "to the left", "R": "to the right"}, sample="L R"),
    _row(11, "Crusher", BASE, "C12", "Destroys the robot on it in its phases.", {"C24": _PHASES}),
    _row(12, "Board laser", BASE, "D1", "Fires along its line; the first robot takes a point per beam.",
         {"./w*1": "the number of beams, 1-3"}),
    _row(13, "Ledge", AD, "step", "Where floors of two levels meet: a wall from below, 2 points per level from above.",
         {"levels:": "a digit for the floor level of every square"}, sample="grid:\n. .\nlevels:\n01"),
    _row(14, "Ramp", AD, "step settle", "Leads up to the next level and takes one square of movement on the way up.",
         {"./eh": "the side to which it rises"}, sample=f"grid:\n./eh .\n{_UPLAND}"),
    _row(15, "Randomizer", AD, "A3", "Replaces the card of this phase by one drawn by chance.", {"?": ""}),
    _row(16, "Teleporter", AD, "B1", "A movement card begun on it jumps 2 squares further than it says.", {"T": ""}),
    _row(17, "Water", AD, "B1", "A movement card begun in it loses its first square; puts out fires.", {"W": ""}),
    _row(18, "Current", AD, "B1 C8", "Water that carries robots one square.",
         {"c>": "its direction", ":ns": "after it the sides whose riders it turns"}),
    _row(19, "Radiation", RADIOACTIVE, "D3", "1 point of damage in phase 5.", {"Z": ""}),
    _row(20, "Radioactive waste", RADIOACTIVE, "D3 E2", "1 point of damage in every phase, and an option may be drawn.",
         {"ZZ": ""}),
    _row(21, "One-way wall", RADIOACTIVE, "always",
         "A wall for who comes from its red side, nothing from the green one.",
         {"./er": "its red face is here", "./eg": "its green face is here"}, sample="./er ./eg"),
    _row(22, "Trap-door pit", PRIX, "A1 enter", "A pit in its phases, floor in all others.", {"X135": "its phases"}),
    _row(23, "Repulsor field", PRIX, "B1", "Pushes who runs into it back by the value of the card.",
         {"./eu": "on both squares if it repels from both sides"}),
    _row(24, "Chop shop", PRIX, "E2", "Swaps or reloads an option; in phase 5 it may give one.", {"wc": ""}),
    _row(25, "Flamer", CRASH, "B1 B4 D3", "Burns who enters or stays in B, and who stands in it in D, in its phases.",
         {"F135": _PHASES}),
    _row(26, "Oil slick", CRASH, "B1 settle", "Robots that come to rest on it slide on; starting on it costs a square.",
         {"O": ""}),
    _row(27, "Portal", CRASH, "enter", "A robot that comes onto it is at once on the other portal of its colour.",
         {"=a": "its colour"}, "portal_trigger", "=a =a"),
    _row(28, "Swing door", CRASH, "A1", "A wall that is open in its phases.",
         {"./nD24": "the phases in which it is open"}),
    _row(29, "Mag-lock", LIST, "enter B1", "Holds robots fast in its phases: they neither walk nor are moved.",
         {"M135": _PHASES}),
    _row(30, "Lava pit", LIST, "B1 B4 D3", "Burns who is in it, and its surroundings when it erupts.",
         {"V24": "the phases of its eruptions, none for all"}, "lava_mode"),
    _row(31, "Repeater", LIST, "B2", "The movement card of who stands on it is executed once more.", {"&": ""}),
    _row(32, "Flip belt", LIST, "C7", "Carries robots one square to one end or, when barriers have flipped, the other.",
         {"gwe": "its two ends: first from w to e"}, "flip_state"),
    _row(33, "Light barrier", LIST, "enter C7", "Who breaks it flips belts and gears; while it is blocked they rest.",
         {"./wey": "its posts"}),
    _row(34, "Gold conveyor", LIST, "C4 C5 C6", "Carries robots one square in each of three sub-steps.",
         {">>>": "the direction three times", ":ns": "after it the sides whose riders it turns"}, sample=">>> >>>"),
    _row(35, "Molten river", LIST, "C8", "Carries robots one square and burns them for 1 point.",
         {"m>": "its direction", ":ns": "after it the sides whose riders it turns"}),
    _row(36, "Slime", LIST, "B1", "Holds who begins a card on it; only Move 2 and Move 3 get out.", {"Q": ""}),
    _row(37, "Freak teleporter", LIST, "B1", "Jumps by three random cards before the movement card is executed.",
         {"Tf": ""}),
    _row(38, "Gate", LIST, "B1", "Who walks into its coloured face comes out of the other gate of the colour.",
         {"./eka": "its colour, on the side of its face"}, sample="./eka ./ska"),
    _row(39, "Spiked wall", LIST, "step", "A wall; who runs or is pushed against its spikes takes 1 point.",
         {"./n!": "spikes towards this square"}),
    _row(40, "Antigrav field", PAGE, "B1 F1", "Who begins a card on it flies until the end of the turn or a hit.",
         {"A": ""}),
    _row(41, "Balancing platform", PAGE, "B3", "Tilts to the area with the most robots; all on it slide that way.",
         {"platform at 0,0": "rows of C N E S W: the centre and the outer areas"},
         sample="grid:\n. . .\n. . .\n. . .\ngroups:\nplatform at 0,0\n N N N\n W C E\n S S S"),
    _row(42, "Big turning gear", PAGE, "C11",
         "With a robot on it, it turns half round and carries all across its wall.",
         {"bigear at 0,0 2x1": "its corner and its size; the wall through its middle is implied"},
         sample="grid:\n. .\ngroups:\nbigear at 0,0 2x1"),
    _row(43, "Black hole", PAGE, "C10b enter", "A pit that pulls robots in its row and column one square closer.",
         {"B": ""}),
    _row(44, "Drawbridge", PAGE, "A6 enter", "Floor in its phases, a pit in all others.",
         {"Xb24": "the phases in which it can be passed"}),
    _row(45, "Copy machine", PAGE, "B1", "Who runs against its button gets a copy on the square behind the wall.",
         {"./nb": "its button here, the antenna on the other face"}, sample=".\n./nb"),
    _row(46, "Crossgear", PAGE, "C11", "A gear with four arms.",
         {"Lx": "to the left", "Rx": "to the right"}, sample="Lx Rx"),
    _row(47, "Crumbly ground", PAGE, "A4", "Who is about to execute a rotate card on it sinks.",
         {"Y": ""}, "crumble_leaves_pit"),
    _row(48, "Deep water", PAGE, "B1 D3", "Water that also damages by 1 point a phase.", {"WW": ""}),
    _row(49, "Elevator", PAGE, "C13", "Rises by a level in its phases; robots on it ride, those beneath are crushed.",
         {"h13": "the phases in which it goes up"}, sample=f"grid:\nh13 .\n{_UPLAND}"),
    _row(50, "Energizer", PAGE, "B4 B1", "Who ends its move on it executes two cards in every later phase of the turn.",
         {"E": ""}),
    _row(51, "Energy wall", PAGE, "always", "Stops robots but neither sight nor beams.", {"./nf": ""}),
    _row(52, "Fast ramp", PAGE, "step C5 C6", "A ramp with an express belt that carries robots up.",
         {">>/ehh": "the side to which it rises, on a belt that points there"}, sample=f"grid:\n>>/ehh .\n{_UPLAND}"),
    _row(53, "Flip gear", PAGE, "C11", "A gear that turns the other way when barriers have flipped.",
         {"Lf": "first to the left", "Rf": "first to the right"}, "flip_state", "Lf Rf"),
    _row(54, "Fog", PAGE, "sight", "Nobody sees or fires into it, out of it or through it.", {"f": "fog or smoke"}),
    _row(55, "Grave", PAGE, "D3", "1 point of damage in every phase.", {"G": ""}),
    _row(56, "Hydraulic pusher", PAGE, "C10", "Pushes the robot before it until something stops it.",
         {"H>24/w": "the direction of the push and its phases"}),
    _row(57, "Ice", PAGE, "B1 T3", "Robots that move fast on it slide on; starting the turn on it costs a card.",
         {"I": ""}, "ice_mode"),
    _row(58, "Jack-in-the-box", PAGE, "C9", "Slings the robot 6 squares in the direction of the phase.",
         {"J>^<v": "its directions in phases 1-4; in phase 5 straight up"}, "jack_damage"),
    _row(59, "Loophole", PAGE, "always", "Stops robots, but no weapon and no sight.", {"./no": ""}),
    _row(60, "Magnet", PAGE, "C10b", "Pulls robots in its row and column one square closer.", {"U": ""}),
    _row(61, "Mega crusher", PAGE, "C12", "Destroys the robot on it and pushes its neighbours away, in its phases.",
         {"K3": _PHASES}),
    _row(62, "Melting beam", PAGE, "B1 B4", "Who comes into it or stays takes 1 point and locks the current register.",
         {"./w*m": "its mount"}),
    _row(63, "Mirror", PAGE, "B1 D1", "Who looks into it moves mirrored and is hit by its own laser.",
         {"./nm": "facing this square"}),
    _row(64, "Napalm flamer", PAGE, "B1 B4 D3 A1",
         "A flamer that sets robots on fire: they burn on until they find water.",
         {"N24": _PHASES}),
    _row(65, "Padded square", PAGE, "B1", "Who would end its card on it goes on for as many squares again.", {"D": ""}),
    _row(66, "Padded wall", PAGE, "B1", "Who moves over padded squares against it bounces back.",
         {"D/n)": "pads here"}),
    _row(67, "Particle accelerator", PAGE, "C1", "A ring that carries robots round, one square faster in every phase.",
         {"ring 0,0 1,0 1,1 0,1": "its squares in clockwise order"},
         sample="grid:\n. .\n. .\ngroups:\nring 0,0 1,0 1,1 0,1"),
    _row(68, "Piston", PAGE, "enter",
         "Who steps on a raised one presses its colour down; the other colour rises and shoves.",
         {"pa>": "its colour a or b, and where it shoves robots"}, sample="pa> pb<"),
    _row(69, "Puddle", PAGE, "enter B1", "Puts out fires; a movement card begun in it loses its first square.",
         {"Wp": ""}),
    _row(70, "Reset site", PAGE, "E1 E2 T3", "Archives, and lets the robot choose a card still in the pile.",
         {"ws": ""}),
    _row(71, "Rotating belt", PAGE, "C3 C4 C5 C6", "A belt with a direction of its own in every phase.",
         {"r2^>v<-": "its speed 1-3 and its directions in phases 1-5, - for none"}),
    _row(72, "Rotating room", PAGE, "F3",
         "With a robot in it, it turns a quarter at the end of the turn, with all in it.",
         {"room at 0,0 2": "its corner and its size"}, sample="grid:\nL .\n. >\ngroups:\nroom at 0,0 2"),
    _row(73, "Soporific gas", PAGE, "B4", "Who ends its move in it sleeps for five phases.", {"z": ""}),
    _row(74, "Tilted ground", PAGE, "settle", "Who would come to rest on it slips one square down.",
         {"S^": "where it slopes down: an arrow", "S^>": "or two"}, sample="S^ S^>"),
    _row(75, "Giant trapdoor", PAGE, "enter", "A robot too many opens it under all others.",
         {"trapdoor at 0,0 2x2 cap 1": "its corner, its size, and how many robots it carries"},
         sample="grid:\n. .\n. .\ngroups:\ntrapdoor at 0,0 2x2 cap 1"),
    _row(76, "Turret gun", PAGE, "T3 A2 C11 D1", "A gun in a pit that turns and fires by cards of its own.",
         {"t^": "where it faces at the start"}),
    _row(77, "Ventilator", PAGE, "C2", "Blows robots in its line away by its strength, in its phases.",
         {"./wv2:135": "its strength 1-3 and its phases"}),
    _row(78, "Waterfall", PAGE, "C8", "A current or river over a ledge: it carries robots down, 2 points per level.",
         sample="grid:\nc> .\nlevels:\n10"),
)
# fmt: on

BY_ID = {element.id: element for element in ELEMENTS}
