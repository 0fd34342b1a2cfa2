"""Arenas on a Ray cluster: bots are sent there, and games are those without it."""

from __future__ import annotations

from pathlib import Path

import pytest
from arenas import few_courses, play, small_arena, write_bot

from rr_gym.arena import add_entry, verify

pytest.importorskip("ray")

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]


def test_machines_of_a_cluster_play_and_verify_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few_courses(monkeypatch)
    found = []
    for name, more in (("here", {}), ("there", {"ray": "local"})):
        folder = small_arena(tmp_path / name, "random")
        add_entry(folder, write_bot(tmp_path / "bot"))
        play(folder, 2, **more)
        replays = sorted(folder.glob("matches/*/game-?.json"))
        found.append({str(path.relative_to(folder)): path.read_bytes() for path in replays})
        verdict = verify(folder, workers=1, **more)
        assert (verdict.problems, verdict.matches) == ((), 2)
    assert found[0] == found[1]
