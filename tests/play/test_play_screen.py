"""What a person is shown: nothing hidden, and what happened in words."""

from __future__ import annotations

import pytest
from option_games import FLOOR
from play_talk import Talk, options_game, session_of, small

from rr_gym.courses.course import Course
from rr_gym.encoding.orders.orders import Orders
from rr_gym.game import Game, determinize
from rr_gym.play import Session
from rr_gym.play.preview import preview
from rr_gym.play.screen import Screen
from rr_gym.play.story import story
from rr_gym.play.usable import usable_orders
from rr_gym.registry import make_player
from rr_gym.render.seen_events import seen_by


def test_the_preview_is_where_the_robot_goes_alone() -> None:
    course = Course.from_board("grid:\n@1 . . . . #1\n. > > . . .\n. . X . . .\n", "small")
    for seed in range(6):
        session = Session(Game(course, 1, seed), [0], [], 0)
        talk = Talk(session, "1 2 3 4 5; preview; go")
        shown = next(text for text in talk.written if "at the end of the turn" in text).splitlines()[-1]
        own = session.view().own
        assert own.square
        facing = {"n": "north", "e": "east", "s": "south", "w": "west"}[own.facing]
        damage = {0: "", 2: ", with 2 points of damage,"}[own.damage]
        assert shown == f"your robot is at {own.square}, facing {facing}{damage} at the end of the turn"


def test_a_preview_ends_at_the_first_open_register() -> None:
    talk = Talk(session_of(small()), "1 2 . 4 5; preview")
    shown = talk.written[-3]
    assert shown.endswith("after phase 2; register 3 is open")
    assert "phase 3" not in shown


def test_a_preview_begins_with_what_is_so_already() -> None:
    session = session_of(options_game("turret"))
    talk = Talk(session, ". . . . .; preview; 1 2 3 4 5; preview")
    assert "loses its copy" not in talk.text


def test_registers_may_lock_without_a_card() -> None:
    """A robot that returns in the clean-up may be damaged before it gets a hand."""
    game = small()
    for seat in (0, 1):
        robot = game.record.robots[seat]
        robot.damage, robot.locked, robot.hand[3:] = 6, 0b11000, 0
    talk = Talk(session_of(game), "1 2 3; preview; go")
    assert not talk.errors
    assert "locked registers of random 2: 4 no card, 5 no card" in talk.text
    assert "| 4 no card, locked | 5 no card, locked" in talk.text
    assert talk.dialogue.session.game.turn == 1


@pytest.mark.parametrize("seed", range(4))
def test_nothing_shown_depends_on_what_is_hidden(seed: int) -> None:
    """Re-deal what the seat cannot see: screen, orders, preview and hint stay as they are."""
    course = Course.from_board(FLOOR, "floor")
    settings = {"option_cards": "on", "game": "head_to_head", "start_options": 2} if seed % 2 else {}
    game = Game(course, 4, seed, settings)
    game.play()
    shown = []
    for version in (game, determinize(game, 1, seed=99), determinize(game, 1, seed=100)):
        view = version.view(1)
        screen = Screen(course, ["a", "b", "c", "d"])
        session = Session.__new__(Session)
        session.game, session.seat = version, 1
        sight = session.sight()
        advice = make_player("random").orders(sight)
        advised = Orders.from_record(advice).program
        usable = usable_orders(version, view)
        order = version.resolve({1: list(view.hand[:5]) if len(view.hand) >= 5 else {}})[1]
        texts = (screen.board(view, version.record), screen.robots(view), screen.hand(view))
        shown.append((*texts, preview(sight, order, "b"), usable, advised))
    assert shown[0] == shown[1] == shown[2]


def test_stories_tell_no_card_that_was_not_turned_over() -> None:
    """Robots that fall off the board have cards left: these stay unknown to others, but not to themselves."""
    course = Course.from_board("grid:\n@1 @2 #1\n", "edge")
    for seed in range(8):
        game = Game(course, 2, seed, {"lives": "unlimited"})
        game.play()
        played = {(e.robot, e.value) for e in game.events if e.kind == "card"}
        programmed = {(e.robot, e.target) for e in game.events if e.kind == "programmed"}
        hidden = {card for robot, card in programmed - played if robot == 1}
        told = list(seen_by(game.events, 0))
        assert not any(e.kind == "dealt" for e in told)
        assert {e.target for e in told if e.kind == "programmed"} == {card for robot, card in programmed if robot == 0}
        text = " ".join(line for _, lines in story(game.events, ("me", "other"), 0, 3) for line in lines)
        assert not any(f"({10 * card})" in text for card in hidden - {c for _, c in played})
        assert "other programs" not in text


def test_stories_are_told_by_phases() -> None:
    game = Game(Course.from_board(FLOOR, "floor"), 2, seed=1)
    game.play()
    chapters = story(game.events, ("me", "b"), 0, 8)
    headings = [heading for heading, _ in chapters]
    assert headings[0] == "before phase 1"
    assert [h for h in headings if h.startswith("phase")] == [f"phase {p}" for p in range(1, 6)]
    cards = [line for _, lines in chapters for line in lines if " plays " in line]
    assert len(cards) == sum(event.kind == "card" for event in game.events)


def test_help_has_every_topic_and_the_elements_of_the_course() -> None:
    topics = [
        "",
        "commands",
        "cards",
        "orders",
        "board",
        "options",
        "move_1",
        "m1",
        "power_down",
        "turret",
        "pit",
        "go",
    ]
    talk = Talk(session_of(options_game("turret")), *(f"help {topic}" for topic in topics))
    assert not talk.errors
    assert "where the main laser" in talk.text or "Turret (turret):" in talk.text
    board = Talk(session_of(small()), "help board").written[-3]
    assert "Pit" in board
    assert "Checkpoint" in board
    assert "Conveyor" not in board


def test_the_board_has_coordinates_robots_and_plain_letters() -> None:
    game = small()
    screen = Screen(game.course, ["human", "b", "c"], unicode=False)
    lines = screen.board(game.view(0), game.record).splitlines()
    assert lines[0].split() == [str(x) for x in range(6)]
    assert [line[:2].strip() for line in lines[2:7:2]] == ["0", "1", "2"]
    assert lines[2][4:7].strip().startswith("1")
    talk = Talk(session_of(game), ".; go", "help board", "help orders", unicode=False)
    assert talk.text.isascii()
