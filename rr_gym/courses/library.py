"""The built-in boards and courses, and courses from files."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from rr_gym import yaml12
from rr_gym.courses.board import Board, parse_board
from rr_gym.courses.course import Course
from rr_gym.courses.reader import bare_course, read_course
from rr_gym.errors import CourseError, did_you_mean

_DATA = files("rr_gym.courses") / "data"
_COURSE_FILES = ("courses.yaml", "own_courses.yaml")


@cache
def list_boards() -> tuple[str, ...]:
    """Names of the built-in boards, in alphabetical order."""
    names = (entry.name for entry in (_DATA / "boards").iterdir())
    return tuple(sorted(name.removesuffix(".rrb") for name in names if name.endswith(".rrb")))


@cache
def list_courses() -> tuple[str, ...]:
    """Ids of the built-in courses: those of the course manual in its order, then our own."""
    return tuple(_entries())


@cache
def _entries() -> dict[str, tuple[Any, str, yaml12.Path]]:
    """What describes each built-in course, its file, and its place there."""
    entries: dict[str, tuple[Any, str, yaml12.Path]] = {}
    for name in _COURSE_FILES:
        courses = yaml12.load((_DATA / name).read_text("utf-8"), name)
        entries |= {entry["id"]: (entry, name, (i,)) for i, entry in enumerate(courses)}
    return entries


@cache
def find_board(name: str) -> Board | None:
    """The built-in board of this name, or None."""
    if name not in list_boards():
        return None
    return parse_board((_DATA / "boards" / f"{name}.rrb").read_text("ascii"), f"{name}.rrb")


def load_board(name_or_path: str | Path) -> Board:
    """A board by its built-in name, or from a file.

    Raises:
        BoardError: The file does not follow the format.
        CourseError: There is no such board or file.
    """
    if board := find_board(str(name_or_path)):
        return board
    path = Path(name_or_path)
    if path.suffix != ".rrb":
        raise _unknown(str(name_or_path), "board", list_boards(), "a path to a .rrb file")
    return parse_board(_read(path), path.name)


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
    path = Path(name_or_path)
    if path.suffix == ".rrb":
        return bare_course(_read(path), path.stem, path.name)
    if path.suffix in (".yaml", ".yml"):
        courses = read_courses(path)
        if len(courses) != 1:
            raise CourseError(f"{path.name}: {len(courses)} courses: expected one course in the file")
        return courses[0]
    known = (*list_courses(), *list_boards())
    raise _unknown(name, "course", known, "the id of a course, the name of a board, or a path to .yaml or .rrb")


def read_courses(path: Path) -> list[Course]:
    """The courses of a YAML file: one mapping, or a list of them with different ids.

    Raises:
        CourseError: One of them is not well formed.
        BoardError: A board does not follow the format.
        RoboRallyError: The file is not YAML.
    """
    value, lines = yaml12.load_lines(_read(path), path.name)
    find = _finder_beside(path)
    if not isinstance(value, list):
        return [read_course(value, path.name, lines, find)]
    courses = [read_course(entry, path.name, lines, find, (i,)) for i, entry in enumerate(value)]
    seen: set[str] = set()
    for i, course in enumerate(courses):
        if course.id in seen:
            raise CourseError(f"{path.name}:{lines[i, 'id']}: course {course.id}: expected an id of its own")
        seen.add(course.id)
    return courses


@cache
def _built_in(name: str) -> Course:
    if name in list_courses():
        entry, filename, path = _entries()[name]
        return read_course(entry, filename, {}, find_board, path)
    text = (_DATA / "boards" / f"{name}.rrb").read_text("ascii")
    return bare_course(text, name, f"{name}.rrb")


def _finder_beside(path: Path) -> Callable[[str], Board | None]:
    """Boards are looked up beside the file first, so that a folder of its own may replace a built-in one."""
    beside = {entry.stem: entry for entry in path.parent.glob("*.rrb")}

    def find(name: str) -> Board | None:
        return parse_board(_read(beside[name]), beside[name].name) if name in beside else find_board(name)

    return find


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", errors="surrogateescape")
    except (OSError, ValueError) as error:  # ValueError: a path that cannot be one
        raise CourseError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _unknown(name: str, what: str, known: tuple[str, ...], expected: str) -> CourseError:
    hint = did_you_mean(name, known)
    return CourseError(f"'{name}': there is no such {what}{f' ({hint})' if hint else ''}: expected {expected}")
