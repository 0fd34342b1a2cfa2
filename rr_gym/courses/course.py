"""Courses, on which games are played."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rr_gym import yaml12
from rr_gym.courses.tables.tables import Tables, compile_courses
from rr_gym.courses.text.board import Board
from rr_gym.courses.text.boards import find_board as built_in_board
from rr_gym.courses.text.layout import Layout
from rr_gym.courses.text.reader import bare_course, read_course
from rr_gym.errors import BoardError, short_repr


@dataclass(frozen=True)
class Course(Layout):
    """A course, on which games are played. Build it with `from_yaml`, `from_board` or `load_course`.

    Its attributes are those of `Layout`.
    """

    def __hash__(self) -> int:
        return hash(self.id)  # for caches; other fields hold lists and mappings, which cannot be hashed

    @classmethod
    def from_yaml(
        cls,
        source: str | Mapping[str, Any],
        filename: str = "course",
        find_board: Callable[[str], Board | None] | None = None,
    ) -> Course:
        """Build a course from its YAML (docs/courses.md).

        Args:
            source: The text of one course, or the mapping that YAML reads from it.
            filename: Name used in error messages.
            find_board: Returns the board with a name that `board_texts` does not define, or None if there is
                none; by default it looks among the built-in boards.

        Raises:
            CourseError: A field is missing, unknown or wrong (file, line, course, field, value, expected).
            BoardError: A board text does not follow the format.
            RoboRallyError: The text is not YAML.
        """
        lines: Mapping[yaml12.Path, int] = {}
        value: Any = source
        if isinstance(source, str):
            value, lines = yaml12.load_lines(source, filename)
        return read_course(cls, value, filename, lines, find_board or built_in_board)

    @classmethod
    def from_board(cls, text: str, name: str = "board", filename: str | None = None) -> Course:
        """Build a course from a single board. Its squares `#n` are the flags, and its squares `@n` the starts.

        Args:
            text: The board in the format RRB1.
            name: Name of the board and the course.
            filename: Name used in error messages; ``<name>.rrb`` by default.

        Raises:
            BoardError: The text does not follow the format.
        """
        for what, value in (("text", text), ("name", name)):
            if not isinstance(value, str):
                raise BoardError(f"{what}: {short_repr(value)}: expected text")
        if filename is not None and not isinstance(filename, str):
            raise BoardError(f"filename: {short_repr(filename)}: expected text")
        return bare_course(cls, text, name, filename or f"{name}.rrb")

    @cached_property
    def tables(self) -> Tables:
        """Compile this course alone to tables, once.

        Raises:
            CourseError: It uses something that has no rule, or it is too large.
        """
        return compile_courses([self])
