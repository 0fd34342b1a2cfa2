"""Salts in races, replays, evaluations, tournaments and the benchmark: when they are drawn, kept and shown (U39)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from chained import chained
from programs import COURSE, written
from salted import OTHER, SALT, TINY, Stranger, make, numbers_in, secret_words

from rr_gym import Game, Recorder
from rr_gym.cli.main import main
from rr_gym.errors import ReplayError, RoboRallyError
from rr_gym.evaluation import evaluate
from rr_gym.evaluation.benchmark import row_play, suites
from rr_gym.evaluation.benchmark.benchmark import Benchmark, measure_reference
from rr_gym.evaluation.tournament.tournament import Tournament, TournamentError
from rr_gym.line_chain import unsealed
from rr_gym.play import Session
from rr_gym.players import GreedyPlayer
from rr_gym.race import RaceConfig, race
from rr_gym.replay import Replay
from rr_gym.salt import salt_of, salt_text

# Races, play and replays


def plain(replay: Replay) -> dict[str, Any]:
    """Return the replay as it is in a file."""
    return dict(json.loads(json.dumps(replay.to_json())))


def test_races_draw_a_salt_for_strangers_and_keep_it() -> None:
    config = RaceConfig(COURSE, ("stranger", "greedy"), 3, 4)

    def raced(**salt: Any) -> Replay:
        return race(config, players=[Stranger(), GreedyPlayer()], **salt)

    drawn = raced()
    assert drawn.salt
    drawn.verify()
    again = raced(salt=salt_text(drawn.salt))
    assert again.to_json() == drawn.to_json()
    assert Replay.from_json(plain(drawn)).to_json() == drawn.to_json()
    assert raced().to_json()["turns"] != drawn.to_json()["turns"]
    assert "salt" not in raced(salt=0).to_json()
    ours = RaceConfig(COURSE, ("greedy", "racer"), 3, 4)
    assert race(ours).to_json() == race(ours, salt=0).to_json()
    assert race(ours).salt == 0
    assert race(ours, salt=SALT).turns[0].events != race(ours).turns[0].events


def test_the_race_command_prints_its_salt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "race.yaml"
    config.write_text("players: [random]\nmax_cycles: 1\n")
    line = ["race", "--config", str(config), "--out", str(tmp_path / "out")]
    bot = written(tmp_path, "for turn in turns():\n    answer(turn)\n")
    assert main([*line, "--players", f"{bot.name},random"]) == 0
    shown = re.search(r"seed 1, salt ([0-9a-f]{32})\n", capsys.readouterr().out)
    assert shown
    replay = Replay.load(tmp_path / "out" / "replay.json")
    assert salt_text(replay.salt) == shown[1]
    assert main(["replay", str(tmp_path / "out" / "replay.json"), "--verify"]) == 0
    capsys.readouterr()
    assert main([*line, "--players", "random,random"]) == 0
    assert "salt" not in capsys.readouterr().out
    assert main([*line, "--players", "random", "--salt", "nonsense"]) == 2
    assert capsys.readouterr().err.startswith("rr-gym: --salt: 'nonsense': expected 128 bits")


def test_replays_of_running_games_keep_the_salt_secret(tmp_path: Path) -> None:
    game = Game(COURSE, 2, seed=5, salt=SALT)
    recorder = Recorder.of(game)
    recorder.play(game)
    running = recorder.replay(game.games)
    data = plain(running)
    assert (data["seed"], running.salt) == (None, 0)
    assert "salt" not in data
    assert not secret_words(game.record) & set(numbers_in(data["turns"] + data["start"]))
    assert plain(Replay.from_json(data)) == data
    with pytest.raises(ReplayError, match="seed: none: it was written before the game was over"):
        running.verify()
    running.save(tmp_path / "running.json")
    with pytest.raises(ReplayError, match="seed: none: expected a game that was saved to be resumed"):
        Session.load(tmp_path / "running.json", ["random"], seat=0)
    recorder.replay(game.games, reveal=True).verify()
    game.games["over"] = 1
    assert recorder.replay(game.games).salt == SALT
    open_game = Game(COURSE, 2, seed=5)
    recorder = Recorder.of(open_game)
    recorder.play(open_game)
    assert recorder.replay(open_game.games).seed == 5


@pytest.mark.parametrize("salt", ["", "xyz", 5, None, "1" * 33])
def test_wrong_salts_of_files_are_refused(salt: Any) -> None:
    data = plain(race(RaceConfig(COURSE, ("random",), 1, 1), salt=SALT))
    assert data["salt"] == f"{SALT:032x}"
    with pytest.raises(ReplayError, match=r"salt: .*expected .*hexadecimal digits"):
        Replay.from_json({**data, "salt": salt})
    with pytest.raises(ReplayError, match=r"start|turn 1"):
        Replay.from_json({**data, "salt": salt_text(OTHER)}).verify()


def test_a_person_continues_with_the_same_salt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rr_gym.play.human_game.open_player", make)
    session = Session.start(COURSE, ["stranger"], seed=4)
    salt = salt_of(session.game.record)
    assert salt
    session.play({})
    assert session.replay().seed is None
    session.save(tmp_path / "game.json")
    later = Session.load(tmp_path / "game.json", ["stranger"])
    assert salt_of(later.game.record) == salt
    assert later.game.hands == session.game.hands
    assert later.opponents[0].seed == session.opponents[0].seed
    assert salt_of(Session.start(COURSE, ["random"], seed=4).game.record) == 0
    assert salt_of(Session.start(COURSE, ["random"], seed=4, salt=SALT).game.record) == SALT
    assert main(["play", "--out", str(tmp_path), "--resume", "--players", "random", "--salt", "1"]) == 2
    assert "--salt: 1: the game in" in capsys.readouterr().err


# Evaluation


def test_evaluations_keep_the_salt(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"against": ["greedy"], "games": 12, "max_cycles": 5}
    drawn = evaluate(Stranger(), **arguments)
    assert drawn.salt
    assert drawn.to_json()["salt"] == drawn.salt
    assert f"seed 0, salt {drawn.salt}\n" in drawn.text()
    assert evaluate(Stranger(), **arguments, salt=drawn.salt) == drawn
    assert evaluate(Stranger(), **arguments).total != drawn.total
    assert evaluate(Stranger(), **arguments, salt=0).salt is None
    ours = evaluate("random", **arguments)
    assert ours == evaluate("random", **arguments, salt=0)
    assert "salt" not in ours.text()
    line = "evaluate --players random,greedy --games 12 --max-cycles 5 --json"
    assert main([*line.split(), str(tmp_path / "a.json"), "--salt", drawn.salt]) == 0
    assert f", salt {drawn.salt}\n" in capsys.readouterr().out
    assert json.loads((tmp_path / "a.json").read_text())["salt"] == drawn.salt
    assert main([*line.split(), str(tmp_path / "b.json")]) == 0
    assert json.loads((tmp_path / "b.json").read_text())["total"] == json.loads(json.dumps(ours.to_json()))["total"]


# Tournaments


def tournament(folder: Path | None = None, names: str = "stranger random", **arguments: Any) -> Tournament:
    arguments = {"games": 32, "seats": 2, "max_cycles": 4, "workers": 1, "make": make, **arguments}
    return Tournament(names.split(), folder=folder, **arguments)


def test_tournaments_resume_with_the_salt_that_was_drawn(tmp_path: Path) -> None:
    def stop(done: int, games: int) -> None:
        if done >= games // 2:
            raise KeyboardInterrupt

    part = tournament(tmp_path / "part")
    with pytest.raises(KeyboardInterrupt):
        part.play(stop)
    assert 0 < part.num_played < part.num_games
    salt = part.arguments["salt"]
    assert json.loads((tmp_path / "part" / "tournament.json").read_text())["salt"] == salt
    with pytest.raises(TournamentError, match=f'salt: "0*1": the tournament in .* has "{salt}"'):
        tournament(tmp_path / "part", resume=True, salt=1)
    with pytest.raises(TournamentError, match=f'salt: null: the tournament in .* has "{salt}"'):
        tournament(tmp_path / "part", resume=True, salt=0)
    rest = tournament(tmp_path / "part", resume=True)
    assert rest.plan.salt == int(salt, 16)
    rest.play()
    whole = tournament(tmp_path / "whole", salt=salt)
    whole.play()
    files = [(tmp_path / name / "games.jsonl").read_bytes() for name in ("part", "whole")]
    assert files[0] == files[1]
    assert f", salt {salt};" in rest.result().text()
    assert rest.result().to_json()["arguments"]["salt"] == salt


def test_tournaments_of_built_in_players_have_no_salt(tmp_path: Path) -> None:
    ours = tournament(tmp_path, "greedy random")
    assert ours.arguments["salt"] is None
    ours.play()
    assert "salt" not in ours.result().text()
    path = tmp_path / "tournament.json"
    before = json.loads(path.read_text())
    del before["salt"]  # as in files of a version without salts
    path.write_text(json.dumps(before))
    assert tournament(tmp_path, "greedy random", resume=True).num_played == 32
    games = [game for outcome in ours._outcomes.values() for game in outcome["games"]]
    salted = tournament(None, "greedy random", salt=SALT)
    salted.play()
    assert games != [game for outcome in salted._outcomes.values() for game in outcome["games"]]
    # A folder without a salt is resumed without one, even if a player is external.
    strangers = tournament(tmp_path / "strangers", salt=0)
    assert strangers.plan.salt == tournament(tmp_path / "strangers", resume=True).plan.salt == 0


# The benchmark



@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(suites.SUITES, "tiny", TINY.rows)
    monkeypatch.setattr(row_play, "DEALS_AT_ONCE", 4)


def test_the_benchmark_resumes_with_the_salt_that_was_drawn(tiny: None, tmp_path: Path) -> None:
    def stop(done: int, games: int) -> None:
        if done >= games // 2:
            raise KeyboardInterrupt

    log = tmp_path / "log.jsonl"
    part = Benchmark(Stranger(), TINY)
    with pytest.raises(KeyboardInterrupt):
        part.play(stop, log=log)
    assert 0 < part.num_played < part.num_games
    assert part.salt
    salt = salt_text(part.salt)
    assert {json.loads(line)["salt"] for line in log.read_text().splitlines()} == {salt}
    for other, shown in ((1, f"{1:032x}"), (0, "0")):
        with pytest.raises(RoboRallyError, match=f"log.jsonl: salt {shown}: expected {salt}, as blocks of stranger"):
            Benchmark(Stranger(), TINY, salt=other).play(log=log)
    rest, whole = Benchmark(Stranger(), TINY), Benchmark(Stranger(), TINY, salt=salt)
    rest.play(log=log)
    whole.play()
    assert rest.salt == part.salt
    assert rest.result() == whole.result()
    assert rest.result().to_json()["salt"] == salt
    assert f"played with salt {salt}: other deals than for the reference" in rest.result().text()
    # Blocks of other players may have other salts.
    ours = Benchmark("random", TINY)
    ours.play(log=log)
    assert ours.salt == 0
    assert ours.result().salt is None
    assert "salt" not in ours.result().text()

    line = json.loads(unsealed(log.read_bytes().splitlines()[0]))
    line["salt"] = f"{5:032x}"
    log.write_bytes(chained([json.dumps(line), *log.read_bytes().splitlines()]))
    with pytest.raises(RoboRallyError, match=rf"log.jsonl:2: salt {salt}: expected 0*5, as blocks of stranger have it"):
        Benchmark(Stranger(), TINY).play(log=log)
    line["salt"] = 5.5
    log.write_text(json.dumps(line) + "\n")
    with pytest.raises(RoboRallyError, match=r"log.jsonl:1: .*expected a block of rr-gym benchmark"):
        Benchmark(Stranger(), TINY).play(log=log)


def test_references_have_no_salt(tiny: None, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    low = Benchmark("random", TINY, salt=SALT)
    low.play()
    with pytest.raises(RoboRallyError, match=f"reference: salt {SALT:032x}: expected no salt"):
        measure_reference(low, low)
    line = f"benchmark --players random,racer --suite tiny --salt 5 --reference {tmp_path / 'r.json'}"
    assert main(line.split()) == 2
    assert "--reference: --salt 5: expected none" in capsys.readouterr().err


def test_a_salt_does_not_change_the_fingerprint_of_a_suite(tiny: None) -> None:
    """Fingerprints of external background players are taken without a salt, so that they can be compared."""
    digests = [Benchmark(Stranger(), TINY).fingerprint for _ in range(2)]
    assert digests[0] == digests[1]
