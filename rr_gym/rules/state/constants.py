"""Numbers that the rules, the records and the events share."""

from rr_gym.option_facts import OPTION_CARDS

# Directions and facings; adding 1 turns clockwise.
NORTH, EAST, SOUTH, WEST = range(4)
DIRECTION_NAMES = ("n", "e", "s", "w")

MAX_ROBOTS = 8
BIG_ONE_BODY = 8  # the body of The Big One: a solid device that belts, pushers and robots move like a robot
RIDER = 9  # a flat device while the elements of the board act on it
MAX_BODIES = 10
NOBODY = -1
NUM_REGISTERS = 5
HAND_SIZE = 9  # cards dealt to an undamaged robot
HAND_SLOTS = 11  # cards of a hand with Extra Memory and the Flywheel
DECK_SIZE = 84
NUM_OPTIONS = len(OPTION_CARDS)
MAX_DEVICES = 64
MAX_BLASTS = 40
MAX_OWNED = 10  # no settings let a robot own more options
MAX_FLAGS = 8
MAX_SQUARES = 2048
MAX_ROWS = 2560  # rows of a course with expansions: squares, ramps, squares of turned rooms and boards
MAX_BEAMS = 256
FATAL_DAMAGE = 10

# Program card types (R-A1)
NO_CARD, U_TURN, ROTATE_LEFT, ROTATE_RIGHT, BACK_UP, MOVE_1, MOVE_2, MOVE_3 = range(8)
CARD_TYPE_NAMES = ("none", "u_turn", "rotate_left", "rotate_right", "back_up", "move_1", "move_2", "move_3")

# Sub-steps of the timing table (R-T), by which events say when they happened
STEP_NAMES = (
    "setup", "T1", "T2", "T3", "T4", "T5",
    "A1", "A2", "A3", "A4", "A5", "A6",
    "B1", "B2", "B3", "B4",
    "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C10", "C10b", "C11", "C12", "C13",
    "D0", "D1", "D2", "D3", "D4",
    "E1", "E2", "E3",
    "F1", "F2", "F3", "F4", "F5", "F6",
)  # fmt: skip
(
    SETUP, T1, T2, T3, T4, T5,
    A1, A2, A3, A4, A5, A6,
    B1, B2, B3, B4,
    C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C10B, C11, C12, C13,
    D0, D1, D2, D3, D4,
    E1, E2, E3,
    F1, F2, F3, F4, F5, F6,
) = range(len(STEP_NAMES))  # fmt: skip

# Causes of a displacement, which the value of a "moved" event names
CAUSE_NAMES = (
    "card", "option", "push", "weapon", "belt", "current", "pusher", "repulse", "fan", "pull",
    "ring", "oil", "ice", "slide", "ramp_back", "bounce", "fall", "jump", "carry", "place",
)  # fmt: skip
(
    CARD, OPTION, PUSH, WEAPON, BELT, CURRENT, PUSHER, REPULSE, FAN, PULL,
    RING, OIL, ICE, SLIDE, RAMP_BACK, BOUNCE, FALL, JUMP, CARRY, PLACE,
) = range(len(CAUSE_NAMES))  # fmt: skip

# Why a robot was damaged or destroyed
HARM_NAMES = (
    "laser", "robot_laser", "damage", "pit", "edge", "crusher",
    "fall", "spikes", "fire", "burning", "lava", "river", "melting_beam", "deep_water", "grave", "radiation", "waste",
    "accelerator", "jack", "trapdoor", "elevator", "crumbled", "copy", "mirror", "turret",
    "explosion", "ramming", "howitzer", "big_gun", "overload", "recompile", "reflected", "rear_laser",
    "late",
)  # fmt: skip
(
    BY_LASER, BY_ROBOT_LASER, BY_DAMAGE, BY_PIT, BY_EDGE, BY_CRUSHER,
    BY_FALL, BY_SPIKES, BY_FIRE, BY_BURNING, BY_LAVA, BY_RIVER, BY_MELTING_BEAM, BY_DEEP_WATER, BY_GRAVE, BY_RADIATION,
    BY_WASTE, BY_ACCELERATOR, BY_JACK, BY_TRAPDOOR, BY_ELEVATOR, BY_CRUMBLED, BY_COPY, BY_MIRROR, BY_TURRET,
    BY_EXPLOSION, BY_RAMMING, BY_HOWITZER, BY_BIG_GUN, BY_OVERLOAD, BY_RECOMPILE, BY_REFLECTION, BY_REAR_LASER,
    BY_LATENESS,
) = range(len(HARM_NAMES))  # fmt: skip

# Uses of chance; each counts its own draws, so that what a game does not use draws nothing (U39)
NUM_CHANCES = 8
DEAL, DECK, FILL, OPTIONS_DRAWN, COINS, TURRETS_DRAWN, SWAPPED, BUZZ_DEALT = range(NUM_CHANCES)

# Values of settings; the comments name the setting
OFF, ON = 0, 1
AT_PHASE, AT_TURN = 0, 1  # virtual_exit
REENTRY_VIRTUAL, REENTRY_ADJACENT = 0, 1  # reentry
BY_ORDERS, BY_CLEANUP = 0, 1  # reentry_facing
TOUCH_END, TOUCH_PASS = 0, 1  # flag_touch
SITE_OR, SITE_AND = 0, 1  # two_wrench
UNLOCK_CHOICE, UNLOCK_LOWEST = 0, 1  # unlock
LOCK_DRAW, LOCK_KEEP, LOCK_EMPTY = 0, 1, 2  # pd_lock_card
TIE_JOINT, TIE_PRIORITY = 0, 1  # tie
UNLIMITED = -1  # lives

LAVA_LIST, LAVA_PAGE4, LAVA_PAGE8 = 0, 1, 2  # lava_mode
ICE_CAREFUL, ICE_CHART = 0, 1  # ice_mode
PORTAL_ANY, PORTAL_CARD = 0, 1  # portal_trigger

# Results of one step of a robot (rr_gym.rules.movement.movement.step)
HELD = 0  # did not move
MOVED_ON = 1
STOPPED = 2  # moved, and something on the new square ends its move
REBOUND = 3  # the mover met a padded wall
CAUGHT = 4  # did not move, because goo holds it or a robot that it pushes; its further steps are still tried
REPELLED = 5  # it, or a robot that it pushes, met a repulsor field: `game.push.repelled` says which

# Marks of a robot; all but the first last for one phase
DISPLACED, FLAMED, MELTED, DEEPENED, SLIPPED, LANDS, HALTED, SLEEPS, HOVERED, BOOSTED = (1 << bit for bit in range(10))

SHIELD_USED = 16  # a bit of `shields`; the lower bits are the used sides of a Power-Down Shield

NOT_FLYING, BY_ANTIGRAV, BY_OPTION, BY_COPTER = range(4)  # values of `flying`

# Orders
CHOP_AUTO, CHOP_NONE, CHOP_SWAP, CHOP_RELOAD, CHOP_DRAW = range(5)
SITE_AUTO, SITE_REPAIR, SITE_OPTION = 0, 1, 2

# Sides of a body, clockwise from its front
FRONT, RIGHT, BACK, LEFT = range(4)
ANY_SIDE = 4  # a point of damage by fire, which a shield on any side may stop (U11)
NO_SIDE = -1  # damage without a direction

WEAPON_NAMES = (
    "main", "mini_howitzer", "pressor_beam", "tractor_beam", "radio_control", "scrambler", "big_gun", "missile",
    "drone", "homing", "interceptor",
)  # fmt: skip
(
    FIRE_MAIN, FIRE_HOWITZER, FIRE_PRESSOR, FIRE_TRACTOR, FIRE_RADIO, FIRE_SCRAMBLER, FIRE_BIG_GUN, FIRE_MISSILE,
    FIRE_DRONE, FIRE_HOMING, FIRE_INTERCEPTOR,
) = range(len(WEAPON_NAMES))  # fmt: skip
HOLDS_FIRE = -1  # value of `fired`
GADGET_NAMES = (
    "none", "bridge", "mine", "proximity_mine", "goo", "portable_teleporter", "scrambler_bomb", "big_one",
)  # fmt: skip
(
    NO_GADGET, LAY_BRIDGE, LAY_MINE, LAY_PROXIMITY_MINE, LAY_GOO, LAY_TELEPORTER, LAY_SCRAMBLER_BOMB, LAY_BIG_ONE,
) = range(len(GADGET_NAMES))  # fmt: skip
MOVEMENT_OPTION_NAMES = (
    "none", "crab_legs", "dual_processor", "overload", "overload_second_first", "overload_empty", "big_jet",
    "retro_1", "retro_2", "retro_3",
)  # fmt: skip
(
    NO_MOVEMENT_OPTION, CRAB, DUAL, OVERLOAD, OVERLOAD_SECOND_FIRST, OVERLOAD_EMPTY, JET, RETRO_1, RETRO_2, RETRO_3,
) = range(len(MOVEMENT_OPTION_NAMES))  # fmt: skip
# Effects of options in D1 on their robot's lasers and on shots of others, fixed before the first shot (U5)
DOUBLE, HIGH_POWER, CONTROLLED, REARWARD, REFLECTING, DAMPENING = (1 << bit for bit in range(6))
FIRE_CONTROL_NAMES = ("damage", "lock_1", "lock_2", "lock_3", "lock_4", "lock_5", "destroy", "lock_next")
(
    FIRE_CONTROL_DAMAGE, FIRE_CONTROL_LOCK_1, FIRE_CONTROL_LOCK_2, FIRE_CONTROL_LOCK_3, FIRE_CONTROL_LOCK_4,
    FIRE_CONTROL_LOCK_5, FIRE_CONTROL_DESTROY, FIRE_CONTROL_LOCK_NEXT,
) = range(len(FIRE_CONTROL_NAMES))  # fmt: skip
SIDE_NAMES = ("front", "right", "back", "left")
SHIELD_NAMES = ("off", *SIDE_NAMES)  # settings of Shield and Reflector: 0, or 1 + side
REENGINEERING_NEVER, REENGINEERING_BETTER, REENGINEERING_ALWAYS = range(3)

# Kinds of devices; 0 is a free slot. A device that a gadget lays has the number of the gadget.
DEVICE_NAMES = (
    "none", "bridge", "mine", "proximity_mine", "goo", "portable_teleporter", "scrambler_bomb", "big_one",
    "missile", "drone", "buzz_bomb",
)  # fmt: skip
(
    NO_DEVICE, BRIDGE_TOKEN, MINE_TOKEN, PROXIMITY_TOKEN, GOO_TOKEN, TELEPORTER_TOKEN, SCRAMBLER_TOKEN, BIG_ONE_TOKEN,
    MISSILE_TOKEN, DRONE_TOKEN, BUZZ_TOKEN,
) = range(len(DEVICE_NAMES))  # fmt: skip

# A card order that leaves the choice to the rules
BEST_CARD = -1
ALWAYS = HAND_SLOTS + 1  # recompile and intercept: more movement cards than any hand has
# `give_up[0]`: options are given up by the threshold `sacrifice_threshold`, the least valuable first
BY_VALUE = -2

# values of the setting `game`: the kind of game that is played
RACE, SURVIVAL, TAG_TEAMS, RUNNER, TOGGLE, HEAD_TO_HEAD, CAPTURE = range(7)
NO_PACKAGE, STANDARD, DELUXE = range(3)  # option_package
DUAL_TABLE, DUAL_GENERAL = 0, 1  # dual
ARM_ORTHO, ARM_2005 = 0, 1  # arm
HPL_ONE, HPL_WALL_AND_ROBOT = 0, 1  # hpl
DIR_REGISTER, DIR_TURN = 0, 1  # dir_timing
GADGETS_AT_REVEAL, GADGETS_BY_PRIORITY = 0, 1  # gadget_time
GOO_KEEP, GOO_LOSE = 0, 1  # goo_on_belt
BACK_UP_BACK, BACK_UP_FORWARD = 0, 1  # tele_backup

# What has happened to a robot's program in this turn (`rewired`). SPARED: it will re-enter undamaged by Superior
# Archive; FLOWN: its Robo-Copter has taken off
SCRAMBLED, ABORTED, REPROGRAMMED, SPARED, FLOWN = 1, 2, 4, 8, 16

# Causes of explosions, which the event "exploded" names
BLAST_NAMES = (
    "mine", "proximity_mine", "missile", "drone", "buzz_bomb", "big_one", "self_destruct", "big_jet", "retro_rockets",
    "converter",
)  # fmt: skip
(
    MINE_BLAST, PROXIMITY_BLAST, MISSILE_BLAST, DRONE_BLAST, BUZZ_BLAST, BIG_ONE_BLAST, SELF_DESTRUCT_BLAST, JET_BLAST,
    RETRO_BLAST, CONVERTER_BLAST,
) = range(len(BLAST_NAMES))  # fmt: skip
