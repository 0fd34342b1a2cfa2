"""The render mode "human": games are drawn where a person can see them; otherwise there is a clear error."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import rr_gym
from rr_gym import roborally_v0
from rr_gym.envs import human
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.errors import RoboRallyError
from rr_gym.render.colours import TERMINAL_CHIPS
from rr_gym.replay import showing

NOWHERE = "render_mode: 'human': expected None | ansi | rgb_array here"


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that there is neither a terminal nor a browser, and skip waiting."""
    monkeypatch.setattr(showing, "has_browser", lambda: False)
    monkeypatch.setattr(human, "has_terminal", lambda: False)
    monkeypatch.setattr(human, "FPS", 1e9)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(human, "has_terminal", lambda: True)


def test_gymnasium_refuses_human_mode_where_nobody_could_see_it() -> None:
    with pytest.raises(RoboRallyError) as caught:
        gymnasium.make("rr_gym/RoboRally-v0", render_mode="human")
    assert NOWHERE in str(caught.value)
    assert "human" not in RoboRallyEnv().metadata["render_modes"]
    assert "human" in RoboRallyEnv.metadata["render_modes"]


def test_pettingzoo_refuses_human_mode_at_the_first_reset() -> None:
    env = roborally_v0.parallel_env(render_mode="human")
    assert "human" not in env.metadata["render_modes"]
    with pytest.raises(RoboRallyError) as caught:
        env.reset(seed=1)
    assert NOWHERE in str(caught.value)
    assert env.agents == []


@pytest.mark.usefixtures("terminal")
def test_every_position_is_drawn_in_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    env: Any = gymnasium.make("rr_gym/RoboRally-v0", num_robots=2, render_mode="human")
    env.reset(seed=1)
    drawn = capsys.readouterr().out
    assert "Risky Exchange, turn 1" in drawn
    assert [len(re.findall(rf"\x1b\[{chip}m", drawn)) for chip in TERMINAL_CHIPS[:3]] == [1, 1, 0]
    env.step(env.unwrapped.sample_actions())
    assert "Risky Exchange, turn 2" in capsys.readouterr().out
    assert env.render() is None
    env.close()


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(("lines", "compact"), [(24, True), (60, False)])
def test_a_usual_course_fits_a_small_terminal(
    lines: int, compact: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LINES", str(lines))
    env: Any = gymnasium.make("rr_gym/RoboRally-v0", num_robots=2, render_mode="human")
    env.reset(seed=1)
    drawn = re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", capsys.readouterr().out)
    assert drawn.count("\n") < lines
    assert drawn.count("\n") == 22 + 15 * (not compact)
    assert "1↑" in drawn or "1^" in drawn
    assert drawn.endswith("-\n")
    env.close()


@pytest.mark.usefixtures("terminal")
def test_pettingzoo_draws_too(capsys: pytest.CaptureFixture[str]) -> None:
    env = roborally_v0.env(num_robots=2, render_mode="human")
    assert "human" in env.metadata["render_modes"]
    env.reset(seed=1)
    for agent in env.agent_iter(2):
        env.step(env.action_space(agent).sample(env.last()[0]["action_mask"]))
    out = capsys.readouterr().out
    assert "Risky Exchange, turn 1" in out
    assert "Risky Exchange, turn 2" in out


def test_a_page_is_opened_once_and_follows_the_game(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    opened: list[str] = []
    monkeypatch.setattr(showing, "has_browser", lambda: True)
    monkeypatch.setattr(showing.webbrowser, "open", opened.append)
    env = roborally_v0.parallel_env(num_robots=2, render_mode="human")
    env.reset(seed=1)
    path = Path(opened[0].removeprefix("file://"))
    before = path.read_text("utf-8")
    assert 'http-equiv="refresh"' in before
    env.step(env.sample_actions())
    assert len(opened) == 1
    assert path.read_text("utf-8") != before


def test_show_opens_a_page_or_says_that_it_cannot(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    game = rr_gym.Game("risky_exchange", num_robots=2, seed=1)
    with pytest.raises(RoboRallyError, match=r"rr_gym\.show: there is no browser to open here: expected a display"):
        rr_gym.show(game)
    assert list(tmp_path.iterdir()) == []
    opened: list[str] = []
    monkeypatch.setattr(showing, "has_browser", lambda: True)
    monkeypatch.setattr(showing.webbrowser, "open", opened.append)
    path = rr_gym.show(game)
    assert isinstance(path, Path)
    assert opened == [path.as_uri()]
    assert "Risky Exchange" in path.read_text("utf-8")
    with pytest.raises(RoboRallyError, match="show: int: expected a Game or a Replay"):
        rr_gym.show(3)  # type: ignore[arg-type]


def test_show_in_a_notebook_is_what_the_cell_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showing, "in_notebook", lambda: True)
    recorder = rr_gym.Recorder.of(rr_gym.Game("risky_exchange", num_robots=2, seed=1))
    shown = rr_gym.show(rr_gym.Game("risky_exchange", num_robots=2, seed=1), height=300)
    frame = shown._repr_html_()  # type: ignore[union-attr]
    assert frame.startswith("<iframe ")
    assert "height: 300px" in frame
    assert "<script" not in frame  # escaped
    assert recorder.num_turns == 0
