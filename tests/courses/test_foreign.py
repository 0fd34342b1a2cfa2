"""Courses of other programs: what is translated, what is reported about the rest, and errors in files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rr_gym import load_course
from rr_gym.cli.main import main
from rr_gym.courses.foreign import import_course
from rr_gym.courses.text.board import Board
from rr_gym.courses.text.board_format import format_board
from rr_gym.errors import CourseError

QUAY = """name: Quay Race
players: 2 4
rules: timer 30

newboard
Quay
fbbbb fbbbb fbbbb pwbbb fbbbl
cewsbbbb xnbbbb gbbbb obbbb rbbbb
hbbbb fpbbb fbvbb fdbbb fwwww
endboard
board: 1 1 1
NEWSBOARD
Dock
2,1 1,2 1,3
fbbbb fwbbb fbbbb
fbbwb fbbwb fbtwb
endboard
sboard: 2 1 0
flags: 1,1,1,1 1,1,4,2
"""
ISLE = {
    "name": "Isle",
    "size": [3, 2],
    "wrenches": [[0, 0]],
    "pits": [[3, 2]],
    "turntables": [{"location": [1, 1], "dir": "left"}],
    "lasers": [{"start": [3, 1], "end": [0, 1], "strength": 2, "facing": "NEG_X"}],
    "conveyors": [{"location": [2, 2], "entrance": "X", "exit": "Y"}],
    "expressConveyors": [{"location": [0, 2], "entrance": "X", "exit": "NEG_X"}],
    "walls": [[[3, 1], [4, 1]], [[0, 0], [0, -1]], [[0, 0], [0, 1]]],
    "flags": [[1, 0], [3, 0]],
}


def _quay(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    text = QUAY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "quay.rrc"
    path.write_text(text, "latin-1")
    return path


def _isle(tmp_path: Path, **changes: object) -> Path:
    path = tmp_path / "isle.json"
    path.write_text(json.dumps(ISLE | changes))
    return path


def _rows(board: Board) -> list[list[str]]:
    """Return the tokens of a board, which is not turned."""
    return [line.split() for line in format_board(board).partition("grid:\n")[2].splitlines()]


def test_an_rrc_course(tmp_path: Path) -> None:
    found = import_course(_quay(tmp_path, ("name: Quay Race", "name: Caf\xe9")))
    course = found.course
    assert found.name == "caf.yaml"
    assert (course.name, course.players, course.size) == ("Caf\xe9", (2, 3, 4), (3, 7))
    assert course.flags == ((0, 0), (1, 3))
    # The board is turned by a quarter, the dock lies below it.
    assert [(p.name, p.rotation, p.at, p.is_dock) for p in course.placements] == [
        ("quay", 1, (0, 0), False), ("dock", 0, (0, 5), True),
    ]  # fmt: skip
    assert course.starts == {1: (0, 6), 2: (1, 5), 3: (2, 5)}
    assert _rows(course.placements[0].board) == [
        [".", ".", ".", "X/n", "./w*1"],
        [">:s", "^^", "R", "L", "w1"],
        ["w2", "Pv135/n", "P<24/e", "./n*2", "./nesw"],
    ]
    assert _rows(course.placements[1].board) == [[".", "@2/n", "@3"], ["@1/s", "./s", "./e*3,s"]]
    assert found.notes[0] == "Left out: the special rules 'timer 30'."
    assert any("turned clockwise" in note for note in found.notes)


@pytest.mark.parametrize("rotation", ["0", "1", "180", "3"])
def test_starts_lie_where_the_line_says_however_the_board_is_turned(rotation: str, tmp_path: Path) -> None:
    path = _quay(tmp_path, ("board: 1 1 1", f"board: 1 1 {rotation}"), ("flags:", "start: 1,1,2,3 1,1,1,1\nflags:"))
    text = path.read_text("latin-1")
    path.write_text(text[: text.index("NEWSBOARD")] + "start: 1,1,2,3 1,1,1,1\nflags: 1,1,3,3\n", "latin-1")
    course = import_course(path).course
    assert course.starts == {1: (2, 1), 2: (0, 0)}
    assert course.flags == ((2, 2),)


def test_rows_and_columns_of_boards_are_as_large_as_their_largest_board(tmp_path: Path) -> None:
    path = tmp_path / "four.rrc"
    boards = "".join(
        f"newboard\n{name}\n{row}\n{row}\nendboard\nboard: {place} 0\n"
        for name, row, place in (("a", "fbbbb fbbbb", "0 0"), ("a", "fbbbb", "0 1"), ("c", "fbbbb fbbbb", "1 0"))
    )
    path.write_text(boards + "flags: 1,0,1,2\nstart: 0,1,2,1\n")
    course = import_course(path).course
    assert [(p.name, p.at) for p in course.placements] == [("a", (0, 0)), ("a_2", (2, 0)), ("c", (0, 2))]
    assert (course.id, course.flags, course.starts) == ("four", ((1, 2),), {1: (2, 1)})


def test_a_board_of_roboruckus(tmp_path: Path) -> None:
    found = import_course(_isle(tmp_path, tiles=[]))
    assert found.name == "isle.rrb"
    assert _rows(found.course.placements[0].board) == [
        ["<<", ".", "^:e", "X"],
        [".", "L", ".", "./e*2"],
        ["w1/ns", "#1", ".", "#2"],
    ]
    assert found.notes == (
        "Left out: the field 'tiles', which has no known meaning.",
        "RoboRuckus chooses start squares (`@1`, `@2`, ...) for each game: add them to the board to play on it.",
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("pwbbb", "pwbb", "quay.rrc:7: 'pwbb': expected one of f p g o r h, or c or x"),
        ("fbbbb fbbbb fbbbb pwbbb fbbbl", "fbbbb", "quay.rrc:8: 'cewsbbbb xnbbbb gbbbb obbbb rbbbb': expected 1 sq"),
        ("board: 1 1 1", "board: 1 1", "quay.rrc:11: '1 1': expected 3 whole numbers"),
        ("board: 1 1 1", "board: 1 1 45", "quay.rrc:11: 45: expected a rotation of 0 to 3 quarter turns"),
        ("sboard: 2 1 0", "board: 2 1 0", "quay.rrc:18: 'board: 2 1 0': expected a board after newboard before it"),
        ("sboard: 2 1 0", "sboard: 1 1 0", "quay.rrc:18: '1 1 0': expected a place of its own"),
        ("2,1 1,2", "3,1 1,2", "quay.rrc:14: '3,1': expected a row from 1 to 2 and a column from 1 to 3"),
        ("flags: 1,1,1,1", "flags: 1,1,6,1", "quay.rrc:19: '1,1,6,1': expected a row from 1 to 5"),
        ("flags: 1,1,1,1", "flags: 4,1,1,1", "quay.rrc:19: '4,1,1,1': expected the row and column of a board"),
        ("flags: 1,1,1,1", "flags: 1,1,1", "quay.rrc:19: '1,1,1': expected 4 whole numbers"),
        ("flags: 1,1,1,1", "flags: 1,1,4,3", "quay.rrc: course quay_race: flags[0]"),
        ("players: 2 4", "players: 9", "quay.rrc:2: '9': expected numbers of players from 2 to 8"),
        ("endboard\nsboard: 2 1 0\nflags: 1,1,1,1 1,1,4,2\n", "", "quay.rrc:16: 'the end of the file': expected endb"),
    ],
)
def test_errors_in_rrc_files_are_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(CourseError) as error:
        import_course(_quay(tmp_path, (old, new)))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"size": [3]}, "isle.json: size: [3]: expected [x, y], whole numbers from 0 to 98"),
        ({"name": 3}, "expected an object with a name and the fields size"),
        ({"pits": [[4, 0]]}, "pits[0]: [4, 0]: expected [x, y] up to [3, 2]"),
        ({"pits": {}}, "pits: {}: expected a list"),
        ({"lasers": [{"start": [0, 0], "strength": 4, "facing": "X"}]}, "lasers[0].strength: 4: expected 1, 2 or 3"),
        ({"conveyors": [{"location": [1, 0], "entrance": "X", "exit": "Z"}]}, "conveyors[0].exit: 'Z': expected one"),
        ({"walls": [[[0, 0], [1, 1]]]}, "walls[0]: [[0, 0], [1, 1]]: expected two neighbouring squares"),
        ({"turntables": [3]}, "turntables[0]: 3: expected an object"),
        ({"pits": [[0, 0]]}, "isle.json"),  # a wrench over a pit
    ],
)  # fmt: skip
def test_errors_in_boards_of_roboruckus_are_named(changes: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises((CourseError, ValueError), match="expected") as error:
        import_course(_isle(tmp_path, **changes))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("x.json", b"{", "x.json: "),
        ("x.json", b"\xff", "x.json: byte 0: expected text in UTF-8"),
        ("x.rrc", b"", "x.rrc:1: ''"),
        ("x.txt", b"", "expected a .rrc course or a .json board"),
    ],
)
def test_other_files_are_refused(name: str, data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(CourseError, match="expected") as error:
        import_course(tmp_path / name)
    assert message in str(error.value)


def test_the_command_writes_what_can_be_loaded_and_replaces_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad, out = _quay(tmp_path), tmp_path / "bad.rrc", tmp_path / "out"
    bad.write_text("name: x\n")
    assert main(["import", str(bad), str(good), "--out", str(out)]) == 1
    printed = capsys.readouterr().out
    assert "bad.rrc:1: 'name: x': expected boards" in printed
    assert f"{out / 'quay_race.yaml'}: 3x7, 2 flags, 3 starts\n  Left out: the special rules" in printed
    assert load_course(out / "quay_race.yaml") == import_course(good).course
    (out / "quay_race.yaml").write_text("mine")
    assert main(["import", str(good), "--out", str(out)]) == 1
    assert "exists: --force replaces it" in capsys.readouterr().out
    assert (out / "quay_race.yaml").read_text() == "mine"
    assert main(["import", str(good), "--out", str(out), "--force"]) == 0
