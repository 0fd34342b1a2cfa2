"""Luck: it is 0 on average, explains who wins, and does not depend on batches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rr_gym.cli.main import main
from rr_gym.courses import load_course
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation import Match, evaluate, luck
from rr_gym.evaluation.luck import position_values, stand_in
from rr_gym.players import GreedyPlayer, PlannerPlayer, RacerPlayer, RandomPlayer
from rr_gym.registry import PLAYERS, PlayerEntry, make_player
from rr_gym.rewards.lead import leads
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import no_orders

Array = np.ndarray[Any, Any]


class Stranger(RandomPlayer):
    """An external player, for which a racer stands in."""


def luck_of(lineup: list[str], games: int, **more: Any) -> tuple[Array, Array]:
    """Play games with luck measured; return the shares won and the luck, (deals, ...), of the first player."""
    match = Match(lineup[0], lineup[1:], games=games, adjusted=True, **more)
    match.play()
    facts = {name: np.concatenate([some[name] for some in match._facts]) for name in ("win", "luck")}
    return facts["win"][:, :, 0].mean(1), facts["luck"][:, :, 0].mean(1)


def assert_mean_is_0(values: Array) -> None:
    error = values.std(ddof=1) / np.sqrt(len(values))
    assert error > 0
    assert abs(values.mean()) < 4 * error


def test_luck_is_0_on_average_and_explains_who_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(luck, "REDEALS", 4)
    won, lucky = luck_of(["racer", "greedy"], 240, seed=2)
    assert_mean_is_0(lucky)
    assert np.corrcoef(won, lucky)[0, 1] > 0.6


class Idle(RandomPlayer):
    """Leaves its registers open, so that they are filled at random."""

    def act(self, arena: Arena, games: Array, seat: int) -> Array:
        return no_orders(len(games), full=True)


def test_luck_is_0_on_average_where_registers_are_filled_at_random(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such cards decide which games end, so luck counts in these games too."""
    monkeypatch.setattr(luck, "REDEALS", 2)
    monkeypatch.setitem(PLAYERS, "idle", PlayerEntry("idle", Idle, "leaves its registers open"))
    course = load_course("risky_exchange")
    one_flag = replace(course, flags=course.flags[:1])
    assert_mean_is_0(luck_of(["idle", "random"], 600, seed=4, course=one_flag, max_cycles=25)[1])


@pytest.mark.long
@pytest.mark.parametrize(
    ("lineup", "more"),
    [
        (["racer", "racer"], {}),
        (["planner:100", "greedy"], {"games": 160}),
        (["planner:1000", "greedy"], {"games": 160}),
        (["veteran", "champion"], {}),
        (["greedy", "random", "racer"], {}),
        (["greedy", "racer"], {"settings": {"option_cards": "on"}}),
        (["random", "greedy"], {"course": "everything", "max_cycles": 20}),
    ],
)
def test_luck_is_0_on_average_for_anybody_anywhere(
    lineup: list[str], more: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(luck, "REDEALS", 2)
    assert_mean_is_0(luck_of(lineup, **{"games": 480, **more})[1])


@pytest.mark.long
def test_adjusted_intervals_of_equal_players_cover_one_half() -> None:
    stats = [evaluate("racer", ["racer"], games=60, seed=seed, adjusted=True).players[0] for seed in range(100)]
    covered = [stat.adjusted_win.low <= 0.5 <= stat.adjusted_win.high for stat in stats if stat.adjusted_win]
    assert len(covered) == 100
    assert np.mean(covered) > 0.9


def test_adjusted_figures_do_not_depend_on_the_batch_and_leave_plain_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(luck, "REDEALS", 2)

    def play(**changes: Any) -> Any:
        return evaluate("greedy", ["random"], course=["risky_exchange", "checkmate"], games=40, seed=3, **changes)

    found = play(adjusted=True)
    assert found == play(adjusted=True, batch=5)
    plain = play()
    assert plain.players[0].win == found.players[0].win
    assert plain.players[0].adjusted_win is None
    for player in found.players:
        assert player.adjusted_win.low <= player.adjusted_win.value <= player.adjusted_win.high
    values = [player.adjusted_win.value for player in found.players]
    assert sum(values) == pytest.approx(1)
    rows = [line.split("  ")[0] for line in found.text().splitlines()]
    assert "won, luck adjusted" in rows
    assert "won, luck adjusted" not in plain.text()

    half = Match("greedy", ["random"], games=8, seed=3, adjusted=True, folder=tmp_path / "x", batch=2)
    half.play()
    again = Match("greedy", ["random"], games=8, seed=3, adjusted=True, folder=tmp_path / "x", resume=True)
    assert again.result() == half.result()
    with pytest.raises(RoboRallyError, match=r"^adjusted: null: the evaluation in .* has true: only the same"):
        Match("greedy", ["random"], games=8, seed=3, folder=tmp_path / "x", resume=True)


def test_positions_are_worth_what_leads_say() -> None:
    arena = Arena("risky_exchange", {})
    games = arena.new_games(3, 3, seed=1)
    games["robots"]["flag"][1, 2] = 2
    games["robots"]["out"][2, 0] = 1
    values = position_values(arena, games, [2, 0, 1])
    lead = leads(arena, games, np.ones(3, np.bool_))
    assert np.array_equal(values[:2], (1 + lead[:2, [2, 0, 1]]) / 2)
    assert values[1, 0] > values[0, 0]
    assert values[2, 1] == 0  # seat 0 is out
    assert values[2, 0] > 0.5
    games["over"], games["winners"] = 1, 0b101
    assert position_values(arena, games, [2, 0, 1]).tolist() == [[0.5, 0.5, 0]] * 3
    games["winners"] = 0
    assert position_values(arena, games, [2, 0, 1]).tolist() == [[0, 0, 0]] * 3
    duel = arena.new_games(1, 2)
    assert position_values(arena, duel, [0, 1]).sum() == pytest.approx(1)
    duel["over"] = 1
    assert position_values(arena, duel, [0, 1]).tolist() == [[0.5, 0.5]]


def test_substitutes_of_players() -> None:
    for player in (RandomPlayer(), GreedyPlayer(power_down_at=5), RacerPlayer()):
        found, exact = stand_in(player)
        assert exact
        assert found is not player
        assert vars(found) == vars(player)
    players = [PlannerPlayer(100), PlannerPlayer(500), make_player("veteran"), make_player("champion")]
    assert [stand_in(player)[1] for player in players] == [True] * 4
    slow = [PlannerPlayer(), PlannerPlayer(100, milliseconds=5), make_player("strategist:100"), Stranger()]
    for player in slow:
        found, exact = stand_in(player)
        assert type(found) is RacerPlayer
        assert not exact


def test_wrong_adjustments_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RoboRallyError, match=r"^adjusted: True: expected other players"):
        evaluate("random", games=2, adjusted=True)
    with pytest.raises(RoboRallyError, match=r"^adjusted: 1: expected"):
        evaluate("random", ["random"], games=2, adjusted=1)  # type: ignore[arg-type]
    line = "evaluate --players random,random --games 2"
    for words, message in (
        ("--adjust skill", "--adjust: 'skill': expected luck"),
        ("--until win=2", "--until win=2.0: expected a number between 0 and 1"),
        ("--until win=much", "--until win=much: expected a number"),
        ("--until win=.5 --at-least win=.5", "--at-least: expected no --until"),
        ("--until wins=.5", "--until: there is no test of 'wins': did you mean 'win'?"),
    ):
        assert main([*line.split(), *words.split()]) == 2
        assert message in capsys.readouterr().err
