"""The cache of phases: every program of a lone robot ends as by the rules, also if phases come from the cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from combinations import quick
from option_games import deal_options, give
from random_play import FLOOR, play_random

from rr_gym.compilation.kernels import COMPILED
from rr_gym.courses.course import Course
from rr_gym.players.search import outcomes_of
from rr_gym.registry import make_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.robot.health import LOCKED_BY_DAMAGE
from rr_gym.rules.state.constants import NUM_REGISTERS
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.records import no_orders, take_games
from rr_gym.solo import known_phases as module
from rr_gym.solo.distances import SAMPLE_CARDS, alone
from rr_gym.solo.search import lone_outcomes

Array = np.ndarray[Any, Any]
COURSES: dict[str, tuple[Course | str, dict[str, Any]]] = {
    "base": (FLOOR, {}),
    "one life": (FLOOR, {"lives": "1", "first_card_moves": "on", "reentry_facing": "cleanup"}),
    "options": (FLOOR, {"option_cards": "on"}),
    "elements": ("everything", {}),
    "everything": ("everything", {"option_cards": "on"}),
}

CARRYING = {**COURSES, "in passing": (FLOOR, {"flag_touch": "pass"})}


def positions(course: Course | str, settings: dict[str, Any], turns: int) -> tuple[Arena, Array]:
    """Return games after every turn of random play, with option cards if the settings have them."""
    arena = Arena(course, settings)
    games = arena.new_games(3 if COMPILED else 1, 4, seed=5)
    found = []
    for turn in range(turns if COMPILED else 2):
        if "option_cards" in settings:
            deal_options(games, np.random.default_rng(turn), each=4)
        found.append(take_games(games, np.ones(len(games), np.bool_)))
        play_random(arena, games, 1, seed=turn)
    return arena, np.concatenate([games.view(np.uint8) for games in found]).view(games.dtype)


def assert_as_by_the_rules(outcomes: Array, arena: Arena, game: np.record, seat: int, facing: int) -> None:
    """Check that outcomes equal those of all programs of a lone robot, played by the rules."""
    orders = no_orders(8, full=True)
    orders["facing"] = facing
    expected = outcomes_of(arena.tables[game.course], alone(game, seat), 0, orders)
    by_program, wanted = np.argsort(_numbers(expected)), _numbers(outcomes)
    places = by_program[np.searchsorted(_numbers(expected), wanted, sorter=by_program)]
    np.testing.assert_array_equal(outcomes, expected[places])  # also compares the programs themselves


def _numbers(outcomes: Array) -> Array:
    """Return each program as one number."""
    return outcomes["program"].astype(np.int64) @ (128 ** np.arange(outcomes["program"].shape[1]))


@pytest.mark.parametrize("turns", [3, pytest.param(12, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", COURSES)
def test_programs_end_as_the_rules_have_it(name: str, turns: int) -> None:
    if not COMPILED and name[0] == "e":
        pytest.skip("elements take minutes with interpreted rules")
    arena, games = positions(*COURSES[name], turns)
    tried = 0
    for game in games:
        for seat in range(2):
            robot = game.robots[seat]
            if not robot.alive or robot.down or game.over:
                continue
            if not COMPILED:  # keep the number of programs small
                robot.hand[6:] = 0
            outcomes, facings = lone_outcomes(arena, game, seat)
            for facing in np.unique(facings):
                assert_as_by_the_rules(outcomes[facings == facing], arena, game, seat, int(facing))
            tried += len(outcomes)
    assert tried > (500 * turns // 3 if COMPILED else 100)


@pytest.mark.parametrize("name", ["base", "in passing", "options", "elements", "everything"])
def test_programs_end_as_the_rules_have_it_whatever_robots_carry(name: str) -> None:
    if not COMPILED and name != "base":
        pytest.skip("elements take minutes with interpreted rules")
    arena, games = positions(*CARRYING[name], 2)
    course = arena.tables[0].course
    archives = [*course.starts[: course.num_starts], *course.flag_squares[: course.num_flags]]
    rng = np.random.default_rng(1)
    ends = set()
    for game in games:
        robot = game.robots[0]
        if not robot.alive or robot.down or game.over:
            continue
        robot.hand[6:] = 0
        for _ in range(6 if COMPILED else 2):
            robot.damage, robot.lives = rng.integers(10), 1 + rng.integers(3)
            robot.locked = LOCKED_BY_DAMAGE[robot.damage]
            for register in range(NUM_REGISTERS):
                robot.registers[register] = SAMPLE_CARDS[rng.integers(1, 8)] if robot.locked >> register & 1 else 0
            robot.flag, robot.archive = rng.integers(course.num_flags), rng.choice(archives)
            outcomes, facings = lone_outcomes(arena, game, 0)
            for facing in np.unique(facings):
                assert_as_by_the_rules(outcomes[facings == facing], arena, game, 0, int(facing))
            changes = outcomes["damage"] - robot.damage, outcomes["flag"] - robot.flag, outcomes["alive"]
            ends.update(zip(*(change.tolist() for change in changes), strict=True))
    # Some robots are damaged, some touch a flag, some are destroyed, and some only move.
    assert {(0, 0, 1)} < ends


MIRRORS = Course.from_board("""
grid:
@1 .     wc . ./em
@2 ./w*2 .  . ./e
@3 .     ZZ . ./em
.  .     #1 . X
""")


@pytest.mark.skipif(not COMPILED, reason="elements take minutes with interpreted rules")
@pytest.mark.parametrize("points", [(0, 5, 9), pytest.param(range(10), marks=pytest.mark.long)], ids=["some", "all"])
def test_options_count_where_they_act(points: Sequence[int]) -> None:
    arena = Arena(MIRRORS, {"option_cards": "on"})
    blank = arena.new_games(1, 1, seed=4)
    ends = {}
    protected = ("shield", "ablative_coat", "superior_archive brakes", "shield converter", "power_down_shield")
    others = ("brakes", "double_barreled_laser", "proximity_mine", "gyroscopic_stabilizer brakes", "reflector")
    for options in (*others, *protected, *others):
        for damage in reversed(points) if options in protected else points:
            game = take_games(blank, np.ones(1, np.bool_))
            give(game, 0, *options.split())
            robot = game[0].robots[0]
            robot.hand[6:], robot.damage, robot.locked = 0, damage, LOCKED_BY_DAMAGE[damage]
            for register in range(NUM_REGISTERS):
                robot.registers[register] = SAMPLE_CARDS[1 + register] if robot.locked >> register & 1 else 0
            outcomes, facings = lone_outcomes(arena, game[0], 0)
            found = {}
            for facing in np.unique(facings):
                assert_as_by_the_rules(outcomes[facings == facing], arena, game[0], 0, int(facing))
                for outcome in outcomes[facings == facing]:
                    found[int(facing), outcome.program.tobytes()] = outcome.tolist()[1:]
            ends[options, damage] = found
    assert ends["double_barreled_laser", 0] != ends["brakes", 0]  # mirrors reflect two points of damage
    assert ends["reflector", 0] == ends["proximity_mine", 0] == ends["brakes", 0]
    assert ends["shield", 0] != ends["brakes", 0] != ends["ablative_coat", 0]
    assert ends["proximity_mine", 9] != ends["brakes", 9]  # an explosive is not given up for the last point


@pytest.mark.skipif(not COMPILED, reason="elements take minutes with interpreted rules")
def test_options_that_act_on_nobody_let_no_phase_be_played_again() -> None:
    arena = Arena(MIRRORS, {"option_cards": "on"})
    played = []
    for options in ("brakes", "big_gun crab_legs", "high_power_laser rear_laser"):
        game = arena.new_games(1, 1, seed=4)
        give(game, 0, *options.split())
        lone_outcomes(arena, game[0], 0)
        with module.known_phases(arena, 0) as known:
            played.append(int(known.counts[1]))
    assert played[0] > 100
    assert played == played[:1] * 3


WAITING = (
    "shield", "ablative_coat", "power_down_shield", "converter", "superior_archive", "mechanical_arm",
    "double_barreled_laser",
)  # fmt: skip
EVENTFUL = Course.from_board("""
grid:
@1 .     wc L ./em  .
@2 ./w*2 .  . ./e   #2
@3 .     ZZ R ./em  .
.  >     #1 . X     w1
""")


def few_programs(arena: Arena, *options: str) -> Array:
    """Return a game after the deal whose first robot has six cards and some options."""
    games = arena.new_games(1, 1, seed=4)
    give(games, 0, *options)
    games["robots"]["hand"][:, 0, 6:] = 0
    return games


def assert_all_as_by_the_rules(arena: Arena, game: np.record) -> None:
    outcomes, facings = lone_outcomes(arena, game, 0)
    for facing in np.unique(facings):
        assert_as_by_the_rules(outcomes[facings == facing], arena, game, 0, int(facing))


@pytest.mark.skipif(not COMPILED, reason="elements take minutes with interpreted rules")
@pytest.mark.parametrize(
    "option", quick([*WAITING, "gyroscopic_stabilizer", "converter 1"], "shield", "converter 1", "ablative_coat")
)
def test_an_option_that_acts_is_not_carried_over(option: str) -> None:
    """Cached phases in which an option did not act are not used for phases in which it acts."""
    name, _, counters = option.partition(" ")
    for known_first in (["brakes"], [name]):
        arena = Arena(EVENTFUL, {"option_cards": "on"})
        for owned in (*known_first, name, "brakes", name):
            for square in (0, 7, 8, 14, 21):
                game = few_programs(arena, owned)[0]
                game.robots[0].square, game.robots[0].damage = square, square % 3
                game.payload[OPTION_NAMES.index("converter")] = int(counters or 0)
                assert_all_as_by_the_rules(arena, game)


@pytest.mark.skipif(not COMPILED, reason="elements take minutes with interpreted rules")
@pytest.mark.parametrize("option", WAITING)
def test_an_option_that_waits_lets_few_phases_be_played_again(option: str) -> None:
    arena = Arena(EVENTFUL, {"option_cards": "on"})
    played = [0]
    for owned in ("brakes", option):
        lone_outcomes(arena, few_programs(arena, owned)[0], 0)
        with module.known_phases(arena, 0) as known:
            played.append(int(known.counts[1]))
    assert 0 < played[2] - played[1] < 9 * played[1] // 10


@pytest.mark.skipif(not COMPILED, reason="elements take minutes with interpreted rules")
def test_options_drawn_of_other_discards_are_not_known() -> None:
    arena = Arena(EVENTFUL, {"option_cards": "on"})
    for discards in (["brakes"], ["ablative_coat"], ["superior_archive"], ["ablative_coat", "shield"], ["brakes"]):
        for owned in ([], ["abort_switch"]):
            game = few_programs(arena, *owned)[0]
            game.robots[0].square = 14  # on radioactive waste
            game.option_discards_left = len(discards)
            game.option_discards[: len(discards)] = [OPTION_NAMES.index(name) for name in discards]
            assert_all_as_by_the_rules(arena, game)


def test_damage_flags_archives_and_lives_let_no_phase_be_played_again() -> None:
    rows = [". . . . . . ."] * 3
    floor = [*rows, ". . > @1 ^ . .", *rows, "#1 . . . . . #2"]
    arena = Arena(Course.from_board("grid:\n" + "\n".join(floor)))
    games = arena.new_games(1, 1, seed=1)
    game, robot = games[0], games[0].robots[0]
    robot.damage, robot.lives = 0, 3
    first = lone_outcomes(arena, game, 0)[0]
    with module.known_phases(arena, 0) as known:
        played = int(known.counts[1])
    robot.damage, robot.lives, robot.archive = 2, 2, arena.tables[0].course.flag_squares[1]
    second = lone_outcomes(arena, game, 0)[0]
    assert 0 <= known.counts[1] - played < played // 4  # only states of destroyed robots, and of robots on flags
    whole = first["alive"] & second["alive"] == 1
    assert whole.any()
    np.testing.assert_array_equal(first["square"][whole], second["square"][whole])


@pytest.mark.parametrize("name", ["greedy", "racer", "planner:200"])
def test_decisions_do_not_depend_on_what_is_known_nor_on_threads(name: str) -> None:
    if not COMPILED and name != "greedy":
        pytest.skip("expected turns take minutes in interpreted code")
    arena, games = positions(FLOOR, {}, 4)
    player = make_player(name)
    expected = player.act(arena, games, 1)
    np.testing.assert_array_equal(player.act(Arena(FLOOR), games, 1), expected)
    np.testing.assert_array_equal(make_player(name, threads=2).act(arena, games, 1), expected)
    for k, order in enumerate(expected):
        assert player.act(Arena(FLOOR), games[k : k + 1], 1)[0] == order


def test_where_there_is_no_room_phases_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    arena, games = positions(FLOOR, {}, 3)
    expected = make_player("greedy").act(arena, games, 0)
    full = module.empty_cache()
    full.counts[0] = module.MAX_STATES
    monkeypatch.setattr(module, "empty_cache", lambda: full)
    other = Arena(FLOOR)
    decided = make_player("greedy").act(other, games, 0)
    np.testing.assert_array_equal(decided, expected)
    assert 0 < full.counts[0] < module.MAX_STATES  # the full cache was emptied first


def test_what_is_known_is_not_played_again() -> None:
    arena, games = positions(FLOOR, {}, 3)
    with module.known_phases(arena, 0) as known:
        pass
    greedy = make_player("greedy")
    greedy.act(arena, games, 0)
    states, played = known.counts[:2].tolist()
    assert states > 100
    assert played >= states - len(games)
    greedy.act(arena, games, 0)
    assert known.counts[:2].tolist() == [states, played]


def test_courses_of_an_arena_are_kept_apart() -> None:
    courses = [FLOOR, Course.from_board("grid:\n@1 . #1 .\n@2 . . .\n")]
    arena = Arena(courses)
    games = arena.new_games(6, 2, seed=3, course_index=np.arange(6) % 2)
    orders = make_player("greedy").act(arena, games, 0)
    for k, course in enumerate(courses):
        some = take_games(games, np.arange(6) % 2 == k)
        some["course"] = 0
        np.testing.assert_array_equal(make_player("greedy").act(Arena(course), some, 0), orders[k::2])



def test_the_cards_of_a_buzz_bomb_are_not_known() -> None:
    course = Course.from_board("grid:\n@1 @2 . . . . . #1\n" + "? ? ? ? ? ? ? ?\n" * 7, "dice")
    arena = Arena(course, {"option_cards": "on"})
    games = arena.new_games(3, 2, seed=1)
    games["robots"]["damage"] = 7  # two cards, for the open registers
    games["robots"]["locked"] = 0b11100
    games["robots"]["hand"][..., 2:] = 0
    games["robots"]["registers"][..., 2:] = games["robots"]["hand"][..., :1]
    games["robots"]["square"][:, 1] = 8
    games["robots"]["facing"][:, 1] = 1
    give(games, 0, "buzz_bomb")
    games[0] = games[1] = games[2]
    games["buzz_program"] = np.array([[1, 2, 3, 4, 5], [80, 81, 82, 83, 84], [0, 0, 0, 0, 0]])
    played = [lone_outcomes(arena, game, 1)[0] for game in games]
    assert len(played[0]) > 1
    for outcomes in played[1:]:
        np.testing.assert_array_equal(outcomes, played[0])
