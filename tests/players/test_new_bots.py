"""Bots to start from: they go on after a preview that was not answered."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from programs import COURSE

from rr_gym.bots import new_bot, open_bot
from rr_gym.bots.start import LANGUAGES
from rr_gym.players import program
from rr_gym.rules.arena.arena import Arena

NEEDS = {"python": "python3", "javascript": "node", "c": "cc"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_preview_without_an_answer_costs_one_decision(
    tmp_path: Path, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which(NEEDS[language]) is None:
        pytest.skip(f"there is no {NEEDS[language]}")
    monkeypatch.setattr("rr_gym.bots.build.cache_home", lambda: tmp_path / "cache")
    new_bot(tmp_path / "mine", language, "mine")
    player = open_bot(str(tmp_path / "mine"), 10.0)
    games = Arena(COURSE).new_games(1, 2, seed=1)
    player.act(Arena(COURSE), games, 0)
    kept = program.preview_results
    for turn in range(1, 4):
        games["turn"], player.seconds = turn, 0.4 if turn == 1 else 10.0
        monkeypatch.setattr(program, "preview_results", (lambda *_: None) if turn == 1 else kept)
        player.act(Arena(COURSE), games, 0)
    player.close()
    assert dict(player.faults) == {"time-out": 1}, list(player.reports)
