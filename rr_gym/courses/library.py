"""Load built-in boards and courses, and courses from files."""

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
    """Return the ids of the built-in courses: those of the course manual in its order, then those of this project."""
    return tuple(_entries())


@cache
def _entries() -> dict[str, tuple[Any, str, yaml12.Path]]:
    """Return each built-in course by id: its YAML entry, the name of its file, and its path in that file."""
    entries: dict[str, tuple[Any, str, yaml12.Path]] = {}
    for name in _COURSE_FILES:
        courses = yaml12.load((DATA / name).read_text("utf-8"), name)
        entries |= {entry["id"]: (entry, name, (i,)) for i, entry in enumerate(courses)}
    return entries


def load_course(name_or_path: str | Path) -> Course:
    """Load a course by name or from a file.

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
    """Read all courses of a file: one ``.rrb`` board, or YAML with one course or a list of courses.

    Raises:
        CourseError: A course is not well formed, or the file has another ending.
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
    """Load a built-in course, or a built-in board as a course; each is read once and cached."""
    if name in list_courses():
        entry, filename, path = _entries()[name]
        return read_course(Course, entry, filename, {}, find_board, path)
    text = (DATA / "boards" / f"{name}.rrb").read_text("ascii")
    return bare_course(Course, text, name, f"{name}.rrb")


def _finder_beside(path: Path) -> Callable[[str], Board | None]:
    """Return a function that looks for boards beside a file first, then among the built-in ones.

    A folder of courses can thus replace a built-in board by one of its own.
    """
    beside = {entry.stem: entry for entry in path.parent.glob("*") if is_board_file(entry)}

    def find(name: str) -> Board | None:
        return parse_board(read_file(beside[name]), beside[name].name) if name in beside else find_board(name)

    return find
