"""The board format RRB1: what it accepts, what it refuses and where, and that boards survive writing and turning."""

from __future__ import annotations

import os
import re
from contextlib import suppress

import pytest
from combinations import for_each
from hypothesis import given, settings
from hypothesis import strategies as st

from rr_gym.courses import Course
from rr_gym.courses.elements import BY_ID
from rr_gym.courses.text.board import parse_board
from rr_gym.courses.text.board_format import format_board
from rr_gym.courses.text.boards import list_boards, load_board
from rr_gym.courses.text.words import ITEMS, SIDE_KINDS
from rr_gym.errors import BoardError, CourseError

# Boards of one square. The verdicts, and the columns of what is wrong (after the @), are those of another
# implementation of the format.
GOOD_TOKENS = r"""
. X X135 Xb Xb24 W WW Wp O I Q Y D S^ S^> V V24 > >> >>> >:ns v:w ^^:e gwe c> c>:s m> m>:n r2^>v<- L R Lx Rf
P> P>135 H>24 C C24 K K3 F F135 N24 T Tf ? & E A M M135 U B J>^<v f z G Z ZZ w1 w2 ws wc #1 @1 t^ pa> pb<
./n ./nesw ./w! ./w) ./wD ./wD24 ./wr ./eg ./sf ./no ./nu ./nm ./w*1 ./w*3 ./w*m ./nv1 ./nv2:135 ./nb ./ny
./wey ./n,e ./n,ny S> ./nv1: ./ny,ny ./ny,nr ./nr,ny X135+w1 .+w1 w1+. >+C24 E+A E+A+M1 P>+P< P>1+P>2 P>+H>
f+z w1+#1 #1+@1 X+f X+P> X+C G+Z+f+z+w1+C+F+P>+E Q+& C+X135 #1+X24 w1+Xb K24 ./nv2:13 @1+& H>4 X24 < V4 Z/eg
M+C24 F/no ./w M35 ./ny,n ^ ./wy V2 N4 >+P> t> X15 ./nes U+A w1+@1 N2 F35 &+^ P>35 >:n E+A+M f+R ./ew*m ./wm
N234 P>3+c> ./neo ./eb E+f Xb4 ./s >:s N F15 C+z T+A V3 C/n,ny V/wD ./wb ./ne f+< ./s,e B+C ./new ./we X35
D+w1 X2 ./ne! C2 ./nwg,ny ./nsew v/eg ./nv2:35 T+. ./wD4 ./esw X35+w1 #1+X2 M1+L ./nwr #1+X4 ./n*m X13+w1
^:e ./w,e ./we) F13 ./sr Lf+f f/n >+C4
"""
BAD_TOKENS = r"""
h@1 ./ny,n*@6 x@1 XX@1 X9@1 X31@1 X11@1 X6@1 Xb0@1 Xc@1 WWW@1 Wx@1 w3@1 w@1 S@1 S><@1 S^^@1 S^v@1 S^>v@1
V6@1 >>>>@1 <>@1 >:@1 >:x@1 >:e@1 >:w@1 >:nn@1 >:n:@1 v>:@1 ^:s@1 g@1 gnn@1 gnx@1 gnes@1 c@1 c>>@1 c>:e@1
m>:<@1 r2^>v<@1 r4^>v<-@1 r2^>v<->@1 Lxf@1 LL@1 P@1 P5@1 P>9@1 P>53@1 H@1 C0@1 C25x@1 K6@1 F6@1 N7@1 TT@1
==@1 =A@1 =1@1 =aa@1 M0@1 JJ@1 J>^<@1 J>^<vv@1 #@1 #0@1 #9@1 #12@1 @@1 @0@1 @9@1 t@1 tn@1 p@1 pa@1 pc>@1
pa>>@1 h6@1 0@1 1@1 ,@1 +@1 /@1 .+@3 +.@1 ./@3 ./x@3 ./nn@3 ./nen@3 ./n,@5 ./,n@3 ./n,n@5 ./n!!!@3 ./n*@3
./n*0@3 ./n*4@3 ./n*mm@3 ./nD6@3 ./nD21@3 ./nv@3 ./nv0@3 ./nv4@3 ./nv1:6@3 ./nk@3 ./nkA@3 ./nka@3 ./nhhh@3
./nh@3 ./nhh@3 ./nbb@3 ./n/e@3 /n@1 //n@1 n@1 nesw@1 ./N@3 ./e,se@5 ./n!,n)@6 h13@1 =a@1 #2@1 @2@1 X+w1@3
w1+X@1 X+X@3 X+X135@3 X+W@3 .+X@3 .+.+.@3 C+K@3 C24+C3@5 F1+N2@4 T+?@3 T+=a@3 E+E@3 P>+P>@4 f+f@3 Z+ZZ@3
w1+w2@4 #1+X@1 @1+B@1 &+t^@1 ?+X@1 M1+X@1 E+X@1 A+X@1 L+R@3 L+>@3 pa>+X@5 h+>@3 =a+X@1 wc+B@1 t?^@1
*+Z+f+z+w1+C+F+P>+E@1 E^@1 V#1M+X24@1 .sw!@1 5>>@1 &>@1 C+X&13W5@3 ..X@1 C43@1 .fnm@1 ./nny@3 T+3a@3 wf+z@1
135@1 w1N+w2@1 X135+w<@6 Gwe@1 C.4@1 #gKwe@1 s@1 >:)n@1 !@M1@1 EX2@1 Pe@1 e@1 @1fB@1 )24@1 wG@1 w1+X:@4
./n,Tnty@5 ./w*@3 ./wwr@3 X13*5R@1 w1@+w2@1 ./@,nyM@3 .B/n,e@1 .24@1 t./w)@1 5@1 ./B@3 w&@1 .Xw*1@1 TE?@1
uC24+C3@1 ./r@3 =ae2X@1 @+B@1 //n,we@1 yC@1 X+XS35@3 CF@1 ?+?@3 M1X@1 )L@1 wk@1 Kz@1 1+X@1 ./cgeg@3
N+Z+f+z+w1+C+F+P>+nE@14 m:n@1 E+hA@3 &+tA@3 M1u5@1 *./sf@1 Ae+X@1 +X135@1 WUW@1 SC+>@1 r2^>v-@1 P+P>@1
F+N2@3 EY@1 2./yw!@1 +>13z5@1 M1T+X@1 X+1P>@3 VpZb<@1 PJ135@1 v?@1 Gv:<w@1 y+f@1 v./w*3@1 +X@1 E+@3 v:)N@1
w.@1 ./nne@3 ./n,n!@5 2AX+w1@1 E@JA@1 be@1 wrcB@1 .wD@1 k@1 J@1 Aw1@1 w1X@1 g./w)@1 Wws@1 E+A+M^@5 f+?s@3
>1+X@1 Du@1 ?C24#C3@1 GM@1 kam>:n@1 X+X1n35@3 H>+4@4 fpn<@1 &c@1 X#1@1 ./n^m@3 e>@1 UXb124@1 LP@1 vA+P@1
P>vn+P<@1 XNw15@1 Z135@1 ./nv2a135U@3 F)134@1 +=a@1 wC1+@1 )L>@1 zN@1 r+W@1 .fw)@1 Q+@3 X+X133@3 ./nfu@3
>+C.24@3 *P@1 ./n,bny@5 F:1N2@1 &I@1 ./n,+1e@5 Ew1+.Z@1 J>^<Ey@1 wcB@1 =!@1
"""

HEAD = "name: b\nsize: 3x2\ngrid:\n"
GRID = ". . .\n. . .\n"
BAD_BOARDS = {
    "no grid": ("", "1:1"),
    "only a comment": ("; nothing\n", "1:1"),
    "ragged, too long": (HEAD + ". . .\n. . . w1\n", "5:7"),
    "ragged, too short": (". . .\n. .\n", "2:3"),
    "wider than its size": ("size: 2x1\n. . .\n", "2:5"),
    "too few rows": ("size: 3x3\n" + GRID, "1:1"),
    "a size of nothing": ("size: 0x3\n" + GRID, "1:7"),
    "a size in words": ("name: x\nsize: big\n" + GRID, "2:7"),
    "an unknown header": ("title: x\n" + GRID, "1:1"),
    "an unknown section": (GRID + "notes:\n", "3:1"),
    "levels first": ("levels:\n000\n000\n" + GRID, "1:1"),
    "two grids": (HEAD + GRID + "grid:\n" + GRID, "6:1"),
    "not ASCII": (HEAD + ". . é\n", "4:5"),
    "not ASCII in a comment": (". ; naïve\n", "1:7"),
    "column counts from the line's start": (HEAD + "   .  q .\n", "4:7"),
    "few levels": (GRID + "levels:\n000\n", "3:1"),
    "many levels": (GRID + "levels:\n000\n000\n000\n", "6:1"),
    "short levels": (GRID + "levels:\n00\n000\n", "4:1"),
    "levels in words": (GRID + "levels:\n0a0\n000\n", "4:1"),
    "unknown param": (GRID + "params:\nlives = 3\n", "4:1"),
    "wrong value": (GRID + "params:\n  lava_mode = page5\n", "4:3"),
    "param without value": (GRID + "params:\nlava_mode\n", "4:1"),
    "param twice": (GRID + "params:\njack_damage = 0\njack_damage = 0\n", "5:1"),
    "one portal": ("=a . .\n. =b =b\n", "1:1"),
    "one gate": ("./eka . .\n", "1:3"),
    "three gates": ("./eka ./eka ./eka\n", "1:15"),
    "flag 2 alone": (". #2\n", "1:3"),
    "flag twice": ("#1 #1\n", "1:4"),
    "start gap": ("@1 @3 .\n", "1:4"),
    "ramp to the same level": (". ./eh .\n", "1:5"),
    "ramp off the board": ("./wh .\nlevels:\n01\n", "1:3"),
    "ramp down": ("./eh .\nlevels:\n10\n", "1:3"),
    "ramp out of a room": (". . .\n. ./eh .\nlevels:\n000\n001\ngroups:\nroom at 0,0 2\n", "2:5"),
    "ramp into a room": ("./eh . .\n. . .\nlevels:\n011\n000\ngroups:\nroom at 1,0 2\n", "1:3"),
    "fast ramp without belt": ("./ehh .\nlevels:\n01\n", "1:3"),
    "fast ramp across the belt": ("v/ehh .\nlevels:\n01\n", "1:3"),
    "elevator to nowhere": (". h13 .\n", "1:3"),
    "unknown group": (GRID + "groups:\npool at 0,0 2x2\n", "4:1"),
    "platform without rows": (GRID + "groups:\nplatform at 0,0\n", "4:1"),
    "platform, uneven rows": (GRID + "groups:\nplatform at 0,0\n  W C E\n  S S\n", "6:3"),
    "platform, other letters": (GRID + "groups:\nplatform at 0,0\n  W X E\n", "5:3"),
    "platform off the board": (GRID + "groups:\nplatform at 1,0\n  W C E\n", "5:1"),
    "rows without platform": (GRID + "groups:\n  W C E\n", "4:3"),
    "rows not indented": (GRID + "groups:\nplatform at 0,0\nW C E\n", "5:1"),
    "gear of one square": (GRID + "groups:\nbigear at 0,0 1x1\n", "4:1"),
    "room without a square": (GRID + "groups:\nroom at 0,0 0\n", "4:1"),
    "gear without a middle": (GRID + "groups:\nbigear at 0,0 3x2\n", "4:1"),
    "gear off the board": (GRID + "groups:\nbigear at 2,0 2x1\n", "4:1"),
    "enormous gear": (GRID + "groups:\nbigear at 0,0 99999x99998\n", "4:1"),
    "trapdoor without cap": (GRID + "groups:\ntrapdoor at 0,0 2x1\n", "4:1"),
    "trapdoor with cap 0": (GRID + "groups:\ntrapdoor at 0,0 2x1 cap 0\n", "4:1"),
    "oblong room": (GRID + "groups:\nroom at 0,0 2x1\n", "4:1"),
    "ring of two": (GRID + "groups:\nring 0,0 1,0\n", "4:1"),
    "ring not closed": (GRID + "groups:\nring 0,0 1,0 2,0\n", "4:1"),
    "ring twice over": (GRID + "groups:\nring 0,0 1,0 0,1 1,0\n", "4:1"),
    "ring off the board": (GRID + "groups:\nring 0,0 1,0 1,5\n", "4:1"),
    "groups overlap": (GRID + "groups:\nbigear at 0,0 2x1\ntrapdoor at 1,0 1x2 cap 1\n", "5:1"),
    "group half in a room": (GRID + "groups:\nroom at 0,0 2\nbigear at 1,0 2x1\n", "5:1"),
    "rooms overlap": (GRID + "groups:\nroom at 0,0 2\nroom at 1,0 2\n", "4:1"),
}

OFFICIAL = """\
name: official
size: 8x5
grid:
=a      W       c>:s    c>      X       ?       T       .
.       WW      ./er    O       O       F24     F24     =a
./eu    X135    .       O       ./nD24  C       wc      Z
.       .       ./eh    .       .       .       ./s     ZZ
.       >>      >>/ehh  .       #1      .       .       .
levels:
00000000
00000000
00000000
00011100
00011100
"""
FAN = """\
; a comment
grid:
gwe   gws    ./wey  .        U      .    Jv>^<    f     z  ; and another
.     gns    ./wey  r1>v<^-  m>     m>:n V24      f     E
pa>   pb<    D      D        D/e)   t>   G        K5/n! &
./eka Q      Y      .        N135   Wp   M24      h13   .
.     I      .      A        .      B    Lf       Rx    ./wka
.     .      .      .        .      .    H>24/w   ws    .
.     .      .      .        .      .    .        .     ./nb
.     .      .      .        .      .    .        .     ./ev2:135
levels:
000000000
000000000
000000000
000000001
000000000
000000000
000000000
000000000
groups:
platform at 0,5
  N N N
  W C E
  S S S
ring 3,3 4,4 3,5 2,4
trapdoor at 4,6 2x2 cap 1
bigear at 4,5 2x1
room at 6,6 2
params:
flip_state = random
lava_mode = list
"""
TEXTS = [OFFICIAL, FAN, "v:w .", "size: 1x1\r\n.\r\n", *(format_board(load_board(name)) for name in list_boards())]


@for_each(GOOD_TOKENS.split())
def test_token_is_accepted_and_survives_writing_and_turning(token: str) -> None:
    board = parse_board(token)
    assert parse_board(format_board(board)) == board
    assert board.turned().turned().turned().turned() == board


@for_each(BAD_TOKENS.split())
def test_token_is_refused_at_its_column(entry: str) -> None:
    token, column = entry.rsplit("@", 1)
    with pytest.raises(BoardError) as caught:
        parse_board(token, "b.rrb")
    assert str(caught.value).startswith(f"b.rrb:1:{column}: '{token}': expected ")


@pytest.mark.parametrize(("text", "place"), BAD_BOARDS.values(), ids=BAD_BOARDS)
def test_board_is_refused_with_its_line_and_column(text: str, place: str) -> None:
    with pytest.raises(BoardError, match=rf"^b\.rrb:{place}: '.*': expected "):
        parse_board(text, "b.rrb")


@pytest.mark.parametrize("text", TEXTS)
def test_boards_survive_writing_and_turning(text: str) -> None:
    board = parse_board(text)
    assert parse_board(format_board(board)) == board
    once = board.turned()
    assert (once.width, once.height) == (board.height, board.width)
    assert once.turned().turned().turned() == board


MARKS = st.sampled_from("\n ;/+:,@#*=.XnewsLRw1235^v<>hkcgSDVé&?x0")
EXAMPLES = settings(max_examples=int(os.environ.get("RR_GYM_EXAMPLES", "100")), deadline=None)


def check_any(text: str) -> None:
    """Check that a text gives an error with its place, or a board that survives writing and compiles or is refused."""
    try:
        board = parse_board(text, "b.rrb")
    except BoardError as error:
        place = re.match(r"b\.rrb:(\d+):(\d+): '", str(error))
        assert place
        lines = text.split("\n")
        assert 1 <= int(place[1]) <= len(lines)
        assert 1 <= int(place[2]) <= len(lines[int(place[1]) - 1]) + 1
        return
    assert parse_board(format_board(board)) == board
    with suppress(CourseError):
        tables = Course.from_board(text, "b").tables
        assert len(tables.ground) in (0, len(tables.squares))


@given(
    st.sampled_from([OFFICIAL, FAN, TEXTS[4]]),
    st.lists(st.tuples(st.integers(0, 2000), MARKS), max_size=3),
    st.booleans(),
)
@EXAMPLES
def test_damaged_boards_give_a_board_or_one_error_with_a_place(
    text: str, changes: list[tuple[int, str]], insert: bool
) -> None:
    """Set RR_GYM_EXAMPLES=10000 in the environment for more examples, here and below."""
    for at, letter in changes:
        at %= len(text)
        text = text[:at] + letter + text[at + (not insert) :]
    check_any(text)


FEW = "=a ./eka ./nh ./eh >>/ehh h3 ./wy ./ey . . . . . ."
TOKENS = st.sampled_from([*GOOD_TOKENS.split(), *FEW.split()])
SMALL = st.integers(0, 3)
GROUPS = ["bigear at {},{} {}x{}", "trapdoor at {},{} {}x{} cap 2", "room at {},{} {}", "ring {0},{1} {2},{1} {2},{3}"]


@st.composite
def random_boards(draw: st.DrawFn) -> str:
    """Draw boards from tokens that are valid by themselves, combined at random."""
    width, height = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    lines = [" ".join(draw(st.lists(TOKENS, min_size=width, max_size=width))) for _ in range(height)]
    levels = st.lists(st.sampled_from("0012"), min_size=width, max_size=width)
    lines += ["levels:", *("".join(draw(levels)) for _ in range(height))] if draw(st.booleans()) else []
    groups = draw(st.lists(st.sampled_from(GROUPS), max_size=3))
    lines += ["groups:", *(group.format(*(draw(SMALL) for _ in range(4))) for group in groups)] if groups else []
    return "\n".join(lines) + "\n"


@given(random_boards())
@EXAMPLES
def test_random_boards_compile_or_say_why_not(text: str) -> None:
    check_any(text)


def test_turning_moves_squares_sides_arrows_and_turn_sides() -> None:
    board = parse_board("@1 >:s/n*2 .\n. gwe S^>\n", "b").turned()
    assert format_board(board) == "size: 2x3\ngrid:\n.   @1\ngns v:w/e*2\nS>v .\n"
    assert board.cells[1][1].column == 4  # where it stands in the text it was read from


def test_turning_groups() -> None:
    text = ". . .\n. . .\ngroups:\nplatform at 0,0\n W C\n S S\n"
    turned = format_board(parse_board(text).turned())
    assert turned.endswith("groups:\nplatform at 0,0\n  W N\n  W C\n")
    ring = parse_board(". . .\n. . .\ngroups:\nring 0,0 1,0 1,1 0,1\n").turned()
    assert ring.groups[0].squares == ((1, 0), (1, 1), (0, 1), (0, 0))


def test_equality_is_about_the_board_not_its_spelling() -> None:
    assert parse_board("./nw   >:sn") == parse_board("; the same\ngrid:\n./w,n >:ns")
    assert parse_board("./n") != parse_board("./n*1")


def test_what_a_board_says() -> None:
    board = parse_board("name: x\ngrid:\n>>:n+C24/es*3 P<\nparams:\njack_damage = 1\nlevels:\n07\n", "x")
    belt, crusher = board.cells[0][0].items
    assert (belt.element, belt.direction, belt.turns) == ("express_conveyor", 1, 0b0001)
    assert (crusher.element, crusher.phases) == ("crusher", 0b01010)
    assert [(side.side, side.element, side.number) for side in board.cells[0][0].sides] == [
        (1, "board_laser", 3),
        (2, "board_laser", 3),
    ]
    assert board.cells[0][1].items[0].phases == 0b11111
    assert (board.name, board.levels, dict(board.params)) == ("x", ((0, 7),), {"jack_damage": "1"})


def test_every_element_has_a_row_in_the_grammar() -> None:
    """All elements are written as items or sides, except derived ones and groups of squares."""
    elements = {word.element for word in (*ITEMS, *SIDE_KINDS)}
    derived = {"board_edge", "ledge", "waterfall"}
    groups = {"balancing_platform", "big_turning_gear", "giant_trapdoor", "rotating_room", "particle_accelerator"}
    assert not elements & (derived | groups)
    assert elements | derived | groups == BY_ID.keys()
