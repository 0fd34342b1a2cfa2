"""Whether a lone robot can finish a course: what is proved possible was played, what is excluded never happens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from combinations import quick
from marks import compiled_only

import rr_gym.finishing as finishing
from rr_gym.cli.main import main
from rr_gym.courses.course import Course
from rr_gym.courses.elements import BY_ID
from rr_gym.courses.library import list_courses, load_course
from rr_gym.courses.tables import ground
from rr_gym.errors import RoboRallyError
from rr_gym.finishing import MARKOV_FEATURES, Finishing, least_damage, lone_finishing
from rr_gym.generate import generate_course, is_solvable
from rr_gym.generate.expansions import RECIPES
from rr_gym.players.random_player import RandomPlayer
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import FATAL_DAMAGE, MAX_ROBOTS
from rr_gym.rules.state.records import no_orders
from rr_gym.solo.distances import lone_steps

# The straight way costs 18 points of damage; a detour over the other row costs none.
BEAMS = "@1 ./n*3 ./n*3 ./n*3 ./n*3 ./n*3 ./n*3 #1\n. ./n ./n ./n ./n ./n ./n .\n"


@compiled_only
def test_a_detour_around_beams_is_found() -> None:
    course = Course.from_board(BEAMS)
    assert not is_solvable(course)  # this function only tries the shortest way
    assert lone_finishing(course) == Finishing((1,))
    assert lone_finishing(course).problems() == []


@pytest.mark.parametrize(
    ("board", "flag", "starts"),
    [
        ("@1 X #1\n@2 X .\n", 1, (1, 2)),
        ("@1 . #1 ./e #2\n. . . ./e .\n", 2, (1,)),
        ("@1 ./e . #1\n. ./e . @2\n", 1, (1,)),
        ("@1 C C C #1\n", 1, (1,)),  # no move crosses three squares with crushers
        (f"@1 {'./n*3 ' * 12}#1\n", 1, (1,)),  # no robot survives so many beams
        ("X X X\n@1 << #1\nX X X\n#2 X X\n", 2, (1,)),
    ],
)
def test_flags_that_no_cards_reach_are_excluded(board: str, flag: int, starts: tuple[int, ...]) -> None:
    found = lone_finishing(Course.from_board(board))
    assert found.excluded == dict.fromkeys(starts, flag)
    assert found.unknown == ()
    numbers = ", ".join(map(str, starts))
    where = f"start square{'s' * (len(starts) > 1)} {numbers}"
    assert found.problems() == [f"a robot alone cannot reach flag {flag} from {where}, whatever its cards"]


@compiled_only
def test_repairs_count_before_anything_is_excluded() -> None:
    beams = " ".join(["./n*3"] * 6)
    assert lone_finishing(Course.from_board(f"@1 {beams} #1\n")).excluded == {}
    assert lone_finishing(Course.from_board(f"@1 {beams} w1 {beams} w1 {beams} #1\n")).excluded == {}


def test_nothing_is_excluded_on_boards_that_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finishing, "TURNS", 2)
    monkeypatch.setattr(finishing, "BATCHES", (1, 2))
    found = lone_finishing(Course.from_board("@1 I X #1\n"))
    assert found == Finishing((), {}, (1,), 3)
    assert found.problems() == [
        "a robot alone finished none of 3 races of 2 turns from start square 1;"
        " whether any cards lead to all flags is not known"
    ]


@compiled_only
def test_races_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    course = Course.from_board("@1 I X #1\n")
    monkeypatch.setattr(finishing, "MAX_TURNS", 1)
    assert lone_finishing(course).races == finishing.BATCHES[0]
    monkeypatch.setattr(finishing, "MAX_TURNS", 10**9)
    assert lone_finishing(course).races == sum(finishing.BATCHES) == 128


def test_only_races_are_looked_at() -> None:
    with pytest.raises(RoboRallyError, match="course 'board': expected a race with flags and start squares"):
        lone_finishing(Course.from_board("@1 .\n"))


@compiled_only
@pytest.mark.parametrize("name", quick(list_courses(), "moving_targets", "factory_rejects", "everything"))
def test_built_in_courses_can_be_finished(name: str) -> None:
    course = load_course(name)
    if Arena(course).settings[0].game != "race":
        pytest.skip("it is no race")
    assert lone_finishing(course).problems() == []


def test_command_says_what_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "course.yaml"
    path.write_text("id: c\nboards: [{board: b, at: [0, 0]}]\nboard_texts: {b: '@1 X #1'}\nrules: [{rule: superbot}]")
    assert main(["course", "check", str(path)]) == 0
    problem = "a robot alone cannot reach flag 1 from start square 1, whatever its cards"
    assert capsys.readouterr().out == f"course.yaml: well formed, but: course 'c': {problem}\n1 file, 0 errors\n"


STEADY_ELEMENTS = sorted(
    name
    for name in RECIPES
    if BY_ID[name].features and not any(getattr(ground, bit) & ~MARKOV_FEATURES for bit in BY_ID[name].features)
)


@compiled_only
@pytest.mark.parametrize("element", quick(["", *STEADY_ELEMENTS], "", "portal", "lava_pit"))
def test_lone_robots_never_leave_what_is_called_reachable(element: str) -> None:
    """In random play, robots reach no state that is called unreachable, and none with less damage than the bound."""
    visits = 0
    for seed in range(4):
        density = {"pit": 0.1, "laser": 0.06, "crusher": 0.05, "pusher": 0.05}
        chosen = [element] if element else []
        course = generate_course(seed, 8, 8, 1, 1, density, "hard", chosen, solvable=False)
        arena = Arena(course, {"lives": "unlimited"})
        table = arena.tables[0]
        assert not int(table.course.features) & ~MARKOV_FEATURES
        start = int(table.course.starts[0])
        squares = table.squares[: int(table.course.num_squares)]
        sites = np.union1d(np.flatnonzero((squares["wrenches"] > 0) | (squares["flag"] > 0)), start)
        steps = lone_steps(table)
        first = np.full(steps.shape[:2], FATAL_DAMAGE, np.int64)
        first[start * 4 : start * 4 + 4, 0] = 0
        least = least_damage(steps, sites, first)[:, 0]
        assert not (least < FATAL_DAMAGE).all()
        for robots in walks(arena, seed):
            states = robots["square"].astype(int) * 4 + robots["facing"]
            # Powered-down robots have lost their damage but play no card, so they are left out.
            damage = np.where(robots["down"] != 0, FATAL_DAMAGE - 1, robots["damage"])
            assert (least[states] <= damage).all(), (element, seed)
            visits += len(robots)
    assert visits > 1000


def walks(arena: Arena, seed: int) -> Iterator[np.ndarray]:
    """Yield the robots on the board of 64 games of one robot each, after each turn of random play."""
    chance = np.random.default_rng(seed)
    games = arena.new_games(64, 1, seed=seed)
    player = RandomPlayer()
    player.reset(seed)
    for _ in range(40):
        orders = no_orders(len(games), MAX_ROBOTS, full=True)
        orders[:, 0] = player.act(arena, games, 0)
        orders["power_down"] = chance.random(orders.shape) < 0.1
        orders["stay_down"] = chance.random(orders.shape) < 0.3
        arena.play(games, orders)
        games = games[games["over"] == 0]
        robots = games["robots"][:, 0]
        yield robots[robots["alive"] != 0]
