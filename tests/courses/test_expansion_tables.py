"""Compiled tables of expansion elements, compared with tables worked out by hand, and rooms with turned boards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from combinations import for_each

from rr_gym.courses import Course, compile_courses, load_course
from rr_gym.courses.tables import ground as g
from rr_gym.courses.tables import tables as t
from rr_gym.courses.tables.features import BASE_ELEMENTS, FEATURES, elements, needs_ground
from rr_gym.courses.tables.turned_rooms import turn_rows
from rr_gym.courses.text.board import GROUP_ELEMENTS
from rr_gym.courses.text.grammar import ALL_PHASES
from rr_gym.courses.text.words import ITEMS, SIDE_KINDS
from rr_gym.errors import CourseError, RoboRallyError
from rr_gym.rules.state.settings import Settings
from rr_gym.rules.state.table import FULL_TABLE, TABLE, compile_tables

N, E, S, W = range(4)
ALL = ALL_PHASES

# item -> features, and the fields of SQUARE (in capitals) and GROUND that it sets; all others stay as on open floor.
ITEMS_COMPILED: dict[str, tuple[int, dict[str, Any]]] = {
    "X135": (t.HAS_PITS | g.HAS_TIMED_PITS, {"PIT": 0b10101}),
    "Xb24": (t.HAS_PITS | g.HAS_DRAWBRIDGES, {"PIT": 0b10101, "drawbridge": 1}),
    "Xb": (g.HAS_DRAWBRIDGES, {"drawbridge": 1}),
    "W": (g.HAS_WATERS, {"surface": g.WATER}),
    "WW": (g.HAS_WATERS | g.HAS_DEEP_WATER, {"surface": g.DEEP}),
    "Wp": (g.HAS_WATERS, {"surface": g.PUDDLE}),
    "O": (g.HAS_OIL, {"surface": g.OILY}),
    "I": (g.HAS_ICE, {"surface": g.ICY}),
    "Q": (g.HAS_SLIME, {"surface": g.SLIMY}),
    "Y": (g.HAS_CRUMBLY, {"surface": g.CRUMBLING, "crumbly": 0}),
    "D": (g.HAS_PADDED, {"surface": g.PADDING}),
    "S<": (g.HAS_TILTED, {"surface": g.TILT, "tilt": [-1, 0]}),
    "Sv>": (g.HAS_TILTED, {"surface": g.TILT, "tilt": [1, 1]}),
    "V24": (g.HAS_LAVA, {"surface": g.LAVA_PIT, "eruption": 0b01010, "in_line": g.NEAR_LAVA}),
    "V": (g.HAS_LAVA, {"surface": g.LAVA_PIT, "eruption": ALL, "in_line": g.NEAR_LAVA}),
    ">:n": (t.HAS_BELTS, {"BELT": 1, "BELT_DIRECTION": E, "BELT_TURNS": 1, "directions": [E] * 5}),
    "vv": (t.HAS_BELTS | t.HAS_EXPRESS, {"BELT": 2, "BELT_DIRECTION": S, "directions": [S] * 5}),
    "<<<:s": (
        t.HAS_BELTS | t.HAS_EXPRESS | g.HAS_GOLD_BELTS,
        {"BELT": 3, "BELT_DIRECTION": W, "BELT_TURNS": 4, "directions": [W] * 5},
    ),
    "gwe": (g.HAS_FLIP_BELTS, {"mover": g.FLIP_BELT, "flip_exits": [E, W]}),
    "gns": (g.HAS_FLIP_BELTS, {"mover": g.FLIP_BELT, "flip_exits": [S, N]}),
    "c>:s": (
        g.HAS_WATERS | g.HAS_CURRENTS,
        {"surface": g.WATER, "mover": g.CURRENT, "directions": [E] * 5, "mover_turns": 0b0100},
    ),
    "m^": (g.HAS_CURRENTS, {"mover": g.RIVER, "directions": [N] * 5}),
    "r1-v<^>": (
        t.HAS_BELTS | g.HAS_ROTATING_BELTS,
        {"BELT": 1, "directions": [-1, S, W, N, E]},
    ),
    "r2^>v<-": (
        t.HAS_BELTS | t.HAS_EXPRESS | g.HAS_ROTATING_BELTS,
        {"BELT": 2, "BELT_DIRECTION": N, "directions": [N, E, S, W, -1]},
    ),
    "r3>>>>>": (
        t.HAS_BELTS | t.HAS_EXPRESS | g.HAS_GOLD_BELTS | g.HAS_ROTATING_BELTS,
        {"BELT": 3, "BELT_DIRECTION": E, "directions": [E] * 5},
    ),
    "Lx": (t.HAS_GEARS, {"GEAR": -1}),
    "Rf": (g.HAS_FLIP_GEARS, {"flip_gear": 1, "overlays": g.FLIP_GEAR}),
    "H>24": (t.HAS_PUSHERS | g.HAS_HYDRAULICS, {"hydraulics": [0, 0, 0, 0b01010]}),
    "P<1+H^": (t.HAS_PUSHERS | g.HAS_HYDRAULICS, {"PUSHERS": [0, 1, 0, 0], "hydraulics": [0, 0, ALL, 0]}),
    "K3": (t.HAS_CRUSHERS | g.HAS_MEGA_CRUSHERS, {"CRUSHER": 0b00100, "mega": 0b00100}),
    "F135": (g.HAS_FLAMERS, {"flamer": 0b10101}),
    "N24": (g.HAS_FLAMERS, {"flamer": 0b01010, "napalm": 0b01010}),
    "T": (g.HAS_TELEPORTERS, {"overlays": g.TELEPORTER}),
    "Tf": (g.HAS_FREAKS, {"overlays": g.FREAK_TELEPORTER}),
    "?": (g.HAS_RANDOMIZERS, {"overlays": g.RANDOMIZER}),
    "&": (g.HAS_REPEATERS, {"overlays": g.REPEATER}),
    "E": (g.HAS_ENERGIZERS, {"overlays": g.ENERGIZER}),
    "A": (g.HAS_ANTIGRAV, {"overlays": g.ANTIGRAV_FIELD}),
    "M135": (g.HAS_MAG_LOCKS, {"mag_lock": 0b10101}),
    "U": (g.HAS_ATTRACTORS, {"overlays": g.MAGNET}),
    "B": (t.HAS_PITS | g.HAS_ATTRACTORS, {"PIT": ALL, "overlays": g.BLACK_HOLE}),
    "J>^<v": (g.HAS_JACKS, {"has_jack": 1, "jack": [E, N, W, S]}),
    "f": (g.HAS_FOG, {"overlays": g.FOGGY}),
    "z": (g.HAS_GAS, {"overlays": g.GASSED}),
    "G": (g.HAS_GRAVES, {"overlays": g.GRAVE}),
    "Z": (g.HAS_RADIATION, {"overlays": g.RADIANT}),
    "ZZ": (g.HAS_WASTE, {"overlays": g.WASTED}),
    "ws": (g.HAS_RESET_SITES, {"overlays": g.RESET_SITE}),
    "wc": (g.HAS_CHOP_SHOPS, {"overlays": g.CHOP_SHOP}),
    "t>": (t.HAS_PITS | g.HAS_TURRETS, {"PIT": ALL, "overlays": g.TURRET_GUN, "turret": 0}),
    "pa>": (g.HAS_PISTONS, {"piston": 1, "piston_direction": E}),
    "pbv": (g.HAS_PISTONS, {"piston": 2, "piston_direction": S}),
    "f+z+C24+W": (
        g.HAS_FOG | g.HAS_GAS | t.HAS_CRUSHERS | g.HAS_WATERS,
        {"overlays": g.FOGGY | g.GASSED, "CRUSHER": 0b01010, "surface": g.WATER},
    ),
}
FREE = {"out_wall": 0, "in_wall": 0, "out_cover": 0, "in_cover": 0, "kind": g.PLAIN}
CLOSED = {"out_wall": ALL, "in_wall": ALL, "out_cover": ALL, "in_cover": ALL, "kind": g.PLAIN}
# side kind -> features, and the masks and the kind of the side on which it is written
SIDES_COMPILED: dict[str, tuple[int, dict[str, int]]] = {
    "": (0, CLOSED),
    "!": (0, CLOSED | {"kind": g.SPIKED}),
    ")": (g.HAS_PADDED, CLOSED | {"kind": g.PADDED_WALL}),
    "D24": (0, dict.fromkeys(FREE, 0b10101) | {"kind": 0}),
    "D": (0, FREE),
    "r": (0, FREE | {"out_wall": ALL, "out_cover": ALL}),
    "g": (0, FREE | {"in_wall": ALL, "in_cover": ALL}),
    "f": (0, CLOSED | {"out_cover": 0, "in_cover": 0, "kind": g.ENERGY}),
    "o": (0, CLOSED | {"out_cover": 0, "in_cover": 0, "kind": g.LOOPHOLE}),
    "u": (g.HAS_REPULSORS, CLOSED | {"kind": g.REPULSOR}),
    "m": (g.HAS_MIRRORS, CLOSED | {"kind": g.MIRROR}),
    "*2": (t.HAS_LASERS, CLOSED),
    "*m": (g.HAS_MELTING, CLOSED),
    "v2:135": (g.HAS_FANS, CLOSED),
    "b": (g.HAS_COPY_MACHINES, CLOSED | {"kind": g.BUTTON}),
}


def compiled(text: str, *placements: tuple[int, tuple[int, int]]) -> t.Tables:
    boards = [{"board": "b", "rotation": rotation, "at": list(at)} for rotation, at in placements or [(0, (0, 0))]]
    return Course.from_yaml({"id": "c", "boards": boards, "board_texts": {"b": text}}).tables


def assert_same_fields(one: np.ndarray, other: np.ndarray, ignoring: tuple[str, ...] = ()) -> None:
    """Compare records field by field, ignoring padding."""
    for name in one.dtype.names or ():
        if name not in ignoring:
            assert one[name].tolist() == other[name].tolist(), name


@for_each(ITEMS_COMPILED)
def test_an_item_sets_its_features_and_fields(item: str) -> None:
    features, fields = ITEMS_COMPILED[item]
    tables, plain = compiled(f". {item}"), compiled("F .")  # the flamer is there so that the table has ground
    assert tables.courses[0]["features"] == features
    square, ground = plain.squares[1:2].copy(), plain.ground[1:2].copy()
    for name, value in fields.items():
        if name.isupper():
            square[name.lower()] = value
        else:
            ground[name] = value
    assert_same_fields(tables.squares[1:2], square)
    if len(tables.ground):  # plain belts have none
        assert_same_fields(tables.ground[1:2], ground)


@pytest.mark.parametrize("side", range(4))
@pytest.mark.parametrize("kind", SIDES_COMPILED)
def test_a_side_sets_its_masks_and_kind(kind: str, side: int) -> None:
    features, expected = SIDES_COMPILED[kind]
    row = ". . . F ."  # the flamer is there so that the table has ground
    tables = compiled(f"{row}\n. ./{'nesw'[side]}{kind} . . .\n{row}")
    assert tables.courses[0]["features"] == features | g.HAS_FLAMERS
    here, ground = 6, tables.ground[6]
    beyond = (1, 7, 11, 5)[side]
    for name, mask in expected.items():
        name = "kinds" if name == "kind" else name
        assert ground[name].tolist() == [mask if d == side else 0 for d in range(4)], name
        assert not np.delete(tables.ground[name], 6, 0).any()
    squares = tables.squares
    for name in ("wall", "cover"):
        assert squares[name][here, side] == expected[f"out_{name}"]
        assert squares[name][beyond, (side + 2) % 4] == expected[f"in_{name}"]
        assert np.count_nonzero(squares[name]) == sum(expected[f"{way}_{name}"] > 0 for way in ("out", "in"))


def test_every_word_of_the_grammar_is_in_these_tables() -> None:
    """Words that are missing here are in the tests of the base game, or below."""
    texts = [*ITEMS_COMPILED, *(f"./e{kind}" for kind in SIDES_COMPILED)]
    seen = {element for text in texts for element in elements(Course.from_board(text))}
    below = {"portal", "gate", "elevator", "ramp", "fast_ramp", "light_barrier"}
    assert {word.element for word in (*ITEMS, *SIDE_KINDS)} == seen | below | BASE_ELEMENTS - {"board_edge"}


def test_every_feature_has_its_element() -> None:
    bits = {1 << bit for mask in FEATURES.values() for bit in range(64) if mask >> bit & 1}
    assert bits | {g.HAS_GOLD_BELTS} == {1 << bit for bit in range(7, 60)}
    known = {word.element for word in (*ITEMS, *SIDE_KINDS)} | set(GROUP_ELEMENTS.values()) | {"ledge", "waterfall"}
    assert FEATURES.keys() <= known - BASE_ELEMENTS


def test_feature_bits_are_named_alike_and_leave_one_free() -> None:
    """If this fails, only one bit is left: a comment in `rr_gym.courses.tables.ground` says what to do."""
    named = [(name, bit) for module in (t, g) for name, bit in vars(module).items() if name.startswith("HAS_")]
    bits = sorted({bit for _, bit in named})
    assert len({name for name, _ in named}) == len(bits)
    assert bits == [1 << k for k in range(len(bits))]
    assert bits[-1] < 1 << g.LAST_FEATURE_BIT < 2**63 - 1


def test_two_sides_of_one_edge_add_up() -> None:
    tables = compiled("./eD24 ./wD1 . ./eg ./wu")
    assert tables.squares["wall"][0, E] == tables.squares["wall"][1, W] == 0b11111
    assert tables.squares["wall"][3, E] == ALL
    assert tables.ground["kinds"][4].tolist() == [0, 0, 0, g.REPULSOR]
    assert tables.squares["cover"][4, W] == ALL


def test_shots_reach_and_light_shines_through_open_doors_and_fields() -> None:
    tables = compiled("./w*1 ./ef . ./eD24 . . ./e .")
    assert tables.squares["lit"].tolist() == [1] * 7 + [0]
    assert tables.beams["length"].tolist() == [4]


RAMPS = """
.   >>/ehh  .
.   ./eh    ./s
.   .       .
levels:
001
002
002
"""


def test_ramps_have_hidden_squares() -> None:
    tables = compiled(RAMPS)
    squares, ground, extras = tables.squares, tables.ground, tables.extras[0]
    assert (extras["num_visible"], extras["num_standing"], extras["num_rows"]) == (9, 11, 11)
    assert tables.courses[0]["num_squares"] == 9
    assert tables.courses[0]["features"] == t.HAS_BELTS | t.HAS_EXPRESS | g.HAS_LEVELS | g.HAS_RAMPS
    assert ground["ramp"][[1, 4]].tolist() == [[-1, 9, -1, -1], [-1, 10, -1, -1]]
    assert (ground["ramp"] >= 0).sum() == 2
    assert ground["ramp_down"].tolist() == [0, 0, 8, 0, 0, 8, 0, 0, 0, 0, 0]
    assert ground["place"].tolist() == [*range(9), 1, 4]
    assert ground["up"].tolist() == [-1] * 9 + [E, E]
    assert ground["fast"].tolist() == [0] * 9 + [1, 0]
    for name in ("x", "y", "level", "exists"):
        assert squares[name][9:].tolist() == squares[name][[1, 4]].tolist()
    assert squares["neighbour"][9:].tolist() == [[-1, 2, -1, 1], [-1, 5, -1, 4]]
    assert squares["neighbour"][[1, 4], E].tolist() == [2, 5]  # the plain grid
    assert squares["wall"][9:].tolist() == [[ALL, 0, ALL, 0]] * 2
    assert squares["belt"][9:].tolist() == [2, 0]
    assert squares["belt_direction"][9:].tolist() == [E, -1]
    assert ground["directions"][9:].tolist() == [[E] * 5, [-1] * 5]
    assert squares["cover"][10].tolist() == squares["cover"][4].tolist()


def test_a_wall_at_the_top_of_a_ramp_stands_between_ramp_and_top() -> None:
    squares = compiled("./eh ./w\nlevels:\n01\n").squares
    assert squares["wall"][0].tolist() == [0, 0, 0, 0]
    assert squares["wall"][1].tolist() == [0, 0, 0, ALL]
    assert squares["wall"][2].tolist() == [ALL, ALL, ALL, 0]
    assert squares["cover"][0, E] == ALL


def test_elevators_and_levels() -> None:
    tables = compiled("h13 . h\nlevels:\n010\n")
    assert tables.courses[0]["features"] == g.HAS_ELEVATORS | g.HAS_LEVELS
    assert tables.ground["elevator"].tolist() == [0b00101, 0, ALL]
    assert tables.ground["has_elevator"].tolist() == [1, 0, 1]
    assert compiled(". .\nlevels:\n01\n").courses[0]["features"] == g.HAS_LEVELS
    raised = compiled(". .\nlevels:\n11\n")  # no ledge, but robots stand on level 1
    assert raised.courses[0]["features"] == 0
    assert raised.squares["level"].tolist() == [1, 1]
    assert len(compiled(". .\nlevels:\n00\n").ground) == 0


def test_portals_lead_to_the_next_of_their_colour_on_their_board() -> None:
    one = compiled("=a =b . =a\n=b . =a .")
    assert one.ground["twin"].tolist() == [3, 4, -1, 6, 1, -1, 0, -1]
    assert one.ground["portal"].tolist() == [1, 1, 0, 1, 1, 0, 1, 0]
    two = compiled("=a =a", (0, (0, 0)), (2, (2, 0)), (0, (0, 1)))
    assert two.ground["twin"].tolist() == [1, 0, 3, 2, 5, 4, -1, -1]
    assert two.ground["board"].tolist() == [0, 0, 1, 1, 2, 2, 0, 0]


def test_gates_lead_out_of_their_twins_face() -> None:
    tables = compiled("./eka . ./nka\n./wkb,ekb . .")
    assert tables.ground["gate_to"][[0, 2]].tolist() == [[-1, 2, -1, -1], [0, -1, -1, -1]]
    assert tables.ground["gate_heading"][[0, 2]].tolist() == [[-1, S, -1, -1], [W, -1, -1, -1]]
    assert tables.ground["gate_to"][3].tolist() == [-1, 3, -1, 3]
    assert tables.ground["gate_heading"][3].tolist() == [-1, E, -1, W]
    assert tables.ground["kinds"][0].tolist() == [0, g.GATE, 0, 0]
    assert tables.squares["wall"][1, W] == tables.squares["cover"][1, W] == ALL
    assert tables.ground["kinds"][1].tolist() == [0, 0, 0, 0]  # the other face is a plain wall


def test_light_barriers() -> None:
    tables = compiled("./wy . ./ey ./ny\n. ./wey . .\n. . . ./sy")
    assert tables.ground["barrier"].tolist() == [1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
    assert tables.courses[0]["features"] == g.HAS_BARRIERS
    joint = compiled("./wy .", (0, (0, 0)), (2, (2, 0)))
    assert joint.ground["barrier"].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("./wy . .", r"^b\.rrb:1:3: './wy': expected another post"),
        (". ./wy ./e ./ey", r"^b\.rrb:1:5: './wy': expected another post"),
        ("./ny", r"^b\.rrb:1:3: './ny': expected another post"),
        (". ./ey\n./wy .\ngroups:\nroom at 0,0 2\n", "expected another post"),
        ("./wy . ./ey\n. . .\ngroups:\nroom at 0,0 2\n", r"'./wy': expected both posts .* same rotating room"),
    ],
)
def test_light_barriers_that_lead_nowhere(text: str, message: str) -> None:
    with pytest.raises(CourseError, match=message):
        _ = Course.from_board(text, "b").tables


def test_lists_are_in_row_major_order() -> None:
    tables = compiled(". U/s*m ./wv3:15,n*m\nt> B t^\nU Y ./e*m\nY Y .")
    extras = tables.extras[0]
    assert extras["attractors"][: extras["num_attractors"]].tolist() == [1, 4, 6]
    assert extras["melting"][: extras["num_melting"]].tolist() == [
        (1, N, 0, ALL, 0), (2, S, 0, ALL, 0), (8, W, 0, ALL, 0),
    ]  # fmt: skip
    assert extras["fans"][: extras["num_fans"]].tolist() == [(2, E, 3, 0b10001, 0)]
    assert extras["turrets"][: extras["num_turrets"]].tolist() == [3, 5]
    assert extras["turret_facings"][:2].tolist() == [E, N]
    assert tables.ground["turret"].tolist() == [-1, -1, -1, 0, -1, 1] + [-1] * 6
    assert tables.ground["crumbly"].tolist() == [-1] * 7 + [0, -1, 1, 2, -1]
    assert extras["num_crumbly"] == 3


GROUPS = """
. . . . .
. . . . .
. . . . .
. . . . .
. . . . .
. . . . .
groups:
platform at 0,0
  N E
  C W
bigear at 2,0 3x2
bigear at 2,2 2x2
trapdoor at 0,2 2x2 cap 3
trapdoor at 4,2 1x2 cap 4711
ring 0,4 1,4 1,5
bigear at 3,4 1x2
"""


def test_groups_set_their_fields() -> None:
    with pytest.raises(RoboRallyError, match=r":12:1: .*longer side of a big gear"):
        compiled(GROUPS)
    tables = compiled(GROUPS.replace("3x2", "2x1"))
    ground, extras = tables.ground, tables.extras[0]
    assert ground["platform"].tolist() == [0, 0, -1, -1, -1] * 2 + [-1] * 20
    assert ground["area"][[0, 1, 5, 6]].tolist() == [g.NORTH_AREA, g.EAST_AREA, g.CENTRE, g.WEST_AREA]
    assert ground["big_gear"][[2, 3, 12, 13, 17, 18, 23, 28]].tolist() == [0, 0, 1, 1, 1, 1, 2, 2]
    assert ground["big_gear_to"][[2, 3, 12, 13, 17, 18, 23, 28]].tolist() == [3, 2, 18, 17, 13, 12, 28, 23]
    walls = {(int(i), int(d)) for i, d in zip(*np.nonzero(tables.squares["wall"]), strict=True)}
    assert walls == {(2, E), (3, W), (12, E), (13, W), (17, E), (18, W), (23, S), (28, N)}
    assert ground["trapdoor"][[10, 11, 15, 16, 14, 19]].tolist() == [0] * 4 + [1] * 2
    assert extras["capacities"][:2].tolist() == [3, 127]
    assert ground["ring_next"][[20, 21, 26]].tolist() == [21, 26, 20]
    counts = ("num_platforms", "num_trapdoors", "num_rings", "num_big_gears", "num_rooms")
    assert [extras[name] for name in counts] == [1, 2, 1, 3, 0]


def test_the_wall_of_a_square_big_gear_turns_with_its_board() -> None:
    walls = compiled(". .\n. .\ngroups:\nbigear at 0,0 2x2\n", (1, (0, 0))).squares["wall"]
    assert walls.tolist() == [[0, 0, ALL, 0]] * 2 + [[ALL, 0, 0, 0]] * 2


# A room as large as its board: turned, it must look like the board that is placed turned.
ROOM = """
gwe    c>:s  ./eka    t>      S^>   =a      pa>
./ny   m^:e  r2>-v<^  H>2/w   K3    N4      V3/n!
./sy   C     ./sD24   ./er    .     >>/ehh  .
P<1/e  ./wf  =a       ./wka   .     ./nb    Y
B      ./n*2 Jv>^<    >:n     .     ./nh    .
Rf     Lx    .        .       .     .       .
.      .     .        .       ./nu  .       .
levels:
0000000
0000000
0000001
0000010
0000000
0000000
0000000
groups:
room at 0,0 7
platform at 4,1
  N E
bigear at 2,5 2x2
ring 0,6 0,5 1,6
trapdoor at 4,4 1x2 cap 2
"""


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_turned_rooms_are_turned_boards(quarters: int) -> None:
    room, board = compiled(ROOM), compiled(ROOM, (quarters, (0, 0)))
    extras = room.extras[0]
    visible, standing = int(extras["num_visible"]), int(extras["num_standing"])
    assert (visible, standing, extras["num_rows"]) == (49, 51, 51 * 4)
    rows = room.ground["room_rows"][:standing, quarters].astype(int)
    # Hidden squares have other numbers on the turned board; they are identified by foot and direction.
    keys = [(int(row["place"]), int(row["up"])) for row in board.ground[:standing]]
    other = [keys.index((int(row["place"]), int(row["up"]))) for row in room.ground[rows]]
    number = dict(zip(range(standing), other, strict=True))
    assert other[:visible] == list(range(visible))
    assert_same_fields(room.squares[rows], board.squares[other])
    ground = room.ground[rows].copy()
    ground["ramp"] = [[number.get(int(n), -1) for n in row] for row in ground["ramp"]]
    ground["room_next"] = [number[int(n)] for n in ground["room_next"]]
    assert_same_fields(ground, board.ground[other], ignoring=("room_rows",))
    assert (room.ground["room_rows"][rows] == room.ground["room_rows"][:standing]).all()


def test_four_quarter_turns_restore_a_room() -> None:
    tables = compiled(ROOM)
    standing = int(tables.extras[0]["num_standing"])
    moved, inside = tables.ground["room_next"][:standing].astype(np.int64), np.ones(standing, np.bool_)
    for rows in (tables.squares[:standing], tables.ground[:standing]):
        turned = rows
        for _ in range(4):
            turned = turn_rows(turned, moved, inside)
        assert_same_fields(turned, rows)


def test_a_room_in_a_larger_board() -> None:
    text = """
    .      .      .   ./s
    =a     ./nw*1 >   =b
    ./e    =b/eD2 =a  ./w
    .      .      .   .
    groups:
    room at 1,1 2
    """
    tables = compiled(text)
    squares, ground, extras = tables.squares, tables.ground, tables.extras[0]
    assert extras["num_rooms"] == 1
    assert ground["room"].reshape(-1, 4)[:4].tolist() == [[-1] * 4, [-1, 0, 0, -1], [-1, 0, 0, -1], [-1] * 4]
    assert ground["room_next"][[5, 6, 9, 10]].tolist() == [6, 10, 5, 9]
    once = ground["room_rows"][[5, 6, 9, 10], 1]
    assert once.tolist() == [16, 17, 18, 19]
    assert ground["room_rows"][[4, 11]].tolist() == [[4] * 4, [11] * 4]
    assert ground["place"][once].tolist() == [5, 6, 9, 10]
    assert squares["neighbour"][once].tolist() == squares["neighbour"][[5, 6, 9, 10]].tolist()
    assert squares["belt_direction"][once].tolist() == [-1, -1, -1, S]
    # The portals: 10 leads out of the room to 4, 9 to 7; what 9 was is on 5, what 10 was is on 9.
    assert ground["twin"][once].tolist() == [7, -1, 4, -1]
    # Own walls: the laser's corner (n, w) is now n, e of 6; the door between 9 and 10 lies south of 5 now.
    assert squares["wall"][once].tolist() == [
        [0, 0, 0b11101, 0],
        [ALL, ALL, 0, 0],
        [0b11101, 0, 0, ALL],  # and the wall of square 8 outside
        [0, ALL, 0, 0],  # and that of 11
    ]
    assert np.all(ground["in_line"][ground["place"]] == ground["in_line"])


def test_rooms_side_by_side_turn_on_their_own() -> None:
    tables = compiled(". ./e . .\n. . . .\ngroups:\nroom at 0,0 2\nroom at 2,0 2\n")
    rows = tables.ground["room_rows"]
    assert tables.ground["room"].tolist()[:8] == [0, 0, 1, 1] * 2
    assert rows[1].tolist() == [1, 9, 13, 17]
    assert rows[2].tolist() == [2, 20, 24, 28]
    assert tables.squares["wall"][rows[1, 0]].tolist() == [0, ALL, 0, 0]
    assert tables.squares["wall"][rows[5, 1]].tolist() == [0, 0, ALL, 0]
    assert tables.squares["wall"][rows[2, 1]].tolist() == [0, 0, 0, ALL]  # the other room not turned


def test_tables_with_and_without_ground() -> None:
    base, other = load_course("exchange"), Course.from_board("@1 . #1+f", "other")
    settings = Settings()
    assert not needs_ground(base)
    assert needs_ground(other)
    assert compile_tables([base], [settings]).dtype == TABLE
    tables = compile_tables([base, other], [settings] * 2)
    assert tables.dtype == FULL_TABLE
    assert tables["course"]["num_squares"].tolist() == [144, 3]
    assert tables["extras"]["num_rows"].tolist() == [144, 3]
    assert tables["squares"][0, :144].tobytes() == base.tables.squares.tobytes()
    assert tables["ground"][1, 2]["overlays"] == g.FOGGY
    stacked = compile_courses([other, base, Course.from_board(ROOM, "room")])
    assert stacked.courses["first_square"].tolist() == [0, 3, 147]
    assert len(stacked.squares) == len(stacked.ground) == 147 + 204
    assert [len(part) for part in compile_courses([base])[3:]] == [0, 0]


def grid(token: str, width: int, height: int) -> str:
    return "\n".join([" ".join([token] * width)] * height) + "\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (grid("Y", 16, 17), "course b: 272 crumbly squares: expected at most 256"),
        (grid("t>", 9, 1), "9 turret guns: expected at most 8"),
        (grid("t>", 200, 1), "200 turret guns: expected at most 8"),
        (grid("B", 33, 1), "33 magnets and black holes: expected at most 32"),
        (grid("./nesw*m", 17, 1), "68 melting beams: expected at most 64"),
        (grid("./nesv1", 22, 1), "66 ventilators: expected at most 64"),
        (grid(".", 18, 2) + "groups:\n" + "".join(f"room at {2 * i},0 2\n" for i in range(9)), "9 rooms: .* most 8"),
        (grid(".", 130, 130) + "groups:\nroom at 0,0 128\n", "128 squares along a room: expected at most 127"),
        (grid(".", 130, 130) + "groups:\nroom at 0,0 127\n", "turned rooms,: expected at most 32767"),
        (grid("./eh .", 257, 1) + "levels:\n" + "01" * 257 + "\n", "257 ramps: expected at most 256"),
    ],
)
def test_courses_beyond_the_limits_of_the_tables_are_refused(text: str, message: str) -> None:
    with pytest.raises(CourseError, match=message):
        _ = Course.from_board(text, "b").tables


def test_rows_of_turned_rooms_count_for_the_size_of_an_arena() -> None:
    course = Course.from_board(grid(".", 30, 30) + "groups:\nroom at 0,0 24\n", "b")
    with pytest.raises(RoboRallyError, match="2628 squares, with ramps and turned rooms: expected at most 2560"):
        compile_tables([course], [Settings()])
