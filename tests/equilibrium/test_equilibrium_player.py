"""The player that plays an equilibrium of each turn."""

from __future__ import annotations

import numpy as np
import pytest
from marks import compiled_only

from rr_gym.equilibrium.payoffs import share_chance
from rr_gym.equilibrium.player import EquilibriumPlayer, Sizes, foremost_rival
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation import evaluate
from rr_gym.players import SeatView
from rr_gym.registry import make_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.hidden import determinize
from rr_gym.rules.state.records import no_orders

SMALL = "equilibrium:100@rookie"


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena("risky_exchange")


@pytest.mark.parametrize("turns", [100, 300, 1500, 5999, 20_000])
def test_budgets_are_kept(turns: int) -> None:
    sizes = Sizes.of(turns)
    assert sizes.rival_hands >= 1
    assert sizes.turns <= turns
    assert turns < 300 or sizes.turns > 0.7 * turns


def test_names_are_read() -> None:
    player = make_player("equilibrium:400@champion+veteran")
    assert isinstance(player, EquilibriumPlayer)
    assert (player.name, player.turns, player.reproducible) == ("equilibrium:400@champion+veteran", 400, True)
    for name, error in (
        ("equilibrium:100ms", "equilibrium:100ms: expected a budget in simulated turns"),
        ("equilibrium:99", "turns: 99: expected a whole number, 100 or more"),
        ("equilibrium:5@", "equilibrium:5@: expected policies"),
    ):
        with pytest.raises(RoboRallyError, match=error):
            make_player(name)


@compiled_only
def test_programs_are_drawn_again_from_the_same_seed(arena: Arena) -> None:
    games, again = arena.new_games(4, 2, seed=8), make_player(SMALL)
    player = make_player(SMALL)
    for one in (player, again):
        one.reset(5)
    orders = player.act(arena, games, 0)
    assert np.array_equal(orders, again.act(arena, games, 0))
    hidden = determinize(games, 0, 77)
    hidden["index"] = games["index"]
    assert np.array_equal(orders["program"], again.act(arena, hidden, 0)["program"])  # hidden state has no effect
    programs, chances = player.strategy(SeatView.of(arena, games[0], 0))
    assert chances.sum() == pytest.approx(1)
    assert len(programs) == len(chances) > 3
    assert any(np.array_equal(orders[0], program) for program in programs[chances > 0])


@compiled_only
def test_the_strategy_is_an_equilibrium_of_the_turn(arena: Arena) -> None:
    from rr_gym.equilibrium.regret_matching import solve

    player = make_player(SMALL)
    assert isinstance(player, EquilibriumPlayer)
    held, game = player.game(SeatView.of(arena, arena.new_games(1, 2, seed=4)[0], 0), 1)
    sizes = player.sizes
    assert game.payoffs.shape[::2] == (1 + sizes.own_hands, sizes.rival_hands)
    assert game.legal[0][0].sum() == len(held)
    assert ((game.payoffs >= 0) & (game.payoffs <= 1)).all()
    assert game.nash_conv(solve(game)) < 1e-3


@compiled_only
def test_equilibrium_plays_alone_and_with_four_robots(arena: Arena) -> None:
    lone, planner = make_player(SMALL), make_player("planner:100")
    game = arena.new_games(1, 1, seed=2)
    assert np.array_equal(lone.act(arena, game, 0), planner.act(arena, game, 0))
    four = arena.new_games(1, 4, seed=2)
    four["robots"]["flag"][0, 3] = 1
    four["robots"]["flag"][0, 2] = 2
    assert foremost_rival(arena, four[0], 0) == 2
    assert (lone.act(arena, four, 0)["program"] > 0).all()
    four["robots"]["down"][0, 0] = 1
    assert np.array_equal(lone.act(arena, four, 0), no_orders(1, full=True))


@compiled_only
def test_equilibrium_races() -> None:
    assert evaluate(SMALL, ["greedy"], games=4, seed=3).players[0].flags.value > 1


@compiled_only
def test_the_same_chance_deals_the_same_next_hands(arena: Arena) -> None:
    games = arena.new_games(3, 2, seed=1)
    share_chance(games, 2)
    arena.play(games, no_orders(3, 8, full=True))
    hands = games["robots"]["hand"][:, 0]
    assert np.array_equal(hands[0], hands[2])
    assert not np.array_equal(hands[0], hands[1])
