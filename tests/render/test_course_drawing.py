"""Courses as text and as pictures."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from combinations import for_each

from rr_gym.cli.main import main
from rr_gym.courses import Course, list_boards, list_courses, load_course
from rr_gym.courses.changes import AS_PRINTED, Changes, current_course, place_of, raised_squares, with_gun
from rr_gym.courses.tables.features import elements
from rr_gym.courses.text.board import GROUP_ELEMENTS
from rr_gym.courses.text.words import ITEMS, SIDE_KINDS
from rr_gym.render.board.glyphs import GLYPHS
from rr_gym.render.board.group_glyphs import GROUP_GLYPHS
from rr_gym.render.board.picture import rgb, save_png, svg, to_rgb, to_svg
from rr_gym.render.board.scene import primitives
from rr_gym.render.board.shapes import LASER, Circle, Pen, Polygon, Polyline, Primitive, Text
from rr_gym.render.board.side_glyphs import SIDE_GLYPHS
from rr_gym.render.board.sketch import can_show_unicode, draw

EVERYTHING = Course.from_board(
    """
    gwe   gws    ./wey  =a/nm   U      T    Jv>^<    f     z
    >>>:n gns    ./wey  r1>v<^- m>     m>:n V24      f     E
    pa>   pb<    D      S^>     D/e)   t>   G        K5/n! &
    ./eka Q      Y      O       N135   Wp   M24      h13   .
    W     I      WW     A       ?      B    Lf       Rx    ./wka
    Z     ZZ     c>     =a/sf   Tf     .    H>24/w   ws    ./no
    wc    F24    X135   Xb3/nD2 ./nu   ./er .        .     ./nb,s*m
    w1    C24+>  P>1/w  #1+R    ./eh   .    >>/ehh   @1/wg     ./ev2:135
    levels:
    000000000
    000000000
    000000000
    000000001
    000000000
    000000000
    000000000
    000001010
    groups:
    platform at 6,5
      N N N
      W C E
    ring 3,3 4,4 3,5 2,4
    trapdoor at 0,0 2x2 cap 1
    bigear at 4,0 1x2
    room at 0,4 2
    """,
    "everything",
)
SQUARES = """
    @1      .     >:s   X
    ./w*1   #1/s  ^:e   C24+<
    """


def test_text_in_ascii() -> None:
    assert draw(Course.from_board(SQUARES), unicode=False) == (
        "+   +   +   +   +\n  @1  .   >  XXX\n+   +   +   +   +\n1 .   #1  ^   <C\n".replace("<C", "C<")
        + "+   +---+   +   +\n"
        "(3,1) crusher in 2, 4, conveyor to w\n"
    )


def test_text_in_unicode_with_marks_and_colour() -> None:
    course = Course.from_board(SQUARES)
    text = draw(course, marks={(0, 0): "A→"})
    assert "A→" in text
    assert "@1" not in text
    assert "━━━" in text
    assert re.sub(r"\x1b\[[0-9;]*m", "", draw(course, colour=True)) == draw(course)


def test_walls_show_from_either_side() -> None:
    assert draw(Course.from_board("./e ."), unicode=False) == draw(Course.from_board(". ./w"), unicode=False)


def test_gaps_and_levels_in_text() -> None:
    boards = [{"board": "b", "rotation": 0, "at": at, "level": at[1]} for at in ([0, 0], [1, 0], [0, 1])]
    course = Course.from_yaml({"id": "c", "boards": boards, "board_texts": {"b": "."}})
    assert draw(course, unicode=False).splitlines() == [
        "+   +   +",
        "  .   .    00",
        "+...+   +",
        "  .        1.",
        "+   +",
    ]


@for_each([*list_courses(), *list_boards()])
def test_every_built_in_course_is_drawn(name: str) -> None:
    course = load_course(name)
    text = draw(course, unicode=False)
    assert text.isascii()
    assert len(text.splitlines()) >= 2 * course.size[1] + 1
    assert primitives(course)


def test_every_element_has_a_picture() -> None:
    assert {"ledge", "portal", "rotating_room"} <= elements(EVERYTHING).keys()
    belts = {"conveyor", "express_conveyor", "gold_conveyor"}
    assert {word.element for word in ITEMS} == GLYPHS.keys() | belts
    assert {word.element for word in SIDE_KINDS} == SIDE_GLYPHS.keys()
    assert GROUP_ELEMENTS.keys() == GROUP_GLYPHS.keys()
    plain = primitives(Course.from_board("."))
    for item in ("C", "X", "gwe", ">", ">>", ">>>:n", "L", "Rx", "Rf", "W", "WW", "Wp", "P>"):
        assert len(primitives(Course.from_board(item))) > len(plain)


def beam_ends(course: Course) -> list[float]:
    """Return the x coordinates at which the drawn beams, which all run east, end."""
    red = [shape.points for shape in primitives(course) if isinstance(shape, Polyline) and shape.stroke == LASER]
    return sorted({end for (start, y), *_, (end, other) in red if start < 1 < end and y == other})


@pytest.mark.parametrize(
    ("squares", "length"),
    [
        ("@1/w*1 ./eo .", 3),  # a loophole stops robots only (R-E59)
        ("@1/w*1 ./wo .", 3),
        ("@1/w*1 ./eu .", 2),  # a repulsor field stops beams too (R-E23)
        ("@1/w*1 .     ./wu", 2),
        ("@1/w*1 ./ef .", 3),
        ("@1/w*1 ./eg .", 3),  # from its green side a one-way wall is open
        ("@1/w*1 ./er .", 2),
        ("@1/w*1 ./wr .", 3),
        ("@1/w*1 ./eD24 .", 2),  # closed in some phases
        ("@1/w*1 ./e! .", 2),
        ("@1/w*1 ./em .", 2),
        ("@1/w*1 ./ewy .", 3),
    ],
)
def test_beams_are_drawn_as_far_as_they_reach(squares: str, length: int) -> None:
    course = Course.from_board(squares)
    assert course.tables.beams["length"].tolist() == [length]
    assert beam_ends(course) == [pytest.approx(length - 0.06)]


def test_beams_end_before_a_turret_gun() -> None:
    assert beam_ends(Course.from_board("@1/w*1 . t^ .")) == [pytest.approx(1.94)]  # R-E76


def test_beams_end_at_the_wall_of_a_big_gear() -> None:
    course = Course.from_board("@1/w*1 . . .\ngroups:\nbigear at 1,0 2x1")
    assert course.tables.beams["length"].tolist() == [2]
    assert beam_ends(course) == [pytest.approx(1.94)]


CHANGING = """
    L    ./n*2  .    Lf    pa>      c>
    .    >      Y    gwe   pb<      h135
    ./eh .      t^   S^>   r1>v<^-  .
    levels:
    000000
    000010
    010000
    groups:
    room at 0,0 2
    """
CHANGED = """
    .    L      .    Rf    pa>      c>
    v    ./e*2  X    gew   pb<      h135
    ./eh .      t>   S^>   r1>v<^-  .
    levels:
    000000
    000010
    010000
    groups:
    room at 0,0 2
    """


def tokens(course: Course) -> list[str]:
    return [placed.cell.token for placed in course.squares.values()]


def test_a_course_lies_as_a_game_has_left_it() -> None:
    course = Course.from_board(CHANGING)
    assert current_course(course, AS_PRINTED) is course
    lying = current_course(course, Changes(rooms=(1,), flip=1, crumbled=(0,), guns=(1,)))
    assert tokens(lying) == tokens(Course.from_board(CHANGED))
    assert tokens(current_course(course, Changes(rooms=(4,)))) == tokens(course)


def test_a_room_takes_along_what_lies_in_it() -> None:
    levels = "levels:\n0010\n0000\n0000"
    groups = "groups:\nroom at 1,0 3\ntrapdoor at 1,0 2x1 cap 1"
    course = Course.from_board(f". #1 . .\n@1 . . t^\n. . . .\n{levels}\n{groups}")
    turned = current_course(course, Changes(rooms=(1,), guns=(0,)))
    assert turned.flags == ((3, 0),)
    assert turned.starts == {1: (0, 1)}
    assert [square for square, placed in turned.squares.items() if placed.level] == [(3, 1)]
    assert {g.kind: g.squares for g in turned.placements[0].board.groups}["trapdoor"] == ((3, 0), (3, 1))
    assert turned.squares[2, 2].cell.token == "t>"
    # The gun that is now at 2,2 turns to the west, which is south on the unturned room.
    assert with_gun(course, Changes(rooms=(1,), guns=(0,)), (2, 2), 3) == Changes(rooms=(1,), guns=(2,))


def test_what_is_up() -> None:
    course = Course.from_board(CHANGING)
    assert raised_squares(course, AS_PRINTED) == frozenset()
    assert raised_squares(course, Changes(piston_up=1, risen=3)) == {(4, 1), (5, 1)}
    assert raised_squares(course, Changes(piston_up=0, risen=2)) == {(4, 0)}
    assert len(primitives(course, {(4, 0)})) > len(primitives(course))
    assert "^a>" in draw(course, unicode=False, up={(4, 0)})


def test_the_number_of_a_ramp_stands_for_its_foot() -> None:
    course = Course.from_board(CHANGING)
    assert [place_of(course, number) for number in (-1, 5, 18)] == [-1, 5, 12]


def test_groups_and_ledges_in_text() -> None:
    board = """
        .  .  .  .  c>
        .  .  .  .  .
        levels:
        00001
        00000
        groups:
        ring 0,0 1,0 0,1
        bigear at 2,0 1x2
        trapdoor at 3,0 1x2 cap 2
        """
    assert draw(Course.from_board(board), unicode=False).splitlines() == [
        "+   +   +   +   +   +",
        "  o> ov< (*) {2}: c>   00001",
        "+   +   +---+   +...+",
        "  o^  .  (*) {2}  .    00000",
        "+   +   +   +   +   +",
        "(0,0) 2x2 particle_accelerator",
        "(2,0) 1x2 big_turning_gear",
        "(3,0) 1x2 giant_trapdoor",
    ]


def test_svg_is_well_formed_and_holds_every_primitive() -> None:
    document = svg(EVERYTHING, cell=20)
    root = ElementTree.fromstring(document)
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("180", "160", "0 0 9 8")
    assert len(root) == len(primitives(EVERYTHING)) + 1  # and the title


def test_svg_escapes_words() -> None:
    document = to_svg([Text((0.5, 0.5), "<&>", 0.2, "#000000")], 1, 1, title="a & b")
    root = ElementTree.fromstring(document)
    assert [element.text for element in root] == ["a & b", "<&>"]


def test_pixels() -> None:
    pytest.importorskip("PIL")
    shapes: list[Primitive] = [
        Polygon(((0, 0), (2, 0), (2, 1), (0, 1)), "#000000"),
        Polygon(((1, 0), (2, 0), (2, 1), (1, 1)), "#ff0000"),
        Circle((0.5, 0.5), 0.25, "#00ff00"),
        Polyline(((1.0, 0.5), (2.0, 0.5)), "#0000ff", 0.2),
        Polygon(((0, 0), (0.1, 0), (0.1, 0.1), (0, 0.1)), "#ffffff", opacity=0.5),
    ]
    picture = to_rgb(shapes, 2, 1, cell=20)
    assert picture.shape == (20, 40, 3)
    assert picture[10, 10].tolist() == [0, 255, 0]
    assert picture[2, 30].tolist() == [255, 0, 0]
    assert picture[10, 30].tolist() == [0, 0, 255]
    assert picture[18, 2].tolist() == [0, 0, 0]
    assert 100 < picture[0, 0, 0] < 155


def test_a_pen_turns_clockwise() -> None:
    shapes: list[Primitive] = []
    for turn in range(4):
        Pen(shapes, (3, 5), turn).circle(0.5, 0.0, 0.1, "#000000")
    centres = [shape.centre for shape in shapes if isinstance(shape, Circle)]
    assert centres == [(3.5, 5.0), (4.0, 5.5), (3.5, 6.0), (3.0, 5.5)]


def test_png(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    picture = rgb(EVERYTHING, cell=16)
    save_png(picture, tmp_path / "new" / "c.png")
    with image.open(tmp_path / "new" / "c.png") as read:
        assert read.size == (144, 128)
        assert read.getpixel((5, 5)) == tuple(picture[5, 5])


def test_what_streams_can_show() -> None:
    assert can_show_unicode(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    assert not can_show_unicode(io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))


def test_command_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["course", "show", "chess", "--ascii"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "chess, 12x12, 0 flags"
    assert out.isascii()
    assert main(["course", "show", "chess", "--out", str(tmp_path / "c.svg")]) == 0
    assert ElementTree.parse(tmp_path / "c.svg").getroot().get("width") == "576"
    assert main(["course", "show", "chesss"]) == 2
    assert "did you mean 'chess'?" in capsys.readouterr().err
