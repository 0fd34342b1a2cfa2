"""Courses: reading and writing them, their errors, placing and turning boards, the built-in library, the commands."""

from __future__ import annotations

import json
import pickle
import random
import re
from pathlib import Path
from typing import Any

import pytest
from combinations import for_each, quick
from random_play import play_random

from rr_gym import yaml12
from rr_gym.cli.main import main
from rr_gym.compilation.kernels import COMPILED
from rr_gym.courses import Course, list_boards, list_courses, load_board, load_course
from rr_gym.courses.elements import ELEMENTS
from rr_gym.courses.elements.element import AD, BASE, CRASH, LIST, PAGE, PRIX, RADIOACTIVE
from rr_gym.courses.library import read_courses
from rr_gym.courses.tables.features import elements
from rr_gym.courses.text.board import parse_board
from rr_gym.errors import BoardError, CourseError, MissingExtraError, RoboRallyError, require
from rr_gym.fuzz import bare_boards, populated_course
from rr_gym.generate import is_solvable
from rr_gym.invariants import find_violations
from rr_gym.rules.arena.arena import Arena

MINI = """\
id: mini
name: "Mini"
players: [2, 3]
size: [5, 3]
boards:
  - {board: hall, rotation: 1, at: [0, 0]}
dock: {board: quay, rotation: 3, at: [3, 0]}
flags: [[0, 1], [2, 2]]
rules: [{rule: start_damage, points: 2}]
params: {lives: 2, checkpoint_pass_over: 1}
board_texts:
  hall: |
    . >:s ./n*2
    X w1  .
    . #1  .
    params:
    jack_damage = 1
  quay: |
    . . .
    @1 @2/w @3
"""


# Our own courses, by the expansions whose elements they have.
OWN = {
    "high_water": {AD}, "critical_mass": {RADIOACTIVE}, "grand_tour": {PRIX}, "night_shift": {CRASH},
    "hot_metal": {LIST}, "all_the_fun": {PAGE}, "stress_test": {PAGE},
    "everything": {BASE, AD, RADIOACTIVE, PRIX, CRASH, LIST, PAGE},
}  # fmt: skip


def changed(**fields: Any) -> dict[str, Any]:
    """Return the course `MINI` with some fields changed, or dropped if they are None."""
    value = {**yaml12.load(MINI), **fields}
    return {key: field for key, field in value.items() if field is not None}


def test_a_course_is_read_placed_and_turned() -> None:
    course = Course.from_yaml(MINI)
    assert (course.id, course.name, course.players, course.size) == ("mini", "Mini", (2, 3), (5, 3))
    assert course.flags == ((0, 1), (2, 2))
    assert course.start_facing == 3
    # A quarter turn: the hall's north-west corner lies in the north-east, its laser hangs on the east side.
    assert course.squares[2, 0].origin == (0, 0)
    laser = course.squares[2, 2].cell.sides[0]
    assert (laser.element, laser.side, laser.number) == ("board_laser", 1, 2)
    belt = course.squares[2, 1].cell.items[0]
    assert (belt.direction, belt.turns) == (2, 0b1000)  # > turned by s: v turned by w
    # Three quarter turns: the dock's front is in the west.
    assert course.starts == {1: (4, 2), 2: (4, 1), 3: (4, 0)}
    assert course.squares[4, 1].cell.sides[0].side == 2
    assert course.squares[4, 1].where == "quay.rrb 1,1"


def test_params_of_the_course_come_before_those_of_boards() -> None:
    course = Course.from_yaml(MINI)
    assert list(course.params.items()) == [("lives", 2), ("checkpoint_pass_over", "1"), ("jack_damage", "1")]
    assert Course.from_yaml(changed(params={"jack_damage": 0})).params == {"jack_damage": "0"}


def test_boards_that_disagree_on_a_setting() -> None:
    texts = {"a": ".\nparams:\njack_damage = 0\n", "b": ".\nparams:\njack_damage = 1\n"}
    boards = [{"board": n, "rotation": 0, "at": [i, 0]} for i, n in enumerate("ab")]
    with pytest.raises(CourseError, match="agree on jack_damage: a has 0, b has 1"):
        Course.from_yaml({"id": "c", "boards": boards, "board_texts": texts})
    settled = Course.from_yaml({"id": "c", "boards": boards, "board_texts": texts, "params": {"jack_damage": 1}})
    assert settled.params == {"jack_damage": "1"}


def test_a_minimal_course() -> None:
    course = Course.from_yaml("id: yard\nboards: [{board: cross, rotation: 2, at: [0, 0]}]")
    assert (course.name, course.size, course.flags, course.starts) == ("yard", (12, 12), (), {})
    assert (course.players, course.start_facing) == ((2, 3, 4, 5, 6, 7, 8), None)


def test_flags_and_starts_of_boards_count_unless_the_course_has_flags_or_a_dock() -> None:
    text = "#2 @1 #1 @2"
    boards = [{"board": "b", "rotation": 0, "at": [0, 0]}]
    value: dict[str, Any] = {"id": "c", "boards": boards, "board_texts": {"b": text}}
    course = Course.from_yaml(value)
    assert course.flags == ((2, 0), (0, 0))
    assert course.starts == {1: (1, 0), 2: (3, 0)}
    assert Course.from_yaml({**value, "flags": [[1, 0]]}).flags == ((1, 0),)
    dock = {"board": "d", "rotation": 0, "at": [0, 1]}
    docked = Course.from_yaml({**value, "dock": dock, "board_texts": {"b": text, "d": ". . . @1"}})
    assert (docked.starts, docked.start_facing) == ({1: (3, 1)}, 0)
    twice = [*boards, {"board": "b", "rotation": 0, "at": [0, 1]}]
    with pytest.raises(CourseError, match="checkpoint 1 on one board only, not at 2,0 and 2,1"):
        Course.from_yaml({**value, "boards": twice})
    with pytest.raises(CourseError, match="start 1 on one board only"):
        Course.from_yaml({**value, "boards": twice, "flags": [[0, 0]]})


def test_a_bare_board_is_a_course() -> None:
    course = Course.from_board("@2 #1 w1\n@1 . #2/n*1", "Two Halls")
    assert (course.id, course.name, course.size) == ("two_halls", "Two Halls", (3, 2))
    assert course.flags == ((1, 0), (2, 1))
    assert course.starts == {1: (0, 1), 2: (0, 0)}
    assert course.start_facing is None
    with pytest.raises(BoardError, match=r"^Two Halls\.rrb:1:3: 'q'"):
        Course.from_board(". q", "Two Halls")


def test_level_of_a_placement_is_added() -> None:
    board = ". .\nlevels:\n01\n"
    boards = [{"board": "b", "rotation": 0, "at": [0, 0], "level": 2}]
    course = Course.from_yaml({"id": "c", "boards": boards, "board_texts": {"b": board}})
    assert [square.level for square in course.squares.values()] == [2, 3]
    assert Course.from_yaml(course.to_yaml()) == course
    assert "ledge" in elements(course)


@for_each([*list_courses(), *list_boards()])
def test_built_in_courses_survive_writing(name: str) -> None:
    course = load_course(name)
    again = Course.from_yaml(course.to_yaml(), find_board=lambda name: None)
    assert again == course
    assert again.squares == course.squares


@pytest.mark.parametrize(
    "source", [MINI, "id: a\nboards: [{board: b, rotation: 0, at: [0, 0]}]\nboard_texts: {b: '#1+X135 @1'}"]
)
def test_courses_survive_writing(source: str) -> None:
    course = Course.from_yaml(source)
    assert Course.from_yaml(course.to_yaml()) == course


def test_every_turn_of_a_layout_has_the_same_squares() -> None:
    text = "X >:s ./n*2\n. w1/e P<13/e\n"
    layouts = []
    for rotation in range(4):
        boards = [{"board": "b", "rotation": rotation, "at": [0, 0]}]
        course = Course.from_yaml({"id": "c", "boards": boards, "board_texts": {"b": text}})
        layouts.append({square.origin: (xy, square.cell) for xy, square in course.squares.items()})
    assert [layout[2, 0][0] for layout in layouts] == [(2, 0), (1, 2), (0, 1), (0, 0)]
    for rotation, layout in enumerate(layouts):
        assert layout[2, 1][1].items[0].direction == (3 + rotation) % 4
        assert [side.side for side in layout[2, 0][1].sides] == [rotation]


BAD_COURSES: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": ({"flag": [[0, 0]]}, r"mini: flag: \[\[0, 0\]\]: expected one of the keys id, name"),
    "bad id": ({"id": "Mini!"}, "id: 'Mini!': expected a name made of a-z"),
    "no boards": ({"boards": []}, "boards: .*expected a list of placements"),
    "unknown board": (
        {"boards": [{"board": "attic", "rotation": 0, "at": [0, 0]}]},
        r"boards\[0\]\.board: 'attic': expected the name of a board",
    ),
    "no place": ({"dock": {"board": "quay", "rotation": 3}}, "dock: .*expected a placement"),
    "five turns": ({"dock": {"board": "quay", "rotation": 5, "at": [3, 0]}}, r"dock\.rotation: 5: expected"),
    "odd place": ({"dock": {"board": "quay", "rotation": 3, "at": [3]}}, r"dock\.at: \[3\]: expected"),
    "extra setting": (
        {"dock": {"board": "quay", "rotation": 3, "at": [3, 0], "flip": 1}},
        r"dock\.flip: 1: expected the keys board",
    ),
    "overlap": (
        {"dock": {"board": "quay", "rotation": 3, "at": [2, 0]}},
        "dock: .*expected a place of its own, 2,0 is covered by hall",
    ),
    "apart": (
        {"boards": [{"board": "hall", "rotation": 1, "at": [0, 0]}, {"board": "hall", "rotation": 0, "at": [6, 0]}]},
        "boards: .*expected boards that are connected",
    ),
    "front to nowhere": ({"dock": {"board": "quay", "rotation": 1, "at": [3, 0]}}, "dock: .*front.*along a board"),
    "not at the origin": (
        {"boards": [{"board": "hall", "rotation": 1, "at": [1, 0]}], "dock": None},
        "boards: .*starts at 0,0, not at 1,0",
    ),
    "wrong size": ({"size": [5, 4]}, r"size: \[5, 4\]: expected \[5, 3\]"),
    "flag off the boards": ({"flags": [[5, 0]]}, r"flags\[0\]: \[5, 0\]: expected a square on a board"),
    "flag in a pit": ({"flags": [[0, 1], [1, 0]]}, r"flags\[1\]: \[1, 0\]: expected a square that is not a pit"),
    "flag twice": ({"flags": [[0, 1], [0, 1]]}, r"flags\[1\]: \[0, 1\]: expected a square of its own"),
    "flag in words": ({"flags": ["a1"]}, r"flags\[0\]: 'a1': expected a square"),
    "nine flags": ({"flags": [[x, 0] for x in range(9)]}, "flags: .*at most 8"),
    "no flags": ({"flags": []}, r"flags: \[\]: expected at least one square"),
    "flags in an elimination": ({"rules": [{"rule": "team_elimination"}]}, "flags: .*team_elimination"),
    "players": ({"players": [3, 2]}, r"players: \[3, 2\]: expected an ascending list"),
    "nine players": ({"players": [9]}, r"players: \[9\]: expected"),
    "length": ({"length": "eternal"}, "length: 'eternal': expected one of short, medium, long"),
    "unknown rule": ({"rules": [{"rule": "no_gravity"}]}, r"rules\[0\]: .*expected a map with the key rule"),
    "rule without setting": ({"rules": [{"rule": "start_damage"}]}, r"rules\[0\]: .*the keys rule, points"),
    "rule setting": ({"rules": [{"rule": "start_damage", "points": 10}]}, r"rules\[0\]: .*from 0 to 9"),
    "rule twice": ({"rules": [{"rule": "moving_flags"}] * 2}, r"rules\[1\]: .*each special rule once"),
    "param": ({"params": {"jack_damage": 2}}, r"params\.jack_damage: 2: expected one of 0, 1"),
    "params": ({"params": [1]}, r"params: \[1\]: expected a map"),
}


@pytest.mark.parametrize(("fields", "message"), BAD_COURSES.values(), ids=BAD_COURSES)
def test_bad_courses(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(CourseError, match=f"^c.yaml: course .*{message}"):
        Course.from_yaml(changed(**fields), "c.yaml")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [("[2, 2]]", "[2, 9]]", 8), ("points: 2", "points: x", 9), ("hall, rot", "bath, rot", 6), ("id: mini", "id: 7", 1)],
)
def test_errors_name_the_line(old: str, new: str, line: int) -> None:
    with pytest.raises(CourseError, match=f"^c.yaml:{line}: course "):
        Course.from_yaml(MINI.replace(old, new), "c.yaml")


@pytest.mark.parametrize("source", ["- 1", "word", "", "3"])
def test_other_yaml_is_not_a_course(source: str) -> None:
    with pytest.raises(CourseError, match="expected a map with the keys id and boards"):
        Course.from_yaml(source)


def test_an_error_in_a_board_text_names_it() -> None:
    with pytest.raises(BoardError, match=r"^c\.yaml board_texts\.quay:2:1: '@9'"):
        Course.from_yaml(MINI.replace("@1", "@9"), "c.yaml")


def test_the_library() -> None:
    assert len(list_courses()) == 34 + len(OWN)
    assert len(list_boards()) == 21 + len(OWN)
    for name in list_courses():
        course = load_course(name)
        assert course.id == name
        assert list(course.starts) == list(range(1, 9))
    assert list_courses()[34:] == tuple(OWN)
    exchange = load_course("risky_exchange")
    assert exchange.flags == ((7, 1), (9, 7), (1, 4))
    assert exchange.starts[1] == (5, 15)
    assert load_course("exchange").size == (12, 12)


def element_ids(sets: set[str]) -> set[str]:
    """Return the elements of some expansions.

    The edge is left out: every course has one, but only courses with a visible joint name it.
    """
    return {element.id for element in ELEMENTS if element.set in sets} - {"board_edge"}


@pytest.mark.parametrize("name", OWN)
def test_own_courses_have_the_elements_of_their_expansions(name: str) -> None:
    course = load_course(name)
    used = set(elements(course))
    missing = element_ids(OWN[name]) - used
    if OWN[name] == {PAGE}:
        both = used.union(*(elements(load_course(other)) for other in ("all_the_fun", "stress_test")))
        missing = element_ids({PAGE}) - both
    assert missing == set()
    assert 3 <= len(course.flags) <= 4
    assert course.placements[0].board.name == course.placements[0].name


@pytest.mark.skipif(not COMPILED, reason="searching large courses takes too long with interpreted rules")
@pytest.mark.parametrize("name", quick(OWN, *list(OWN)[:3]))
def test_own_courses_can_be_finished_from_every_start(name: str) -> None:
    assert is_solvable(load_course(name))


@pytest.mark.parametrize("name", bare_boards())
def test_every_board_is_played(name: str) -> None:
    arena = Arena(populated_course(name, random.Random(name)))
    games = arena.new_games(32 if COMPILED else 1, 8, seed=1)
    play_random(arena, games, 20 if COMPILED else 1)
    assert find_violations(games, arena) == []


@pytest.mark.parametrize("name", list_courses())
def test_every_course_is_played(name: str) -> None:
    arena = Arena(name)
    games = arena.new_games(8 if COMPILED else 1, min(8, arena.courses[0].players[-1]), seed=1)
    play_random(arena, games, 10 if COMPILED else 1)
    assert find_violations(games, arena) == []


@pytest.mark.parametrize("name", ["risky_exchang", "nothing", "no_file.yaml", "no_file.rrb"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(CourseError, match=name):
        load_course(name)


def test_courses_and_boards_are_loaded_from_files(tmp_path: Path) -> None:
    (tmp_path / "mini.yaml").write_text(MINI)
    assert load_course(tmp_path / "mini.yaml") == Course.from_yaml(MINI)
    (tmp_path / "den.rrb").write_text("@1 #1")
    assert load_course(str(tmp_path / "den.rrb")).flags == ((1, 0),)
    assert load_board(tmp_path / "den.rrb").width == 2
    # A course finds the boards beside it.
    (tmp_path / "den.yaml").write_text("id: den\nboards: [{board: den, rotation: 0, at: [0, 0]}]")
    assert load_course(tmp_path / "den.yaml").size == (2, 1)
    (tmp_path / "two.yaml").write_text("- {id: a, boards: [{board: den, rotation: 0, at: [0, 0]}]}\n" * 2)
    with pytest.raises(CourseError, match=r"^two\.yaml:2: course a: expected an id of its own"):
        load_course(tmp_path / "two.yaml")


def test_elements_are_named_with_their_first_square() -> None:
    course = Course.from_board(". =a/nf .\n=a c>:s .\nlevels:\n000\n110\n", "den")
    found = elements(course)
    assert found["open_floor"] == "den.rrb 0,0: open_floor ('.')"
    assert found["portal"] == "den.rrb 1,0: portal ('=a')"
    assert found["energy_wall"] == "den.rrb 1,0: energy_wall ('/nf')"
    assert found["ledge"] == "den.rrb 0,0: ledge (level 0 beside 1)"
    assert found["waterfall"] == "den.rrb 1,1: waterfall ('c>:s')"
    room = Course.from_board(". .\n. .\ngroups:\nroom at 0,0 2\n", "den")
    assert elements(room)["rotating_room"] == "den.rrb 0,0: rotating_room ('room')"


def test_yaml_is_version_1_2() -> None:
    assert yaml12.load("{a: off, n: y, b: 012, c: 0o17, d: 1e3, e: ~, f: 2020-01-01, g: 1:30, <<: {}}") == {
        "a": "off", "n": "y", "b": 12, "c": 15, "d": 1000.0, "e": None, "f": "2020-01-01", "g": "1:30", "<<": {},
    }  # fmt: skip
    value = {"x": "0o17", "y": ["1e3", "null", "a\nb\n", 1.5, True, None, "true"]}
    assert yaml12.load(yaml12.dump(value)) == value
    lines = yaml12.load_lines("a: 1\nb:\n  - x\n  - {c: 2}\n")[1]
    assert (lines["b",], lines["b", 1], lines["b", 1, "c"]) == (2, 4, 4)


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: 1\na: 2", 2), ("a: ]", 1), ("&a [*a]", 1), ("\n[1]: 2", 2), ("a: !!int x", 1), ("a: !!set {b}", 1),
     ("a: 1\n---\nb: 2", 2), ("a: !!python/object:os.x 1", 1)],
)  # fmt: skip
def test_bad_yaml(text: str, line: int) -> None:
    with pytest.raises(RoboRallyError, match=rf"^f\.yaml:{line}"):
        yaml12.load(text, "f.yaml")


def test_a_missing_extra_is_named() -> None:
    with pytest.raises(MissingExtraError, match="extra 'viz'"):
        require("no_such_module_at_all", extra="viz")


def test_command_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["course", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[0] == "risky_exchange"
    end = lines.index("")
    assert end == 1 + len(list_courses())
    assert " ".join(lines[end + 2 :]).split() == ", ".join(list_boards()).split()
    assert main(["course", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[0]["size"] == [12, 16]
    assert rows[0]["rules"] == []
    assert rows[17]["rules"] == ["option_draft"]


def test_command_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, named = tmp_path / "good.yaml", tmp_path / "bad.rrb", tmp_path / "named.rrb"
    good.write_text(MINI.replace("    params:\n    jack_damage = 1\n", ""))
    bad.write_text(". .\n.")
    named.write_text("name: other\n.")
    assert main(["course", "check", str(good)]) == 0
    assert capsys.readouterr().out == "1 file, 0 errors\n"
    other = tmp_path / "other.txt"
    other.write_text(".")
    assert main(["course", "check", *map(str, (good, bad, other))]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("bad.rrb:2:1: '.': expected 2 tokens")
    assert lines[-2] == f"{other}: expected a .rrb board or a .yaml course"
    assert lines[-1] == "3 files, 2 errors"
    assert main(["course", "check", str(named)]) == 0
    note, _, last = capsys.readouterr().out.splitlines()
    assert note == "named.rrb: note: name: 'other': courses know it as 'named', after its file"
    assert last == "1 file, 0 errors"


def test_command_check_names_what_cannot_be_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board, course, text = tmp_path / "board.rrb", tmp_path / "course.yaml", tmp_path / "text.yaml"
    board.write_text("@1 ./ny\n")
    course.write_text(MINI.replace("lives: 2", "lives: many"))
    assert main(["course", "check", str(board), str(course)]) == 0
    first, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith("board.rrb: well formed, but:")
    assert "expected another post of a light barrier" in first
    assert "'lives': 'many'" in second
    assert last == "2 files, 0 errors"
    text.write_bytes(b"id: a\n# \xff\n")
    assert main(["course", "check", str(text)]) == 1
    assert capsys.readouterr().out.startswith("text.yaml:2: is not UTF-8 text\n")


@pytest.mark.parametrize(
    ("board", "problem"),
    [
        ("@1 > #1\n@2 . .\n", ""),
        (". > #1\n", "no start square: expected at least '@1'"),
        (
            "@1 > .\n",
            "no flag: expected at least 1 for the game race, or a game without flags: "
            "the special rule death_match or team_elimination, or params: {game: survival}",
        ),
        ("@1 X #1\n@2 X .\n", "a robot alone cannot reach flag 1 from start squares 1, 2, whatever its cards"),
    ],
)
def test_command_check_names_what_nobody_can_finish(
    board: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "board.rrb"
    path.write_text(board)
    assert main(["course", "check", str(path)]) == 0
    expected = f"board.rrb: well formed, but: course 'board': {problem}\n" if problem else ""
    assert capsys.readouterr().out == f"{expected}1 file, 0 errors\n"


GAMES_WITHOUT_FLAGS = {
    "death match": "rules: [{rule: death_match}]",
    "teams": "rules: [{rule: team_elimination}]",
    "survival": "params: {game: survival}",
}
YARD = "id: yard\nboards: [{board: yard, rotation: 0, at: [0, 0]}]\nboard_texts: {yard: '@1 @2 .'}\n"


@pytest.mark.parametrize("flags", ["", "flags: []\n", "flags: null\n"])
@pytest.mark.parametrize("game", GAMES_WITHOUT_FLAGS)
def test_games_without_flags_need_none(
    game: str, flags: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "yard.yaml"
    path.write_text(YARD + flags + GAMES_WITHOUT_FLAGS[game])
    assert main(["course", "check", str(path)]) == 0
    assert capsys.readouterr().out == "1 file, 0 errors\n"
    course = load_course(path)
    assert Course.from_yaml(course.to_yaml()) == course
    assert Arena(course).settings[0].game == "survival"


@pytest.mark.parametrize("game", ["death match", "survival"])
def test_games_without_flags_may_have_some(game: str) -> None:
    course = Course.from_yaml(YARD + "flags: [[2, 0]]\n" + GAMES_WITHOUT_FLAGS[game])
    assert course.flags == ((2, 0),)
    assert Course.from_yaml(course.to_yaml()) == course


NO_FLAG = (
    "or a game without flags: the special rule death_match or team_elimination, or params: {game: survival}"
)  # fmt: skip


@pytest.mark.parametrize(
    ("game", "missing"),
    [
        ("", "no flag: expected at least 1 for the game race"),
        ("rules: [{rule: superbot}]", "no flag: expected at least 1 for the game race"),
        ("rules: [{rule: team_shared_flags}]", "no flag: expected at least 1 for the game tag_teams"),
        ("rules: [{rule: team_any_robot}]", "no flag: expected at least 1 for the game runner"),
        ("params: {game: flag_toggle}", "no flag: expected at least 1 for the game flag_toggle"),
        ("params: {game: capture_the_flag}", "no flag: expected at least 2 for the game capture_the_flag"),
        ("flags: [[2, 0]]\nrules: [{rule: head_to_head}]", "1 flag: expected at least 2 for the game head_to_head"),
    ],
)
def test_other_games_say_which_flags_are_missing(
    game: str, missing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "yard.yaml"
    path.write_text(YARD + game)
    assert main(["course", "check", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == (
        f"yard.yaml: well formed, but: course 'yard': {missing}, {NO_FLAG}"
    )
    if "flags" not in game:
        with pytest.raises(CourseError) as caught:
            Course.from_yaml(YARD + "flags: []\n" + game, "yard.yaml")
        expected = f"expected at least one square [x, y], {NO_FLAG}"
        assert str(caught.value) == f"yard.yaml:4: course yard: flags: []: {expected}"


def test_file_names_may_be_in_capitals_and_files_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "DEN.RRB").write_bytes(b"\xef\xbb\xbfname: DEN\ngrid:\n@1 #1")
    assert load_course(tmp_path / "DEN.RRB").flags == ((1, 0),)
    assert load_board(tmp_path / "DEN.RRB").name == "DEN"
    (tmp_path / "HALL.YAML").write_bytes(b"\xef\xbb\xbfid: hall\nboards: [{board: DEN, at: [0, 0]}]")
    assert load_course(tmp_path / "HALL.YAML").size == (2, 1)
    assert main(["course", "check", str(tmp_path / "DEN.RRB"), str(tmp_path / "HALL.YAML")]) == 0
    (tmp_path / "bad.rrb").write_bytes(b"\xef\xbb\xbf. q")
    with pytest.raises(BoardError, match=r"^bad\.rrb:1:3: 'q': "):
        load_board(tmp_path / "bad.rrb")


def test_a_file_without_courses_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "none.yaml"
    path.write_text("[]")
    with pytest.raises(CourseError, match=r"none\.yaml: \[\]: expected a course, or a list of at least one"):
        read_courses(path)


def test_the_examples_of_the_documents() -> None:
    docs = Path(__file__).parents[2] / "docs"
    blocks = re.findall(r"```(\w*)\n(.*?)```", (docs / "board-format.md").read_text(), re.S)
    hall, error = blocks[0][1], blocks[1][1].strip()
    assert parse_board(hall).width == 6
    with pytest.raises(BoardError) as board_error:
        parse_board(hall.replace("P<135", "P<531"), "hall.rrb")
    assert str(board_error.value) == error
    texts = re.findall(r"```(\w*)\n(.*?)```", (docs / "courses.md").read_text(), re.S)
    quay = next(text for kind, text in texts if kind == "yaml")
    error = next(text for _, text in texts if text.startswith("quay.yaml:")).strip()
    assert Course.from_yaml(quay).size == (15, 16)
    with pytest.raises(CourseError) as course_error:
        Course.from_yaml(quay.replace("[13, 1]", "[15, 1]"), "quay.yaml")
    assert str(course_error.value) == error


def test_courses_can_be_sent_to_other_processes() -> None:
    course = load_course("risky_exchange")
    again = pickle.loads(pickle.dumps(course))
    assert again == course
    assert again.tables.squares.tobytes() == course.tables.squares.tobytes()
