"""Generated courses: well formed, as asked for, the same everywhere, and solved in an ordinary game."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from combinations import combinations, quick

from rr_gym.cli.main import main
from rr_gym.compilation.kernels import COMPILED
from rr_gym.courses.course import Course
from rr_gym.courses.elements import BASE, BY_ID
from rr_gym.courses.library import load_course
from rr_gym.courses.tables.features import elements
from rr_gym.courses.text.board import parse_board
from rr_gym.courses.text.board_format import format_board
from rr_gym.generate import GenerateError, courses, find_route, generate_course, is_solvable
from rr_gym.generate.courses import SETS
from rr_gym.generate.expansions import RECIPES
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import CARD_TYPE_NAMES
from rr_gym.rules.state.records import no_orders

SEEDS = range(50) if COMPILED else range(2)
STEPS = [(0, -1), (1, 0), (0, 1), (-1, 0)]


@cache
def course_of(seed: int) -> Course:
    if not COMPILED:
        return generate_course(seed, 6, 5, 2, 2)
    return generate_course(
        seed,
        width=8 + seed % 5,
        height=8 + seed % 4,
        num_flags=1 + seed % 4,
        num_starts=1 + seed % 8,
        difficulty=("easy", "medium", "hard")[seed % 3],
    )


def text_of(course: Course) -> str:
    return format_board(course.placements[0].board)


def play_route(arena: Arena, seat: int, route: list[str]) -> np.record:
    """Play the cards of a route as programs of a game of one robot that is dealt exactly these cards."""
    full = arena.new_games(1, len(arena.courses[0].starts))[0].robots[seat]
    games = arena.new_games(1, 1)
    robot = games[0].robots[0]
    robot.square, robot.archive, robot.facing = full.square, full.archive, full.facing
    for first in range(0, len(route), 5):
        assert not games[0].over
        assert robot.locked == 0
        cards: list[int] = []
        for name in route[first : first + 5]:
            alike = np.flatnonzero(CARD_TYPE_NAMES.index(name) == CARD_TYPE)
            cards.append(next(int(card) for card in alike if card not in cards))
        robot.hand[:] = 0
        robot.hand[: len(cards)] = sorted(cards, reverse=True)
        orders = no_orders(1, 8, full=True)
        orders["program"][0, 0, : len(cards)] = cards
        arena.play(games, orders)
    return games[0]


@pytest.mark.parametrize("seed", quick(SEEDS, *SEEDS[:8]))
def test_every_start_leads_to_victory(seed: int) -> None:
    course = course_of(seed)
    arena = Arena(course)
    game = arena.new_games(1, len(course.starts))[0]
    for seat in range(len(course.starts)):
        route = find_route(arena.tables[0], game, seat)
        assert route is not None
        end = play_route(arena, seat, route)
        assert end.winners == 1
        assert end.robots[0].lives == end.start_lives


@pytest.mark.parametrize("seed", quick(SEEDS, *SEEDS[:8]))
def test_boards_are_well_formed(seed: int) -> None:
    board = parse_board(text_of(course_of(seed)))
    assert text_of(course_of(seed)) == format_board(board)
    belts, pits, starts = {}, set(), set()
    for x, y, cell in board.squares():
        for item in cell.items:
            if item.kind == "belt":
                belts[x, y] = ("^>v<".index(item.text[0]), set(item.text.partition(":")[2]))
            if item.kind == "pit":
                pits.add((x, y))
            if item.kind == "start":
                starts.add((x, y))
    for (x, y), (direction, turns) in belts.items():
        feeding = set()
        for side, (dx, dy) in enumerate(STEPS):
            if belts.get((x + dx, y + dy), (-1,))[0] == (side + 2) % 4:
                feeding.add("nesw"[side])
        target = (x + STEPS[direction][0], y + STEPS[direction][1])
        assert "nesw"[direction] not in feeding, "two belts against each other"
        assert turns == feeding - {"nesw"[(direction + 2) % 4]}
        assert target in board, "a belt off the board"
        assert target not in starts
        if COMPILED and seed % 3 < 2:
            assert target not in pits


@pytest.mark.skipif(not COMPILED, reason="large courses take long with interpreted rules")
def test_densities_are_kept() -> None:
    density = {"pit": 0.1, "belt": 0.2, "express": 0.1, "gear": 0.05, "repair": 0.04, "crusher": 0.02}
    course = generate_course(3, 10, 10, 1, 2, {**density, "pusher": 0.03, "wall": 0.2, "laser": 0.03})
    table = Arena(course).tables[0]
    squares = table.squares[:100]
    assert np.count_nonzero(squares["pit"]) == 10
    assert np.count_nonzero(squares["belt"] == 1) == 20
    assert np.count_nonzero(squares["belt"] == 2) == 10
    assert np.count_nonzero(squares["gear"]) == 5
    assert np.count_nonzero(squares["wrenches"]) == 4
    assert np.count_nonzero(squares["crusher"]) == 2
    assert np.count_nonzero(squares["pushers"].any(axis=1)) == 3
    assert table.course.num_beams == 3
    text = text_of(course)
    assert sum("/" in token for token in text.split()) >= 18


def test_there_is_a_recipe_for_every_element_of_the_expansions() -> None:
    assert set(RECIPES) == {name for name, element in BY_ID.items() if element.set != BASE}
    assert set(SETS) == {
        "armed_and_dangerous", "radioactive", "grand_prix", "crash_and_burn", "fan_created_list", "additional_page",
        "all",
    }  # fmt: skip
    assert set(SETS["all"]) == set(RECIPES)
    assert sum(len(names) for name, names in SETS.items() if name != "all") == len(SETS["all"]) == len(RECIPES)


@pytest.mark.parametrize(("element", "seed"), combinations(list(RECIPES), range(3), one_in=3))
def test_each_element_is_laid(element: str, seed: int) -> None:
    course = generate_course(seed, 9, 9, 2, 4, elements=[element], solvable=False)
    assert element in elements(course)
    assert course.tables.ground.size
    # No element of another expansion is laid, except those that the element needs, such as ledges around high ground.
    others = {name for name in elements(course) if BY_ID[name].set != BASE} - {element}
    assert others <= {"ledge", "waterfall", "current", "water"}


@pytest.mark.parametrize("seed", quick(range(20), 0, 1, 2))
def test_many_elements_are_laid_together(seed: int) -> None:
    course = generate_course(seed, 24, 20, 4, 8, difficulty=("easy", "medium", "hard")[seed % 3],
                             density={"pit": 0.02, "belt": 0.05}, elements=["all"], solvable=False)  # fmt: skip
    assert set(SETS["all"]) <= set(elements(course))
    assert parse_board(text_of(course)) == course.placements[0].board
    Arena(course)


@pytest.mark.parametrize(("name", "count"), [("oil_slick", 8), ("rotating_room", 1), ("gate", 3)])
def test_elements_have_densities(name: str, count: int) -> None:
    arguments = {"width": 10, "height": 10, "num_flags": 1, "num_starts": 1, "solvable": False}
    board = generate_course(5, **arguments, density={name: count / 100}).placements[0].board
    items = sum(item.element == name for *_, cell in board.squares() for item in cell.items)
    sides = sum(side.element == name for *_, cell in board.squares() for side in cell.sides)
    assert items >= count or sides == 2 * count or len(board.groups) == count
    assert name not in elements(generate_course(5, **arguments, elements=[name], density={name: 0}))


@pytest.mark.skipif(not COMPILED, reason="large courses take long with interpreted rules")
@pytest.mark.parametrize("name", quick(SETS, "grand_prix", "all"))
def test_courses_with_expansions_lead_to_victory(name: str) -> None:
    size = {"width": 22, "height": 14} if name == "all" else {}
    course = generate_course(1, **size, num_starts=3, difficulty="easy", elements=[name])
    assert set(SETS[name]) <= set(elements(course))
    assert is_solvable(course)


@pytest.mark.skipif(not COMPILED, reason="large courses take long with interpreted rules")
def test_flags_lie_apart() -> None:
    for seed in range(10):
        flags = generate_course(seed, difficulty="easy", num_starts=2).flags
        gaps = [abs(a[0] - b[0]) + abs(a[1] - b[1]) for i, a in enumerate(flags) for b in flags[:i]]
        assert min(gaps) >= 4


@pytest.mark.skipif(not COMPILED, reason="fewer courses are made with interpreted rules")
@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (8, "4a21b3206ab58ab8281822f9074d1a905236512ed1a0e4b951b8185181c3f8fc"),
        pytest.param(50, "bfbfd491d9eef4354b47ddf482a2f1055ff384dbc802df4be01d8b9064c0edf2", marks=pytest.mark.long),
    ],
)
def test_results_are_the_same_on_every_platform(count: int, expected: str) -> None:
    digest = hashlib.sha256("".join(text_of(course_of(seed)) for seed in SEEDS[:count]).encode()).hexdigest()
    assert digest == expected


def test_other_seeds_give_other_courses() -> None:
    small = {"width": 6, "height": 5, "num_flags": 1, "num_starts": 1}
    texts = {text_of(generate_course(seed, **small)).partition("\n")[2] for seed in (0, 1, -1)}
    assert len(texts) == 3
    assert text_of(generate_course(1, **small)) == text_of(generate_course(1, **small))


def test_courses_that_cannot_be_finished_are_recognized() -> None:
    assert is_solvable(Course.from_board("grid:\n@1 . #1\n"))
    assert not is_solvable(Course.from_board("grid:\n@1 X #1\n"))
    # The only way through three beams costs more than four points of damage.
    deadly = "grid:\n. @1 ./n*3 ./n*3 #1 .\n"
    assert not is_solvable(Course.from_board(deadly.replace("#1", "./n*3 ./n*3 ./n*3 ./n*3 ./n*3 ./n*3 #1")))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_flags": 0}, "num_flags: 0: expected a whole number from 1 to 8"),
        ({"num_starts": 9}, "num_starts: 9: expected a whole number from 1 to 8"),
        ({"width": 2, "height": 3}, "size: 2x3 has 6 squares: expected at least 12"),
        ({"width": 300, "height": 300}, "size: 300x300: expected at most 2048 squares"),
        ({"density": {"pits": 0.1}}, "density: there is no kind 'pits'; did you mean 'pit'?"),
        ({"density": {"pit": 1.5}}, "density: pit: 1.5: expected a number from 0 to 1"),
        ({"density": {"pit": 0.6, "belt": 0.5}}, "squares: expected at least"),
        ({"elements": ["oil_slik"]}, "there is no element or expansion 'oil_slik'; did you mean 'oil_slick'?"),
        ({"elements": ["pit"]}, "elements: pit: expected an element of an expansion"),
        ({"elements": "all"}, "elements: 'all': expected a list of names"),
        ({"difficulty": "mad"}, "difficulty: 'mad': expected easy | medium | hard"),
        ({"difficulty": ["easy"]}, "difficulty: ['easy']: expected easy | medium | hard"),
        ({"density": 3}, "density: 3: expected numbers by kind"),
        ({"seed": "x"}, "seed: 'x': expected a whole number"),
    ],
)  # fmt: skip
def test_impossible_requests_are_refused(arguments: dict, message: str) -> None:
    with pytest.raises(GenerateError, match=re.escape(message)):
        generate_course(**{"seed": 1, **arguments})


def test_numbers_of_numpy_are_numbers() -> None:
    arguments = (7, 6, 5, 1, 1)
    assert generate_course(*map(np.int64, arguments)) == generate_course(*arguments)


def test_attempts_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courses, "ATTEMPTS", 4)
    with pytest.raises(GenerateError, match="seed 1: no course in 4 attempts that can be finished"):
        generate_course(1, 4, 4, 3, 1, {"pit": 0.65}, "easy")


def test_the_command_prints_and_writes_courses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size = ["--size", "7x6", "--flags", "2", "--starts", "2"]
    small = ["generate", "--seed", "5", *size, "--density", "pit=0.1", "--density", "wall=0"]
    assert main(small) == 0
    printed = capsys.readouterr().out
    board = generate_course(5, 7, 6, 2, 2, {"pit": 0.1, "wall": 0.0}).placements[0].board
    assert printed == format_board(replace(board, name=""))  # without a name, since the name of the file counts
    for name in ("course.rrb", "course.yaml"):
        assert main([*small, "--out", str(tmp_path / name)]) == 0
        assert load_course(str(tmp_path / name)).placements[0].board.cells == board.cells
        assert capsys.readouterr().out.startswith(str(tmp_path / name))
    assert main(["course", "check", str(tmp_path / "course.rrb"), str(tmp_path / "course.yaml")]) == 0
    assert main([*small, "--elements", "portal,grave", "--out", str(tmp_path / "portal.rrb")]) == 0
    assert {"portal", "grave"} <= set(elements(load_course(tmp_path / "portal.rrb")))
    assert main(["generate", "--size", "7"]) == 2
    assert main(["generate", "--density", "pit"]) == 2
    assert main(["generate", "--out", "course.txt"]) == 2
    assert "expected a name that ends in .rrb, .yaml or .yml" in capsys.readouterr().err
