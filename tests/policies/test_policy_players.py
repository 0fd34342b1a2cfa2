"""Policies as players: whole games, consistent decisions, and games with other numbers of robots than in training."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from combinations import combinations
from conftest import Python
from policy_examples import DECISIONS, KINDS, WINDOW, new_policy, spec_of
from random_play import FLOOR, played

from rr_gym.cli.main import main
from rr_gym.courses.course import Course
from rr_gym.encoding.act.actions import action_layout
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.encoding.observe.observations import make_observer
from rr_gym.players import Player, SeatView
from rr_gym.policies import PolicyError, PolicyPlayer, save_policy
from rr_gym.registry import PlayerError, make_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import GAME, no_orders


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(FLOOR)


def check_legal(games: np.ndarray, seat: int, orders: np.ndarray) -> None:
    """Check that every open register of a robot in play has a card of its hand, and each card occurs once."""
    for game, order in zip(games, orders, strict=True):
        robot = game["robots"][seat]
        hand = [int(card) for card in robot["hand"] if card]
        if game["over"] or not robot["alive"] or not hand:
            continue
        locked = [bool(robot["locked"] >> r & 1) for r in range(5)]
        cards = [int(card) for card, shut in zip(order["program"], locked, strict=True) if not shut]
        assert set(cards) <= set(hand)
        assert len(set(cards)) == len(cards)


@pytest.mark.parametrize(("network", "action"), combinations(KINDS, ["draw", "slots", "cards"], one_in=3))
def test_policies_play_whole_games(network: tuple[str, str], action: str, arena: Arena) -> None:
    kind, observation = network
    player = PolicyPlayer(new_policy(spec_of(kind, observation, action, preview=action == "cards")), sample=True)
    player.reset(4)
    games = arena.new_games(6, 4, seed=2)
    for _ in range(60):
        orders = no_orders(len(games), 8, full=True)
        for seat in range(4):
            orders[:, seat] = player.act(arena, games, seat)
            check_legal(games, seat, orders[:, seat])
        arena.play(games, orders)
        if games["over"].all():
            break
    assert games["over"].any()


@pytest.mark.parametrize("action", ["draw", "cards"])
@pytest.mark.parametrize("sample", [True, False])
def test_a_decision_depends_on_view_and_seed_only(action: str, sample: bool, arena: Arena) -> None:
    games = played(arena, 24, turns=2)
    player = PolicyPlayer(new_policy(spec_of(action=action)), sample=sample)
    player.reset(9)
    together = player.act(arena, games, 1)
    player.act(arena, games, 2)
    np.testing.assert_array_equal(player.act(arena, games, 1), together)
    backwards = games[::-1].copy()
    np.testing.assert_array_equal(player.act(arena, backwards, 1)[::-1], together)
    alone = [player.orders(SeatView.of(arena, game, 1)) for game in games]
    np.testing.assert_array_equal(np.array([np.array(order) for order in alone], together.dtype), together)
    player.reset(10)
    assert (player.act(arena, games, 1) == together).all() != sample


def test_steps_of_the_player_are_those_of_the_policy(arena: Arena) -> None:
    """With `cards`, the player's orders are the successive choices of the policy."""
    policy = new_policy(spec_of(action="cards", preview=True))
    games = played(arena, 5, turns=1)
    orders = PolicyPlayer(policy).act(arena, games, 3)
    layout = action_layout("draw", arena.settings, DECISIONS)
    observer = make_observer("flat", arena, 4, WINDOW)
    for i in range(len(games)):
        game = np.zeros(1, GAME)
        game[0] = games[i]
        steps = TurnSteps(arena, layout, preview=True)
        steps.begin(game, np.full((1, 1), 3, np.int8))
        hand = [int(card) for card in game["robots"]["hand"][0, 3] if card]
        for name in ("facing", "register_1", "register_2"):
            row = observer.observe(steps.games, steps.seats)[:, 0]
            logits, _ = policy.evaluate(row)
            choice = int(np.where(steps.masks()[0], logits[0], -np.inf).argmax())
            steps.choose(np.array([choice]))
            if name != "facing" and hand and not game["robots"]["locked"][0, 3]:
                assert orders["program"][i, int(name[-1]) - 1] == hand.pop(choice)


def test_fewer_robots_than_trained_with(arena: Arena) -> None:
    """Missing robots are observed as eliminated ones; more robots than in training are an error."""
    player = PolicyPlayer(new_policy(spec_of()))
    four, two = played(arena, 8, 1), played(arena, 8, 1, num_robots=2)
    mixed = np.zeros(16, GAME)
    mixed[:8], mixed[8:] = four, two
    orders = player.act(arena, mixed, 1)
    np.testing.assert_array_equal(orders, np.concatenate([player.act(arena, four, 1), player.act(arena, two, 1)]))
    check_legal(mixed, 1, orders)
    with pytest.raises(PolicyError, match=r"policy 'policy': 5 robots: it was trained for 4, and .* has no room"):
        player.act(arena, played(arena, 2, 0, num_robots=5), 0)
    PolicyPlayer(new_policy(spec_of("planes", "planes"))).act(arena, played(arena, 2, 0, num_robots=5), 0)


def test_decisions_that_do_not_exist_here_are_an_error() -> None:
    arena = Arena(FLOOR, {"power_down": "off"})
    games = arena.new_games(2, 4)
    with pytest.raises(PolicyError, match=r"trained to decide .*power_down, facing, which .*decisions: 'power_down'"):
        PolicyPlayer(new_policy(spec_of())).act(arena, games, 0)
    PolicyPlayer(new_policy(spec_of(decisions=("facing",)))).act(arena, games, 0)


def test_policies_are_players_by_their_folder(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = new_policy(spec_of())
    save_policy(policy, tmp_path / "runner")
    games = played(arena, 4, turns=1)
    expected = PolicyPlayer(policy).act(arena, games, 0)
    player = make_player(str(tmp_path / "runner"))
    assert isinstance(player, Player)
    assert player.name == str(tmp_path / "runner")
    np.testing.assert_array_equal(player.act(arena, games, 0), expected)
    monkeypatch.chdir(tmp_path)
    assert make_player("runner", sample=True).sample  # type: ignore[attr-defined]
    with pytest.raises(PlayerError, match=r"player 'runner': .*; its options: sample"):
        make_player("runner", samples=True)
    with pytest.raises(PolicyError, match="sample: 1: expected True or False"):
        make_player("runner", sample=1)
    with pytest.raises(PolicyError, match=r"no/such: not a policy: expected a folder with policy\.json"):
        make_player("no/such")
    with pytest.raises(PlayerError, match=r"model\.zip --out FOLDER makes one"):
        make_player("model.zip")


def test_policies_in_folders_of_one_name_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["runs/a/policy", "runs/b/policy"]
    for name in names:
        save_policy(new_policy(spec_of()), name)
    assert [make_player(name).name for name in names] == names
    line = ["--players", ",".join(names), "--games", "2", "--max-cycles", "1"]
    assert main(["evaluate", *line]) == 0
    header = capsys.readouterr().out
    assert all(name in header for name in names)
    assert main(["tournament", *line, "--seats", "2", "--watch", "0", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {player["name"] for player in found["total"]["players"]} == set(names)


def test_torch_is_not_loaded_without_need(python: Python) -> None:
    code = "import sys, rr_gym, rr_gym.players, rr_gym.policies; from rr_gym.cli.main import main; main(['players'])\n"
    python("-c", code + "assert not {'torch', 'safetensors', 'stable_baselines3'} & set(sys.modules)")


@pytest.mark.parametrize(("kind", "observation"), KINDS)
def test_policies_play_where_they_know_all_elements(kind: str, observation: str) -> None:
    """They also play on courses with fewer elements; an element that they cannot see is an error."""
    known = ("levels", "oil", "crumbly", "copies")
    player = PolicyPlayer(new_policy(spec_of(kind, observation, elements=known)))
    for board in ("@1 . O Y #1", "@1 . O #1", "@1 . . #1"):
        arena = Arena(Course.from_board(board, "small"))
        games = arena.new_games(2, 2, seed=1) if kind == "entities" else arena.new_games(2, 4, seed=1)
        check_legal(games, 0, player.act(arena, games, 0))
    arena = Arena(Course.from_board("@1 I O Z #1", "small"))
    with pytest.raises(PolicyError, match=r"without ice, radiation, .* only levels, oil, crumbly, copies"):
        player.act(arena, arena.new_games(2, 4, seed=1), 0)
    with pytest.raises(PolicyError, match="only the base game"):
        PolicyPlayer(new_policy(spec_of(kind, observation))).act(arena, arena.new_games(2, 4, seed=1), 0)
