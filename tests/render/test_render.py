"""Pictures of games show every robot at its place and in its state."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import rr_gym
from rr_gym.render import ansi, rgb, svg
from rr_gym.render.board.picture import rgb as course_rgb
from rr_gym.render.colours import ROBOT_COLOURS
from rr_gym.render.event_sentences import sentences
from rr_gym.render.pieces import Piece, labels
from rr_gym.render.pixels import background, pieces_rgb
from rr_gym.render.robots import spots
from rr_gym.render.words import STEP_WORDS, Event, card_words, explain
from rr_gym.rules.state.constants import STEP_NAMES
from rr_gym.rules.state.events import EVENT_NAMES

CELL = 40


@pytest.fixture
def game() -> rr_gym.Game:
    return rr_gym.Game("risky_exchange", num_robots=3, seed=1)


def changed_squares(one: np.ndarray[Any, Any], two: np.ndarray[Any, Any], cell: int = CELL) -> set[tuple[int, int]]:
    rows, columns = np.nonzero((one != two).any(axis=2))
    return {(int(x) // cell, int(y) // cell) for x, y in zip(columns, rows, strict=True)}


def test_pixels_differ_from_the_board_only_where_robots_are(game: rr_gym.Game) -> None:
    picture = rgb(game.record, game.course, CELL)
    assert picture.shape == (16 * CELL, 12 * CELL, 3)
    assert picture.dtype == np.uint8
    robots = {tuple(divmod(int(s), 12)[::-1]) for s in game.record["robots"]["square"][:3]}
    assert changed_squares(picture, course_rgb(game.course, CELL)) == robots


def test_background_is_kept_and_not_painted_on(game: rr_gym.Game) -> None:
    before = background(game.course, CELL).copy()
    rgb(game.record, game.course, CELL)
    assert background(game.course, CELL) is background(game.course, CELL)
    assert np.array_equal(background(game.course, CELL), before)


def picture_of(game: rr_gym.Game, **state: Any) -> bytes:
    return pieces_rgb([Piece(square=100, **state)], game.course, CELL).tobytes()


@pytest.mark.parametrize(
    "states",
    [
        [{"facing": f} for f in range(4)],
        [{"damage": d} for d in range(10)],
        [
            *({}, {"virtual": True}, {"down": True}, {"alive": False}, {"flying": True}, {"burning": 1}),
            *({"asleep": 2}, {"energized": True}, {"level": 1}, {"level": 2}),
            *({"copy_square": 50}, {"copy_square": 50, "copy_facing": 1}, {"copy_square": 100}),
        ],
    ],
    ids=["facing", "damage", "state"],
)
def test_every_state_looks_different(game: rr_gym.Game, states: list[dict[str, Any]]) -> None:
    assert len({picture_of(game, **state) for state in states}) == len(states)


def test_virtual_robots_let_the_board_through(game: rr_gym.Game) -> None:
    empty, real, virtual = (
        pieces_rgb([Piece(square=100, **state)], game.course, CELL).astype(int)
        for state in ({"alive": False}, {}, {"virtual": True})
    )
    assert 0 < np.abs(virtual - empty).sum() < np.abs(real - empty).sum()


def test_a_robot_faces_where_its_nose_is(game: rr_gym.Game) -> None:
    # Without damage, only the nose in front of the body is drawn in the outermost strip of its square.
    x, y = 100 % 12 * CELL, 100 // 12 * CELL
    empty = pieces_rgb([Piece(square=100, alive=False)], game.course, CELL)
    for facing, strip in enumerate((np.s_[:4, :], np.s_[:, -4:], np.s_[-4:, :], np.s_[:, :4])):
        picture = pieces_rgb([Piece(square=100, facing=facing)], game.course, CELL)
        drawn = (picture != empty).any(axis=2)[y : y + CELL, x : x + CELL]
        others = [s for k, s in enumerate((np.s_[:2, :], np.s_[:, -2:], np.s_[-2:, :], np.s_[:, :2])) if k != facing]
        assert drawn[strip].any()
        assert not any(drawn[s].any() for s in others)


def test_robots_on_one_square_are_drawn_aside() -> None:
    places = spots([5, 17, 5, -1], 12)
    assert places[1] == (5, 1)
    assert places[0] != places[2]
    assert all(abs(x - 5) < 0.5 and abs(y) < 0.5 for x, y in (places[0], places[2]))


def channel(value: int) -> float:
    return value / 255 / 12.92 if value <= 10 else ((value / 255 + 0.055) / 1.055) ** 2.4


# Linear RGB as seen by people who lack red or green cones (Vienot, Brettel and Mollon 1999)
DEFICIENCIES = {
    "all cones": np.eye(3),
    "no red": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
    "no green": np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]),
}


@pytest.mark.parametrize("sight", DEFICIENCIES)
def test_robot_colours_are_told_apart(sight: str) -> None:
    seen = [DEFICIENCIES[sight] @ [channel(int(colour[i : i + 2], 16)) for i in (1, 3, 5)] for colour in ROBOT_COLOURS]
    gaps = [np.abs(np.cbrt(np.clip(a, 0, 1)) - np.cbrt(np.clip(b, 0, 1))).max() for a, b in combinations(seen, 2)]
    assert len(seen) == 8
    assert min(gaps) > 0.08


def test_svg_holds_the_board_and_the_robots(game: rr_gym.Game) -> None:
    game.record["robots"][1]["virtual"] = 1
    root = ET.fromstring(svg(game.record, game.course))
    name = "{http://www.w3.org/2000/svg}"
    groups = [g for g in root.findall(f"{name}g") if g.find(f"{name}svg") is not None]
    assert [float(g.get("opacity", 1)) < 1 for g in groups] == [False, False, True]
    places = {g.get("transform") for g in groups}
    squares = [divmod(int(s), 12)[::-1] for s in game.record["robots"]["square"][:3]]
    assert places == {f"translate({x} {y})" for x, y in squares}
    game.record["robots"][1]["alive"] = 0
    assert svg(game.record, game.course).count('<g transform="translate') == 2


def test_text_shows_board_and_table(game: rr_gym.Game) -> None:
    game.play()
    robot = game.record["robots"][0]
    robot["facing"], robot["damage"], robot["locked"] = 1, 6, 0b11000
    robot["registers"][3:] = 50, 0
    game.record["robots"][1]["virtual"] = 1
    text = ansi(game.record, game.course)
    board, table = text[: text.index("robot ")], text[text.index("robot ") :]
    assert text.startswith("Risky Exchange, turn 2\n")
    assert "1→" in board
    assert any(f"2{arrow}v" in board for arrow in "↑→↓←")
    row = table.splitlines()[1]
    assert row.split()[:6] == ["1", f"{robot['square'] % 12},{robot['square'] // 12}", "e", "6", "3", "0/3"]
    assert "move_1@500!" in row
    assert len(table.splitlines()) == 4
    assert ansi(game.record, game.course, unicode=False).isascii()
    assert "\x1b[" in ansi(game.record, game.course, colour=True)


CHANGING = """
    L    .    t^   gwe  Y
    .    w1   Lf   h1   .
    pa>  pb<  .    .    .
    @1   .    .    .    .
    levels:
    00000
    00001
    00000
    00000
    groups:
    room at 0,0 2
    """


def test_pictures_show_what_games_change_of_the_board() -> None:
    game = rr_gym.Game(rr_gym.Course.from_board(CHANGING), num_robots=1, seed=1)
    record, course = game.record, game.course

    def seen() -> np.ndarray[Any, Any]:
        return rgb(record, course, CELL)

    printed, text = seen(), ansi(record, course)
    room = {(0, 0), (1, 0), (0, 1), (1, 1)}
    for name, value, squares in (
        ("rooms", [1, 0, 0, 0, 0, 0, 0, 0], room),
        ("flip", 1 - int(record["flip"]), {(3, 0), (2, 1)}),
        ("piston_up", 1, {(0, 2), (1, 2)}),
        ("crumbled", [1, 0, 0, 0], {(4, 0)}),
        ("turret_facing", [1, 0, 0, 0, 0, 0, 0, 0], {(2, 0)}),
    ):
        before = record[name].copy()
        record[name] = value
        assert changed_squares(seen(), printed) == squares
        assert ansi(record, course) != text
        record[name] = before
    record["phase"], record["step"] = 1, STEP_NAMES.index("D1")
    assert changed_squares(seen(), printed) == {(3, 1)}
    assert "h▲" in ansi(record, course)


def test_text_shows_the_states_of_robots() -> None:
    game = rr_gym.Game(rr_gym.Course.from_board(CHANGING), num_robots=1, seed=1)
    robot = game.record["robots"][0]
    robot["level"], robot["flying"], robot["burning"], robot["asleep"], robot["energized"] = 1, 1, 2, 3, 4
    robot["has_copy"], robot["copy_square"], robot["copy_facing"] = 1, 18, 2
    text = ansi(game.record, game.course)
    assert "on level 1, flying, burning 2, asleep 3, energized, copy at 3,3" in text
    assert "1↓c" in text


def test_labels() -> None:
    assert labels(["greedy", "random", "greedy"]) == ["greedy 1", "random", "greedy 3"]


@pytest.mark.parametrize(
    ("card", "words"), [(0, "no card"), (6, "U-turn (60)"), (7, "Rotate left (70)"), (84, "Move 3 (840)")]
)
def test_card_words(card: int, words: str) -> None:
    assert card_words(card) == words


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (("card", 0, -1, 70, 5, -1), "a plays Move 2 (700)"),
        (("moved", 1, 0, 2, 17, 5), "a pushes b to (5, 1)"),
        (("moved", 0, -1, 4, -1, 5), "the belt carries a off the board"),
        (("turned", 0, -1, 3, 5, -1), "a turns west"),
        (("shot", -1, 1, 0, 17, 5), "the board fires north from (5, 1) and hits b at (5, 0)"),
        (("damaged", 1, 0, 1, 17, 1), "a's laser hits b: 1 point of damage"),
        (("damaged", 1, -1, 3, 17, 0), "a board laser hits b: 3 points of damage"),
        (("destroyed", 0, -1, 3, 5, -1), "a is lost in a pit"),
        (("locked", 0, -1, 5, 5, 49), "register 5 of a locks on Move 1 (490)"),
        (("reentered", 0, -1, 2, 5, 1), "a returns as a virtual robot at (5, 0), facing south"),
        (("over", -1, -1, 0, -1, -1), "the game is over"),
    ],
)
def test_events_in_words(event: tuple[Any, ...], words: str) -> None:
    assert explain(Event(0, 1, "B1", *event), ["a", "b"], 12) == words


def test_every_kind_of_event_has_words() -> None:
    for kind in EVENT_NAMES:
        words = explain(Event(0, 1, "B1", kind, 0, -1, 1, 5, 3), ["a", "b"], 12)
        assert f": {kind} 1" not in words
    assert set(STEP_WORDS) <= set(STEP_NAMES)


def test_a_program_is_one_sentence() -> None:
    events = [Event(0, 0, "T4", "programmed", 0, -1, r + 1, 5, 49 + r) for r in range(5)]
    assert sentences(events, ["a"], 12) == ["a programs Move 1, Move 1, Move 1, Move 1, Move 1"]
