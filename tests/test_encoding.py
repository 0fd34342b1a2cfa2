"""Observations, masks and the decoding of actions."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rr_gym.courses.course import Course
from rr_gym.encoding.actions import ActionError, action_layout, decode_actions, write_masks
from rr_gym.encoding.board import SQUARE_FEATURES
from rr_gym.encoding.flat import flat_feature_names, flat_features
from rr_gym.encoding.observations import FlatObserver, PlanesObserver
from rr_gym.encoding.planes import PLANE_NAMES
from rr_gym.encoding.spaces import action_space
from rr_gym.errors import RoboRallyError
from rr_gym.jit import run
from rr_gym.rules.arena import Arena
from rr_gym.rules.cards import CARD_TYPE
from rr_gym.rules.records import new_log, no_orders

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


def play_random(arena: Arena, games: np.ndarray, turns: int, seed: int = 1) -> None:
    """Random legal programs, power-downs now and then."""
    generator = np.random.default_rng(seed)
    words = generator.integers(2**63, size=len(games), dtype=np.uint64)
    for _ in range(turns):
        orders = no_orders(len(games), 8)
        arena.random_orders(games, orders, words)
        orders["power_down"] = generator.random(orders.shape) < 0.1
        arena.play(games, orders, restart=True)


def put(games: np.ndarray, seat: int, square: int, facing: int, **fields: int) -> None:
    robot = games["robots"][0, seat]
    robot["alive"], robot["square"], robot["facing"] = 1, square, facing
    for name, value in fields.items():
        robot[name] = value


def named(arena: Arena, games: np.ndarray, seat: int, window: int = 9) -> dict[str, int]:
    """The flat observation of a seat of the first game, by name."""
    num_robots = int(games["num_robots"][0])
    values = FlatObserver(arena, num_robots, window).observe(games[:1])[0, seat]
    return dict(zip(flat_feature_names(num_robots, window), values.tolist(), strict=True))


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
    seen = named(arena, games, 0)
    assert (seen["next_flag_forward"], seen["next_flag_right"]) == (4, 2)  # flag 2 in (5, 4)
    assert (seen["flag_1_forward"], seen["flag_1_right"]) == (0, 1)
    assert (seen["robot_0_damage"], seen["robot_0_flag"], seen["robot_0_may_face"]) == (3, 1, 1)
    assert (seen["robot_0_archive_forward"], seen["robot_0_archive_right"]) == (-1, -2)
    assert (seen["robot_1_forward"], seen["robot_1_right"]) == (-1, 2)
    assert seen["robot_1_facing"] == 3  # it looks to the left of an eastward look
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
    assert seen["belt_turns@+1,-2"] == 0b0010  # (2, 0): turns who comes in over the south, its right side
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
    seen = named(arena, games, 0)
    hand = games["robots"]["hand"][0, 0]
    assert [seen[f"hand_{k}_priority"] for k in range(11)] == [10 * int(card) for card in hand]
    assert [seen[f"hand_{k}_type"] for k in range(11)] == CARD_TYPE[hand].tolist()
    assert [seen[f"robot_1_locked_{r}"] for r in range(1, 6)] == [0, 0, 0, 1, 1]
    assert [seen[f"robot_1_locked_{r}_priority"] for r in range(1, 6)] == [0, 0, 0, 440, 550]
    assert seen["robot_1_locked_4_type"] == CARD_TYPE[44]
    # The robots come in the order of seats, beginning with the own one.
    assert named(arena, games, 1)["robot_0_locked_5_priority"] == 550
    assert named(arena, games, 2)["robot_2_locked_5_priority"] == 550


def expected_window(arena: Arena, game: np.void, seat: int, window: int) -> dict[str, int]:
    """The window by another way: walk from the robot over the course's table, square by square."""
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
            seen = named(arena, games[g : g + 1], seat)
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
        first = names.index(f"{name}@+3,-3")
        assert np.array_equal(flat[:, :, first : first + 49], planes[:, :, PLANE_NAMES.index(name)].reshape(10, 4, 49))


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


@pytest.mark.parametrize("window", [0, 8, 129, "9"])
def test_windows_are_odd(arena: Arena, window: object) -> None:
    with pytest.raises(RoboRallyError, match="window"):
        FlatObserver(arena, 4, window)  # type: ignore[arg-type]


# Actions


def masks_of(arena: Arena, games: np.ndarray, mode: str) -> np.ndarray:
    layout = action_layout(mode, arena.settings)
    masks = np.empty((len(games), int(games["num_robots"].max()), *layout.shape), np.int8)
    run(write_masks, games, arena.tables, layout.code, masks.shape[1], masks)
    return masks


def decode(arena: Arena, games: np.ndarray, mode: str, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    orders, repaired = no_orders(len(games), 8), np.zeros(actions.shape[:2], np.int32)
    code = action_layout(mode, arena.settings).code
    run(decode_actions, games, arena.tables, code, actions.astype(np.int64), orders, repaired)
    return orders, repaired


def one_action(arena: Arena, games: np.ndarray, mode: str, **choices: int) -> tuple[np.void, int]:
    """The orders of seat 0 of the first game for an action named by component; the rest is 0."""
    layout = action_layout(mode, arena.settings)
    actions = np.zeros((1, int(games["num_robots"][0]), len(layout.components)), int)
    for name, choice in choices.items():
        actions[0, 0, layout.components.index(name)] = choice
    orders, repaired = decode(arena, games[:1], mode, actions)
    return orders[0, 0], int(repaired[0, 0])


def test_components_follow_the_settings() -> None:
    def names(**chosen: object) -> tuple[str, ...]:
        return action_layout("draw", Arena("risky_exchange", chosen).settings).components[5:]

    assert names() == ("power", "facing", "unlock")
    assert names(preset="ah2005") == ("power", "facing", "square")
    assert names(power_down="off", option_cards="on", unlock="lowest") == ("facing", "site")
    with pytest.raises(ActionError, match="draw"):
        action_layout("cards", ())


def test_draw_covers_every_legal_program_exactly_once(arena: Arena) -> None:
    games = arena.new_games(1, 2, seed=4)
    robot = games["robots"][0, 0]
    robot["hand"] = 0
    robot["hand"][:6] = [80, 70, 60, 50, 40, 30]
    robot["locked"] = 0b10000
    robot["registers"][4] = 1
    mask = masks_of(arena, games, "draw")[0, 0]
    assert mask[:5].sum(axis=1).tolist() == [6, 5, 4, 3, 1]
    games = np.repeat(games, 6 * 5 * 4 * 3)
    choices = list(itertools.product(*(np.flatnonzero(mask[r]) for r in range(5))))
    actions = np.zeros((len(games), 2, len(mask)), int)
    actions[:, 0, :5] = choices
    orders, repaired = decode(arena, games, "draw", actions)
    programs = [tuple(p.tolist()) for p in orders["program"][:, 0]]
    assert set(programs) == {(*p, 0) for p in itertools.permutations([80, 70, 60, 50, 40, 30], 4)}
    assert len(set(programs)) == len(programs)
    assert not repaired.any()


def test_slots_name_slots_and_repairs_take_the_lowest_unused_one(arena: Arena) -> None:
    games = arena.new_games(1, 2, seed=4)
    hand = games["robots"]["hand"][0, 0].tolist()
    registers = {f"register_{r + 1}": slot for r, slot in enumerate([3, 1, 8, 0, 2])}
    order, repaired = one_action(arena, games, "slots", **registers)
    assert order["program"].tolist() == [hand[k] for k in (3, 1, 8, 0, 2)]
    assert repaired == 0
    registers = {f"register_{r + 1}": slot for r, slot in enumerate([0, 0, 10, 0, 5])}
    order, repaired = one_action(arena, games, "slots", **registers)
    assert order["program"].tolist() == [hand[k] for k in (0, 1, 2, 3, 5)]
    assert repaired == 3


def test_illegal_choices_count_as_the_default(arena: Arena) -> None:
    games = arena.new_games(1, 2, seed=4)
    hand = games["robots"]["hand"][0, 0].tolist()
    games["robots"]["may_face"][0, 0] = 0
    order, repaired = one_action(arena, games, "draw", register_1=-3, register_5=5, power=2, facing=1, unlock=6)
    assert order["program"].tolist() == hand[:5]
    assert (order["power_down"], order["facing"], order["unlock"]) == (0, -1, 0)
    assert repaired == 5
    games["over"] = 1
    order, repaired = one_action(arena, games, "draw", register_1=1, power=1)
    assert order == no_orders(1)[0]
    assert repaired == 2


def test_choices_besides_the_program() -> None:
    arena = Arena("risky_exchange", {"reentry": "adjacent8", "option_cards": "on"})
    games = arena.new_games(1, 2, seed=4)
    robot = games["robots"][0, 0]
    robot["facing"], robot["may_face"] = 3, 1
    order, repaired = one_action(arena, games, "draw", power=1, facing=2, unlock=4, site=2, square=8)
    assert (order["power_down"], order["stay_down"], order["facing"]) == (1, 0, 1)
    assert (order["unlock"], order["site"], order["square"], repaired) == (4, 2, 7, 0)
    robot["down"] = 1
    robot["hand"] = 0
    order, repaired = one_action(arena, games, "draw", power=1)
    assert (order["power_down"], order["stay_down"], repaired) == (0, 1, 0)
    assert masks_of(arena, games, "draw")[0, 0, :5].sum() == 5  # a robot that is down has no program


def test_first_card_must_move_where_the_rules_say_so() -> None:
    arena = Arena("risky_exchange", {"first_card_moves": "on"})
    games = arena.new_games(60, 4, seed=4)
    for mode in ("draw", "slots"):
        legal = masks_of(arena, games, mode)[:, :, 0, :9].astype(bool)
        assert np.array_equal(legal, games["robots"]["hand"][:, :4, :9] >= 43)
    hand = games["robots"]["hand"][0, 0].tolist()
    order, repaired = one_action(arena, games, "draw", register_1=8)
    assert order["program"][0] == hand[0]
    assert repaired == 1
    play_random(arena, games, 1)
    assert masks_of(arena, games[:1], "draw")[0, 0, 0].sum() > 1


@pytest.mark.parametrize("mode", ["draw", "slots"])
def test_masked_samples_are_played_as_they_are(arena: Arena, mode: str) -> None:
    games = arena.new_games(16, 8, seed=11, course_index=1)
    space = action_space(action_layout(mode, arena.settings))
    space.seed(7)
    logs = np.repeat(new_log(), len(games))
    for _ in range(15):
        masks = masks_of(arena, games, mode)
        assert (masks.max(axis=-1) == 1).all()
        assert (masks[..., 0] == 1).all()
        actions = np.array([[space.sample(mask) for mask in row] for row in masks])
        orders, repaired = decode(arena, games, mode, actions)
        # Independent components cannot say that a slot is used; only repeats are repaired there.
        if mode == "draw":
            assert not repaired.any()
        before = games["robots"].copy()
        arena.play(games, orders, logs=logs)
        for g, seat in itertools.product(range(len(games)), range(8)):
            robot, program = before[g, seat], orders[g, seat]["program"]
            if not robot["alive"] or games[g]["over"]:
                continue
            hand = set(robot["hand"].tolist()) - {0}
            chosen = [int(card) for card in program if card]
            expected = 0 if robot["down"] else 5 - int(robot["locked"]).bit_count()
            assert len(chosen) == len(set(chosen)) == expected
            assert set(chosen) <= hand
            events = logs[g]["events"][: logs[g]["count"]]
            played = events[(events["kind"] == 1) & (events["robot"] == seat)]["target"]
            assert [c for c, locked in zip(played, _bits(robot["locked"]), strict=False) if not locked] == chosen


def _bits(mask: int) -> list[bool]:
    return [bool(mask >> r & 1) for r in range(5)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-(2**40), 2**40), min_size=8, max_size=8), st.integers(0, 200))
def test_any_numbers_decode_into_legal_orders(choices: list[int], seed: int) -> None:
    arena = Arena("risky_exchange")
    games = arena.new_games(1, 1, seed=seed)
    for mode in ("draw", "slots"):
        orders, repaired = decode(arena, games, mode, np.array([[choices]]))
        program = orders[0, 0]["program"].tolist()
        assert len(set(program)) == 5
        assert set(program) <= set(games["robots"]["hand"][0, 0, :9].tolist())
        assert 0 <= repaired[0, 0] <= 8
        assert orders[0, 0]["facing"] in range(-1, 4)
        assert orders[0, 0]["unlock"] in range(6)
        assert orders[0, 0]["power_down"] == (choices[5] == 1)


def test_the_space_samples_with_one_array(arena: Arena) -> None:
    layout = action_layout("draw", arena.settings)
    space = action_space(layout)
    mask = np.zeros(layout.shape, np.int8)
    mask[np.arange(layout.shape[0]), np.arange(layout.shape[0])] = 1
    assert space.sample(mask).tolist() == list(range(layout.shape[0]))
    assert space.contains(space.sample())
    assert space.sample(probability=mask.astype(float)).tolist() == list(range(layout.shape[0]))
