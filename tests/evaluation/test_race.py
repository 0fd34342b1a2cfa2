"""Races from configurations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.race import RaceConfig, RaceError, RecordedGame, race, standings
from rr_gym.render.pieces import Piece
from rr_gym.replay import Replay

CONFIG = Path(__file__).parents[2] / "configs" / "race.yaml"


def test_the_file_says_what_the_command_does_without_it() -> None:
    assert RaceConfig.load(CONFIG) == RaceConfig()


def test_race_writes_a_replay_that_the_rules_confirm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["race", "--out", "here", "--seed", "5"]) == 0
    replay = Replay.load(tmp_path / "here" / "replay.json")
    replay.verify()
    assert (replay.seed, replay.course.id) == (5, "risky_exchange")
    assert replay.players == ("greedy", "greedy", "random", "random")
    assert (tmp_path / "here" / "replay.html").stat().st_size > 50_000
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("turn ") for line in lines) == len(replay.turns)
    table = lines[next(i for i, line in enumerate(lines) if line.lstrip().startswith("place")) :]
    assert [line.split()[0] for line in table[1:5]] == [str(place) for place in sorted(replay.placements)]
    assert lines[-1].endswith((tmp_path / "here" / "replay.html").as_uri())


def test_race_reads_its_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "course: checkmate\nplayers: [random, random]\nmax_cycles: 2\nsettings: {lives: unlimited}\n"
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "race.yaml").write_text(text)
    assert main(["race"]) == 0
    replay = Replay.load("race/replay.json")
    assert (replay.course.id, len(replay.turns), replay.over) == ("checkmate", 2, False)
    assert replay.settings["lives"] == "unlimited"
    assert main(["race", "--config", str(CONFIG), "--seed", "1", "--out", "other"]) == 0
    assert Replay.load("other/replay.json").course.id == "risky_exchange"
    assert main(["race", "--config", "race", "--out", "named"]) == 0  # the one here, before the shipped one
    assert Replay.load("named/replay.json").course.id == "checkmate"


def test_race_finds_what_is_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "race").touch()  # no configuration, whatever its name is
    assert main(["race", "--max-cycles", "1", "--out", "one"]) == 0
    (tmp_path / "race").unlink()
    assert main(["race", "--config", "race", "--max-cycles", "1", "--out", "two"]) == 0
    assert Replay.load("two/replay.json").players == ("greedy", "greedy", "random", "random")
    assert main(["race", "--config", "rase"]) == 2
    assert "rr-gym: there is no configuration 'rase': did you mean 'race'?" in capsys.readouterr().err


def test_the_same_race_gives_the_same_replay() -> None:
    config = RaceConfig(players=("greedy", "random"), seed=3, max_cycles=4)
    assert race(config).to_json() == race(config).to_json()
    other = RaceConfig(players=("greedy", "random"), seed=4, max_cycles=4)
    assert race(config).to_json()["turns"] != race(other).to_json()["turns"]


def test_report_is_called_after_every_turn() -> None:
    reports: list[tuple[int, list[Piece]]] = []
    replay = race(RaceConfig(players=("random",) * 3, max_cycles=3), lambda *report: reports.append(report))
    assert [turn for turn, _ in reports] == [1, 2, 3]
    assert [p.square for p in reports[-1][1]] == [p.square for p in replay.frames[-1].pieces]


def test_an_interrupted_race_says_how_to_start_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rr_gym.race.Recorder.add", interrupt)
    assert main(["race"]) == 130
    assert capsys.readouterr().err.endswith("interrupted; once more from the beginning: rr-gym race\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cours: x", ":1: cours: unknown key: did you mean 'course'?"),
        ("- a", "['a']: expected keys with values: course, players, seed, max_cycles, settings"),
        ("players: []", "players: []: expected a list of 1 to 8 names of players"),
        ("players: [gredy]", "players[0]: there is no player 'gredy': did you mean 'greedy'?"),
        ("players: [1]", "players[0]: 1: expected the name of a player"),
        ("seed: -1", "seed: -1: expected a whole number from 0"),
        ("max_cycles: 0", "max_cycles: 0: expected a whole number from 1 to 10000"),
        ("max_cycles: true", "max_cycles: True: expected a whole number"),
        ("course: 4", "course: 4: expected the id of a course or a path"),
        ("settings: 3", "settings: 3: expected settings with values"),
        ("seed: 1\nseed: 2", "seed"),
    ],
)
def test_wrong_configuration_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "race.yaml"
    path.write_text(text)
    with pytest.raises(RoboRallyError) as error:
        RaceConfig.load(path)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)


def test_missing_configuration_is_named(tmp_path: Path) -> None:
    with pytest.raises(RaceError, match=r"none\.yaml: cannot be read: No such file"):
        RaceConfig.load(tmp_path / "none.yaml")


def test_a_file_in_place_of_the_folder_is_refused_before_the_race(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["race", "--out", str(tmp_path / "file")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("file: expected a folder\n")


@pytest.mark.parametrize("changes", [{"course": "no_such_course"}, {"settings": {"livs": 1}}])
def test_what_does_not_exist_is_refused_before_the_race(changes: dict[str, Any]) -> None:
    with pytest.raises(RoboRallyError):
        race(RaceConfig(**changes))


def test_standings_are_in_order_of_places() -> None:
    replay = race(RaceConfig(seed=2))
    lines = standings(replay)
    assert [line.place for line in lines] == sorted(replay.placements)
    assert {line.player for line in lines} == {"greedy 1", "greedy 2", "random 3", "random 4"}
    winners = {line.player for line in lines if line.state == "winner"}
    assert len(winners) == len(replay.winners)
    assert {line.state for line in lines} <= {"winner", "on the board", "destroyed", "out"}  # nobody races any more


def test_an_interruption_while_turns_are_played_again_shortens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    config = RaceConfig(players=("random", "random"), max_cycles=4, settings={"lives": "unlimited"})
    played, kept = race(config), []
    turns: list[int] = []
    play = RecordedGame.play

    def interrupted(game: RecordedGame, orders: Any) -> None:
        turns.append(1)
        if len(turns) == 3:
            raise KeyboardInterrupt
        play(game, orders)

    monkeypatch.setattr(RecordedGame, "play", interrupted)
    with pytest.raises(KeyboardInterrupt):
        race(replace(config, max_cycles=6), resumed=played, keep=kept.append)
    assert kept == []
