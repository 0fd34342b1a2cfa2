"""Small terminals: everything fits, long lines are wrapped, robots have colours of their own."""

from __future__ import annotations

import re

import pytest
from play_talk import Talk, session_of, small

from rr_gym.courses import Course, load_course
from rr_gym.game import Game
from rr_gym.play import Session
from rr_gym.play.story import story
from rr_gym.players import RandomPlayer
from rr_gym.render.colours import TERMINAL_CHIPS
from rr_gym.render.words import Event
from rr_gym.text_layout import padded, visible, wrapped

RED = "\x1b[31m"
END = "\x1b[0m"


def session(course: str | Course, num_robots: int) -> Session:
    return Session(Game(course, num_robots, 3), [0], [RandomPlayer() for _ in range(num_robots - 1)], 3)


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize(("course", "num_robots"), [("risky_exchange", 4), ("everything", 8), ("checkmate", 8)])
def test_a_turn_fits_80_by_24(course: str, num_robots: int, colour: bool) -> None:
    talk = Talk(session(course, num_robots), size=lambda: (80, 24), colour=colour)
    lines = "\n".join(talk.written[:2]).split("\n")
    assert len(lines) < 24
    assert max(map(visible, lines)) <= 80
    text = "\n".join(lines)
    assert "your hand" in text
    assert all(f"{seat + 1} " in text for seat in range(num_robots))
    assert re.search(r"1[↑→↓←]", text)  # one's own robot is on the part of the board that is shown


def test_on_narrow_terminals_the_robots_stand_below_the_board() -> None:
    talk = Talk(session("risky_exchange", 4), size=lambda: (40, 24))
    lines = talk.written[1].split("\n")
    assert max(map(visible, lines)) <= 40
    assert lines[-1].startswith("9 ")


def test_all_columns_of_a_usual_course_fit() -> None:
    talk = Talk(session("risky_exchange", 4), size=lambda: (80, 24))
    assert "11" in talk.written[1].split("\n")[0].split()


def test_view_all_shows_everything() -> None:
    course = load_course("everything")
    talk = Talk(session(course, 8), "view", "view all", "view some", size=lambda: (80, 24))
    shown = [text for text in talk.written if "22  23" in text]
    assert len(shown) == 1
    assert talk.errors == ["! view some: expected view, or view all"]


def test_nothing_is_cut_where_there_is_room_or_no_terminal() -> None:
    roomy = Talk(session_of(small()), size=lambda: (120, 60))
    assert roomy.written == Talk(session_of(small())).written


def test_every_line_is_as_wide_as_the_terminal_at_most() -> None:
    lines = ["help", "help board", "orders", "help cards", "1 2 3 4 5", "preview", "go"]
    talk = Talk(session("risky_exchange", 4), *lines, size=lambda: (60, 24))
    assert max(visible(line) for text in talk.written for line in text.split("\n")) <= 60


def test_walls_are_at_the_foot_of_squares() -> None:
    course = Course.from_board("grid:\n@1 ./s . #1\n. . ./n .\n. . . X", "walls")
    talk = Talk(Session(Game(course, 1, 1), [0], [], 1), size=lambda: (80, 10))
    rows = talk.written[1].split("\n")
    assert "▁·▁" in rows[1]
    assert rows[1].count("▁·▁") == 2  # its own wall, and the one that is written on the square below
    ascii_rows = Talk(Session(Game(course, 1, 1), [0], [], 1), size=lambda: (80, 10), unicode=False).written[1]
    assert "_._" in ascii_rows


def test_wrapped_lines_stand_under_their_last_column() -> None:
    assert wrapped("ab   one two three", 12) == "ab   one two\n     three"
    assert wrapped("  one two three", 11) == "  one two\n    three"
    assert wrapped("short\n\nlines", 12) == "short\n\nlines"
    assert wrapped(f"one {RED}two{END} three", 13) == f"one {RED}two{END} three"
    assert wrapped(f"one {RED}two{END} three four", 14).split("\n") == [f"one {RED}two{END}", "  three four"]
    assert padded(f"{RED}a{END}", 3) == f"{RED}a{END}  "


def test_robots_have_colours_of_their_own() -> None:
    assert len(set(TERMINAL_CHIPS)) == 8
    talk = Talk(session("risky_exchange", 4), "1 2 3 4 5", "go", colour=True)
    board, robots = talk.written[1], talk.written[2]
    for seat in range(4):
        assert f"\x1b[{TERMINAL_CHIPS[seat]}m" in board
        assert f"\x1b[{TERMINAL_CHIPS[seat]}m{seat + 1}\x1b[0m" in robots
    assert "\x1b[" not in Talk(session("risky_exchange", 4), "1 2 3 4 5", "go").text


def test_what_gears_and_belts_do_is_theirs() -> None:
    told = (
        Event(0, 1, "B1", "card", 0, -1, 49, 0, -1),
        Event(0, 1, "B1", "turned", 0, -1, 3, 0, -1),
        Event(0, 1, "C6", "moved", 0, -1, 4, 1, 0),
        Event(0, 1, "C6", "turned", 0, -1, 1, 1, -1),
        Event(0, 1, "C11", "turned", 0, -1, 2, 1, -1),
    )
    ((_, lines),) = story(told, ("me", "other"), 0, 8)
    assert lines == [
        "me plays Move 1 (490): turns west",
        "the belt carries me to (1, 0)",
        "the belt turns me east",
        "the gear turns me south",
    ]
