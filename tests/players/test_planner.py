"""The planner: budgets, reproducible decisions, and consideration of other robots, which the racer lacks."""

from __future__ import annotations

import numpy as np
import pytest
from marks import compiled_only
from option_games import as_json, deal_options, floor
from random_play import FLOOR, played

from rr_gym.courses.course import Course
from rr_gym.encoding.orders.legal_orders import resolve_orders
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation import evaluate
from rr_gym.players import SeatView
from rr_gym.players.planner import DEFAULT_TURNS, PlannerPlayer
from rr_gym.players.race_values import WIN, chance_to_be_first, value_of
from rr_gym.registry import make_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import clone, no_orders
from rr_gym.solo.turn_tables import expected_turns


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(FLOOR)


@pytest.mark.parametrize(
    ("name", "turns", "milliseconds"),
    [
        ("planner", DEFAULT_TURNS, None),
        ("planner:500", 500, None),
        ("planner:20k", 20_000, None),
        ("planner:1m", 1_000_000, None),
        ("planner:100ms", DEFAULT_TURNS, 100),
    ],
)
def test_budgets(name: str, turns: int, milliseconds: int | None) -> None:
    player = make_player(name)
    assert isinstance(player, PlannerPlayer)
    assert (player.name, player.turns, player.milliseconds) == (name, turns, milliseconds)
    assert player.reproducible == (milliseconds is None)


@pytest.mark.parametrize("text", ["", "fast", "20g", "-5", "1.5k", "99", "0ms", "100 ms", "100s"])
def test_other_budgets_are_refused(text: str) -> None:
    with pytest.raises(RoboRallyError, match="expected"):
        make_player(f"planner:{text}")


def test_options_are_checked() -> None:
    assert PlannerPlayer(turns=150).turns == 150
    with pytest.raises(RoboRallyError, match=r"turns: 5\.5: expected a whole number, 100 or more"):
        make_player("planner", turns=5.5)
    with pytest.raises(RoboRallyError, match="milliseconds: 'x': expected"):
        make_player("planner", milliseconds="x")


def test_chances_of_two_rivals_add_up() -> None:
    leads = [0, 1, 100, 256, 1000, 20_000]
    chances = [int(chance_to_be_first(np.int64(lead))) for lead in leads]
    assert chances == sorted(chances)
    assert chances[0] == WIN // 2
    assert abs(chances[3] / WIN - 0.8) < 0.001
    for lead, chance in zip(leads, chances, strict=True):
        assert abs(chance + int(chance_to_be_first(np.int64(-lead))) - WIN) <= 1


@compiled_only
@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("settings", [{}, {"teams": 2}])
def test_a_position_nearer_the_flag_is_worth_more_to_each_teammate(settings: dict[str, int], seat: int) -> None:
    arena = Arena(FLOOR, settings)
    game = arena.new_games(1, 4, seed=1)[0]
    known = expected_turns(arena)
    near, far = int(known.turns[0, 0, :-1].argmin()), int(known.turns[0, 0, :-1].argmax())
    assert far != near
    values = []
    for state in (near, far):
        robot = game.robots[seat]
        robot.square, robot.facing, robot.may_face = state // 4, state % 4, 0
        values.append(value_of(game, arena.tables[0], known, 0, seat, 0))
    assert values[0] > values[1]


@compiled_only
def test_a_decision_depends_only_on_view_and_seed(arena: Arena) -> None:
    games = played(arena, 2, 1, seed=3)
    before = clone(games)
    first, second = make_player("planner:400"), make_player("planner:400")
    second.reset(0)
    orders = first.act(arena, games, 0)
    np.testing.assert_array_equal(games, before)
    second.act(arena, games, 1)
    np.testing.assert_array_equal(second.act(arena, games, 0), orders)
    assert second.orders(SeatView.of(arena, games[1], 0)) == orders[1]
    # The decision is the same on every machine.
    assert orders["program"].tolist() == [[47, 30, 79, 72, 62], [83, 35, 59, 45, 26]]


@compiled_only
def test_a_time_limit_gives_orders_from_the_hand(arena: Arena) -> None:
    games = played(arena, 1, 1, seed=3)
    order = make_player("planner:1ms").act(arena, games, 0)[0]
    assert set(order["program"].tolist()) <= set(games[0].robots[0].hand.tolist())


@compiled_only
def test_planner_does_not_run_into_a_robot_that_nobody_can_push() -> None:
    """That robot is powered down with its back to a wall, on the square where a lone robot would turn to the flag."""
    arena = Arena(Course.from_board("grid:\n@1 . . @2/e\n. . . #1\n"))
    for name, winners in (("planner:500", 1), ("racer", 0)):
        games = arena.new_games(1, 2)
        mine, other = games[0].robots[0], games[0].robots[1]
        mine.facing, mine.damage, other.down = 1, 4, 1
        mine.may_face = other.may_face = mine.virtual = other.virtual = 0
        mine.hand[:], other.hand[:] = 0, 0
        mine.hand[:5] = [80, 60, 12, 9, 8]  # move 3, move 1, right, left, right
        orders = no_orders(1, 8, full=True)
        orders[:, 0] = make_player(name).act(arena, games, 0)
        arena.play(games, orders)
        assert games[0].winners == winners


@compiled_only
def test_default_orders_for_robots_without_a_choice(arena: Arena) -> None:
    games = played(arena, 1, 1, seed=3)
    planner = make_player("planner:100")
    games["robots"]["down"][0, 0] = 1
    assert planner.act(arena, games, 0)[0] == no_orders(1, full=True)[0]
    games["robots"]["alive"][0, 0] = games["robots"]["down"][0, 0] = 0
    assert planner.act(arena, games, 0)[0] == no_orders(1, full=True)[0]


@compiled_only
@pytest.mark.parametrize("settings", [{}, {"game": "tag_teams"}, {"game": "flag_toggle"}, {"game": "survival"}])
def test_orders_are_legal_with_option_cards(settings: dict[str, str]) -> None:
    arena = floor(**settings)
    games = arena.new_games(2, 4, seed=1)
    rng = np.random.default_rng(2)
    planner = make_player("planner:100")
    for _ in range(2):
        deal_options(games, rng, each=5)
        orders = no_orders(len(games), 8, full=True)
        for seat in range(4):
            orders[:, seat] = planner.act(arena, games, seat)
        for g, game in enumerate(games):
            given = {seat: as_json(orders[g, seat]) for seat in range(4) if not game["robots"][seat]["out"]}
            resolve_orders(given, game, arena.settings[0], arena.tables[0])
        arena.play(games, orders)


@compiled_only
def test_planner_is_an_opponent_in_environments() -> None:
    env = RoboRallyEnv(FLOOR, 2, opponents="planner:100", max_cycles=2)
    _, info = env.reset(seed=1)
    observation = env.step(env.action_space.sample(info["action_mask"]))[0]
    assert env.observation_space.contains(observation)


@compiled_only
def test_planner_beats_greedy(arena: Arena) -> None:
    won = evaluate("planner:500", ["greedy"], course="risky_exchange", games=40, seed=2).players[0].win
    assert won.value > 0.6
