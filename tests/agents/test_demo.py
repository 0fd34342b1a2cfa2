"""The demo: a short training run, its evaluation, and the replay of the best race."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT
from msgspec.structs import replace

from rr_gym.cli.demo import UNSEEN, best_race
from rr_gym.cli.main import main
from rr_gym.policies import load_policy
from rr_gym.race import RaceConfig, race
from rr_gym.replay import Replay

pytest.importorskip("sb3_contrib")


@pytest.mark.long
def test_demo_trains_evaluates_and_races(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, config = tmp_path / "demo", tmp_path / "demo.yaml"
    content = (ROOT / "configs" / "demo.yaml").read_text(encoding="utf-8")
    assert "second_core: true" in content  # it has tests of its own, and starts slowly
    config.write_text(content.replace("second_core: true", "second_core: false"), encoding="utf-8")
    numbers = ["--steps", "8192", "--games", "4", "--races", "1"]
    assert main(["demo", "--config", str(config), "--out", str(out), *numbers]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:5] for line in lines if line.startswith("[")] == ["[1/3]", "[2/3]", "[3/3]"]
    for rival in ("greedy", "racer", "planner"):
        assert any(line.strip().startswith(f"{rival}: won ") for line in lines)
    assert (out / "run" / "curve.svg").read_text(encoding="utf-8").startswith("<svg")
    policy = load_policy(out / "run" / "policy")
    assert policy.spec.trained_on[0]["course"] == "risky_exchange"
    replay = Replay.load(out / "replay.json")
    replay.verify()
    assert replay.players[0] == str(out / "run" / "policy")
    assert (out / "replay.html").stat().st_size > 50_000


def test_the_best_race_touches_all_flags_in_the_fewest_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rr_gym.cli.demo.RIVALS", ("random",))
    config = RaceConfig(players=("greedy", "random"))
    races = [race(replace(config, seed=UNSEEN + number)) for number in range(4)]
    finished = [len(r.turns) for r in races if 0 in r.winners and r.frames[-1].pieces[0].flag == 3]
    best = best_race(Path("greedy"), "risky_exchange", 4)
    assert len(set(finished)) > 1
    assert len(best.turns) == min(finished)


def test_wrong_numbers_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--out", str(tmp_path), "--games", "0"]) == 2
    assert "--games: 0: expected a whole number, 1 or more" in capsys.readouterr().err


def test_a_demo_has_one_course(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--out", str(tmp_path / "demo"), "--config", "four"]) == 2
    assert "four.yaml: environment.course: expected one course" in capsys.readouterr().err
    assert not (tmp_path / "demo").exists()
