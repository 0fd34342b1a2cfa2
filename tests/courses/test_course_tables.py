"""The compiled tables, compared with small boards worked out by hand and with simple walks over the boards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from combinations import combinations

from rr_gym.courses import Course, compile_courses, list_boards, load_course
from rr_gym.courses.tables.tables import (
    BEAM,
    COURSE,
    HAS_BELTS,
    HAS_CRUSHERS,
    HAS_EXPRESS,
    HAS_GEARS,
    HAS_LASERS,
    HAS_PITS,
    HAS_PUSHERS,
    SQUARE,
)
from rr_gym.courses.text.grammar import STEPS
from rr_gym.errors import CourseError

N, E, S, W = range(4)


def board(text: str) -> Course:
    return Course.from_board(text, "b")


def layout(text: str, *placements: tuple[int, tuple[int, int]], **fields: Any) -> Course:
    """Return a course of several copies of one board, each with (rotation, at)."""
    boards = [{"board": "b", "rotation": rotation, "at": list(at)} for rotation, at in placements]
    return Course.from_yaml({"id": "c", "boards": boards, "board_texts": {"b": text}, **fields})


def test_items_of_a_small_board() -> None:
    course, squares, beams, *_ = board(
        """
        @2   #1+w2     >>:ns
        R    P<135+v:ew X
        L/n  C24+@1    P^+P>2
        """
    ).tables
    assert squares["exists"].tolist() == [1] * 9
    assert squares["x"].tolist() == [0, 1, 2] * 3
    assert squares["y"].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert squares["neighbour"].tolist() == [
        [-1, 1, 3, -1], [-1, 2, 4, 0], [-1, -1, 5, 1],
        [0, 4, 6, -1], [1, 5, 7, 3], [2, -1, 8, 4],
        [3, 7, -1, -1], [4, 8, -1, 6], [5, -1, -1, 7],
    ]  # fmt: skip
    assert squares["start"].tolist() == [2, 0, 0, 0, 0, 0, 0, 1, 0]
    assert squares["flag"].tolist() == [0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert squares["wrenches"].tolist() == [0, 2, 0, 0, 0, 0, 0, 0, 0]
    assert squares["belt"].tolist() == [0, 0, 2, 0, 1, 0, 0, 0, 0]
    assert squares["belt_direction"].tolist() == [-1, -1, E, -1, S, -1, -1, -1, -1]
    assert squares["belt_turns"].tolist() == [0, 0, 0b0101, 0, 0b1010, 0, 0, 0, 0]
    assert squares["gear"].tolist() == [0, 0, 0, 1, 0, 0, -1, 0, 0]
    assert squares["pit"].tolist() == [0, 0, 0, 0, 0, 31, 0, 0, 0]
    assert squares["crusher"].tolist() == [0, 0, 0, 0, 0, 0, 0, 0b01010, 0]
    assert squares["pushers"][4].tolist() == [0, 0b10101, 0, 0]  # pushes west, so it hangs in the east
    assert squares["pushers"][8].tolist() == [0, 0, 31, 0b00010]
    # One wall, written on one of its squares only.
    walls = np.zeros((9, 4), int)
    walls[6, N] = walls[3, S] = 31
    assert squares["wall"].tolist() == walls.tolist()
    assert squares["cover"].tolist() == walls.tolist()
    assert not squares["lit"].any()
    head = course[0]
    assert (head["width"], head["height"], head["num_squares"], head["num_beams"]) == (3, 3, 9, 0)
    assert (head["num_flags"], head["num_starts"], head["start_facing"]) == (1, 2, -1)
    assert head["flag_squares"].tolist() == [1] + [-1] * 7
    assert head["starts"].tolist() == [7, 0] + [-1] * 6
    assert head["features"] == HAS_BELTS | HAS_EXPRESS | HAS_PUSHERS | HAS_GEARS | HAS_CRUSHERS | HAS_PITS
    assert len(beams) == 0


def test_reach_ends_at_walls_and_edges() -> None:
    squares = board(". . ./e . .\n. . . . ./w").tables.squares
    assert squares["reach"][:5, E].tolist() == [2, 1, 0, 1, 0]
    assert squares["reach"][:5, W].tolist() == [0, 1, 2, 0, 1]
    assert squares["reach"][5:, E].tolist() == [3, 2, 1, 0, 0]
    assert squares["reach"][:5, S].tolist() == [1] * 5
    assert squares["reach"][:5, N].tolist() == [0] * 5


def test_beams_twins_and_order() -> None:
    text = """
        .        .      ./s*1
        ./w*2    .      ./e*1
        ./w*3,n  ./e    .
        """
    tables = board(text).tables
    assert tables.beams.tolist() == [
        (2, N, 1, 1, -1),  # a mount on the south side fires north, over its own square only
        (3, E, 2, 3, 2),
        (5, W, 1, 3, 1),
        (6, E, 3, 2, -1),
    ]
    assert tables.squares["lit"].tolist() == [0, 0, 1, 1, 1, 1, 1, 1, 0]
    # The wall that a laser hangs on is a wall from both squares.
    assert tables.squares["wall"][2].tolist() == [0, 0, 31, 0]
    assert tables.squares["wall"][5].tolist() == [31, 31, 0, 0]
    assert tables.courses[0]["features"] == HAS_LASERS


def test_mounts_on_one_square_are_ordered_by_side() -> None:
    beams = board(". . .\n. ./w*1,s*2,ne*3 .\n. . .").tables.beams
    assert beams["direction"].tolist() == [S, W, N, E]
    assert beams["beams"].tolist() == [3, 3, 2, 1]
    assert beams["length"].tolist() == [1, 1, 1, 1]  # each is stopped by the wall of the opposite mount
    assert beams["twin"].tolist() == [2, 3, 0, 1]


def test_mounts_back_to_back_are_no_twins() -> None:
    beams = board("./e*1 ./w*1").tables.beams
    assert beams.tolist() == [(0, W, 1, 1, -1), (1, E, 1, 1, -1)]


def test_double_walls_at_joints_are_one_wall_and_gaps_are_off_the_board() -> None:
    both = layout(". ./e", (0, (0, 0)), (2, (2, 0))).tables.squares
    once = layout(". ./e", (0, (0, 0)), (0, (2, 0))).tables.squares
    for squares in (both, once):
        assert squares["wall"][1].tolist() == [0, 31, 0, 0]
        assert squares["wall"][2].tolist() == [0, 0, 0, 31]
        assert squares["reach"][0].tolist() == [0, 1, 0, 0]
    corner = layout(". .", (0, (0, 0)), (1, (0, 1)))
    squares = corner.tables.squares
    assert squares["exists"].tolist() == [1, 1, 1, 0, 1, 0]
    assert squares["neighbour"][1].tolist() == [-1, -1, -1, 0]
    assert squares["neighbour"][3].tolist() == [-1, -1, -1, -1]
    assert squares["reach"][1, S] == 0
    assert squares["reach"][0, S] == 2


@pytest.mark.parametrize(("name", "rotation"), combinations(list_boards(), [1, 2, 3], one_in=3))
def test_turned_boards_have_turned_tables(name: str, rotation: int) -> None:
    source = load_course(name).placements[0].board
    boards = [{"board": name, "rotation": rotation, "at": [0, 0]}]
    turned = Course.from_yaml({"id": "c", "boards": boards}).tables
    plain = load_course(name).tables
    width, height = source.width, source.height

    def number(index: int) -> int:
        x, y, w, h = index % width, index // width, width, height
        for _ in range(rotation):
            x, y, w, h = h - 1 - y, x, h, w
        return y * w + x

    new = [number(i) for i in range(width * height)]
    before, after = plain.squares[: len(new)], turned.squares[new]  # ramps have more rows behind them
    for field in ("level", "pit", "belt", "gear", "crusher", "wrenches", "flag", "start", "lit"):
        assert after[field].tolist() == before[field].tolist(), field
    for field in ("wall", "cover", "reach", "pushers"):
        assert after[field].tolist() == np.roll(before[field], rotation, 1).tolist(), field
    neighbours = [[new[n] if n >= 0 else -1 for n in row] for row in np.roll(before["neighbour"], rotation, 1)]
    assert after["neighbour"].tolist() == neighbours
    for old, square in zip(before, after, strict=True):
        if old["belt"]:
            assert square["belt_direction"] == (old["belt_direction"] + rotation) % 4
            turns = {(side + rotation) % 4 for side in range(4) if old["belt_turns"] >> side & 1}
            assert square["belt_turns"] == sum(1 << side for side in turns)

    def beams(tables: Any, moved: list[int], turn: int) -> set[tuple[int, ...]]:
        pairs = [(b, tables.beams[b["twin"]]["square"] if b["twin"] >= 0 else None) for b in tables.beams]
        return {
            (moved[b["square"]], (b["direction"] + turn) % 4, b["beams"], b["length"], -1 if t is None else moved[t])
            for b, t in pairs
        }

    assert beams(turned, list(range(len(new))), 0) == beams(plain, new, rotation)
    assert turned.beams["square"].tolist() == sorted(turned.beams["square"].tolist())


# The last one is the largest layout, with squares that no board covers.
@pytest.mark.parametrize("name", ["laser_maze", "cannery_row", "marathon_madness"])
def test_walls_reach_and_light_agree_with_a_walk_over_the_boards(name: str) -> None:
    course = replace(load_course(name), rules=[])
    squares, width = course.tables.squares, course.size[0]

    def blocked(x: int, y: int, side: int) -> bool:
        dx, dy = STEPS[side]
        ends = (((x, y), side), ((x + dx, y + dy), (side + 2) % 4))
        return any(s.side == d for xy, d in ends if xy in course.squares for s in course.squares[xy].cell.sides)

    def flight(x: int, y: int, side: int) -> list[tuple[int, int]]:
        dx, dy = STEPS[side]
        path = [(x, y)]
        while not blocked(*path[-1], side) and (path[-1][0] + dx, path[-1][1] + dy) in course.squares:
            path.append((path[-1][0] + dx, path[-1][1] + dy))
        return path

    lit = set()
    for (x, y), placed in course.squares.items():
        square = squares[y * width + x]
        for side in range(4):
            assert square["wall"][side] == square["cover"][side] == (31 if blocked(x, y, side) else 0)
            assert square["reach"][side] == len(flight(x, y, side)) - 1
        for part in placed.cell.sides:
            if part.kind == "laser":
                lit |= set(flight(x, y, (part.side + 2) % 4))
    assert {(int(s["x"]), int(s["y"])) for s in squares[squares["lit"] == 1]} == lit
    assert {(int(s["x"]), int(s["y"])) for s in squares[squares["exists"] == 1]} == set(course.squares)


def test_docks_give_starts_and_facing() -> None:
    head = load_course("around_the_world").tables.courses[0]
    assert head["start_facing"] == W
    assert head["starts"].tolist() == [194, 166, 250, 110, 306, 54, 334, 26]
    assert head["num_starts"] == 8
    assert head["flag_squares"].tolist()[:4] == [2 * 28 + 12, 5 * 28 + 1, 6 * 28 + 22, -1]


def test_courses_stack() -> None:
    courses = [load_course("exchange"), board(". ./w*1"), load_course("vault_assault")]
    tables = compile_courses(courses)
    assert (tables.courses.dtype, tables.squares.dtype, tables.beams.dtype) == (COURSE, SQUARE, BEAM)
    assert tables.courses["first_square"].tolist() == [0, 144, 146]
    assert tables.courses["first_beam"].tolist() == [0, 1, 2]
    for head, course in zip(tables.courses, courses, strict=True):
        alone = course.tables
        squares = tables.squares[head["first_square"] :][: head["num_squares"]]
        beams = tables.beams[head["first_beam"] :][: head["num_beams"]]
        assert squares.tobytes() == alone.squares.tobytes()
        assert beams.tobytes() == alone.beams.tobytes()
    assert [len(part) for part in compile_courses([])] == [0, 0, 0, 0, 0]


def test_records_read_alike_by_attribute_and_by_key() -> None:
    tables = load_course("exchange").tables
    square = tables.squares[3]
    assert isinstance(square, np.record)
    assert square.belt == square["belt"] == 1
    assert tables.courses[0].num_squares == 144
    assert load_course("exchange").tables is tables


def test_courses_with_too_many_squares_are_refused() -> None:
    long = "\n".join([" ".join(["."] * 200)] * 164)
    with pytest.raises(CourseError, match="course b: size: 200x164 squares: expected at most 32767"):
        compile_courses([board(long)])
