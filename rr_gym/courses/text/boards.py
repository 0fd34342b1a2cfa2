"""Load built-in boards, and boards from files."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from rr_gym.courses.text.board import Board, parse_board
from rr_gym.errors import CourseError, did_you_mean
from rr_gym.files import read_bytes

DATA = files("rr_gym.courses") / "data"


@cache
def list_boards() -> tuple[str, ...]:
    """Return the names of the built-in boards in alphabetical order."""
    names = (entry.name for entry in (DATA / "boards").iterdir())
    return tuple(sorted(name.removesuffix(".rrb") for name in names if name.endswith(".rrb")))


@cache
def find_board(name: str) -> Board | None:
    """Return the built-in board of this name, or None if there is none."""
    if name not in list_boards():
        return None
    return parse_board((DATA / "boards" / f"{name}.rrb").read_text("ascii"), f"{name}.rrb")


def load_board(name_or_path: str | Path) -> Board:
    """Load a board by its built-in name or from a file.

    Raises:
        BoardError: The file does not follow the format.
        CourseError: There is no such board or file.
    """
    if board := find_board(str(name_or_path)):
        return board
    path = Path(name_or_path)
    if not is_board_file(path):
        raise unknown(str(name_or_path), "board", list_boards(), "a path to a .rrb file")
    return parse_board(read_file(path), path.name)


def is_board_file(path: Path) -> bool:
    """Tell whether a file has the suffix of boards, ``.rrb``, in upper or lower case."""
    return path.suffix.lower() == ".rrb"


def is_course_file(path: Path) -> bool:
    """Tell whether a file has a suffix of courses, ``.yaml`` or ``.yml``, in upper or lower case."""
    return path.suffix.lower() in (".yaml", ".yml")


def read_file(path: Path) -> str:
    """Return the text of a course or board file.

    Raises:
        CourseError: The file cannot be read.
    """
    return read_bytes(path, CourseError).decode("utf-8", errors="surrogateescape")


def unknown(name: str, what: str, known: tuple[str, ...], expected: str) -> CourseError:
    """Return the error for an unknown name, with a hint at similar known names."""
    hint = did_you_mean(name, known)
    return CourseError(f"'{name}': there is no such {what}{f' ({hint})' if hint else ''}: expected {expected}")
