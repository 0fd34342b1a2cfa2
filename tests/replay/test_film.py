"""Scenarios as moving pictures."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from conftest import ROOT
from PIL import Image

from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.replay.film import film_of, scenario_gif
from rr_gym.scenarios import Scenario, load_scenarios, run_scenario

SCENARIOS = ROOT / "tests" / "scenarios"


def scenario(place: str, number: int = 0) -> Scenario:
    return load_scenarios(SCENARIOS / place)[number]


def test_a_film_begins_with_the_position_and_ends_with_the_result() -> None:
    before, frames, names = film_of(scenario("crossgear/crossgear.yaml"))
    assert names == ["twitch", "hammer"]
    assert [(piece.square, piece.facing, piece.damage) for piece in before.pieces] == [(1, 1, 0), (3, 3, 0)]
    assert [(frame.step, [event.kind for event in frame.events]) for frame in frames[1:]] == [
        ("C11", ["turned"]),
        ("D1", ["shot", "damaged"]),
    ]
    assert [(piece.square, piece.facing, piece.damage) for piece in frames[-1].pieces] == [(1, 2, 0), (3, 3, 1)]


def test_a_gif_has_a_picture_for_the_position_and_for_everything_that_is_seen() -> None:
    with Image.open(io.BytesIO(scenario_gif(scenario("crossgear/crossgear.yaml")))) as picture:
        assert picture.n_frames == 3
        assert picture.width >= 400


@pytest.mark.parametrize(
    "place",
    ["rotating_room", "copy_machine", "elevator", "soporific_gas", "devices/mine.yaml", "options/turret.yaml"],
)
def test_the_last_frame_is_the_state_that_the_scenario_expects(place: str) -> None:
    """Frames are made of events alone, also over several turns."""
    for given in load_scenarios(SCENARIOS / place):
        if given.error is not None:
            continue
        assert run_scenario(given).passed
        _, frames, names = film_of(given)
        last_turn = [given.node.value, *given.node.value.get("then", ())][-1]
        for name, fields in last_turn.get("expect", {}).items():
            piece = frames[-1].pieces[names.index(name)]
            if "damage" in fields and piece.alive:
                assert piece.damage == fields["damage"], (given.name, name)


def test_an_expected_error_has_no_film() -> None:
    refused = next(given for given in load_scenarios(SCENARIOS / "format") if given.error is not None)
    with pytest.raises(RoboRallyError, match="nothing is played"):
        film_of(refused)


def test_the_command_writes_a_gif_of_each_scenario(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "some.yaml"
    robot = "robots: {a: {at: [0, 0], facing: n}}"
    played = f"- {{name: A robot stays / there, board: '.', {robot}, expect: {{a: {{damage: 0}}}}}}\n"
    file.write_text(f"{played}- {{name: no board, {robot}, error: board}}\n- {{name: nothing}}\n")
    assert main(["scenario", str(file), "--out", str(tmp_path / "films")]) == 1
    assert [path.name for path in (tmp_path / "films").iterdir()] == ["some-a_robot_stays_there.gif"]
    assert capsys.readouterr().out.endswith("2 passed, 1 failed\n")
