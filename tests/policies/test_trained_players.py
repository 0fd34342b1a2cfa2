"""Policies in the package, and the planner that searches with one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from combinations import quick
from marks import compiled_only
from msgspec.structs import replace

from rr_gym.choices.trials import QUICK
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation import evaluate
from rr_gym.players import PlannerPlayer, SeatView
from rr_gym.policies import Policy, PolicyError, PolicyPlayer, load_policy
from rr_gym.policies.same_games import same_games
from rr_gym.policies.strategist import StrategistPlayer
from rr_gym.registry import SHIPPED, make_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.hidden import determinize
from rr_gym.rules.state.records import no_orders
from rr_gym.solo.turn_tables import expected_turns

NAMES = ("rookie", "veteran", "champion", "grandmaster")


@pytest.mark.parametrize("name", NAMES)
def test_shipped_policies_are_small_and_players_by_name(name: str) -> None:
    player = make_player(name)
    assert isinstance(player, PolicyPlayer)
    assert player.name == name
    assert not player.sample
    assert player.policy.spec.network.kind == "choices"
    assert sum(file.stat().st_size for file in (SHIPPED / name).iterdir()) < 1_000_000


@compiled_only
@pytest.mark.parametrize("name", quick(NAMES, "rookie"))
def test_trained_players_race(name: str) -> None:
    """They are far better than greedy on a course of their training, and play the same without PyTorch."""
    own = evaluate(name, ["greedy"], games=400, seed=41).players[0]
    assert own.win.low > 0.55


@compiled_only
@pytest.mark.parametrize(
    ("course", "robots"),
    [
        ("everything", 3), ("option_world", 2), pytest.param("factory_rejects", 5, marks=pytest.mark.long),
        pytest.param("capture_the_flag", 4, marks=pytest.mark.long), ("moving_targets", 2),
    ],
)  # fmt: skip
def test_trained_players_play_what_they_were_not_trained_on(course: str, robots: int) -> None:
    """They play with elements, option cards, teams and moving flags, and without power-down."""
    evaluation = evaluate("champion", ["random"] * (robots - 1), course=course, games=robots, seed=3, max_cycles=8)
    assert len(evaluation.players) == robots


def test_trained_players_play_without_pytorch(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from rr_gym.race import RaceConfig, race\n"
        "replay = race(RaceConfig(players=('rookie', 'champion', 'grandmaster'), max_cycles=2))\n"
        "print(len(replay.turns))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.strip() == "2"


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena("risky_exchange")


def test_budgets() -> None:
    player = make_player("strategist:500")
    assert isinstance(player, PlannerPlayer)
    assert (player.name, player.turns, player.reproducible) == ("strategist:500", 500, True)
    assert not make_player("strategist:50ms").reproducible


def test_the_name_contains_the_policy(tmp_path: Path) -> None:
    for folder in ("rookie", "veteran"):
        shutil.copytree(SHIPPED / folder, tmp_path / folder)
    for name in (f"strategist:400@{tmp_path}/rookie", "strategist:@rookie"):
        player = make_player(name)
        assert isinstance(player, StrategistPlayer)
        assert (player.name, player.turns) == (name, 400 if "400" in name else 1500)
        own, wanted = player._own.policy.weights(), load_policy(SHIPPED / "rookie").weights()
        assert np.array_equal(own["value_net.weight"], wanted["value_net.weight"])
        assert player._valuer is player._own.policy
    quick = make_player("strategist:@champion+rookie")
    assert isinstance(quick, StrategistPlayer)
    assert isinstance(quick._own, PolicyPlayer)
    assert (quick._own.policy.spec.lookahead, quick._valuer.spec.lookahead) == ("trials", "turns")
    with pytest.raises(RoboRallyError, match="strategist:5@champion\\+: expected policies"):
        make_player("strategist:5@champion+")
    with pytest.raises(RoboRallyError, match="strategist:5@: expected policies after '@' and"):
        make_player("strategist:5@")
    with pytest.raises(RoboRallyError, match="strategist:: expected simulated turns"):
        make_player("strategist:")
    with pytest.raises(PolicyError, match="nowhere"):
        make_player("strategist:@nowhere")


def test_values_that_tell_no_places_are_refused() -> None:
    policy = load_policy(SHIPPED / "rookie")
    config = dict(policy.spec.training["config"])
    config["environment"] = {**config["environment"], "reward": "sparse"}
    other = Policy(replace(policy.spec, training={"config": config}), weights=policy.weights())
    with pytest.raises(PolicyError, match="strategist: values trained with the reward sparse and gamma 1"):
        StrategistPlayer(other)
    with pytest.raises(PolicyError, match="reward sparse"):
        StrategistPlayer(policy, values=other)
    StrategistPlayer(other, values=policy)  # the model of the others needs no values


@compiled_only
def test_decisions_are_legal_and_the_same_again(arena: Arena) -> None:
    games = arena.new_games(4, 3, seed=8)
    player = make_player("strategist:200")
    player.reset(5)
    orders = player.act(arena, games, 1)
    again = make_player("strategist:200")
    again.reset(5)
    assert np.array_equal(again.act(arena, games, 1), orders)
    for game, order in zip(games, orders, strict=True):
        hand = game["robots"][1]["hand"]
        assert set(order["program"]) <= set(hand.tolist())
        assert len(set(order["program"].tolist())) == 5


@compiled_only
def test_the_strategists_own_program_is_the_one_that_the_champion_plays(arena: Arena) -> None:
    """Its own program is computed with all trials; the simulated orders and values with fewer."""
    games = arena.new_games(12, 2, seed=8)
    player, champion = make_player("strategist"), make_player("champion")
    assert isinstance(player, StrategistPlayer)
    known, wanted = expected_turns(arena, 0), champion.act(arena, games, 0)
    for game, order in zip(games, wanted, strict=True):
        assert player._candidates(SeatView.of(arena, game, 0), 0)[0] == order
    hasty = PolicyPlayer(SHIPPED / "champion", effort=QUICK).act(arena, games, 0)
    assert (hasty != wanted).any()
    sampled = PolicyPlayer(SHIPPED / "champion", sample=True, effort=QUICK)
    deals, others = games[:4], no_orders(4, 8, full=True)
    player._order_others(SeatView.of(arena, games[0], 0), known, np.uint64(14), 0, deals, others)
    sampled.reset(7)
    assert np.array_equal(others[:, 1], sampled.act(arena, deals, 1))


@compiled_only
def test_hidden_cards_change_nothing(arena: Arena) -> None:
    game = arena.new_games(1, 3, seed=8)
    player = make_player("strategist:200")
    player.reset(5)
    before = player.orders(SeatView.of(arena, game[0], 1))
    for seed in range(3):
        other = determinize(game, 1, seed)
        assert player.orders(SeatView.of(arena, other[0], 1)) == before


@compiled_only
def test_values_are_shares_and_the_best_comes_first(arena: Arena) -> None:
    game = arena.new_games(1, 2, seed=2)
    orders, values = StrategistPlayer(SHIPPED / "veteran", turns=600).values(SeatView.of(arena, game[0], 0))
    assert len(orders) == len(values) > 8
    assert ((values >= 0) & (values <= 1)).all()
    assert values[0] >= values[1]


def test_equal_games_are_recognized_by_what_matters(arena: Arena) -> None:
    """Scratch fields of the previous turn, and the seat's orders in it, do not distinguish games."""
    games = arena.new_games(6, 3, seed=2)
    games[1:] = games[0]
    games["robots"]["target"][1, 2] = 7
    games["caches"]["trigger_squares"][2] = 5
    games["robots"]["orders"]["lose"][3, 1] = 4
    games["robots"]["orders"]["lose"][4, 0] = 4
    games["robots"]["damage"][5, 2] = 1
    distinct, which = same_games(games, 1)
    assert which.tolist() == [0, 0, 0, 0, 1, 2]
    assert np.array_equal(distinct.view(np.uint8), games[[0, 4, 5]].view(np.uint8))


@compiled_only
def test_larger_budgets_look_further(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """This needs enough trials for the remaining candidates, and never happens without rivals."""
    looked: list[int] = []
    play_on = StrategistPlayer._play_on

    def look(self: StrategistPlayer, view: SeatView, games: np.ndarray, turns: int) -> None:
        looked.append(turns)
        play_on(self, view, games, turns)

    monkeypatch.setattr(StrategistPlayer, "_play_on", look)
    player, game = make_player("strategist:100@rookie"), arena.new_games(1, 2, seed=2)
    assert isinstance(player, StrategistPlayer)
    player.values(SeatView.of(arena, game[0], 0))
    assert set(looked) == {0}
    looked.clear()
    monkeypatch.setattr("rr_gym.policies.strategist.TRIALS", (0, 2, 4))
    orders, values = player.values(SeatView.of(arena, game[0], 0))
    assert looked == sorted(looked)
    assert set(looked) == {0, 1, 2}
    assert ((values >= 0) & (values <= 1)).all()
    again = make_player("strategist:100@rookie").orders(SeatView.of(arena, game[0], 0))
    assert again == orders[0]
    other = determinize(game, 0, 5)
    assert player.orders(SeatView.of(arena, other[0], 0)) == orders[0]
    looked.clear()
    player.values(SeatView.of(arena, arena.new_games(1, 1, seed=2)[0], 0))
    assert not looked


@compiled_only
def test_games_are_played_on_by_the_policy_of_the_values(arena: Arena) -> None:
    """The policy plays all robots; games that are over, or in which the seat is out, stay the same."""
    player, policy = StrategistPlayer(SHIPPED / "rookie"), make_player("rookie")
    games = arena.new_games(6, 2, seed=4)
    games["robots"]["out"][0, 1] = 1
    games["over"][1] = 1
    before, wanted = games.copy(), games[2:].copy()
    for _ in range(2):
        orders = no_orders(len(wanted), 8, full=True)
        for seat in range(2):
            orders[:, seat] = policy.act(arena, wanted, seat)
        arena.play(wanted, orders)
    player._play_on(SeatView.of(arena, games[5], 1), games, 2)
    assert np.array_equal(games[:2].view(np.uint8), before[:2].view(np.uint8))
    assert np.array_equal(games[2:].view(np.uint8), wanted.view(np.uint8))


@compiled_only
def test_strategist_races_alone_as_planner_does(arena: Arena) -> None:
    games = arena.new_games(3, 1, seed=2)
    orders = [make_player(name).act(arena, games, 0) for name in ("strategist:200", "planner:200")]
    assert np.array_equal(*orders)


@compiled_only
def test_strategist_plays_as_an_opponent() -> None:
    env = RoboRallyEnv(num_robots=2, opponents=["strategist:100"], max_cycles=2)
    env.reset(seed=1)
    ends = [env.step(env.action_space.sample())[2:4] for _ in range(2)]
    assert [any(end) for end in ends] == [False, True]


def test_strategist_samples_the_others_anew_in_every_deal() -> None:
    """In deals that are alike, a policy that draws its choices does not always draw the same."""
    arena = Arena("risky_exchange")
    game = arena.new_games(1, 2, seed=4)
    deals, others = np.repeat(game, 16), no_orders(16, 8, full=True)
    player = StrategistPlayer(SHIPPED / "rookie", turns=100)
    view, known = SeatView.of(arena, game[0], 0), expected_turns(arena, 0)
    for _ in range(2):
        player._order_others(view, known, np.uint64(7), 0, deals, others)
        assert len(np.unique(others["program"][:, 1], axis=0)) > 1
    before = others.copy()
    player._order_others(view, known, np.uint64(7), 16, deals, others)
    assert (others != before).any()
