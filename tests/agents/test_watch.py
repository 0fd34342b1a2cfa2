"""The status line of a training run, which is updated rarely, however many steps there are."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("stable_baselines3")

from agents.callbacks import Watch
from rr_gym.progress import StatusLine


def test_lines_are_rare_where_they_stay(capsys: pytest.CaptureFixture[str]) -> None:
    watch = Watch(SimpleNamespace(num_robots=2, num_rows=1, num_games=1, stages=1), lambda: 0.5, lambda against: None)
    watch.model = SimpleNamespace(num_timesteps=1000)  # type: ignore[assignment]
    watch.begin(StatusLine(first=0.0))
    for _ in range(50):
        watch.tick()
        watch.count([])
    assert capsys.readouterr().err.count("\n") == 1
    watch.show()
    assert capsys.readouterr().err.startswith("50.0%  1,000 rows")
