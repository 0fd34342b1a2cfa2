"""The observations `flat` and `planes`, and what all observations share."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from random_play import play_random
from small_boards import put, seen_from

from rr_gym.courses.course import Course
from rr_gym.encoding.observe.board import SQUARE_FEATURES
from rr_gym.encoding.observe.flat import flat_feature_names, flat_features
from rr_gym.encoding.observe.observations import OBSERVATIONS, FlatObserver, PlanesObserver, make_observer
from rr_gym.encoding.observe.planes import PLANE_NAMES
from rr_gym.encoding.observe.seats import all_seats
from rr_gym.errors import RoboRallyError
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.records import no_orders

BOARD = """
@1      .       >:s     >>      >>      X
.       w1/n    ^       R       P<135/e .
./w*1   .       ^       L       C24     w2
.       #1/s    ^:e     <       <:s     ./e
@2      ./n     .       v       ^       #2
"""
FORWARD = [(0, -1), (1, 0), (0, 1), (-1, 0)]  # by facing, (x, y)


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena([Course.from_board(BOARD, "small"), "risky_exchange"])


def test_flat_names_are_unique_and_within_their_bounds(arena: Arena) -> None:
    games = arena.new_games(40, 4, seed=3, course_index=np.arange(40) % 2)
    observer = FlatObserver(arena, 4)
    names = flat_feature_names(4)
    assert len(set(names)) == len(names) == observer.space().shape[0]
    for _ in range(12):
        play_random(arena, games, 1)
        seen = observer.observe(games)
        assert seen.dtype == np.int16
        low, high = np.array([f[1:] for f in flat_features(4)]).T
        assert (seen >= low).all()
        assert (seen <= high).all()


def test_flat_says_what_lies_around_a_robot(arena: Arena) -> None:
    games = arena.new_games(1, 2, seed=5)
    put(games, 0, 2 * 6 + 1, 1, damage=3, flag=1, may_face=1)  # (1, 2), facing east
    put(games, 1, 4 * 6 + 0, 0, virtual=1, down=1, lives=2)  # (0, 4), facing north
    games["robots"]["archive"][0, :2] = 0, 24
    seen = seen_from(arena, games, 0, window=9)
    assert (seen["next_flag_forward"], seen["next_flag_right"]) == (4, 2)  # flag 2 in (5, 4)
    assert (seen["flag_1_forward"], seen["flag_1_right"]) == (0, 1)
    assert (seen["robot_0_damage"], seen["robot_0_flag"], seen["robot_0_may_face"]) == (3, 1, 1)
    assert (seen["robot_0_archive_forward"], seen["robot_0_archive_right"]) == (-1, -2)
    assert (seen["robot_1_forward"], seen["robot_1_right"]) == (-1, 2)
    assert seen["robot_1_facing"] == 3  # it faces north, which is to the left of east
    assert (seen["robot_1_virtual"], seen["robot_1_down"], seen["robot_1_lives"]) == (1, 1, 2)
    # One ahead, (2, 2): a normal belt to the north, so to the left; two ahead, (3, 2): a gear to the left.
    assert (seen["belt_forward@+1,+0"], seen["belt_right@+1,+0"]) == (0, -1)
    assert seen["gear@+2,+0"] == -1
    assert seen["gear@+2,-1"] == 1
    # (4, 1): pusher on the east wall, pushes west, so backwards; (4, 2): crusher of phases 2 and 4.
    assert seen["push_back@+3,-1"] == 0b10101
    assert seen["wall_forward@+3,-1"] == 31
    assert seen["crusher@+3,+0"] == 0b01010
    assert seen["wrenches@+0,-1"] == 1
    assert seen["wall_left@+0,-1"] == 31  # (1, 1) has its wall in the north
    assert seen["belt_turns@+1,-2"] == 0b0010  # (2, 0): turns robots that enter from the south, its right side
    assert seen["belt_turns@+1,+1"] == 0b0001  # (2, 3): over the east, ahead
    assert seen["belt_forward@+2,-2"] == 2
    assert [seen[f"laser@{forward:+d},+0"] for forward in (-1, 0, 1, 4)] == [1, 1, 1, 1]
    assert seen["laser@+0,+1"] == 0
    assert seen["pit@+4,-2"] == 31  # a pit
    assert (seen["floor@-2,+0"], seen["pit@-2,+0"]) == (0, 31)  # off the board
    assert seen["flag@+4,+2"] == 2


def test_flat_shows_the_own_hand_and_locked_cards_only(arena: Arena) -> None:
    games = arena.new_games(1, 3, seed=5)
    games["robots"]["registers"][0, 1] = [11, 22, 33, 44, 55]
    games["robots"]["locked"][0, 1] = 0b11000
    seen = seen_from(arena, games, 0, window=9)
    hand = games["robots"]["hand"][0, 0]
    assert [seen[f"hand_{k}_priority"] for k in range(11)] == [10 * int(card) for card in hand]
    assert [seen[f"hand_{k}_type"] for k in range(11)] == CARD_TYPE[hand].tolist()
    assert [seen[f"robot_1_locked_{r}"] for r in range(1, 6)] == [0, 0, 0, 1, 1]
    assert [seen[f"robot_1_locked_{r}_priority"] for r in range(1, 6)] == [0, 0, 0, 440, 550]
    assert seen["robot_1_locked_4_type"] == CARD_TYPE[44]
    # The robots come in the order of seats, beginning with one's own.
    assert seen_from(arena, games, 1, window=9)["robot_0_locked_5_priority"] == 550
    assert seen_from(arena, games, 2, window=9)["robot_2_locked_5_priority"] == 550


def expected_window(arena: Arena, game: np.void, seat: int, window: int) -> dict[str, int]:
    """Compute the window in another way: walk from the robot over the course's table, square by square."""
    table = arena.tables[game["course"]]
    width, height = int(table["course"]["width"]), int(table["course"]["height"])
    robot = game["robots"][seat]
    facing = int(robot["facing"])
    origin = int(robot["square"] if robot["square"] >= 0 else robot["archive"])
    beams = table["beams"][: int(table["course"]["num_beams"])]
    (fx, fy), (rx, ry) = FORWARD[facing], FORWARD[(facing + 1) % 4]
    reach = window // 2
    found = {}
    for forward, right in itertools.product(range(-reach, reach + 1), repeat=2):
        x = origin % width + forward * fx + right * rx
        y = origin // width + forward * fy + right * ry
        inside = 0 <= x < width and 0 <= y < height and table["squares"][y * width + x]["exists"]
        square = table["squares"][y * width + x] if inside else None
        values = dict.fromkeys((name for name, _, _ in SQUARE_FEATURES), 0) | {"pit": 31}
        if square is not None:
            values |= {"floor": 1, "crusher": square["crusher"], "gear": square["gear"], "flag": square["flag"]}
            values |= {"pit": square["pit"], "wrenches": square["wrenches"]}
            for k, side in enumerate(("forward", "right", "back", "left")):
                direction = (facing + k) % 4
                values[f"wall_{side}"] = square["wall"][direction]
                values[f"push_{side}"] = square["pushers"][(direction + 2) % 4]
                values["belt_turns"] |= (int(square["belt_turns"]) >> direction & 1) << k
            if square["belt"]:
                bx, by = FORWARD[square["belt_direction"]]
                values["belt_forward"] = int(square["belt"]) * (bx * fx + by * fy)
                values["belt_right"] = int(square["belt"]) * (bx * rx + by * ry)
            strongest: dict[frozenset[int], int] = {}
            for beam in beams:
                bx, by = FORWARD[beam["direction"]]
                line = frozenset(int(beam["square"]) + k * (bx + by * width) for k in range(int(beam["length"])))
                if y * width + x in line:
                    strongest[line] = max(strongest.get(line, 0), int(beam["beams"]))
            values["laser"] = sum(strongest.values())
        found |= {f"{name}@{forward:+d},{right:+d}": int(value) for name, value in values.items()}
    return found


def test_flat_window_agrees_with_a_walk_over_the_course(arena: Arena) -> None:
    games = arena.new_games(12, 4, seed=8, course_index=np.arange(12) % 2)
    play_random(arena, games, 6)
    for g in range(len(games)):
        for seat in (0, 3):
            seen = seen_from(arena, games[g : g + 1], seat, window=9)
            for name, value in expected_window(arena, games[g], seat, 9).items():
                assert seen[name] == value, name


def turned_arena(quarters: int) -> Arena:
    course = {"id": "turned", "name": "Turned", "board_texts": {"small": BOARD}, "players": [2]}
    course |= {"boards": [{"board": "small", "rotation": quarters, "at": [0, 0]}]}
    return Arena(Course.from_yaml(course))


@pytest.mark.parametrize("quarters", [1, 2, 3])
@pytest.mark.parametrize("make", [FlatObserver, PlanesObserver])
def test_observations_do_not_change_when_the_course_is_turned(quarters: int, make: Callable) -> None:
    def observe(turns: int) -> np.ndarray:
        arena = turned_arena(turns)
        games = arena.new_games(1, 3, seed=2)
        for seat, (x, y, facing) in enumerate([(1, 2, 1), (4, 3, 2), (3, 1, 0)]):
            width, height = 6, 5
            for _ in range(turns):
                x, y, width, height = height - 1 - y, x, height, width
            put(games, seat, y * width + x, (facing + turns) % 4, archive=y * width + x)
        return make(arena, 3).observe(games)

    assert np.array_equal(observe(0), observe(quarters))


def test_planes_and_flat_show_the_same_squares(arena: Arena) -> None:
    games = arena.new_games(10, 4, seed=1, course_index=np.arange(10) % 2)
    play_random(arena, games, 5)
    names = flat_feature_names(4, 7)
    flat = FlatObserver(arena, 4, 7).observe(games)
    planes = PlanesObserver(arena, 4, 7).observe(games)
    for name, _, _ in SQUARE_FEATURES:
        squares = flat[:, :, names.index(f"{name}@+3,-3") :: len(SQUARE_FEATURES)]
        assert np.array_equal(squares, planes[:, :, PLANE_NAMES.index(name)].reshape(10, 4, 49))


def test_planes_put_things_where_they_are(arena: Arena) -> None:
    games = arena.new_games(1, 2, seed=5)
    put(games, 0, 2 * 6 + 1, 1, damage=3, flag=1)  # (1, 2), facing east
    put(games, 1, 4 * 6 + 0, 0, virtual=1, damage=7, lives=2, archive=0)  # (0, 4), facing north
    games["robots"]["archive"][0, 0] = 0
    planes = PlanesObserver(arena, 2, 9).observe(games)[0, 0]
    seen = dict(zip(PLANE_NAMES, planes, strict=True))
    assert planes.dtype == np.int8
    assert np.argwhere(seen["robot"]).tolist() == [[5, 6]]  # one back, two to the right of the middle
    assert seen["robot"][5, 6] == 2
    assert seen["robot_faces_left"][5, 6] == 1
    assert (seen["robot_damage"][5, 6], seen["robot_lives"][5, 6]) == (7, 2)
    assert np.argwhere(seen["next_flag"]).tolist() == [[0, 6]]
    assert np.argwhere(seen["archive"]).tolist() == [[5, 2]]
    for name, value in {"own_damage": 3, "own_flag": 1, "next_flag_forward": 4, "next_flag_right": 2}.items():
        assert (seen[name] == value).all(), name
    assert (seen["hand_0_card"] == games["robots"]["hand"][0, 0, 0]).all()
    assert (seen["hand_0_type"] == CARD_TYPE[games["robots"]["hand"][0, 0, 0]]).all()


def test_the_window_of_flat_is_square_by_square() -> None:
    squares = flat_feature_names(2, 3)[-9 * len(SQUARE_FEATURES) :: len(SQUARE_FEATURES)]
    places = ["+1,-1", "+1,+0", "+1,+1", "+0,-1", "+0,+0", "+0,+1", "-1,-1", "-1,+0", "-1,+1"]
    assert squares == [f"floor@{place}" for place in places]


def test_own_registers_show_once_they_are_programmed(arena: Arena) -> None:
    games = arena.new_games(1, 2, seed=5)
    robots = games["robots"][0, :2]
    robots["registers"] = [[11, 22, 33, 44, 55], [10, 20, 30, 40, 50]]
    robots["locked"] = 0b10000
    for phase, over, shown in [(0, 0, 0), (3, 0, 3), (3, 1, 0)]:  # a game that is over programs nothing
        games["phase"], games["over"] = phase, over
        seen = seen_from(arena, games, 0, window=9)
        planes = dict(zip(PLANE_NAMES, PlanesObserver(arena, 2, 3).observe(games)[0, 0, :, 0, 0].tolist(), strict=True))
        cards = [card if r < shown or r == 4 else 0 for r, card in enumerate([11, 22, 33, 44, 55])]
        assert [seen[f"robot_0_locked_{r}_priority"] for r in range(1, 6)] == [10 * card for card in cards]
        assert [seen[f"robot_0_locked_{r}_type"] for r in range(1, 6)] == CARD_TYPE[cards].tolist()
        assert [seen[f"robot_0_locked_{r}"] for r in range(1, 6)] == [0, 0, 0, 0, 1]
        assert [seen[f"robot_1_locked_{r}_priority"] for r in range(1, 6)] == [0, 0, 0, 0, 500]
        assert [planes[f"locked_{r}_card"] for r in range(1, 6)] == cards
        assert [planes[f"locked_{r}_type"] for r in range(1, 6)] == CARD_TYPE[cards].tolist()
        assert planes["own_locked"] == 0b10000
        assert seen["phase"] == planes["phase"] == shown


def test_a_finished_turn_leaves_nothing_to_see(arena: Arena) -> None:
    games = arena.new_games(200, 4, seed=9, course_index=np.arange(200) % 2)
    generator = np.random.default_rng(4)
    words = generator.integers(2**63, size=len(games), dtype=np.uint64)
    names = flat_feature_names(4)
    for _ in range(25):
        orders = no_orders(len(games), 8, full=True)
        arena.random_orders(games, orders, words)
        arena.play(games, orders)
    robots = games["robots"][:, :4]
    assert (games["over"] & (games["phase"] > 0) & (robots["registers"] > 0).any(axis=(1, 2))).any()
    seen = FlatObserver(arena, 4).observe(games)
    assert not seen[..., names.index("phase")].any()
    for r in range(5):
        locked = robots["locked"] >> r & 1 > 0
        priority = seen[..., names.index(f"robot_0_locked_{r + 1}_priority")]
        assert np.array_equal(priority, np.where(locked, 10 * robots["registers"][..., r].astype(int), 0))


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_seats_see_what_they_see_among_all(arena: Arena, observation: str) -> None:
    games = arena.new_games(20, 4, seed=6, course_index=np.arange(20) % 2)
    play_random(arena, games, 4)
    observer = make_observer(observation, arena, 4, 5)
    seats = np.random.default_rng(2).integers(0, 4, (20, 2)).astype(np.int8)
    rows = np.arange(20)[:, None]
    every, some = observer.observe(games), observer.observe(games, seats)
    for name in every if isinstance(every, dict) else [...]:
        assert np.array_equal(some[name], every[name][rows, seats])


@pytest.mark.parametrize(
    ("seats", "message"),
    [([[0], [4]], "seats: 4: expected 0 to 3"), ([[-1], [0]], "seats: -1"), ([0, 1], "shape"), ([[0.5], [1]], "whole")],
)
def test_wrong_seats(arena: Arena, seats: object, message: str) -> None:
    with pytest.raises(RoboRallyError, match=message):
        FlatObserver(arena, 4, 3).observe(arena.new_games(2, 4), np.array(seats))


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_room_that_is_not_contiguous_is_refused(arena: Arena, observation: str) -> None:
    observer = make_observer(observation, arena, 2, 3)
    out = observer.buffer(4, 2)
    halved = {name: array[::2] for name, array in out.items()} if isinstance(out, dict) else out[::2]
    with pytest.raises(RoboRallyError, match="contiguous"):
        observer.write(arena.new_games(2, 2), all_seats(2, 2), halved)


def test_unknown_observations(arena: Arena) -> None:
    with pytest.raises(RoboRallyError, match="did you mean 'entities'"):
        make_observer("entity", arena, 4)
    with pytest.raises(RoboRallyError, match="num_robots: 9: expected a whole number from 1 to 8"):
        make_observer("flat", arena, 9)


@pytest.mark.parametrize("window", [0, 8, 129, "9"])
def test_windows_are_odd(arena: Arena, window: object) -> None:
    with pytest.raises(RoboRallyError, match="window"):
        FlatObserver(arena, 4, window)  # type: ignore[arg-type]
