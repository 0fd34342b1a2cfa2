"""Players: the registry, legal orders, hidden information, and searches compared with simple play."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest
from conftest import Python
from marks import compiled_only
from random_play import FLOOR, beside_its_flag, played

from rr_gym import registry as registry_module
from rr_gym.compilation.kernels import COMPILED
from rr_gym.errors import RoboRallyError
from rr_gym.player_names import BUILT_IN
from rr_gym.players import Player, RandomPlayer, SeatView, play_all_programs
from rr_gym.registry import PlayerError, list_players, make_player, register_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.hidden import determinize
from rr_gym.rules.state.records import clone, no_orders
from rr_gym.solo.distances import path_distances


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(FLOOR)


# Registry


def test_the_built_in_players_are_listed() -> None:
    entries = {entry.name: entry.doc for entry in list_players()}
    assert BUILT_IN.items() <= entries.items()
    assert all(make_player(name).name == name for name in ("greedy", "planner", "racer", "random"))


def test_unknown_players_and_options_are_refused() -> None:
    with pytest.raises(PlayerError, match="there is no player 'gredy': did you mean 'greedy'"):
        make_player("gredy")
    with pytest.raises(PlayerError, match=r"there is no player 'xyz': expected .*greedy \| planner \| racer \| random"):
        make_player("xyz")
    with pytest.raises(PlayerError, match=r"player 'greedy': .*power.*; its options: power_down_at"):
        make_player("greedy", power=3)
    with pytest.raises(ValueError, match="power_down_at: 0: expected 1 to 10"):
        make_player("greedy", power_down_at=0)


@pytest.mark.parametrize("given", [None, [1, 2, 3], no_orders(1)[0], no_orders(1, full=True)])
def test_what_is_not_a_record_of_orders_is_named(given: Any) -> None:
    class Beginner(Player):
        name = "beginner"

        def orders(self, view: SeatView) -> Any:
            return given

    floor = Arena(FLOOR)
    place = "game 0, seat 0, turn 1"
    with pytest.raises(RoboRallyError, match=rf"player 'beginner': {place}: orders: .*: expected one record, such as"):
        Beginner().act(floor, floor.new_games(1), 0)


def test_registering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_module, "PLAYERS", dict(registry_module.PLAYERS))

    class Sleeper(Player):
        name = "sleeper"

        def orders(self, view: SeatView) -> np.record:
            return no_orders(1, full=True)[0]

    register_player("sleeper", Sleeper, "always the default")
    register_player("sleeper", Sleeper, "always the default")
    assert isinstance(make_player("sleeper"), Sleeper)
    with pytest.raises(PlayerError, match="already registered"):
        register_player("sleeper", RandomPlayer, "another one")
    with pytest.raises(PlayerError, match="expected letters"):
        register_player("a b", Sleeper, "no name")
    with pytest.raises(PlayerError, match="player 'five': factory: 5: expected a function that creates it"):
        register_player("five", 5, "no factory")  # type: ignore[arg-type]


# Views


def test_a_view_shows_the_own_hand_and_hides_the_others(arena: Arena) -> None:
    games = played(arena, 1, 1)
    view = SeatView.of(arena, games[0], 2)
    own, shown = games[0].robots[2], view.robot
    assert shown.hand.tolist() == own.hand.tolist()
    assert view.record.robots[0].hand.tolist() != games[0].robots[0].hand.tolist()
    assert np.count_nonzero(view.record.robots[0].hand) == np.count_nonzero(games[0].robots[0].hand)
    assert view.record.key != games[0].key
    assert view.table.course.num_flags == 3


def test_views_of_the_same_knowledge_are_the_same(arena: Arena) -> None:
    games = played(arena, 1, 1)
    first = SeatView.of(arena, games[0], 1).record
    for seed in range(5):
        other = determinize(games, 1, seed)
        assert other[0].robots[0].hand.tolist() != games[0].robots[0].hand.tolist()
        assert SeatView.of(arena, other[0], 1).record == first


def test_a_view_may_be_searched_in_many_versions(arena: Arena) -> None:
    view = SeatView.of(arena, played(arena, 1, 1)[0], 1)
    hands = {tuple(view.determinize(seed).robots[0].hand) for seed in range(8)}
    assert len(hands) > 4
    assert view.determinize(3) == view.determinize(3)


PLAYERS = [
    "random",
    "greedy",
    *(pytest.param(name, marks=compiled_only) for name in ("racer", "planner:200")),
]


@pytest.mark.parametrize("name", PLAYERS)
def test_hidden_cards_do_not_change_a_decision(arena: Arena, name: str) -> None:
    games = played(arena, 3, 1, seed=4)
    player = make_player(name)
    expected = player.act(arena, games, 1)
    other = determinize(games, 1, 99)
    assert not np.array_equal(other["robots"]["hand"][:, 0], games["robots"]["hand"][:, 0])
    np.testing.assert_array_equal(player.act(arena, other, 1), expected)


@pytest.mark.parametrize("name", PLAYERS)
def test_a_batch_is_decided_like_single_views(arena: Arena, name: str) -> None:
    games = played(arena, 3, 1, seed=8)
    before = clone(games)
    player = make_player(name)
    player.reset(7)
    for seat in (0, 3):
        orders = player.act(arena, games, seat)
        for i in range(len(games)):
            assert player.orders(SeatView.of(arena, games[i], seat)) == orders[i]
    np.testing.assert_array_equal(games, before)


# Random


def test_random_orders_are_legal_and_depend_on_the_seed(arena: Arena) -> None:
    games = played(arena, 40, 3)
    player = make_player("random")
    orders = player.act(arena, games, 0)
    active = 0
    for game, order in zip(games, orders, strict=True):
        if game.over:
            continue
        robot = game.robots[0]
        hand = [card for card in robot.hand if card]
        open_registers = [r for r in range(5) if not robot.locked >> r & 1] if hand else []
        program = [int(order.program[r]) for r in open_registers]
        assert len(set(program)) == len(program)
        assert set(program) <= set(hand)
        assert all(order.program[r] == 0 for r in range(5) if r not in open_registers)
        active += len(program) == 5
    assert active > 10
    assert not orders["power_down"].any()
    player.reset(1)
    assert not np.array_equal(player.act(arena, games, 0)["program"], orders["program"])
    player.reset(0)
    np.testing.assert_array_equal(player.act(arena, games, 0), orders)


def test_random_programs_are_uniform(arena: Arena) -> None:
    games = arena.new_games(900, 1)
    games["robots"]["hand"][:, 0] = games["robots"]["hand"][0, 0]
    program = make_player("random").act(arena, games, 0)["program"]
    for r in range(5):
        counts = np.bincount(program[:, r], minlength=85)[games["robots"]["hand"][0, 0, :9]]
        assert counts.sum() == 900
        assert ((counts > 60) & (counts < 145)).all()  # 100 expected, four standard deviations


# Search


def small_hand(games: np.ndarray, seat: int, damage: int) -> None:
    """Set damage and the hand that belongs to it, so that there are few programs."""
    games["robots"]["damage"][:, seat] = damage
    games["robots"]["hand"][:, seat, 9 - damage :] = 0


@pytest.mark.parametrize("turns", [0, 2, 4])
def test_every_program_ends_as_when_it_is_played(arena: Arena, turns: int) -> None:
    games = played(arena, 20, turns)
    games = games[games["over"] == 0][:1]
    seat = int(np.flatnonzero(games["robots"]["alive"][0] & (games["robots"]["down"][0] == 0))[-1])
    games["robots"]["locked"][0, seat] = 0
    games["robots"]["hand"][0, seat, :9] = [83, 71, 60, 55, 45, 30, 15, 3, 8]
    small_hand(games, seat, 3)
    orders = no_orders(1, 8, full=True)
    other = (seat + 1) % 4
    orders[0, other]["program"] = games[0].robots[other].hand[:5]
    outcomes = play_all_programs(arena, games[0], seat, orders[0])
    assert len(outcomes) == 720
    assert len(np.unique(outcomes["program"], axis=0)) == 720
    chosen = outcomes[:: 1 if COMPILED else 45]
    many = np.repeat(clone(games), len(chosen))
    all_orders = np.repeat(orders, len(chosen), axis=0)
    all_orders["program"][:, seat] = chosen["program"]
    arena.play(many, all_orders)
    robots = many["robots"][:, seat]
    for name in ("square", "facing", "damage", "flag"):
        np.testing.assert_array_equal(robots[name], chosen[name], err_msg=name)
    np.testing.assert_array_equal(many["winners"] >> seat & 1, chosen["won"])
    lost = robots["lives"] < games[0].robots[seat].lives
    np.testing.assert_array_equal(lost, chosen["alive"] == 0)


@pytest.mark.skipif(not COMPILED, reason="15,120 programs take minutes with interpreted rules")
def test_a_full_hand_has_15120_programs(arena: Arena) -> None:
    games = arena.new_games(1, 4, seed=2)
    before = clone(games)
    outcomes = play_all_programs(arena, games[0], 0)
    hand = games[0].robots[0].hand[:9].tolist()
    assert {tuple(p) for p in outcomes["program"].tolist()} == set(itertools.permutations(hand, 5))
    np.testing.assert_array_equal(games, before)


def test_locked_registers_and_robots_that_are_down(arena: Arena) -> None:
    games = arena.new_games(1, 2, seed=2)
    small_hand(games, 0, 6)  # three cards for three open registers
    games["robots"]["locked"][0, 0] = 0b11000
    kept = games["robots"]["hand"][0, 1, :2].copy()
    games["robots"]["registers"][0, 0, 3:] = kept
    outcomes = play_all_programs(arena, games[0], 0)
    assert len(outcomes) == 6
    assert (outcomes["program"][:, 3:] == kept).all()
    games["robots"]["down"][0, 0] = 1
    games["robots"]["locked"][0, 0] = 0
    games["robots"]["hand"][0, 0] = 0
    assert len(play_all_programs(arena, games[0], 0)) == 1


def test_the_first_card_moves_where_it_must() -> None:
    arena = Arena(FLOOR, {"first_card_moves": "on"})
    games = arena.new_games(1, 1, seed=2)
    games["robots"]["hand"][0, 0] = [80, 50, 40, 30, 20, 0, 0, 0, 0, 0, 0]
    outcomes = play_all_programs(arena, games[0], 0)
    assert len(outcomes) == 2 * 24
    assert (outcomes["program"][:, 0] >= 43).all()


# Greedy


@pytest.mark.parametrize("seed", range(4))
def test_greedy_plays_a_program_that_no_other_beats(arena: Arena, seed: int) -> None:
    games = played(arena, 1, 1 + seed % 2, seed=seed, num_robots=1)
    robot = games[0].robots[0]
    robot.alive = 1
    robot.may_face = 0
    small_hand(games, 0, 4 if COMPILED else 5)
    if not COMPILED:
        robot.locked = 16
        robot.registers[4] = 84
    orders = make_player("greedy").act(arena, games, 0)
    hand = [int(card) for card in robot.hand if card]
    programs = np.array(list(itertools.permutations(hand, min(5, len(hand)))), np.int8)
    all_orders = no_orders(len(programs) + 1, 8, full=True)
    all_orders["program"][:-1, 0, : programs.shape[1]] = programs
    all_orders[-1, 0] = orders[0]
    all_orders["power_down"] = 0
    many = np.repeat(games, len(all_orders))
    arena.play(many, all_orders)

    def worth(game: np.record) -> tuple[int, ...]:
        end = game.robots[0]
        left = 0
        if not game.over:
            left = int(path_distances(arena.tables[0])[end.flag, end.square, end.facing])
        return (int(game.winners), int(end.flag), int(end.lives == robot.lives), -left, -int(end.damage))

    assert worth(many[-1]) == max(worth(game) for game in many)


def test_greedy_chooses_its_facing() -> None:
    arena, games = beside_its_flag()
    order = make_player("greedy").act(arena, games, 0)
    assert order["facing"][0] == 1
    games[0].robots[0].damage = 4
    orders = no_orders(1, 8, full=True)
    orders[:, 0] = order
    arena.play(games, orders)
    assert games[0].robots[0].flag == 1


def test_greedy_powers_down_when_it_is_badly_damaged(arena: Arena) -> None:
    games = arena.new_games(2, 1, seed=3)
    games["robots"]["damage"][:, 0] = [4, 5]
    games["robots"]["hand"][:, 0, 4:] = 0
    games["robots"]["registers"][:, 0, 4] = 7
    games["robots"]["locked"][:, 0] = 16
    calm = make_player("greedy", power_down_at=10).act(arena, games, 0)
    assert not calm["power_down"].any()
    careful = make_player("greedy", power_down_at=1).act(arena, games, 0)
    assert careful["power_down"].all()
    games["robots"]["down"][:, 0] = 1
    assert make_player("greedy").act(arena, games, 0)["stay_down"].tolist() == [0, 1]


def test_greedy_leaves_a_robot_that_is_gone_to_the_defaults(arena: Arena) -> None:
    games = arena.new_games(1, 2, seed=3)
    games["robots"]["alive"][0, 0] = 0
    games["robots"]["square"][0, 0] = -1
    assert make_player("greedy").act(arena, games, 0)[0] == no_orders(1, full=True)[0]


@pytest.mark.skipif(not COMPILED, reason="whole games take minutes with interpreted rules")
def test_greedy_beats_random() -> None:
    arena = Arena("risky_exchange")
    games = arena.new_games(20, 4, seed=11)
    greedy, random = make_player("greedy"), make_player("random")
    while not games["over"].all() and games["turn"].max() < 40:
        orders = no_orders(len(games), 8, full=True)
        for seat in range(4):
            orders[:, seat] = (greedy if seat == 3 else random).act(arena, games, seat)
        arena.play(games, orders)
    assert (games["winners"] == 8).sum() >= 18


DECISIONS = """
import json, sys
from rr_gym import Course, arena_of, make_player
_, element, options = sys.argv
course = Course.from_board(f"@1 {element} > #1\\n@2 . . #2\\n")
arena = arena_of(course, {"option_cards": options})
games = arena.new_games(1, 2, seed=4)
games["robots"]["lives"] = 1
names = "greedy", "racer", "planner:100", "rookie", "veteran", "champion", "grandmaster"
print(json.dumps({n: make_player(n).act(arena, games, 0)["program"].tolist() for n in names}))
"""


@pytest.mark.long
@compiled_only
@pytest.mark.parametrize("form", [(".", "off"), (".", "on"), ("W", "on")], ids=["base", "options", "full"])
def test_players_decide_the_same_interpreted(form: tuple[str, str], python: Python) -> None:
    """Small integers overflow in NumPy but not in machine code, so kernels must widen them first."""
    compiled = json.loads(python("-W", "error", "-c", DECISIONS, *form).stdout)
    assert json.loads(python("-W", "error", "-c", DECISIONS, *form, NUMBA_DISABLE_JIT="1").stdout) == compiled
