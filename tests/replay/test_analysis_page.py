"""The page of a game with its analysis."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from rr_gym.analysis import AnalysedTurn, Analysis, analyse, analysis_html, judge_of
from rr_gym.cli.main import main
from rr_gym.players import PlannerPlayer
from rr_gym.race import RaceConfig, race
from rr_gym.replay import Replay, to_html


@pytest.fixture(scope="module")
def replay() -> Replay:
    played = race(RaceConfig("risky_exchange", ("greedy", "random"), 4, 6))
    return replace(played, players=("<greedy>", "random"))


def test_points_and_worst_turns_lead_to_their_turns(replay: Replay) -> None:
    analysis = analyse(replay, PlannerPlayer(100), deals=8)
    page = analysis_html(analysis, replay, worst=2)
    assert page.count("; gave away ") == 2 * len(analysis.turns)
    assert page.count('class="chances"') == 1
    for turn in analysis.worst(2):
        assert f'<li><a href="#turn={turn.turn}">' in page
    turns = {int(turn) for turn in re.findall(r'href="#turn=(\d+)"', page)}
    assert turns <= {*range(1, len(replay.turns) + 1)}
    assert "&lt;greedy&gt;" in page
    assert "<greedy>" not in page


def test_cards_are_named_as_players_name_them(replay: Replay) -> None:
    played, better = ("u_turn@10", "none", "move_1@490"), ("move_1@490", "none", "back_up@430")
    page = analysis_html(Analysis(replay.players, (AnalysedTurn(1, 1, 0.5, 0.25, 0.4, played, better, {}),)), replay)
    assert "played U-turn (10), -, Move 1 (490)<br>better Move 1 (490), -, Back up (430)" in page
    assert "gave away 0.25" in page


def test_a_game_in_which_nobody_decided_anything_has_a_page(replay: Replay) -> None:
    assert "No better program was found" in analysis_html(Analysis(replay.players, ()), replay)


def test_a_replay_without_analysis_has_no_such_tab(replay: Replay) -> None:
    assert 'id="tab-analysis"' not in to_html(replay)


def test_judges_are_those_whose_values_are_calibrated() -> None:
    assert [judge_of(number) for number in (1, 2, 3, 8)] == ["strategist"] * 2 + ["strategist:@champion+veteran"] * 2


def test_the_command_writes_the_page(replay: Replay, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replay.save(tmp_path / "replay.json")
    words = ["analyse", str(tmp_path / "replay.json"), "--judge", "planner:100", "--deals", "2"]
    assert main([*words, "--out", str(tmp_path / "page.html")]) == 0
    assert capsys.readouterr().out.endswith(f"{tmp_path / 'page.html'}: open it in a browser\n")
    assert 'id="tab-analysis"' in (tmp_path / "page.html").read_text()
    assert main([*words, "--out", str(tmp_path / "page.html")]) == 2
    assert "--force" in capsys.readouterr().err
