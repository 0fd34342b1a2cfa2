"""Numbers that the rules, the records and the events share."""

# Directions and facings; adding 1 turns clockwise.
NORTH, EAST, SOUTH, WEST = range(4)
DIRECTION_NAMES = ("n", "e", "s", "w")

MAX_ROBOTS = 8
NUM_REGISTERS = 5
HAND_SIZE = 9  # cards dealt to an undamaged robot
HAND_SLOTS = 11  # with Extra Memory and the Flywheel
DECK_SIZE = 84
NUM_OPTIONS = 52
MAX_DEVICES = 64
MAX_FLAGS = 8
MAX_SQUARES = 2048
MAX_BEAMS = 256
FATAL_DAMAGE = 10

# Program card types (R-A1)
NO_CARD, U_TURN, ROTATE_LEFT, ROTATE_RIGHT, BACK_UP, MOVE_1, MOVE_2, MOVE_3 = range(8)
CARD_TYPE_NAMES = ("none", "u_turn", "rotate_left", "rotate_right", "back_up", "move_1", "move_2", "move_3")

# Sub-steps of the timing table (R-T): what the events name
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

# Causes of a displacement: what the value of a "moved" event says
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
)  # fmt: skip
(
    BY_LASER, BY_ROBOT_LASER, BY_DAMAGE, BY_PIT, BY_EDGE, BY_CRUSHER,
    BY_FALL, BY_SPIKES, BY_FIRE, BY_BURNING, BY_LAVA, BY_RIVER, BY_MELTING_BEAM, BY_DEEP_WATER, BY_GRAVE, BY_RADIATION,
    BY_WASTE, BY_ACCELERATOR, BY_JACK, BY_TRAPDOOR, BY_ELEVATOR, BY_CRUMBLED, BY_COPY, BY_MIRROR, BY_TURRET,
) = range(len(HARM_NAMES))  # fmt: skip

# Uses of chance; each counts its own draws, so that what a game does not use draws nothing (U39)
NUM_CHANCES = 8
DEAL, DECK, FILL, OPTIONS_DRAWN, COINS, TURRETS_DRAWN = range(6)

# Values of settings
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

# How a step ended (rr_gym.rules.movement.step)
HELD = 0  # did not move
MOVED_ON = 1
STOPPED = 2  # moved, and what holds it there takes the rest of its move
REBOUND = 3  # the mover met a padded wall
REPELLED = 16  # | robot that met a repulsor field

# Marks of a robot; all but the first are of one phase
DISPLACED, FLAMED, MELTED, DEEPENED, SLIPPED, LANDS, HALTED, SLEEPS = (1 << bit for bit in range(8))

NOT_FLYING, BY_ANTIGRAV = 0, 1  # flying

# Orders
CHOP_AUTO, CHOP_NONE, CHOP_SWAP, CHOP_RELOAD, CHOP_DRAW = range(5)
SITE_AUTO, SITE_REPAIR, SITE_OPTION = 0, 1, 2
