"""Boards and courses: the text format RRB1, layouts of placed boards, and the numeric tables compiled from them."""

from rr_gym.courses.changes import Changes, current_course, raised_squares
from rr_gym.courses.course import Course
from rr_gym.courses.library import list_courses, load_course
from rr_gym.courses.tables.tables import Tables, compile_courses
from rr_gym.courses.text.board import Board, parse_board
from rr_gym.courses.text.board_format import format_board
from rr_gym.courses.text.boards import list_boards, load_board

__all__ = [
    "Board",
    "Changes",
    "Course",
    "Tables",
    "compile_courses",
    "current_course",
    "format_board",
    "list_boards",
    "list_courses",
    "load_board",
    "load_course",
    "parse_board",
    "raised_squares",
]
