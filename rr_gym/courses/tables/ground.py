"""The parts of compiled tables that only expansions need: the ground of every square, lines, groups and rooms.

Courses without expansions have none of this. Rows are numbered like squares: first the squares of the layout, then
one hidden square per ramp, then the rows that describe squares of rotating rooms after one, two and three quarter
turns.

Links (twin, gate_to, big_gear_to, ring_next) hold numbers of places. A link within a room turns with the room. A link
into a room from elsewhere holds the place of its end while that room is not turned.
"""

from __future__ import annotations

from rr_gym.compilation.records import Array, Record, i1, i2, i4, shape, u1, u4

# Feature bits: which elements a course has; rules of absent elements are skipped. Bits 0-6 belong to the base game
# (rr_gym.courses.tables.tables). Masks are int64 and never negative, so LAST_FEATURE_BIT is the last that fits, and
# bits 60 to 62 are free. Once these are used up, elements that rules distinguish by their ground can share a bit, as
# magnets and black holes do. After that, features that are in no mask of a square (`acts_on_occupants`) can move to a
# second field beside `CourseFacts.features`.
(
    HAS_LEVELS, HAS_RAMPS, HAS_TIMED_PITS, HAS_DRAWBRIDGES, HAS_OIL, HAS_ICE, HAS_WATERS, HAS_DEEP_WATER, HAS_SLIME,
    HAS_CRUMBLY, HAS_PADDED, HAS_TILTED, HAS_LAVA, HAS_GOLD_BELTS, HAS_ROTATING_BELTS, HAS_FLIP_BELTS, HAS_FLIP_GEARS,
    HAS_BARRIERS, HAS_CURRENTS, HAS_FLAMERS, HAS_MELTING, HAS_MAG_LOCKS, HAS_TELEPORTERS, HAS_FREAKS, HAS_RANDOMIZERS,
    HAS_PORTALS, HAS_REPEATERS, HAS_ENERGIZERS, HAS_ANTIGRAV, HAS_ATTRACTORS, HAS_JACKS, HAS_FOG, HAS_GAS, HAS_GRAVES,
    HAS_RADIATION, HAS_WASTE, HAS_RESET_SITES, HAS_CHOP_SHOPS, HAS_TURRETS, HAS_PISTONS, HAS_ELEVATORS, HAS_MIRRORS,
    HAS_FANS, HAS_GATES, HAS_COPY_MACHINES, HAS_PLATFORMS, HAS_BIG_GEARS, HAS_TRAPDOORS, HAS_RINGS, HAS_ROOMS,
    HAS_HYDRAULICS, HAS_MEGA_CRUSHERS, HAS_REPULSORS,
) = (1 << bit for bit in range(7, 60))  # fmt: skip
LAST_FEATURE_BIT = 62

# Surfaces
NO_SURFACE, WATER, DEEP, PUDDLE, OILY, ICY, SLIMY, CRUMBLING, PADDING, TILT, LAVA_PIT = range(11)

# Movers other than belts
NO_MOVER, FLIP_BELT, CURRENT, RIVER = range(4)

# Overlays
(
    TELEPORTER, FREAK_TELEPORTER, RANDOMIZER, REPEATER, ENERGIZER, ANTIGRAV_FIELD, MAGNET, BLACK_HOLE, FOGGY, GASSED,
    GRAVE, RADIANT, WASTED, RESET_SITE, CHOP_SHOP, TURRET_GUN, FLIP_GEAR,
) = (1 << bit for bit in range(17))  # fmt: skip

# Kinds of side, by what stops a body there; all others count as a plain wall.
PLAIN, SPIKED, PADDED_WALL, REPULSOR, GATE, BUTTON, MIRROR, ENERGY, LOOPHOLE = range(9)

# Lines that may cross a square (rr_gym.courses.tables.in_line)
MIRROR_AHEAD = 1  # to be shifted left by the direction in which a robot sees the mirror
LINE_LASER, LINE_MELTING, LINE_FAN, NEAR_LAVA = 16, 32, 64, 128

# Flags of a row that tell what is special about it, so that rules return at once on plain floor (`special_rows`). "Of a
# place" means the same flag in all orientations of a room.
ACTS = 1  # something there acts on arriving robots or holds robots in place, or it is a pit in some phases
SLOPES = 2  # a ramp begins, ends or lies there, or an elevator is there
FACES = 4  # one of its sides is more than a wall
BY_ROOM = 8  # of a place: it or a neighbouring square turns with a room
BY_MEGA = 16  # of a place: a mega crusher is beside it, or may turn there
PULLED = 32  # of a place: a magnet or black hole is in its row or column, or may turn there

CENTRE, NORTH_AREA, EAST_AREA, SOUTH_AREA, WEST_AREA = range(5)

MAX_HIDDEN = 256  # ramps of a course
MAX_LINES = 64  # mounts of melting beams, and fans, of a course
MAX_ATTRACTORS = 32
MAX_TURRETS = 8
MAX_TRAPDOORS = 16
MAX_PLATFORMS = 16
MAX_ROOMS = 8
MAX_CRUMBLY = 256
MAX_BOARDS = MAX_BIG_GEARS = MAX_RINGS = MAX_ROOM_SIZE = 127


class Ground(Record):
    """What expansions add to a square, to a hidden square, or to a row of a turned room."""

    place: i2  # the square of the layout: itself, or the foot of a hidden square's ramp
    up: i1  # of a hidden square: the direction in which its ramp rises; -1 for others
    fast: u1  # 1 for the hidden square of a fast ramp
    ramp: Array[i2] = shape(4)  # the hidden square that is entered when leaving in this direction, -1 for none
    ramp_down: u1  # bit d: leaving in direction d goes down a ramp
    surface: u1  # WATER ...
    in_line: u1  # MIRROR_AHEAD << direction | LINE_LASER | ...; of the place, in all orientations of a room
    overlays: u4  # TELEPORTER | ...
    drawbridge: u1  # 1 if its pit switches in A6, not in A1
    crumbly: i2  # its number among the crumbly squares, -1 for none
    mover: u1  # FLIP_BELT, CURRENT or RIVER; belts are in SQUARE
    directions: Array[i1] = shape(5)  # exit of belts, currents and rivers by phase - 1; -1 for none
    flip_exits: Array[i1] = shape(2)  # exit of a flip belt by the flip state
    mover_turns: u1  # of currents and rivers: bit s: riders that come in over side s are turned
    hydraulics: Array[u1] = shape(4)  # phases of the hydraulic pusher mounted on each side
    flip_gear: i1  # rotation of a flip gear in flip state 0; SQUARE.gear is 0 there
    mega: u1  # phases of a mega crusher (they are in SQUARE.crusher too)
    flamer: u1  # phases of a flamer or napalm flamer
    napalm: u1  # phases of a napalm flamer
    mag_lock: u1
    eruption: u1  # phases in which a lava pit erupts
    elevator: u1  # phases in which it goes up, 0 without one
    has_elevator: u1
    top: i2  # the number of its raised floor as a standing place, -1 without an elevator
    tilt: Array[i1] = shape(2)  # dx, dy
    jack: Array[i1] = shape(4)  # directions in phases 1-4
    has_jack: u1
    piston: i1  # 0 none, 1 colour a, 2 colour b
    piston_direction: i1
    portal: i1  # 1 for a portal
    twin: i2  # the portal that it leads to, -1 for none
    turret: i1  # its number, -1 for none
    platform: i1  # its number, -1 for none
    area: i1  # CENTRE ... of the platform
    big_gear: i1  # its number, -1 for none
    big_gear_to: i2  # the mirrored square
    trapdoor: i1  # its number, -1 for none
    ring: i1  # its number, -1 for none
    ring_next: i2
    room: i1  # its number, -1 for none
    room_rows: Array[i2] = shape(4)  # its row for each orientation of its room; without a room, its own row
    room_next: i2  # the place to which a quarter turn clockwise carries this square
    board: i1  # its number
    barrier: u1  # 1 if the beam of a light barrier crosses the square
    kinds: Array[u1] = shape(4)  # the kind of each side: SPIKED ...
    out_wall: Array[u1] = shape(4)  # phases in which this square's own side lets no body out
    in_wall: Array[u1] = shape(4)  # phases in which this square's own side lets no body in
    out_cover: Array[u1] = shape(4)  # phases in which this square's own side lets no shot, beam or sight out
    in_cover: Array[u1] = shape(4)  # phases in which it lets no shot, beam or sight in
    gate_to: Array[i2] = shape(4)  # the square before the twin of the gate on this side, -1 for none
    gate_heading: Array[i1] = shape(4)  # the direction away from the twin


GROUND = Ground.dtype


class Mount(Record):
    """The mount of a melting beam or ventilator, at its place while rooms are not turned."""

    square: i2
    direction: i1  # away from the mount
    strength: i1  # of a ventilator
    phases: u1
    level: i1  # of the mount's floor


MOUNT = Mount.dtype


class Extras(Record):
    """What expansions add to a course as a whole: counts of rows, and lists of things that several squares share."""

    num_rows: i4
    num_visible: i4  # number of squares of the layout; hidden squares follow
    num_standing: i4  # the same with hidden squares; rows of turned rooms follow
    num_places: i4  # number of standing places: squares, hidden squares and raised floors of elevators
    num_melting: i2
    melting: Array[Mount] = shape(MAX_LINES)
    num_fans: i2
    fans: Array[Mount] = shape(MAX_LINES)
    num_attractors: i2
    attractors: Array[i2] = shape(MAX_ATTRACTORS)  # magnets and black holes, row by row
    num_turrets: i1
    turrets: Array[i2] = shape(MAX_TURRETS)
    turret_facings: Array[i1] = shape(MAX_TURRETS)  # at the start
    num_trapdoors: i1
    capacities: Array[i1] = shape(MAX_TRAPDOORS)
    num_platforms: i1
    num_rooms: i1
    num_turning: i1  # boards that may turn; their numbers follow those of the rooms
    num_crumbly: i2
    num_rings: i1
    num_big_gears: i1


EXTRAS = Extras.dtype
