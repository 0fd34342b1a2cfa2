"""The built-in boards and courses, and courses from files."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from rr_gym import yaml12
from rr_gym.courses.course import Course
from rr_gym.courses.text.board import Board, parse_board
from rr_gym.courses.text.boards import (
    DATA,
    find_board,
    is_board_file,
    is_course_file,
    list_boards,
    read_file,
    unknown,
)
from rr_gym.courses.text.reader import bare_course, read_course
from rr_gym.errors import CourseError
from rr_gym.files import check_path

_COURSE_FILES = ("courses.yaml", "own_courses.yaml")


@cache
def list_courses() -> tuple[str, ...]:
    """Ids of the built-in courses: those of the course manual in its order, then our own."""
    return tuple(_entries())


@cache
def _entries() -> dict[str, tuple[Any, str, yaml12.Path]]:
    """What describes each built-in course, its file, and its place there."""
    entries: dict[str, tuple[Any, str, yaml12.Path]] = {}
    for name in _COURSE_FILES:
        courses = yaml12.load((DATA / name).read_text("utf-8"), name)
        entries |= {entry["id"]: (entry, name, (i,)) for i, entry in enumerate(courses)}
    return entries


def load_course(name_or_path: str | Path) -> Course:
    """A course by name or from a file.

    Args:
        name_or_path: Id of a built-in course, name of a built-in board (a bare board is a course too), or
            path of a ``.yaml`` file with one course or of a ``.rrb`` board. Boards that a course names are
            looked for in its `board_texts`, then as ``.rrb`` files beside it, then among the built-in ones.

    Raises:
        CourseError: There is no such course, or it is not well formed.
        BoardError: A board does not follow the format.
        RoboRallyError: The file is not YAML.
    """
    name = str(name_or_path)
    if name in list_courses() or name in list_boards():
        return _built_in(name)
    path = check_path("name_or_path", name_or_path, CourseError)
    if is_board_file(path) or is_course_file(path):
        courses = read_courses(path)
        if len(courses) != 1:
            raise CourseError(f"{path.name}: {len(courses)} courses: expected one course in the file")
        return courses[0]
    known = (*list_courses(), *list_boards())
    raise unknown(name, "course", known, "the id of a course, the name of a board, or a path to .yaml or .rrb")


def read_courses(path: Path) -> list[Course]:
    """The courses of a file: a board alone, or in YAML one mapping or a list of them with different ids.

    Raises:
        CourseError: One of them is not well formed, or it is no such file.
        BoardError: A board does not follow the format.
        RoboRallyError: The file is not YAML.
    """
    if is_board_file(path):
        return [bare_course(Course, read_file(path), path.stem, path.name)]
    if not is_course_file(path):
        raise CourseError(f"{path}: expected a .rrb board or a .yaml course")
    value, lines = yaml12.load_lines(read_file(path), path.name)
    find = _finder_beside(path)
    if not isinstance(value, list):
        return [read_course(Course, value, path.name, lines, find)]
    if not value:
        raise CourseError(f"{path.name}: []: expected a course, or a list of at least one")
    courses = [read_course(Course, entry, path.name, lines, find, (i,)) for i, entry in enumerate(value)]
    seen: set[str] = set()
    for i, course in enumerate(courses):
        if course.id in seen:
            raise CourseError(f"{path.name}:{lines[i, 'id']}: course {course.id}: expected an id of its own")
        seen.add(course.id)
    return courses


@cache
def _built_in(name: str) -> Course:
    """A built-in course, or a built-in board as a course; each is read once."""
    if name in list_courses():
        entry, filename, path = _entries()[name]
        return read_course(Course, entry, filename, {}, find_board, path)
    text = (DATA / "boards" / f"{name}.rrb").read_text("ascii")
    return bare_course(Course, text, name, f"{name}.rrb")


def _finder_beside(path: Path) -> Callable[[str], Board | None]:
    """Boards are looked up beside the file first, so that a folder of its own may replace a built-in one."""
    beside = {entry.stem: entry for entry in path.parent.glob("*") if is_board_file(entry)}

    def find(name: str) -> Board | None:
        return parse_board(read_file(beside[name]), beside[name].name) if name in beside else find_board(name)

    return find
