"""The option cards of Armed and Dangerous (R-O27 to R-O52)."""

from __future__ import annotations

from rr_gym.option_facts.card import ARMED, DAMAGE, IDLE, SHOWN, OptionCard, gadget, weapon
from rr_gym.option_facts.order import CardOrder, OrderPart

ROWS = (
    weapon(
        number=27, id="big_gun", name="Big Gun", set=ARMED, fires="big_gun",
        sentence="Five shots of two points; each throws the shooter one square back.",
        settings=("biggun_needs_target",),
        holds=5, value=22,
    ),
    OptionCard(
        number=28, id="big_jet", name="Big Jet", set=ARMED,
        sentence="Once, before the card: flies eight squares forward; the landing costs two points.",
        categories=("PPM",),
        asks=("movement_option: big_jet",),
        alone=IDLE,
        holds=1, value=43,
        used="{robot} fires its Big Jet",
    ),
    gadget(
        number=29, id="big_one", name="The Big One", lays="big_one",
        sentence="A solid bomb of power 64 that explodes at the start of the next turn.",
        holds=1, value=44,
    ),
    OptionCard(
        number=30, id="bio_option", name="Bio Option", set=ARMED,
        sentence="Grants another option, which changes at every power-down and re-entry.",
        categories=("PA",),
        settings=("bio_bots",),
        alone=IDLE,
        value=45,
        shown="changed bio -1",
    ),
    gadget(
        number=31, id="bridge_layer", name="Bridge Layer", lays="bridge",
        sentence="Two bridges for a pit in front of the robot.",
        holds=2, value=5,
    ),
    OptionCard(
        number=32, id="buzz_bomb", name="Buzz Bomb", set=ARMED,
        sentence="Three flying bombs of power 4 with a program of five cards each turn, one at a time.",
        categories=("TP",),
        asks=(
            CardOrder(
                name="buzz", place=15, kind="flag", default=False, on_table=True, programmed=True,
                says="launch a buzz bomb",
            ),
            CardOrder(
                name="buzz_program", place=22, kind="cards", default=(), on_table=True, programmed=True, rare=True,
                says="cards of the buzz bomb in the order in which they are executed; those left out follow as dealt. "
                "In scenarios these are the bomb's cards",
                parts=(
                    OrderPart(
                        name="buzz_program_1", choices=5,
                        chooses="the next card of the buzz bomb among those left, in the order as dealt",
                    ),
                    OrderPart(name="buzz_program_2", choices=4, chooses="the next of the four cards left"),
                    OrderPart(name="buzz_program_3", choices=3, chooses="the next of the three cards left"),
                    OrderPart(name="buzz_program_4", choices=2, chooses="the next of the two cards left"),
                ),
            ),
        ),
        alone=IDLE,
        holds=3, value=46,
        used="{robot} activates a buzz bomb",
    ),
    OptionCard(
        number=33, id="converter", name="Converter", set=ARMED,
        sentence="Damage becomes energy that makes movement cards a square longer; the third counter makes it explode.",
        categories=("PA",),
        alone=DAMAGE,
        value=33,
        shown="stopped",
        absorbs="{robot}'s Converter stores a point of damage",
    ),
    OptionCard(
        number=34, id="crab_legs", name="Crab Legs", set=ARMED,
        sentence="Move 1 and a rotation in one register: one square to that side.",
        categories=("PPM",),
        asks=("movement_option: crab_legs", "second"),
        alone=IDLE,
        value=27,
        used="{robot} steps aside on its Crab Legs",
    ),
    weapon(
        number=35, id="drone_launcher", name="Drone Launcher", set=ARMED, fires="drone",
        sentence="Three drones of power 2 that fly to where their target was, then look for another.",
        holds=3, value=47,
    ),
    OptionCard(
        number=36, id="dual_processor", name="Dual Processor", set=ARMED,
        sentence="A movement and a rotation in one register: a shorter move and a turn.",
        categories=("PPM",),
        asks=("movement_option: dual_processor", "second"),
        settings=("dual",),
        alone=IDLE,
        value=26,
    ),
    OptionCard(
        number=37, id="frog_legs", name="Frog Legs", set=ARMED,
        sentence="A Move 2 or Move 3 may be flown.",
        categories=("RT",),
        asks=(CardOrder(
            name="frog", place=11, kind="flag", default=False, per_register=True,
            says="leap with Frog Legs; false by default when orders come from people, programs or scenarios (U24)",
        ),),
        alone=IDLE,
        value=28,
        used="{robot} leaps with its Frog Legs",
    ),
    gadget(
        number=38, id="goo_dropper", name="Goo Dropper", lays="goo",
        sentence="Three puddles that hold robots until four squares of movement have been attempted there.",
        settings=("goo_on_belt",),
        holds=3, value=8,
    ),
    OptionCard(
        number=39, id="homing_device", name="Homing Device", set=ARMED,
        sentence="Puts a token on a robot, which it may later chase instead of following its program.",
        categories=("OW", "TP"),
        asks=(
            "weapon: homing",
            CardOrder(
                name="homing", place=1, kind="flag", default=False, on_table=True, programmed=True,
                says="follow the Homing Device instead of the program",
                chooses="1: true; only while its token lies on a robot",
            ),
            "fallback_to_laser",
        ),
        alone=IDLE,
        value=3,
        used="{robot} homes in on its target",
        token="homing token",
    ),
    OptionCard(
        number=40, id="interceptor", name="Interceptor", set=ARMED,
        sentence="Puts a token on a robot with which it may exchange hands in a later turn.",
        categories=("OW",),
        asks=(
            "weapon: interceptor",
            CardOrder(
                name="intercept", place=28, kind="threshold", default=0, high=9, on_table=True, rare=True,
                says="swap the next hand for that of the robot with the token if it has fewer movement cards than this "
                "(0 to 9); true: in any case. Decided as `recompile` is (U23)",
            ),
            "fallback_to_laser",
        ),
        alone=IDLE,
        value=2,
        shown="event hands",
        token="interceptor token",
    ),
    gadget(
        number=41, id="mine_layer", name="Mine Layer", lays="mine",
        sentence="Three mines of power 4 that explode under robots.",
        holds=3, value=48,
    ),
    weapon(
        number=42, id="missile_launcher", name="Missile Launcher", set=ARMED, fires="missile",
        sentence="Three missiles of power 4 that fly two squares in every phase.",
        holds=3, value=49,
    ),
    OptionCard(
        number=43, id="option_damping_field", name="Option Damping Field", set=ARMED,
        sentence="No option works within three squares.",
        categories=("TP",),
        asks=(CardOrder(
            name="damping", place=21, kind="flag", default=False, on_table=True, programmed=True, rare=True,
            says="switch the Option Damping Field on",
        ),),
        alone=IDLE,
        value=19,
        shown="event damping 1",
    ),
    OptionCard(
        number=44, id="overload_override", name="Overload Override", set=ARMED,
        sentence="Two cards in one register, or none, for a point of damage.",
        categories=("PPM",),
        asks=(
            "movement_option: overload", "movement_option: overload_second_first", "movement_option: overload_empty",
            "second",
        ),
        alone=IDLE,
        value=20,
    ),
    gadget(
        number=45, id="portable_teleporter", name="Portable Teleporter", lays="portable_teleporter",
        sentence="A teleporter for everybody, on the robot's square.",
        holds=1, value=4,
    ),
    gadget(
        number=46, id="proximity_mine", name="Proximity Mine", lays="proximity_mine",
        sentence="Three mines of power 4 that explode near robots.",
        holds=3, value=50,
    ),
    OptionCard(
        number=47, id="reengineering_unit", name="Reengineering Unit", set=ARMED,
        sentence="When the robot pushes another, may be exchanged for one of its options.",
        categories=("RT",),
        asks=(CardOrder(
            name="reengineering", place=29, kind="choice", default="better", words=("never", "better", "always"),
            rare=True,
            says="whether options are swapped on pushing: never, for a better one, or always",
        ),),
        alone=IDLE,
        value=9,
        shown="event taken own",
    ),
    OptionCard(
        number=48, id="reflector", name="Reflector", set=ARMED,
        sentence="Laser hits on one side also hit the robot that fired them.",
        categories=("TP",),
        asks=(CardOrder(
            name="reflector", place=20, kind="choice", default="front", words="SHIELD_NAMES", values=(1, 2, 3, 4, 0),
            on_table=True, programmed=True, rare=True,
            says="the side that the Reflector covers, or `off`",
        ),),
        alone=IDLE,
        value=31,
        used="{robot}'s Reflector throws the shot back at {other}",
        turned="{robot}'s Reflector covers {side}",
    ),
    OptionCard(
        number=49, id="retro_rockets", name="Retro-Rockets", set=ARMED,
        sentence="Three counters, each for a flight of two squares backward before the card.",
        categories=("PPM",),
        asks=("movement_option: retro_1", "movement_option: retro_2", "movement_option: retro_3"),
        alone=IDLE,
        holds=3, value=51,
        used="{robot} fires its Retro-Rockets",
    ),
    OptionCard(
        number=50, id="robo_copter", name="Robo-Copter", set=ARMED,
        sentence="The robot flies for a turn and executes a second movement card in every phase.",
        categories=("TP",),
        asks=(CardOrder(
            name="copter", place=5, kind="card", choices=12, on_table=True, programmed=True,
            says="the movement card on the Robo-Copter; none to stay on the ground",
            chooses="1 to 11: the movement card in this slot",
        ),),
        settings=("copter_single_use",),
        alone=SHOWN,
        value=40,
        used="{robot} starts its Robo-Copter",
    ),
    gadget(
        number=51, id="scrambler_bomb", name="Scrambler Bomb", lays="scrambler_bomb",
        sentence="In the next turn the robots within six squares run random programs.",
        holds=1, value=7,
    ),
    OptionCard(
        number=52, id="self_destruct", name="Self-Destruct", set=ARMED,
        sentence="Explodes with power 16, at the start of a phase or when it is given up or destroyed.",
        categories=("PP",),
        asks=(CardOrder(
            name="self_destruct", place=26, kind="register", on_table=True, programmed=True, rare=True,
            says="the register (1 to 5) in which the robot blows up; 0, in Python None, for never",
        ),),
        alone=IDLE,
        value=52,
        used="{robot} sets off its Self-Destruct",
    ),
)
