"""Where choices lead: the tables `choices` and `prospects`, compared with the rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from combinations import combinations, quick

from rr_gym.choices import LOOKAHEADS, ChoiceFacts, ChoicesObserver, choice_columns
from rr_gym.choices.columns import LIKELY_HANDS, NEVER, NUM_RELATIONS, RELATIONS, TURNS, own_columns
from rr_gym.choices.likely import find_paths
from rr_gym.choices.tables import foresight
from rr_gym.courses.course import Course
from rr_gym.courses.tables.ground import RANDOMIZER
from rr_gym.encoding.act.actions import action_layout, course_features
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.envs.core import Core
from rr_gym.errors import RoboRallyError
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.hidden import determinize
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.records import new_log, no_orders
from rr_gym.rules.turn.turn import play_phase
from rr_gym.solo.distances import alone, phase_distances
from rr_gym.solo.search import lone_outcomes
from rr_gym.solo.turn_tables import DAMAGED, LIFE, expected_turns
from rr_gym.solo.value_iteration import TURN

Array = np.ndarray[Any, Any]

LOG = new_log(on=False)[0]
# Together these have belts and pushers by phase, lasers, pits, levels, water, ice, and elements that change in a game
OFFICIAL = ("risky_exchange", "death_trap", "oddest_sea", "whirlwind_tour")
QUICK = ("risky_exchange", "grand_tour")
WITH_ELEMENTS = ("high_water", "critical_mass", "night_shift", "hot_metal", "grand_tour")


def at(name: str, num_robots: int = 1) -> int:
    return [column for column, _, _ in choice_columns(num_robots)["choices"]].index(name)


LEGAL, REGISTER, TYPE, PLAYED, DESTROYED, DAMAGE, FLAG = map(
    at, ("legal", "register", "type", "played", "destroyed", "damage", "flag")
)
FORWARD, RIGHT, FACING, TO_GO, GAINED, TURNS_TO_GO, BEHIND = map(
    at, ("forward", "right", "facing", "registers_to_go", "registers_gained", "turns_to_go", "turns_behind")
)


def core_of(course: Any = "risky_exchange", games: int = 6, robots: int = 3, **options: Any) -> Core:
    arguments = {"action": "cards", "preview": True, "observation": "choices", "max_cycles": 12, **options}
    core = Core(course, games, robots, **arguments)
    core.reset(5)
    return core


def best(rng: np.random.Generator, seen: dict[str, Array], masks: Array, careless: float = 0.3) -> Array:
    """Return a choice per row: a random one with probability `careless`, else the one that is fewest turns behind."""
    behind = np.where(masks > 0, seen["choices"][..., BEHIND], 1 << 20) + rng.random(masks.shape)
    anything = (masks * rng.random(masks.shape)).argmax(-1)
    return np.where(rng.random(len(masks)) < careless, anything, behind.argmin(-1))


def states(core: Core, steps: int, seed: int = 0, careless: float = 0.3) -> Any:
    """Yield observations, masks and steps of random play."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        seen, masks = core.observe(), core.masks()
        assert core.steps
        yield seen, masks, core.steps
        core.step(best(rng, seen, masks, careless))
        core.restart(core.ended.copy())


def after_phase(arena: Arena, game: Any, seat: int, register: int, card: int) -> Any:
    """Return the robot after a phase that the rules play with it alone on the board and a card in a register."""
    lone = alone(game, seat)
    robot = lone["robots"][0]
    if not robot["down"]:
        robot["registers"][register] = card
    lone["phase"] = register + 1
    play_phase(lone, arena.tables[game["course"]], LOG)
    return lone["robots"][0]


def randomizes(table: Any, robot: Any) -> bool:
    """Tell whether the robot will play a card that it does not know."""
    return "ground" in table.dtype.names and bool(table["ground"][robot["square"]]["overlays"] & RANDOMIZER)


def seen_from(robot: Any, width: int, square: int) -> tuple[int, int]:
    """Return how far a square is in front and to the right of a robot, on a course without turned rooms."""
    x, y = square % width - robot["square"] % width, square // width - robot["square"] // width
    return [(-y, x), (x, y), (y, -x), (-x, -y)][robot["facing"]]


@pytest.mark.parametrize("course", quick((*OFFICIAL, *WITH_ELEMENTS), *QUICK))
@pytest.mark.parametrize(
    "settings", [{}, pytest.param({"flag_touch": "pass"}, marks=pytest.mark.long)], ids=["end", "pass"]
)
def test_rows_say_what_a_phase_does_to_a_lone_robot(course: str, settings: dict[str, Any]) -> None:
    core = core_of(course, settings={"lives": "unlimited", **settings})
    table, found = core.arena.tables[0], np.zeros(5, np.int64)
    width, squares = int(table["course"]["width"]), int(table["course"]["num_squares"])
    for seen, masks, steps in states(core, 8 * core.stages):
        for row, game in enumerate(steps.games):
            seat = int(steps.seats[row, 0])
            robot, rows = game["robots"][seat], seen["choices"][row]
            assert np.array_equal(rows[:, LEGAL], masks[row])
            assert not rows[masks[row] == 0].any()
            if randomizes(table, robot):
                continue
            for line in rows[(rows[:, PLAYED] > 0)]:
                register = int(line[REGISTER]) - 1
                end = after_phase(core.arena, game, seat, register, int(line[at("priority")]) // 10)
                assert line[DESTROYED] == (not end["alive"])
                found += line[DESTROYED], line[DAMAGE] > 0, line[FLAG], abs(line[FORWARD]) > 1, line[FACING] > 0
                if not end["alive"]:
                    assert not line[[FORWARD, RIGHT, FACING, DAMAGE, FLAG]].any()
                    continue
                assert line[DAMAGE] == max(0, int(end["damage"]) - int(robot["damage"]))
                assert line[FLAG] == (end["flag"] > robot["flag"])
                assert line[FACING] == (end["facing"] - robot["facing"]) % 4
                if max(end["square"], robot["square"]) < squares:  # others are on ramps
                    assert (line[FORWARD], line[RIGHT]) == seen_from(robot, width, int(end["square"]))
    assert (found[[0, 3, 4]] > [5, 50, 50]).all(), found
    assert course != OFFICIAL[0] or (found[[1, 2]] > 0).all(), found


def test_a_course_with_every_element_and_every_option() -> None:
    """The features agree with the phase that the rules play, except where chance decides."""
    core = core_of("everything", games=4, settings={"option_cards": "on", "start_options": 3}, decisions=["facing"])
    same = 0
    for seen, _, steps in states(core, 5 * core.stages):
        for row, game in enumerate(steps.games):
            seat = int(steps.seats[row, 0])
            for line in seen["choices"][row][seen["choices"][row][:, PLAYED] > 0]:
                end = after_phase(core.arena, game, seat, int(line[REGISTER]) - 1, int(line[at("priority")]) // 10)
                pose = end["alive"] == 0, (end["facing"] - game["robots"]["facing"][seat]) % 4
                same += 1 if pose == (line[DESTROYED], line[FACING]) or not end["alive"] else -8
        assert core.form.choices_observer
        assert core.form.choices_observer.space().contains({name: array[0] for name, array in seen.items()})
    assert same > 100


@pytest.mark.parametrize("course", quick(["risky_exchange", "death_trap", "oddest_sea"], "oddest_sea"))
def test_turns_to_go_are_those_of_the_best_program(course: str) -> None:
    """They are compared with all programs of the hand, played by the rules and valued by expected turns."""
    core = core_of(course, games=5, settings={"lives": 3}, max_cycles=30)
    known, checked = expected_turns(core.arena, 0), 0
    for seen, _, steps in states(core, 12 * core.stages, careless=0.5):
        if steps.stages[0] != 1:
            continue
        for row, game in enumerate(steps.games):
            seat = int(steps.seats[row, 0])
            robot, rows = game["robots"][seat], seen["choices"][row]
            if not robot["alive"] or robot["down"] or robot["locked"] & 1:
                continue
            outcomes, _ = lone_outcomes(core.arena, game, seat)
            values = []
            for end in outcomes:
                goal, damage = int(end["goal"]), int(end["damage"])
                if end["won"]:
                    values.append(TURN * int(end["phases"]) // 5)
                elif end["alive"]:
                    turns = known.turns[damage, goal, end["place"] * 4 + end["facing"]]
                    values.append(TURN + int(turns) + int(DAMAGED[damage]))
                elif robot["lives"] == 1:
                    values.append(NEVER)
                elif goal > robot["flag"]:
                    values.append(TURN + int(known.turns[2, goal, -1]) + int(DAMAGED[2]))
                else:
                    back = known.turns[2, goal, 4 * int(robot["archive"]) :][:4].min()
                    values.append(TURN + int(back) + int(DAMAGED[2]) + LIFE)
            first = CARD_TYPE[outcomes["program"][:, 0]]
            for line in rows[rows[:, LEGAL] > 0]:
                same = np.array(values)[first == line[TYPE]]
                if robot["archive"] == robot["square"] or len(same) == 0:
                    continue  # the archive may be a square that it touches in the first phase
                assert line[TURNS_TO_GO] == min(same.min(), NEVER), (line, same.min())
                checked += 1
            legal = rows[rows[:, LEGAL] > 0]
            assert np.array_equal(legal[:, BEHIND], legal[:, TURNS_TO_GO] - legal[:, TURNS_TO_GO].min())
            assert seen["prospects"][row, 0, 1] == legal[:, TURNS_TO_GO].min()
    assert checked > 150


def test_paths_are_those_of_the_course() -> None:
    core = core_of("oddest_sea", lookahead="paths")
    distances, gains = phase_distances(core.arena.tables[0]), 0
    for seen, _, steps in states(core, 4 * core.stages):
        assert not seen["choices"][..., [TURNS_TO_GO, BEHIND]].any()
        for row, game in enumerate(steps.games):
            robot = game["robots"][steps.seats[row, 0]]
            for line in seen["choices"][row][seen["choices"][row][:, PLAYED] > 0]:
                register, flag = int(line[REGISTER]) - 1, int(robot["flag"])
                end = after_phase(core.arena, game, int(steps.seats[row, 0]), register, int(line[at("priority")]) // 10)
                if not end["alive"] or end["flag"] > flag:
                    continue
                before = min(distances[flag, robot["square"], robot["facing"], register], 255)
                after = min(distances[flag, end["square"], end["facing"], (register + 1) % 5], 255)
                assert (line[TO_GO], line[GAINED]) == (after, before - after)
                gains += before > after
    assert gains > 50


@pytest.mark.parametrize(
    ("course", "lookahead"), combinations(["risky_exchange", "night_shift"], LOOKAHEADS[2:], one_in=2)
)
def test_facts_are_the_same_with_and_without_preview(course: str, lookahead: str) -> None:
    cores = [core_of(course, preview=preview, lookahead=lookahead) for preview in (True, False)]
    own = len(own_columns(lookahead)["choices"])
    same = [k for k in range(own) if k not in (FORWARD, RIGHT, FACING)]
    rng = np.random.default_rng(1)
    for _ in range(6 * cores[0].stages):
        seen = [core.observe() for core in cores]
        assert np.array_equal(*(one["choices"][..., same] for one in seen))
        assert np.array_equal(*(one["prospects"] for one in seen))
        choices = best(rng, seen[0], cores[0].masks())
        for core in cores:
            core.step(choices)
            core.restart(core.ended.copy())


def test_what_a_lookahead_leaves_out_is_zero() -> None:
    cores = [core_of(lookahead=lookahead) for lookahead in LOOKAHEADS[:3]]  # the others have more columns
    rng = np.random.default_rng(1)
    seen_likely = np.False_
    for _ in range(2 * cores[0].stages):
        none, paths, turns = (core.observe()["choices"] for core in cores)
        likely = [at(f"robot_{k}_{name}", 3) for k in (1, 2) for name in RELATIONS if name.startswith("likely")]
        seen_likely |= turns[..., likely].any()
        turns[..., [TURNS_TO_GO, BEHIND, *likely]] = 0
        assert np.array_equal(paths, turns)
        paths[..., [TO_GO, GAINED]] = 0
        assert np.array_equal(none, paths)
        masks = cores[0].masks()
        choices = (masks * rng.random(masks.shape)).argmax(-1)
        for core in cores:
            core.step(choices)
    assert seen_likely


def steps_of(arena: Arena, games: Array, seats: Array, preview: bool = True) -> TurnSteps:
    layout = action_layout("draw", arena.settings, None, course_features(arena.tables))
    steps = TurnSteps(arena, layout, preview)
    steps.begin(games, seats)
    return steps


@pytest.mark.parametrize("lookahead", LOOKAHEADS[2:])
@pytest.mark.parametrize(
    ("course", "settings"),
    [("risky_exchange", {}), ("everything", {"option_cards": "on", "start_options": 2, "flip_state": 0})],
)
def test_nothing_hidden_is_seen(course: str, settings: dict[str, Any], lookahead: str) -> None:
    """When the cards that a seat cannot see are redealt, its rows stay the same."""
    core = core_of(course, games=4, settings=settings)
    for _ in states(core, 3 * core.stages):
        pass
    seats = np.full((4, 1), 1, np.int8)
    turns = []
    for seed in (1, 2):
        steps = steps_of(core.arena, determinize(core.games, 1, seed), seats)
        observer, seen = ChoicesObserver("choices", steps, 3, lookahead=lookahead), []
        rng = np.random.default_rng(0)
        while not steps.done.all():
            seen.append(observer.observe())
            steps.choose(best(rng, seen[-1], steps.masks()))
        turns.append(seen)
    for one, other in zip(*turns, strict=True):
        assert all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("lookahead", LOOKAHEADS[2:])
def test_rows_do_not_depend_on_what_was_asked_before(lookahead: str) -> None:
    """Best completions and trials are cached from one decision to the next, which must not change the rows."""
    core = core_of(games=3, lookahead=lookahead)
    for seen, _, steps in states(core, 3 * core.stages):
        fresh = ChoicesObserver("choices", steps, 3, lookahead=lookahead)
        again = fresh.observe()
        assert np.array_equal(again["choices"], seen["choices"])
        some = fresh.observe(np.array([4, 2]))
        assert all(np.array_equal(some[name], seen[name][[4, 2]]) for name in seen)


def test_settings_of_a_reset_count() -> None:
    """After a reset with other settings the rows are those of an environment with these settings."""
    settings = {"flag_touch": "pass", "lives": "unlimited"}
    usual, own = core_of(games=32), core_of(games=32, settings=settings)
    usual.observe()
    usual.reset(5, {"settings": settings})
    own.reset(5)
    rng, flags = np.random.default_rng(0), 0
    for _ in range(6 * own.stages):
        seen, expected = usual.observe(), own.observe()
        assert all(np.array_equal(seen[name], expected[name]) for name in expected)
        flags += int(expected["choices"][..., FLAG].sum())
        choices = best(rng, expected, own.masks(), careless=0)
        for core in (usual, own):
            core.step(choices)
            core.restart(core.ended.copy())
    assert flags > 5, flags


def test_a_batch_may_have_several_courses() -> None:
    courses = ["risky_exchange", "death_trap"]
    both = core_of(courses, games=4)
    for seen, _, steps in states(both, both.stages):
        for k, course in enumerate(courses):
            arena = Arena(course)
            games = both.games.copy()
            chosen = np.flatnonzero(steps.games["course"] == k)
            on_it = np.flatnonzero(games["course"] == k)
            games["course"] = 0
            lone = steps_of(arena, games[on_it], both.seats[on_it])
            if steps.stages[0]:
                continue
            expected = ChoicesObserver("choices", lone, 3).observe()
            assert np.array_equal(seen["choices"][chosen], expected["choices"])


BOARD = """
@1  .  .  .  .  .  #1
.   .  .  .  .  .  .
.   .  .  .  ./n  .  .
.   .  .  .  .  .  .
"""


def placed(*robots: tuple[int, int, int], **fields: int) -> tuple[Arena, Array]:
    """Return a game with robots at (x, y, facing); `fields` are set in the second robot."""
    arena = Arena(Course.from_board(BOARD, "open"), {"lives": "unlimited"})
    games = arena.new_games(1, len(robots), seed=1)
    for i, (x, y, facing) in enumerate(robots):
        robot = games["robots"][0, i]
        robot["square"], robot["facing"], robot["virtual"], robot["may_face"] = 7 * y + x, facing, 0, 0
    for name, value in fields.items():
        games["robots"][name][0, 1] = value
    games["robots"]["hand"][0, 0] = [84, 77, 60, 47, 42, 41, 3, 2, 1, 0, 0]
    return arena, games


def relations(arena: Arena, games: Array) -> dict[int, Array]:
    """Return by type of card whether each other robot is in the way, shoots, or is shot: (robots, 3), bool."""
    steps = steps_of(arena, games, np.zeros((1, 1), np.int8))
    steps.choose(np.zeros(1, np.int64))  # the facing
    num_robots = int(games["num_robots"][0])
    rows = ChoicesObserver("choices", steps, num_robots).observe()["choices"][0]
    return {
        int(row[TYPE]): row[BEHIND + 1 :].reshape(-1, NUM_RELATIONS)[:, :3].astype(bool).tolist()
        for row in rows
        if row[LEGAL]
    }


NO, WAY, SHOOTS, SHOT = [False] * 3, [True, False, False], [False, True, False], [False, False, True]
U_TURN, LEFT, RIGHT_TURN, BACK, ONE, TWO, THREE = range(1, 8)


def test_which_robots_are_in_the_way() -> None:
    found = relations(*placed((2, 3, 1), (4, 3, 0)))
    assert [found[kind][0] for kind in (ONE, TWO, THREE, BACK, LEFT)] == [SHOT, WAY, WAY, SHOT, NO]
    assert relations(*placed((2, 3, 3), (3, 3, 0)))[BACK] == [WAY]
    assert relations(*placed((4, 2, 0), (4, 1, 1)))[ONE] == [NO]  # a wall between them


def test_who_shoots_whom() -> None:
    found = relations(*placed((1, 2, 1), (3, 3, 0), (6, 2, 3)))
    assert found[ONE] == [NO, [False, True, True]]
    assert found[TWO] == [SHOOTS, [False, True, True]]
    assert found[LEFT] == [NO, SHOOTS]
    # The second robot stands between the first and the third.
    assert relations(*placed((1, 2, 1), (3, 2, 0), (6, 2, 3)))[LEFT] == [NO, NO]
    assert relations(*placed((1, 2, 1), (3, 3, 0), down=1))[TWO] == [NO]
    assert relations(*placed((2, 3, 1), (4, 3, 0), virtual=1))[TWO] == [NO]
    assert relations(*placed((4, 3, 0), (4, 1, 2)))[U_TURN] == [NO]  # a wall between them


def likely(arena: Arena, games: Array, register: int = 1) -> dict[int, dict[str, int]]:
    """Return the likely relations to the second robot by type of card, in the first register with a choice."""
    steps = steps_of(arena, games, np.zeros((1, 1), np.int8))
    steps.choose(np.zeros(1, np.int64))  # the facing
    rows = ChoicesObserver("choices", steps, int(games["num_robots"][0])).observe()["choices"][0]
    names = RELATIONS[3:]
    return {
        int(row[TYPE]): dict(zip(names, row[BEHIND + 4 :][: len(names)].tolist(), strict=True))
        for row in rows
        if row[LEGAL]
    }


def test_a_robot_that_is_down_is_where_it_is() -> None:
    down = likely(*placed((2, 3, 1), (4, 3, 0), down=1))
    every = LIKELY_HANDS
    assert down[TWO] == {
        "likely_in_way": every, "likely_met": every, "likely_near": every, "likely_shoots": 0, "likely_shot": 0
    }  # fmt: skip
    assert down[ONE]["likely_in_way"] == down[ONE]["likely_met"] == 0
    assert down[ONE]["likely_near"] == down[ONE]["likely_shot"] == every
    assert not any(likely(*placed((2, 3, 1), (4, 3, 0), virtual=1))[TWO].values())
    assert likely(*placed((4, 1, 2), (4, 3, 0), down=1))[LEFT]["likely_shoots"] == every  # walls are ignored


def test_others_are_likely_to_go_where_their_flag_is() -> None:
    """The second robot faces the flag, four squares ahead in an empty row: most hands take it there."""
    found = likely(*placed((3, 1, 2), (1, 0, 1)))
    assert found[U_TURN]["likely_near"] < LIKELY_HANDS
    arena, _ = placed((3, 1, 2), (1, 0, 1))
    known = foresight(arena, 0, TURNS)
    find_paths(known, 0, 1 * 4 + 1)
    paths = known.likely[0, 1 * 4 + 1]
    assert paths.shape == (LIKELY_HANDS, 5)
    assert (paths[:, -1] >> 2 == 6).sum() > LIKELY_HANDS // 2


@pytest.mark.parametrize("course", ["risky_exchange", "death_trap"])
def test_likely_paths_are_those_of_the_best_programs(course: str) -> None:
    """No program of a sampled hand takes a lone robot to a state with fewer expected turns."""
    arena = Arena(course)
    known = foresight(arena, 0, TURNS)
    turns, flags = known.expected.turns, known.expected.flags
    rng = np.random.default_rng(2)
    games = arena.new_games(12, 1, seed=2)
    cards = [np.flatnonzero(kind == CARD_TYPE) for kind in range(8)]
    for game in games:
        hand = int(rng.integers(LIKELY_HANDS))
        dealt = [card for kind in range(1, 8) for card in cards[kind][: known.hands[hand, kind]]]
        robot = game["robots"][0]
        robot["hand"][:], robot["may_face"], robot["virtual"] = 0, 0, 0
        robot["hand"][: len(dealt)] = dealt
        state = int(robot["square"]) * 4 + int(robot["facing"])
        find_paths(known, 0, state)
        path = known.likely[0, state, hand]
        outcomes, _ = lone_outcomes(arena, game, 0)
        alive = outcomes[(outcomes["alive"] > 0) & (outcomes["goal"] < len(flags))]
        values = turns[0, alive["goal"], alive["place"].astype(np.int64) * 4 + alive["facing"]]
        touched = int(any(state >> 2 == flags[0] for state in path))
        assert turns[0, touched, path[-1]] == values.min()


def test_locked_registers_and_robots_that_are_down_have_one_row() -> None:
    arena, games = placed((2, 3, 1), (4, 3, 0))
    robot = games["robots"][0, 0]
    robot["damage"], robot["locked"] = 5, 1
    robot["registers"][0] = 80
    robot["hand"] = [84, 77, 60, 47, 0, 0, 0, 0, 0, 0, 0]
    steps = steps_of(arena, games, np.zeros((1, 1), np.int8))
    steps.choose(np.zeros(1, np.int64))
    observer = ChoicesObserver("choices", steps, 2)
    rows = observer.observe()["choices"][0]
    assert rows[:, LEGAL].sum() == 1
    assert (rows[0, TYPE], rows[0, at("priority")], rows[0, FORWARD]) == (THREE, 800, 3)
    games["robots"]["down"][0, 0] = 1
    steps.begin(games, np.zeros((1, 1), np.int8))
    steps.choose(np.zeros(1, np.int64))
    rows = observer.observe()["choices"][0]
    assert rows[:, LEGAL].sum() == 1
    assert (rows[0, TYPE], rows[0, PLAYED], rows[0, FORWARD]) == (0, 1, 0)


def test_power_down_and_facing_have_their_turns() -> None:
    arena, games = placed((3, 0, 1), (4, 3, 0))
    games["robots"]["may_face"][0, 0] = 1
    games["robots"]["damage"][0, 0] = 4
    games["robots"]["hand"][0, 0] = [60, 59, 58, 42, 3, 0, 0, 0, 0, 0, 0]  # three moves 1, a rotation, a U-turn
    steps = steps_of(arena, games, np.zeros((1, 1), np.int8))
    observer = ChoicesObserver("choices", steps, 2)
    known = expected_turns(arena, 0)
    rows = observer.observe()["choices"][0]
    assert rows[:4, FACING].tolist() == [0, 1, 2, 3]
    assert rows[:, LEGAL].sum() == 4
    assert rows[1:4, BEHIND].min() > rows[0, BEHIND] == 0
    assert rows[0, TURNS_TO_GO] == 3 * TURN // 5
    steps.choose(np.array([3]))
    towards_north = observer.observe()["prospects"][0, 0, 1]
    assert towards_north == rows[3, TURNS_TO_GO]
    for _ in range(5):
        steps.choose(np.zeros(1, np.int64))
    rows = observer.observe()["choices"][0]
    robot = steps.games["robots"][0, 0]
    assert rows[:, LEGAL].sum() == 2
    if robot["alive"]:
        state = robot["square"] * 4 + robot["facing"]
        expected = [
            TURN + known.turns[robot["damage"], 0, state] + DAMAGED[robot["damage"]], TURN + known.down[0, state],
        ]  # fmt: skip
        assert rows[:2, TURNS_TO_GO].tolist() == expected


def test_a_randomizer_plays_the_most_likely_card() -> None:
    arena = Arena(Course.from_board("@1 . . . . . . #1\n.  . . . ? . . .\n. . . . . . . .\n", "random"))
    games = arena.new_games(1, 1, seed=1)
    robot = games["robots"][0, 0]
    robot["square"], robot["facing"], robot["virtual"], robot["may_face"] = 12, 0, 0, 0
    robot["hand"] = [84, 83, 77, 60, 59, 58, 8, 7, 1, 0, 0]  # three of the moves 1, but two rotations
    steps = steps_of(arena, games, np.zeros((1, 1), np.int8))
    steps.choose(np.zeros(1, np.int64))
    while steps.games["asked"][0] != 1:
        steps.choose(np.zeros(1, np.int64))
    rows = ChoicesObserver("choices", steps, 1).observe()["choices"][0]
    legal = rows[rows[:, LEGAL] > 0]
    assert (legal[:, FACING] == legal[0, FACING]).all()
    assert (legal[:, FORWARD] == 0).all()
    assert legal[0, FACING] in (1, 3)


def test_flags_that_move_leave_registers_and_turns_out() -> None:
    core = core_of("moving_targets", games=2, robots=2)
    for seen, _, _ in states(core, 2 * core.stages):
        assert not seen["choices"][..., [TO_GO, GAINED, TURNS_TO_GO, BEHIND]].any()
        assert not seen["prospects"].any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"action": "draw"}, "observation: 'choices': only with action='cards'"),
        ({"lookahead": "turn"}, "lookahead: 'turn': did you mean 'turns'"),
        ({"lookahead": "paths", "observation": "flat"}, "lookahead: 'paths': only with an observation of choices"),
        ({"observation": "flats+choices"}, r"observation: 'flats\+choices'"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RoboRallyError, match=message):
        Core(**{"action": "cards", "observation": "choices", **options})


def test_a_wrong_lookahead_is_refused_by_the_facts() -> None:
    core = core_of(games=1)
    assert core.steps
    with pytest.raises(RoboRallyError, match="lookahead: 3: expected none"):
        ChoiceFacts(core.steps, 3, 3)  # type: ignore[arg-type]
    assert no_orders(1).size == 1
