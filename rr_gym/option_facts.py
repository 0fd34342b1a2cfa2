"""The 52 option cards in words: the one table of what they are. Their rules stand in docs/rules under R-O<number>.

``rr-gym options --markdown`` writes the table as docs/options.md has it. What kernels need of the cards is in
`rr_gym.rules.state.option_cards`.
"""

from __future__ import annotations

from dataclasses import dataclass

from rr_gym.rules.state.option_cards import ABLATIVE_POINTS, CHEAPEST_FIRST, LOAD, OPTION_NAMES

BASE, ARMED = "base game", "Armed and Dangerous"
FIRST_OF_ARMED = 27
# The document of their rules, by set.
RULE_FILES = {BASE: "options-base.md", ARMED: "options-armed-and-dangerous.md"}
NO_NAME = "-"  # of the cards that were never published in German

# What the codes of categories stand for
CATEGORIES = {
    "AW": "additional weapon",
    "MLM": "main laser modification",
    "OW": "optional weapon",
    "TP": "turn programmed",
    "PP": "phase programmed",
    "PPG": "phase programmed gadget",
    "PPM": "phase programmed movement",
    "RT": "run time",
    "PA": "passive",
}
CATEGORY_SENTENCES = {
    "AW": "Fires besides the main laser.",
    "MLM": "Always changes what the main laser does.",
    "OW": "Is fired instead of the main laser, one in each phase.",
    "TP": "Is set with the program, for the whole turn.",
    "PP": "Is set with the program, for one phase.",
    "PPG": "A token on a register, laid in A5 of its phase; one gadget option in a register.",
    "PPM": "Acts in B1 with the card of its register; one movement option in a register.",
    "RT": "Is decided when it matters, here by orders given ahead.",
    "PA": "Works by itself.",
}


@dataclass(frozen=True, slots=True)
class OptionCard:
    """An option card.

    Attributes:
        number: 1-52; its rules are R-O<number>.1, R-O<number>.2, ...
        id: Its name in code, orders and scenarios.
        name: Its name in words.
        german: Its name in the German edition, `NO_NAME` where there is none.
        categories: Codes of `CATEGORIES`.
        orders: Orders that concern it; those that name one of several options with their value, ``weapon: big_gun``.
        settings: Settings of games that change it (docs/rules/settings.md).
        sentence: What it does.
    """

    number: int
    id: str
    name: str
    german: str
    categories: tuple[str, ...]
    orders: tuple[str, ...]
    settings: tuple[str, ...]
    sentence: str

    @property
    def set(self) -> str:
        """What it was published in."""
        return BASE if self.number < FIRST_OF_ARMED else ARMED

    @property
    def category(self) -> str:
        """Its categories in words."""
        return ", ".join(CATEGORIES[code] for code in self.categories)

    @property
    def rule(self) -> str:
        """The id of its rules."""
        return f"R-O{self.number}"

    @property
    def rule_file(self) -> str:
        """The document of its rules in docs/rules."""
        return RULE_FILES[self.set]

    @property
    def scenarios(self) -> str:
        """The file of its scenarios in tests/scenarios."""
        return f"options/{self.id}.yaml"

    @property
    def holds(self) -> int:
        """Shots, tokens, counters or points on it when it is new; 0 for what holds none."""
        return ABLATIVE_POINTS if self.id == "ablative_coat" else int(LOAD[self.number - 1])

    @property
    def value(self) -> int:
        """Its place in the order in which options are given up, 1 for the least valuable (R-O0.33, R-O0.34)."""
        return CHEAPEST_FIRST.tolist().index(self.number - 1) + 1


# In the order of `OPTION_NAMES`
_CARDS = (
    ("Ablative Coat", "Schutzhaut", "PA", "", "", "Absorbs three points of damage of any kind, then it is gone."),
    ("Abort Switch", "Notschalter", "RT", "abort", "",
     "From a register on, cards from the draw pile replace the rest of the program."),
    ("Brakes", "Bremsen", "RT", "gear", "", "A Move 1 may be no move at all."),
    ("Circuit Breaker", "Stromkreisunterbrecher", "PA", "", "cb_immunity",
     "With three points of damage at the end of a turn the robot is powered down in the next one."),
    ("Conditional Program", "Befehl in Reserve", "TP RT", "conditional", "",
     "A spare card may replace the card of one register."),
    ("Double-Barreled Laser", "Doppellaser", "MLM", "", "", "The main laser does two points."),
    ("Extra Memory", "Zusätzlicher Speicherplatz", "PA", "", "", "One card more in every deal."),
    ("Fire Control", "Zielkontrolle", "MLM", "fire_control", "fc_mandatory",
     "A point of the main laser may lock a register of your choice, or destroy an option instead."),
    ("Flywheel", "Schwungrad", "TP", "flywheel", "", "Keeps one unused card for a later turn."),
    ("Fourth Gear", "Vierter Gang", "RT", "gear", "", "A Move 3 may be four squares."),
    ("Gyroscopic Stabilizer", "Kreiselschleifer", "TP", "gyro", "dir_timing",
     "Gears and curves of belts do not turn the robot."),
    ("High-Power Laser", "Hochleistungslaser", "MLM", "", "hpl",
     "The main laser goes through one wall or one robot, which it hits as well."),
    ("Mechanical Arm", "Mechanischer Arm", "RT", "arm", "arm, arm_archive",
     "Touches the next flag from a neighbouring square."),
    ("Mini Howitzer", "Turbo-Blaster", "OW", "weapon: mini_howitzer, wcond", "",
     "Five shots of one point that push the target one square away."),
    ("Power-Down Shield", "Schutzschilde", "PA", "", "",
     "While the robot is powered down each side stops one point in every phase."),
    ("Pressor Beam", "Hochdruckstrahl", "OW", "weapon: pressor_beam, wcond", "",
     "Pushes the target one square away."),
    ("Radio Control", "Fernsteuerung", "OW", "weapon: radio_control, target, wcond", "",
     "A robot up to six squares ahead executes your program for the rest of the turn."),
    ("Ramming Gear", "Rammbock", "PA", "", "", "Whom the robot runs into takes a point."),
    ("Rear Laser", "Hecklaser", "AW", "", "", "A second laser of one point fires backward."),
    ("Recompile", "Ersatz-Programm", "TP", "recompile", "",
     "The next hand may be exchanged for a new one, for a point of damage."),
    ("Reverse Gears", "Rückwärtsbeschleunigung", "RT", "gear", "", "A Back-Up may be two squares."),
    ("Scrambler", "Zufallsgenerator", "OW", "weapon: scrambler, wcond", "",
     "The target's next card is replaced by one from the draw pile."),
    ("Shield", "Schutzschirm", "TP", "shield", "dir_timing", "Stops one point in every phase on one side."),
    ("Superior Archive", "Duplikat de Luxe", "PA", "superior_archive", "",
     "Given up, it lets the robot re-enter without damage."),
    ("Tractor Beam", "Traktorstrahl", "OW", "weapon: tractor_beam, wcond", "",
     "Pulls the target one square nearer."),
    ("Turret", "Drehscheibe", "TP", "turret", "dir_timing",
     "Main laser and optional weapons fire to the side of your choice."),
    ("Big Gun", NO_NAME, "OW", "weapon: big_gun, wcond", "biggun_needs_target",
     "Five shots of two points; each throws the shooter one square back."),
    ("Big Jet", NO_NAME, "PPM", "movement_option: big_jet", "",
     "Once, before the card: eight squares forward in flight, and two points by the landing."),
    ("The Big One", NO_NAME, "PPG", "gadget: big_one", "gadget_time",
     "A solid bomb of power 64 that explodes at the start of the next turn."),
    ("Bio Option", NO_NAME, "PA", "", "bio_bots",
     "Grants another option, which changes at every power-down and re-entry."),
    ("Bridge Layer", NO_NAME, "PPG", "gadget: bridge", "gadget_time", "Two bridges over the pit in front."),
    ("Buzz Bomb", NO_NAME, "TP", "buzz, buzz_program", "",
     "Three flying bombs of power 4 with a program of five cards each turn, one at a time."),
    ("Converter", NO_NAME, "PA", "", "",
     "Damage becomes energy that makes movement cards a square longer; the third counter explodes it."),
    ("Crab Legs", NO_NAME, "PPM", "movement_option: crab_legs, second", "",
     "Move 1 and a rotation in one register: one square to that side."),
    ("Drone Launcher", NO_NAME, "OW", "weapon: drone, wcond", "",
     "Three drones of power 2 that fly to where their target was, and look for the next one."),
    ("Dual Processor", NO_NAME, "PPM", "movement_option: dual_processor, second", "dual",
     "A movement and a rotation in one register: a shorter move and a turn."),
    ("Frog Legs", NO_NAME, "RT", "frog", "", "A Move 2 or Move 3 may be flown."),
    ("Goo Dropper", NO_NAME, "PPG", "gadget: goo", "gadget_time, goo_on_belt",
     "Three puddles that hold robots until four squares of movement were tried there."),
    ("Homing Device", NO_NAME, "OW TP", "weapon: homing, homing, wcond", "",
     "Puts a token on a robot; later the program may be left for a chase after it."),
    ("Interceptor", NO_NAME, "OW", "weapon: interceptor, intercept, wcond", "",
     "Puts a token on a robot, with whom hands are exchanged in a later turn."),
    ("Mine Layer", NO_NAME, "PPG", "gadget: mine", "gadget_time",
     "Three mines of power 4 for who comes onto their square."),
    ("Missile Launcher", NO_NAME, "OW", "weapon: missile, wcond", "",
     "Three missiles of power 4 that fly two squares in every phase."),
    ("Option Damping Field", NO_NAME, "TP", "damping", "", "No option works within three squares."),
    ("Overload Override", NO_NAME, "PPM",
     "movement_option: overload, movement_option: overload_second_first, movement_option: overload_empty, second",
     "", "Two cards in one register, or none, for a point of damage."),
    ("Portable Teleporter", NO_NAME, "PPG", "gadget: portable_teleporter", "gadget_time",
     "A teleporter for everybody, on the robot's square."),
    ("Proximity Mine", NO_NAME, "PPG", "gadget: proximity_mine", "gadget_time",
     "Three mines of power 4 for who comes beside them."),
    ("Reengineering Unit", NO_NAME, "RT", "reengineering", "",
     "Pushing a robot, it may be exchanged for one of that robot's options."),
    ("Reflector", NO_NAME, "TP", "reflector", "", "Laser hits on one side also hit who fired them."),
    ("Retro-Rockets", NO_NAME, "PPM",
     "movement_option: retro_1, movement_option: retro_2, movement_option: retro_3", "",
     "Three counters, each for two squares backward in flight before the card."),
    ("Robo-Copter", NO_NAME, "TP", "copter", "copter_single_use",
     "The robot flies for a turn and executes a second movement card in every phase."),
    ("Scrambler Bomb", NO_NAME, "PPG", "gadget: scrambler_bomb", "gadget_time",
     "In the next turn the robots within six squares run random programs."),
    ("Self-Destruct", NO_NAME, "PP", "self_destruct", "",
     "Explodes with power 16, at the start of a phase or when it is given up or destroyed."),
)  # fmt: skip


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split(", ")) if text else ()


OPTION_CARDS = tuple(
    OptionCard(number, id_, name, german, tuple(categories.split()), _split(orders), _split(settings), sentence)
    for number, (id_, (name, german, categories, orders, settings, sentence)) in enumerate(
        zip(OPTION_NAMES, _CARDS, strict=True), start=1
    )
)
