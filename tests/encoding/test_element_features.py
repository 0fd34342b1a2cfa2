"""Features of expansion elements in observations: compared with values worked out by hand, and with turned boards."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from combinations import combinations
from small_boards import arena_of, put, seen_from

from rr_gym.courses.course import Course
from rr_gym.encoding.observe.board import SQUARE_FEATURES, square_features
from rr_gym.encoding.observe.elements import ELEMENT_GROUPS, GROUP_NAMES, GROUPS, changes_boards, elements_of
from rr_gym.encoding.observe.features import GAME_FEATURES, ROBOT_FEATURES, game_features, robot_features
from rr_gym.encoding.observe.flat import flat_feature_names, flat_features
from rr_gym.encoding.observe.observations import OBSERVATIONS, FlatObserver, make_observer
from rr_gym.encoding.observe.planes import PLANE_NAMES, plane_names
from rr_gym.errors import RoboRallyError
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.elements.rotating_rooms import turn_room
from rr_gym.rules.state.records import new_log, no_orders

N, E, S, W = range(4)
SIDES = ("forward", "right", "back", "left")


def sides(name: str, *values: int) -> dict[str, int]:
    return {f"{name}_{side}": value for side, value in zip(SIDES, values, strict=True)}


def arrow(name: str, forward: int, right: int) -> dict[str, int]:
    return {f"{name}_forward": forward, f"{name}_right": right}


# Board, square, facing of the robot on it, and the nonzero features of elements there
SQUARES: list[tuple[str, tuple[int, int], int, dict[str, int]]] = [
    (". @1\nlevels:\n02", (0, 0), E, {}),
    (". @1\nlevels:\n02", (1, 0), E, {"level": 2}),
    ("@1/eh .\nlevels:\n01", (0, 0), N, {"ramp_right": 1}),
    (">>/ehh @1\nlevels:\n01", (0, 0), W, {"ramp_back": 2}),
    ("@1/nf ./no", (0, 0), E, {}),  # walls for bodies: shots pass
    ("@1/nD24,ef ./no", (0, 0), N, sides("cover", 0b10101, 0, 0, 0)),
    ("@1/nr ./e", (0, 0), E, {}),  # no side tells bodies from shots
    ("@1/w!", (0, 0), N, sides("spikes", 0, 0, 0, 1)),
    ("Xb24 @1", (0, 0), N, {"drawbridge": 1}),
    ("O+@1", (0, 0), N, {"oil": 1}),
    ("I+@1", (0, 0), N, {"ice": 1}),
    ("W @1", (0, 0), N, {"water": 1}),
    ("WW @1", (0, 0), N, {"water": 2}),
    ("Wp @1", (0, 0), N, {"water": 1, "puddle": 1}),
    ("c>:n @1", (0, 0), N, {"water": 1, "current_turns": 0b0001} | arrow("current", 0, 1)),
    ("m>:s @1", (0, 0), S, {"molten": 1, "current_turns": 0b0001} | arrow("current", 0, -1)),
    ("Q @1", (0, 0), N, {"slime": 1}),
    ("Y @1", (0, 0), N, {"crumbly": 1}),
    ("D/e) @1", (0, 0), N, {"padding": 1} | sides("pad", 0, 1, 0, 0)),
    ("S^> @1", (0, 0), E, arrow("tilt", 1, -1)),
    ("V24 @1", (0, 0), N, {"lava": 1, "eruption": 0b01010}),
    ("r1v^>-> @1", (0, 0), E, {"belt_right_2": -1, "belt_forward_3": 1, "belt_forward_5": 1}),
    ("F135 @1", (0, 0), N, {"flamer": 0b10101}),
    ("N2 @1", (0, 0), N, {"flamer": 0b10, "napalm": 0b10}),
    ("M4 @1", (0, 0), N, {"mag_lock": 0b1000}),
    ("T @1", (0, 0), N, {"teleporter": 1}),
    ("Tf @1", (0, 0), N, {"freak_teleporter": 1}),
    ("? @1", (0, 0), N, {"randomizer": 1}),
    ("=a . @1 =a", (0, 0), E, {"portal": 1, "portal_forward": 3}),
    ("=a . @1 =a", (3, 0), N, {"portal": 1, "portal_right": -3}),
    ("& @1", (0, 0), N, {"repeater": 1}),
    ("E @1", (0, 0), N, {"energizer": 1}),
    ("A @1", (0, 0), N, {"antigrav_field": 1}),
    ("U @1", (0, 0), N, {"attractor": 1}),
    ("B @1", (0, 0), N, {"attractor": 1}),
    (
        "J>^<v @1", (0, 0), N,
        {"jack": 1, "jack_right_1": 1, "jack_forward_2": 1, "jack_right_3": -1, "jack_forward_4": -1},
    ),
    ("f @1", (0, 0), N, {"fog": 1}),
    ("z @1", (0, 0), N, {"gas": 1}),
    ("G @1", (0, 0), N, {"grave": 1}),
    ("Z @1", (0, 0), N, {"radiation": 1}),
    ("ZZ @1", (0, 0), N, {"waste": 1}),
    ("ws @1", (0, 0), N, {"reset_site": 1}),
    ("wc @1", (0, 0), N, {"chop_shop": 1}),
    ("t< @1", (0, 0), N, {"turret": 1} | arrow("turret", 0, -1)),
    ("pa> pbv @1", (0, 0), N, {"piston": 1} | arrow("piston", 0, 1)),
    ("pa> pbv @1", (1, 0), N, {"piston": -1} | arrow("piston", -1, 0)),
    ("h24 @1\nlevels:\n01", (0, 0), N, {"elevator": 1, "elevator_phases": 0b01010}),
    ("./wm @1", (0, 0), N, sides("mirror", 0, 0, 0, 1)),
    ("@1/eka . . ./ska", (0, 0), N, sides("gate", 0, 1, 0, 0) | {"gate_right_to_right": 3}),
    ("./nb @1", (0, 0), E, sides("button", 0, 0, 0, 1)),
    ("@1 . .\n. . .\n. . .\ngroups:\nplatform at 0,0\n N N N\n W C E\n S S S", (2, 1), N,
     {"platform": 1} | arrow("platform", 0, 1)),
    ("@1 . .\n. . .\n. . .\ngroups:\nplatform at 0,0\n N N N\n W C E\n S S S", (1, 1), N, {"platform": 1}),
    ("@1 . . .\ngroups:\nbigear at 0,0 4x1", (1, 0), E, {"big_gear": 1, "big_gear_forward": 1}),
    ("@1 .\ngroups:\ntrapdoor at 0,0 2x1 cap 1", (1, 0), E, {"trapdoor": 2}),
    ("@1 .\n. .\ngroups:\nring 0,0 1,0 1,1 0,1", (1, 1), E, {"ring": 1} | arrow("ring", -1, 0)),
    ("@1 .\n. .\ngroups:\nroom at 0,0 2", (1, 0), N, {"room": 1} | arrow("room", -1, 0)),
    ("H>24 . @1", (0, 0), N, sides("hydraulic", 0, 0b01010, 0, 0)),
    ("K3 @1", (0, 0), N, {"mega_crusher": 0b100}),
    ("@1/eu ./wu", (0, 0), N, sides("repulsor", 0, 1, 0, 0)),
    ("./w*m . ./e @1", (1, 0), N, {"melting_beam": 1}),
    ("./w*m . ./e @1", (3, 0), N, {}),
    ("./wv2:135 . ./eD1 @1", (1, 0), N, sides("wind", 0, 2, 0, 0) | {"wind_phases": 0b10101}),
    ("./wv2:135 . ./eD1 @1", (3, 0), N, sides("wind", 0, 2, 0, 0) | {"wind_phases": 1}),
    ("Lf @1", (0, 0), N, {"flip_gear": -1}),
    ("gwe @1", (0, 0), N, arrow("flip_belt", 0, 1) | arrow("flip_belt_next", 0, -1)),
    ("gse @1", (0, 0), N, arrow("flip_belt", 0, 1) | arrow("flip_belt_next", -1, 0)),
    ("Lf/wey @1", (0, 0), N, {"barrier": 1, "flip_gear": -1}),
]  # fmt: skip


@pytest.mark.parametrize(("board", "square", "facing", "expected"), SQUARES)
def test_squares_have_the_features_of_their_elements(
    board: str, square: tuple[int, int], facing: int, expected: dict[str, int]
) -> None:
    arena = arena_of(board, flip_state=0)
    games = arena.new_games(1, 1, seed=1)
    put(games, 0, square[1] * int(arena.tables["course"]["width"][0]) + square[0], facing)
    seen = seen_from(arena, games, window=1)
    base = {name for name, _, _ in SQUARE_FEATURES}
    found = {name.partition("@")[0]: value for name, value in seen.items() if "@" in name and value}
    more = {name: value for name, value in found.items() if name not in base}
    assert more == {name: value for name, value in expected.items() if value}


def test_base_features_on_courses_with_elements() -> None:
    arena = arena_of("r3>v<-^ r1->v<^ >>> V @1\n./w*2 . ./nD24 . ./e*1", lava_mode="page4")
    games = arena.new_games(1, 1, seed=1)
    put(games, 0, 0, E)
    seen = seen_from(arena, games, window=9)
    assert (seen["belt_forward@+0,+0"], seen["belt_forward@+1,+0"], seen["belt_forward@+2,+0"]) == (3, 0, 3)
    assert (seen["pit@+3,+0"], seen["pit@+4,+0"]) == (31, 0)  # in this mode a lava pit is a pit
    assert [seen[f"laser@{k:+d},+1"] for k in range(5)] == [2] * 5  # the stronger of two on one line
    bounds = {name: pair for name, *pair in flat_features(1, 1, elements_of(arena.tables))}
    assert bounds["belt_forward@+0,+0"] == [-3, 3]


def test_beams_pass_over_lower_ground() -> None:
    arena = arena_of("./w*1 . . . @1/e\nlevels:\n10010")
    games = arena.new_games(1, 1, seed=1)
    put(games, 0, 0, E)
    seen = seen_from(arena, games, window=9)
    assert [seen[f"laser@{k:+d},+0"] for k in range(5)] == [1, 0, 0, 1, 0]


def test_boards_are_observed_as_games_have_changed_them() -> None:
    arena = arena_of("@1 Y Y gwe Lf pa> pb> t^ h5 .\nlevels:\n0000000001", flip_state=0)
    games = arena.new_games(1, 1, seed=1)
    put(games, 0, 0, E)

    def look() -> dict[str, int]:
        return seen_from(arena, games, window=19)

    def values(name: str, *ahead: int) -> list[int]:
        return [look()[f"{name}@{k:+d},+0"] for k in ahead]

    assert values("crumbly", 1, 2) == [1, 1]
    assert values("pit", 1, 2, 7) == [0, 0, 31]
    assert values("elevator_up", 8) == [0]
    games["crumbled"][0, 0] = 0b10
    games["flip"] = 1
    games["piston_up"] = 1
    games["turret_facing"][0, 0] = E
    games["turn"] = 1
    assert values("crumbly", 1, 2) == [1, 0]
    assert values("pit", 1, 2, 7) == [0, 31, 31]
    assert values("flip_belt_forward", 3) == [-1]
    assert values("flip_belt_next_forward", 3) == [1]
    assert values("flip_gear", 4) == [1]
    assert values("piston", 5, 6) == [-1, 1]
    assert (values("turret_forward", 7), values("turret_right", 7)) == ([1], [0])
    assert values("elevator_up", 8) == [1]  # it stays up from phase 5 on
    games["phase"] = 3  # registers programmed so far: no phase has been played
    assert values("elevator_up", 8) == [1]


def test_robots_have_the_features_of_elements() -> None:
    board = "@1/eh . A z F ws I . ./nb\n. . . . . . . . .\n. . . . . . . . .\n"
    arena = arena_of(board + "levels:\n011111111\n011111111\n011111111\ngroups:\nring 6,1 7,1 7,2 6,2")
    games = arena.new_games(1, 2, seed=1)
    states = {
        "level": 1, "flying": 1, "asleep": 3, "burning": 2, "speed": 4, "reset": 1, "has_copy": 1, "copy_square": 20,
        "copy_facing": S, "copy_level": 1, "copy_birth": 8, "copy_side": N,
    }  # fmt: skip
    put(games, 0, 10, E)  # (1, 1)
    put(games, 1, 27, W, **states)  # on the ramp that rises to the east from (0, 0)
    games["robots"]["velocity"][0, 1] = 2, -1, 3
    seen = seen_from(arena, games)
    expected = {
        "forward": -1, "right": -1, "level": 1, "on_ramp": 1, "flying": 1, "asleep": 3, "burning": 2, "speed": 4,
        "claims_card": 1, "copy": 1, "copy_forward": 1, "copy_right": 1, "copy_facing": 1, "copy_level": 1,
        "machine_forward": 7, "machine_right": -1, "machine_side": 3, "slide_forward": 2, "slide_right": -1, "spin": 3,
    }  # fmt: skip
    for name, value in expected.items():
        assert seen[f"robot_1_{name}"] == value, name
    own = seen_from(arena, games, seat=1)
    assert own["robot_0_on_ramp"] == 3  # it rises behind the robot's back
    assert own["level@+0,+0"] == 0  # the square it stands on is the foot
    seen_planes = make_observer("planes", arena, 2, 5).observe(games)
    planes = dict(zip(plane_names(elements_of(arena.tables)), seen_planes[0, 0], strict=True))
    assert (planes["robot_burning"][3, 1], planes["robot_level"][3, 1]) == (2, 1)
    assert (planes["robot_speed"] != 0).sum() == 1
    assert planes["copy"][1, 3] == 1
    assert planes["copy"].sum() == 1
    assert not planes["own_burning"].any()
    planes = dict(zip(planes, seen_planes[0, 1], strict=True))
    assert (planes["own_burning"] == 2).all()
    assert planes["copy"].max() == 2


def test_a_flip_is_owed() -> None:
    arena = arena_of("@1 Lf/wey", flip_state=0)
    games = arena.new_games(1, 1, seed=1)
    assert seen_from(arena, games)["flip_owed"] == 0
    for name in ("flip_pending", "barrier_broken"):
        games[name] = 1
        assert seen_from(arena, games)["flip_owed"] == 1
        games[name] = 0


def test_sleepers_know_their_old_program() -> None:
    arena = arena_of("@1 z")
    games = arena.new_games(1, 2, seed=1)
    games["robots"]["registers"][0, 0] = 0, 0, 33, 44, 55
    games["robots"]["asleep"][0, 0] = 2
    own, other = seen_from(arena, games), seen_from(arena, games, seat=1)
    assert [own[f"robot_0_locked_{r}_priority"] for r in range(1, 6)] == [0, 0, 330, 440, 550]
    assert [other[f"robot_1_locked_{r}_priority"] for r in range(1, 6)] == [0] * 5


# Courses with everything


def everything(quarters: int = 0) -> Arena:
    board = {"board": "everything", "rotation": quarters, "at": [0, 0]}
    return Arena(Course.from_yaml({"id": "all", "name": "All", "boards": [board], "players": [2]}), {"flip_state": 0})


ELEMENTS = tuple(group.name for group in ELEMENT_GROUPS)


def test_no_element_is_left_out() -> None:
    arena = everything()
    assert elements_of(arena.tables) == ELEMENTS
    features = square_features(ELEMENTS)
    boards = make_observer("entities", arena, 2, 3).boards
    changing = ("crumbly", "flip", "turret_", "piston", "elevator_up")
    for i, (name, low, high) in enumerate(features):
        values = boards[..., i]
        assert low <= values.min() <= values.max() <= high, name
        assert values.any() or name.startswith(changing) or "_to_" in name, name


def test_names_are_unique_and_those_of_the_base_game_come_first() -> None:
    for base, all_of_them in (
        (SQUARE_FEATURES, square_features(GROUP_NAMES)),
        (ROBOT_FEATURES, robot_features(GROUP_NAMES)),
        (GAME_FEATURES, game_features(GROUP_NAMES)),
    ):
        names = [name for name, _, _ in all_of_them]
        assert names[: len(base)] == [name for name, _, _ in base]
        assert len(set(names)) == len(names)
    assert plane_names(GROUP_NAMES)[: len(PLANE_NAMES)] == PLANE_NAMES
    for names in (plane_names(GROUP_NAMES), flat_feature_names(3, 3, GROUP_NAMES)):
        assert len(set(names)) == len(names)
    assert square_features() == list(SQUARE_FEATURES)
    assert plane_names() == PLANE_NAMES
    assert len(GROUPS) == len(GROUP_NAMES) == len(set(GROUP_NAMES))


def turned(x: int, y: int, quarters: int, size: tuple[int, int] = (24, 16)) -> tuple[int, int, int]:
    """Return (x, y) and the width of the layout after quarter turns clockwise."""
    width, height = size
    for _ in range(quarters):
        x, y, width, height = height - 1 - y, x, height, width
    return x, y, width


ROBOTS = [(3, 5, E), (10, 11, S), (21, 12, N)]  # the last one in the room


@pytest.mark.parametrize(("name", "rooms"), combinations(OBSERVATIONS, [0, 1], one_in=2))
def test_observations_do_not_change_when_the_course_is_turned(name: str, rooms: int) -> None:
    def observe(quarters: int) -> dict[str, np.ndarray]:
        arena = everything(quarters)
        games = arena.new_games(1, 3, seed=2)
        log = new_log(on=False)[0]
        for _ in range(rooms):
            turn_room(games[0], arena.tables[0], log, 0)
        games["flip"] = games["piston_up"] = rooms
        games["crumbled"] = 2**64 - 1 if rooms else 0
        for seat, (x, y, facing) in enumerate(ROBOTS):
            x, y, width = turned(x, y, quarters)
            put(games, seat, y * width + x, (facing + quarters) % 4, archive=y * width + x)
        seen = make_observer(name, arena, 3, 15).observe(games)
        found = seen if isinstance(seen, dict) else {"": seen}
        return {table: array for table, array in found.items() if table != "board"}

    for quarters in (1, 2, 3):
        for (table, first), second in zip(observe(0).items(), observe(quarters).values(), strict=True):
            assert np.array_equal(first, second), table


ROOM = """grid:
>/n   Y      ./w*1   ./s
>:s   Lf     t^      ./e!
./nD2 h13    ./ev2:1 gne
P>2/w ./s*m  S^>     ./nr
levels:
0000
0000
0010
0000
groups:
room at 0,0 4
"""
AROUND = "@1 ./w . c>\n. . ./n .\n./nf . . .\n. . . .\n"


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_turned_rooms_look_like_rooms_that_are_drawn_turned(turns: int) -> None:
    def look(drawn: int, rooms: int) -> dict[str, np.ndarray]:
        course: dict[str, Any] = {"id": "rooms", "name": "Rooms", "players": [2]}
        course["boards"] = [
            {"board": "around", "rotation": 0, "at": [0, 0]},
            {"board": "room", "rotation": drawn, "at": [4, 0]},
        ]
        course["board_texts"] = {"room": ROOM, "around": AROUND}
        arena = Arena(Course.from_yaml(course), {"flip_state": 1})
        games = arena.new_games(1, 2, seed=2)
        games["crumbled"] = 1
        put(games, 0, 8 * 1 + 1, E)
        put(games, 1, 8 * 3 + 2, W)
        log = new_log(on=False)[0]
        for _ in range(rooms):
            turn_room(games[0], arena.tables[0], log, 0)
        return make_observer("entities+planes", arena, 2, 15).observe(games)

    for (table, first), second in zip(look(0, turns).items(), look(turns, 0).values(), strict=True):
        assert np.array_equal(first, second), table


def shuffled_board(arena: Arena, num_games: int, seed: int) -> np.ndarray:
    """Return games with robots on random squares and randomly changed boards."""
    generator = np.random.default_rng(seed)
    games = arena.new_games(num_games, 3, seed=seed)
    table = arena.tables[0]
    standing = np.flatnonzero(table["squares"]["exists"][: int(table["extras"]["num_standing"])])
    games["robots"]["square"][:, :3] = generator.choice(standing, (num_games, 3))
    games["robots"]["facing"][:, :3] = generator.integers(0, 4, (num_games, 3))
    games["robots"]["has_copy"][:, :3] = generator.integers(0, 2, (num_games, 3))
    games["robots"]["copy_square"][:, :3] = generator.choice(standing, (num_games, 3))
    games["rooms"][:, 0] = generator.integers(0, 4, num_games)
    games["turret_facing"][:, 0] = generator.integers(0, 4, num_games)
    for name in ("flip", "piston_up", "turn", "barrier_broken"):
        games[name] = generator.integers(0, 2, num_games)
    games["crumbled"][:, 0] = generator.integers(0, 2**16, num_games)
    return games


def test_all_observations_show_the_same() -> None:
    arena = everything()
    games = shuffled_board(arena, 6, 5)
    flat = FlatObserver(arena, 3, 7)
    rows = flat.observe(games)
    names = {name: i for i, name in enumerate(flat_feature_names(3, 7, ELEMENTS))}
    tables = make_observer("entities", arena, 3, 7).observe(games)
    planes = make_observer("planes", arena, 3, 7).observe(games)
    of_planes = plane_names(ELEMENTS)
    for i, (name, _, _) in enumerate(square_features(ELEMENTS)):
        first = names[f"{name}@+3,-3"]
        squares = rows[..., first :: len(square_features(ELEMENTS))].reshape(6, 3, 7, 7)
        assert np.array_equal(squares, tables["planes"][..., i]), name
        assert np.array_equal(squares, planes[:, :, of_planes.index(name)]), name
    for i, (name, _, _) in enumerate(robot_features(ELEMENTS)):
        for k in range(3):
            assert np.array_equal(rows[..., names[f"robot_{k}_{name}"]], tables["robots"][..., k, i]), name
        if i >= len(ROBOT_FEATURES):
            own = planes[:, :, of_planes.index(f"own_{name}")]
            assert (own == rows[..., names[f"robot_0_{name}"]][..., None, None]).all(), name
    for i, (name, _, _) in enumerate(game_features(ELEMENTS)):
        assert np.array_equal(rows[..., names[name]], tables["game"][..., i]), name
    assert (flat.low <= rows).all()
    assert (rows <= flat.high).all()


def test_play_stays_within_the_bounds() -> None:
    arena = everything()
    games = arena.new_games(4, 4, seed=3)
    observers = [make_observer(name, arena, 4, 5) for name in OBSERVATIONS]
    words = np.random.default_rng(4).integers(2**63, size=len(games), dtype=np.uint64)
    for _ in range(4):
        orders = no_orders(len(games), 8, full=True)
        arena.random_orders(games, orders, words)
        arena.play(games, orders)
        for observer in observers:
            space, seen = observer.space(), observer.observe(games)
            for g in range(len(games)):
                for seat in range(4):
                    row = {name: a[g, seat] for name, a in seen.items()} if isinstance(seen, dict) else seen[g, seat]
                    assert space.contains(row)


# Which elements are seen


@pytest.mark.parametrize("name", OBSERVATIONS)
def test_elements_that_courses_do_not_have_can_be_seen_too(name: str) -> None:
    """A policy with features of more elements can play on a base course, where these features are 0."""
    arena = Arena("risky_exchange")
    games = arena.new_games(2, 2, seed=1)
    plain, more = make_observer(name, arena, 2, 3), make_observer(name, arena, 2, 3, ("levels", "barriers", "copies"))
    for _ in range(2):  # the second time into memory that is not zero
        first, second = plain.observe(games), more.observe(games)
        if not isinstance(first, dict):
            first, second = {"": first}, {"": second}
        for table in first:
            counts = [int((array[table] != 0).sum()) for array in (first, second)]
            assert counts[0] == counts[1]
    assert more.elements == ("levels", "barriers", "copies")
    assert plain.elements == ()


def test_wrong_elements() -> None:
    arena = arena_of("@1 O I")
    for elements, message in [
        (["oil"], "elements: ice: the courses have them"),
        (["oil", "icy"], "'icy': did you mean 'ice'"),
    ]:
        with pytest.raises(RoboRallyError, match=message):
            make_observer("flat", arena, 1, 3, elements)
    assert make_observer("flat", arena, 1, 3, ["ice", "levels", "oil"]).elements == ("levels", "oil", "ice")


def test_boards_that_games_change_are_in_every_observation() -> None:
    still, changing = arena_of("@1 O I"), arena_of("@1 O Y")
    assert not changes_boards(elements_of(still.tables))
    assert changes_boards(elements_of(changing.tables))
    assert "planes" not in make_observer("entities", still, 1, 3).space().spaces
    assert "planes" in make_observer("entities", changing, 1, 3).space().spaces
    assert "planes" in make_observer("entities+planes", still, 1, 3).space().spaces


def written_out(name: str) -> list[str]:
    """Return the names that a name in the document stands for: `_*` all sides, `_+` the parts of a vector."""
    endings = {"*": SIDES, "+": SIDES[:2]}.get(name[-1])
    return [name[:-1] + ending for ending in endings] if endings else [name]


def test_the_document_names_all_features_in_order() -> None:
    text = (Path(__file__).parents[2] / "docs" / "observations.md").read_text(encoding="utf-8")
    table = text.partition("| group | features")[2].partition("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    assert [row[0] for row in rows] == [f"`{name}`" for name in GROUP_NAMES]
    others = {"lava_mode", *(name for name, _, _ in SQUARE_FEATURES)}
    for (_, squares, robots), group in zip(rows, GROUPS, strict=True):
        for cell, features in ((squares, group.squares), (robots, group.robots)):
            names = {name for name, _, _ in features}
            documented = {name for word in re.findall(r"`(\w+[*+]?)`", cell) for name in written_out(word)}
            assert documented - others <= names, group.name
            assert "..." in cell or names <= documented, group.name
