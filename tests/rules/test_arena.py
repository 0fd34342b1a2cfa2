"""Batches of games: starting, playing, restarting, seeds, threads, errors."""

import numpy as np
import pytest

from rr_gym.courses import Course
from rr_gym.invariants import find_violations
from rr_gym.rules.arena.arena import Arena, ArenaError, arena_of, new_games
from rr_gym.rules.fast.parts import BLOCK
from rr_gym.rules.state import events
from rr_gym.rules.state.chance import below, seed_episode
from rr_gym.rules.state.constants import COINS, DEAL, DIRECTION_NAMES, FILL
from rr_gym.rules.state.records import GAME, LOG, ORDERS, clone, no_orders, orders_as
from rr_gym.rules.state.settings import SettingError

PLAIN = "@1 . . . #1\n. . . . .\n. . . . .\n"


def bare(text, **settings):
    return Arena(Course.from_board(text, "test"), settings)


def read_only(array):
    array.flags.writeable = False
    return array


def play(arena, games, turns, threads=1, seed=0):
    orders = no_orders(len(games), 8, full=True)
    words = np.arange(seed, seed + len(games), dtype=np.uint64)
    for _ in range(turns):
        arena.random_orders(games, orders, words)
        arena.play(games, orders, threads=threads, restart=True)
    return games


def test_docked_start():
    """R-A3.1, R-A3.4: robot i on dock i + 1, facing as the dock's front, with nothing to choose."""
    games = Arena("risky_exchange").new_games(2, 8)
    robots = games["robots"][0, :8]
    squares = [(int(s) % 12, int(s) // 12) for s in robots["square"]]
    assert squares == [(5, 15), (6, 15), (3, 14), (8, 14), (1, 13), (10, 13), (0, 12), (11, 12)]
    assert (robots["facing"] == 0).all()
    assert not robots["may_face"].any()
    assert not robots["virtual"].any()
    assert (robots["archive"] == robots["square"]).all()
    assert (robots["lives"] == 3).all()


def test_common_start_is_virtual():
    """R-A3.2, U27: robots without a start of their own share start 1; all who share it are virtual (R-A14)."""
    robots = bare(PLAIN).new_games(1, 3)["robots"][0, :3]
    assert robots["square"].tolist() == [0, 0, 0]
    assert robots["virtual"].tolist() == [1, 1, 1]
    assert robots["may_face"].all()


def test_common_start_without_virtual_robots():
    """R-A3.7: real robots share the start square, and leave it without pushing one another."""
    arena = bare(PLAIN, virtual="off", first_card_moves="on")
    games = arena.new_games(50, 3, seed=1)
    robots = games["robots"][:, :3]
    assert (robots["square"] == 0).all()
    assert not robots["virtual"].any()
    robots["facing"] = 1
    play(arena, games, 6)
    assert find_violations(games, arena) == []
    assert (games["turn"] > 0).any()


def test_lone_robot_is_real():
    assert not bare(PLAIN).new_games(1, 1)["robots"]["virtual"][0, 0]


@pytest.mark.parametrize(
    ("board", "facing"),
    [
        ("@1 . . #1\n", "e"),
        ("#1 . . @1\n", "w"),
        ("#1\n.\n@1\n", "n"),
        ("@1\n.\n#1\n", "s"),
        ("@1 . .\n. . .\n. . #1\n", "e"),  # equal axes: the east-west one
        ("@1 . .\n. . .\n. . .\n. #1 .\n", "s"),
        ("@1 . .\n", "n"),  # no flag
    ],
)
def test_default_facing(board, facing):
    """U29."""
    robot = bare(board).new_games(1, 1)["robots"][0, 0]
    assert DIRECTION_NAMES[robot["facing"]] == facing


def test_episode_depends_on_seed_game_and_episode_only():
    """U39: a game is the same in batches of different sizes, and after games of different lengths."""
    arena = Arena("risky_exchange")
    large = arena.new_games(16, 4, seed=9)
    small = arena.new_games(3, 4, seed=9)
    assert (large[:3] == small).all()
    play(arena, large, 7)
    arena.restart(large)
    arena.restart(small)
    assert (large[:3] == small).all()
    assert (small["episode"] == 1).all()
    assert not (arena.new_games(3, 4, seed=9)["robots"]["hand"] == small["robots"]["hand"]).all()
    assert not (
        arena.new_games(3, 4, seed=10)["robots"]["hand"] == arena.new_games(3, 4, seed=9)["robots"]["hand"]
    ).all()


def test_uses_of_chance_do_not_affect_each_other():
    """U39: draws of one purpose do not change those of another."""
    games = np.zeros(2, GAME)
    for game in games:
        seed_episode(game, 1, 2, 3)
    for _ in range(5):
        below(games[0], COINS, 2)
        below(games[0], FILL, 84)
    assert [below(games[0], DEAL, 84) for _ in range(20)] == [below(games[1], DEAL, 84) for _ in range(20)]


def test_draws_are_even():
    game = np.zeros(1, GAME)[0]
    seed_episode(game, 5, 0, 0)
    counts = np.bincount([below(game, COINS, 7) for _ in range(7000)], minlength=7)
    assert ((counts - 1000) ** 2 / 1000).sum() < 38  # chi-square with 6 degrees of freedom: exceeded once in a million


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_change_results(threads):
    arena = Arena(["risky_exchange", "vault_assault"])
    index = np.arange(50) % 2
    one = play(arena, arena.new_games(50, 5, seed=4, course_index=index), 12)
    several = play(arena, arena.new_games(50, 5, seed=4, course_index=index), 12, threads=threads)
    assert (one == several).all()


@pytest.mark.parametrize("course", ["risky_exchange", "everything"])
def test_games_side_by_side_are_games_one_by_one(course):
    arena = Arena(course, {"lives": 2, "option_cards": "off" if course == "risky_exchange" else "on"})
    games = play(arena, arena.new_games(BLOCK + 6, 4, seed=5), 4)
    before, alone = clone(games), clone(games)
    logs, logs_alone = np.zeros(len(games), LOG), np.zeros(len(games), LOG)
    logs["on"] = logs_alone["on"] = True
    mask = np.arange(len(games)) % 5 > 0
    orders, words = no_orders(len(games), 8, full=True), np.arange(len(games), dtype=np.uint64)
    for _ in range(25):
        arena.random_orders(games, orders, words)
        arena.play(games, orders, restart=True, logs=logs, mask=mask)
        for g in range(len(games)):
            one = slice(g, g + 1)
            arena.play(alone[one], orders[one], restart=True, logs=logs_alone[one], mask=mask[one])
        assert (games == alone).all()
        assert (logs == logs_alone).all()
    assert (games[~mask] == before[~mask]).all()
    assert len(set(games["episode"][mask])) > 1  # games of different episodes are in the batch


def test_clone_is_exact_and_separate():
    arena = Arena("risky_exchange")
    games = play(arena, arena.new_games(8, 4, seed=1), 3)
    copy = clone(games)
    play(arena, games, 5)
    assert not (copy == games).all()
    assert (play(arena, copy, 5) == games).all()


def test_restart_of_some_games():
    arena = Arena("risky_exchange")
    games = play(arena, arena.new_games(4, 2, seed=1), 3)
    arena.restart(games, np.array([True, False, False, True]))
    assert games["turn"].tolist() == [0, 3, 3, 0]
    assert games["episode"].tolist() == [1, 0, 0, 1]


def test_games_that_are_over_stay_as_they_are():
    arena = bare("@1 #1\n", lives=1)
    games = arena.new_games(30, 1, seed=2)
    orders = no_orders(30, 8, full=True)
    for _ in range(60):
        arena.play(games, orders)
    assert games["over"].all()
    before = clone(games)
    arena.play(games, orders)
    assert (games == before).all()
    assert set(games["winners"]) == {0, 1}  # robots without a win drove off the board with their only life


def test_settings_reach_the_games():
    assert (Arena("risky_exchange", {"lives": "amigo"}).new_games(1, 5)["robots"]["lives"][0, :5] == 4).all()
    assert (Arena("risky_exchange", {"lives": "unlimited"}).new_games(1, 2)["robots"]["lives"][0, :2] == -1).all()
    assert (Arena("factory_rejects").new_games(1, 2)["robots"]["damage"][0, :2] == 2).all()
    assert Arena("set_to_kill").settings[0].robot_laser_factor == 2
    assert Arena("set_to_kill", {"robot_laser_factor": 1}).settings[0].robot_laser_factor == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: a.new_games(1, 9), "num_robots: 9: expected a whole number from 1 to 8"),
        (lambda a: a.new_games(1, 0), "num_robots: 0: expected a whole number from 1 to 8"),
        (lambda a: a.new_games(1, 2.5), "num_robots: 2.5: expected a whole number"),
        (lambda a: a.new_games(-1), "num_games: -1: expected a whole number, 0 or more"),
        (lambda a: a.new_games(1, seed=0.5), "seed: 0.5: expected a whole number"),
        (lambda a: a.new_games(1, seed="7"), "seed: '7': expected a whole number"),
        (lambda a: a.new_games(2, course_index=1), "course_index: 1: expected whole numbers from 0 to 0"),
        (lambda a: a.new_games(2, course_index=70000), "course_index: 70000: expected"),
        (lambda a: a.new_games(2, course_index=[0, 0, 0]), r"course_index: \[0, 0, 0\]: .*shape \(2,\)"),
        (
            lambda a: a.play(a.new_games(2), no_orders(3, 8)),
            r"orders: .*expected an array of dtype ORDERS and shape \(2, 8\)",
        ),
        (lambda a: a.play(a.new_games(2), np.zeros((2, 8, 5), int)), "orders: int64"),
        (lambda a: a.play(np.zeros(2), no_orders(2, 8)), "games: float64"),
        (lambda a: a.play(3, no_orders(2, 8)), "games: int: expected an array of dtype GAME"),
        (lambda a: a.play(a.new_games(2), no_orders(2, 8), logs=np.zeros(1, LOG)), "logs: "),
        (lambda a: a.restart(a.new_games(2), np.array([1, 0])), "mask: int64"),
        (lambda a: a.restart([1]), "games: list"),
        (
            lambda a: a.play(a.new_games(2), no_orders(2, 8), threads=0),
            "threads: 0: expected a whole number, 1 or more",
        ),
        (
            lambda a: a.play(np.zeros(2, GAME), no_orders(2, 8)),
            "games: game 0: num_robots: 0: expected a whole number from 1 to 8",
        ),
        (lambda a: a.play(read_only(a.new_games(2)), no_orders(2, 8)), "games: the array is read-only"),
        (
            lambda a: a.play(
                Arena(["risky_exchange", "checkmate"]).new_games(2, course_index=[0, 1])[1:], no_orders(1, 8, full=True)
            ),
            "games: game 0: course: 1: expected a whole number from 0 to 0",
        ),
        (lambda a: a.placements(np.zeros(2)), "games: float64"),
        (lambda a: a.random_orders(a.new_games(2), no_orders(2, 8), np.arange(2)), "words: int64"),
        (lambda a: a.new_games(4, np.array([2, 3])), r"num_robots: array\(\[2, 3\]\): .*shape \(4,\)"),
        (lambda a: a.play(a.new_games(2), no_orders(2, 8), restart="no"), "restart: 'no': expected True or False"),
        (lambda a: Arena("risky_exchange", full="no"), "full: 'no': expected True or False"),
        (lambda a: a.equip(a.new_games(2), 2.5), "number: 2.5: expected a whole number from 0 to 52"),
        (lambda a: a.equip(a.new_games(2), 10**9), "number: 1000000000: expected"),
        (lambda a: a.equip(a.new_games(2), None), "number: None: expected"),
        (lambda a: a.give(a.new_games(2), None, "brakes"), "seats: None: expected a whole number"),
        (lambda a: a.give(a.new_games(2), 0.5, "brakes"), "seats: 0.5: expected a whole number"),
        (lambda a: a.give(a.new_games(2), [0, 1, 2], "brakes"), r"seats: \[0, 1, 2\]: .*shape \(2,\)"),
        (lambda a: a.give(a.new_games(2), 0, None), "options: None: expected the name"),
    ],
)
def test_bad_calls(call, message):
    with pytest.raises(ArenaError, match=message):
        call(Arena("risky_exchange"))


def test_not_a_course():
    with pytest.raises(ArenaError, match="course: 5: expected a Course"):
        arena_of(5)


def test_course_by_path(tmp_path):
    path = tmp_path / "mine.rrb"
    path.write_text(PLAIN)
    assert Arena(path).courses[0].size == (5, 3)


@pytest.mark.parametrize("seed", [np.int64(3), np.uint64(3), 3 - 2**64 + 2**64])
def test_seeds_of_numpy(seed):
    arena = arena_of("risky_exchange")
    assert (arena.new_games(2, 2, seed=seed) == arena.new_games(2, 2, seed=3)).all()


def test_random_orders_of_games_that_are_over():
    """Hands of ended games may have fewer cards than registers; random programs use the cards that there are."""
    arena = bare("@1 #1\n", lives=1)
    games = arena.new_games(30, 1, seed=2)
    orders, words = no_orders(30, 8, full=True), np.arange(30, dtype=np.uint64)
    for _ in range(40):
        arena.random_orders(games, orders, words)
        arena.play(games, orders)
    assert games["over"].all()
    left = (games["robots"]["hand"][:, 0] > 0).sum(axis=1)
    assert (left < 5).any()


def test_orders_out_of_range_do_no_harm():
    """Kernels accept any numbers in orders; invalid ones count as the default."""
    arena = Arena("vault_assault", {"preset": "ah2005", "lives": "unlimited"})
    games = arena.new_games(200, 8, seed=5)
    rng = np.random.default_rng(1)
    for _ in range(30):
        orders = no_orders(200, 8, full=True)
        for name in orders.dtype.names:
            orders[name] = rng.integers(-128, 128, orders[name].shape)
        arena.play(games, orders)
        assert find_violations(games, arena) == []


def test_no_start_square():
    with pytest.raises(ArenaError, match="no start square"):
        bare(". . .\n").new_games(1, 1)


def test_arena_of_keeps_equal_courses():
    course = Course.from_board(PLAIN, "test")
    assert arena_of(course) is arena_of(Course.from_board(PLAIN, "test"))
    assert arena_of(course) is not arena_of(course, {"lives": 1})
    assert arena_of("risky_exchange") is arena_of("risky_exchange")
    assert (new_games(3, course, 2, seed=1) == arena_of(course).new_games(3, 2, seed=1)).all()


def test_bad_settings_are_bad_after_good_ones():
    arena_of("risky_exchange", {"lives": 1})
    with pytest.raises(SettingError, match="'lives': True"):
        arena_of("risky_exchange", {"lives": True})


def test_unknown_setting():
    with pytest.raises(SettingError, match="did you mean 'lives'"):
        new_games(1, "risky_exchange", settings={"live": 3})


def test_full_log_drops_and_says_so():
    arena = Arena("risky_exchange")
    games, twin = arena.new_games(2, 8, seed=3), arena.new_games(2, 8, seed=3)
    logs = np.zeros(2, LOG)
    logs["on"] = 1
    arena.play(games, no_orders(2, 8), logs=logs)
    assert (logs["count"] > 40).all()
    assert not logs["full"].any()
    logs["count"] = 0
    capacity = len(logs["events"][0])
    logs["count"] = capacity
    events.note(games[0], logs[0], events.CARD_PLAYED, 0, 1)
    assert logs["full"].tolist() == [1, 0]
    assert logs["count"][0] == capacity
    arena.play(twin, no_orders(2, 8))
    assert (games == twin).all()  # writing events does not change games


@pytest.mark.parametrize("settings", [{}, {"start_options": 4}])
def test_equal_games_have_equal_bytes(settings):
    """Padding between fields is declared as fields, so that NumPy keeps it when it concatenates batches."""
    first, second = (play(arena, arena.new_games(8, 4, seed=5), 6) for arena in [Arena("risky_exchange", settings)] * 2)
    assert first.tobytes() == second.tobytes() == b"".join(game.tobytes() for game in first)
    both = np.concatenate([first, second])
    assert both.dtype == GAME
    assert both.tobytes() == first.tobytes() * 2
    assert np.array_equal(both["robots"]["square"][8:], first["robots"]["square"])


def test_orders_change_their_form():
    """Common fields are kept and the others get defaults, for any shape, contiguous or not."""
    short = no_orders(6, 8)
    short.view(np.uint8)[...] = np.random.default_rng(0).integers(0, 256, short.view(np.uint8).shape)
    for given in (short, short[::2, 1:], short[2, 3], short[:0]):
        full = orders_as(given, True)
        defaults = no_orders(*given.shape, full=True)
        for name in full.dtype.names:
            expected = given[name] if name in ORDERS.names else defaults[name]
            assert np.array_equal(full[name], expected), name
        assert orders_as(full, True) is full
        assert np.array_equal(orders_as(full, False), given)
