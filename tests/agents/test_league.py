"""A league in training: past selves, shares, payoffs, and that it resumes as if nothing had happened."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

pytest.importorskip("sb3_contrib")
torch = pytest.importorskip("torch")

from trainings import assert_same_training, lines_of, train  # noqa: E402

from rr_gym import make_player  # noqa: E402
from rr_gym.cli.main import main  # noqa: E402
from rr_gym.errors import RoboRallyError  # noqa: E402
from rr_gym.rules.arena.arena import arena_of  # noqa: E402
from rr_gym.training import agents_module  # noqa: E402

config, folders, trainers = (agents_module(name) for name in ("config", "folder", "trainer"))
built, payoffs_of = agents_module("environment"), agents_module("payoffs")
TrainConfig, RunFolder = config.TrainConfig, folders.RunFolder

TINY = """
environment:
  num_games: 6
  num_robots: [2, 3]
  opponents: {self: 0.3, past: 0.4, random: 0.3}
  observation: flat
  max_cycles: 6
  decisions: []
algorithm: {turns_per_update: 3, batch_size: 60, epochs: 1}
network: {hidden: [8], features: 8, embed: 2}
league: {snapshot_every: 2, snapshots: 3, at_once: 2, games: 2}
training: {total_steps: 2700, checkpoint_every: 1 updates, seed: 3}
"""
UPDATES = 10  # each from 6 games * 3 rows * 3 turns * 5 decisions


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("league") / "run"
    train(TINY, folder)
    return folder


def league_of(folder: RunFolder) -> dict[str, Any]:
    """Return the league in the last checkpoint."""
    state: dict[str, Any] = json.loads((folder.checkpoints()[-1] / "state.json").read_text())["league"]
    return state


def assert_same_run(one: Path, other: Path) -> None:
    assert_same_training(one, other)
    for name in ("ratings.csv", "payoffs.csv", "league.svg"):
        assert (one / "league" / name).read_text() == (other / "league" / name).read_text()
    assert league_of(RunFolder(one)) == league_of(RunFolder(other))


def test_a_league_leaves_snapshots_ratings_payoffs_and_a_picture(whole: Path) -> None:
    league = whole / "league"
    taken = [f"past-{update:06}" for update in range(0, UPDATES + 1, 2)]
    assert sorted(path.name for path in league.iterdir() if path.is_dir()) == taken
    ratings = {row["player"]: row for row in lines_of(league / "ratings.csv")}
    assert set(ratings) == {*taken, "random"}
    assert float(ratings[taken[0]]["rating"]) == 0
    assert [int(ratings[name]["rows"]) for name in taken] == [270 * update for update in range(0, UPDATES + 1, 2)]
    pairs = lines_of(league / "payoffs.csv")
    met = {(row["player"], row["opponent"]) for row in pairs}
    assert all((name, "random") in met for name in taken)
    # The pool holds three: the newest meets at most those and the named player.
    assert sum(row["player"] == taken[-1] for row in pairs) == 3
    assert all(0 <= float(row["score"]) <= 1 and row["games"] == "2" for row in pairs)
    curve = lines_of(whole / "progress.csv")
    assert len(curve) == UPDATES
    assert [row["league/snapshots"] for row in curve] == ["1", "2", "2", *["3"] * (UPDATES - 3)]
    assert float(curve[-1]["league/rating"]) == pytest.approx(float(ratings[taken[-1]]["rating"]), abs=1e-3)
    assert 0 <= float(curve[-1]["league/ahead_of_past"]) <= 1
    assert 0 <= float(curve[-1]["league/ahead_of_random"]) <= 1
    picture = ElementTree.fromstring((league / "league.svg").read_text())
    texts = [element.text for element in picture.iter() if element.tag.endswith("text")]
    assert texts.count("random") == 3  # its line, its row and its column
    assert taken[-1] in texts
    make_player(str(league / taken[-1]))


@pytest.mark.long
def test_a_league_killed_at_any_moment_resumes_exactly(whole: Path, tmp_path: Path) -> None:
    path, folder = tmp_path / "tiny.yaml", tmp_path / "run"
    path.write_text(TINY)
    command = [sys.executable, "-W", "error", "-m", "agents.train", str(path), "--out", str(folder)]
    chance = random.Random()
    mark = folder / chance.choice(["league/past-000002", "checkpoints/000003", "league/past-000006"])
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    limit = time.monotonic() + 120
    while process.poll() is None and not mark.exists():
        assert time.monotonic() < limit
        time.sleep(0.002)
    time.sleep(chance.uniform(0, 0.2))
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert main(["train", str(path), "--out", str(folder), "--resume"]) == 0
    assert_same_run(whole, folder)


def stopped_after(stop: int, path: Path, run: RunFolder) -> TrainConfig:
    """Interrupt a training run after `stop` updates, and return its configuration."""
    settings = TrainConfig.load(path)
    run.create(settings)
    trainer = trainers.Trainer(settings, run)
    after_update = trainer.model.after_update

    def interrupted() -> None:
        trainer._interrupted = trainer.update == stop
        after_update()

    trainer.model.after_update = interrupted
    assert not trainer.run()
    return settings


@pytest.mark.parametrize("stop", [pytest.param(1, marks=pytest.mark.long), 4, pytest.param(5, marks=pytest.mark.long)])
def test_resumed_from_a_checkpoint_it_ends_the_same(stop: int, whole: Path, tmp_path: Path) -> None:
    path, run = tmp_path / "tiny.yaml", RunFolder(tmp_path / "run")
    path.write_text(TINY)
    settings = stopped_after(stop, path, run)
    assert trainers.Trainer(settings, run).run()
    assert_same_run(whole, run.path)


@pytest.mark.long
@pytest.mark.parametrize("second_core", [False, True])
def test_a_league_continues_with_the_snapshots_that_were_not_deleted(
    second_core: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = tmp_path / "tiny.yaml", RunFolder(tmp_path / "run")
    path.write_text(TINY.replace("seed: 3", "seed: 3, second_core: true") if second_core else TINY)
    stopped_after(5, path, folder)
    names = {"past-000000", "past-000002", "past-000004"}
    gone = max(names & {name for name, _ in league_of(folder)["entries"]})
    shutil.rmtree(folder.league / gone)
    assert main(["train", str(path), "--out", str(folder.path), "--resume"]) == 0
    said = capsys.readouterr().err
    assert f"rr-gym: {folder.league}: {gone} deleted: the training continues with the remaining past selves" in said
    assert not (folder.league / gone).exists()
    assert gone not in {name for name, *_ in league_of(folder)["snapshots"]}
    assert len(lines_of(folder.progress)) == UPDATES


def test_a_league_without_past_selves_says_how_to_continue(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = tmp_path / "tiny.yaml", RunFolder(tmp_path / "run")
    path.write_text(TINY)
    shutil.copytree(whole, folder.path)
    newest = folder.league / f"past-{UPDATES:06}"
    (newest / "policy.json").write_text("{")
    command = ["train", str(path), "--out", str(folder.path), "--resume"]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert f"rr-gym: league.snapshots: {newest}: cannot be read (" in said
    assert "delete this folder to continue with the other past selves" in said
    pool = [name for name, *_ in league_of(folder)["snapshots"]]
    for name in pool:
        shutil.rmtree(folder.league / name)
    assert main(command) == 0  # by older ones
    assert f"{', '.join(pool)} deleted" in capsys.readouterr().err
    shutil.rmtree(folder.league)
    assert main(command) == 2
    said = capsys.readouterr().err
    assert f"league.snapshots: no past self is left in {folder.league}: expected past-" in said
    assert f"--from {folder.policy} in another folder" in said


def test_harder_snapshots_are_met_more_often(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    settings = TrainConfig.read(TINY.replace("at_once: 2", "at_once: 20"))
    trainer = trainers.Trainer(settings, RunFolder(folder))
    trainer._curve.close()
    league = trainer._league
    names = [snapshot.name for snapshot in league.snapshots]
    for name, score in zip(names, (0.9, 0.5, 0.1), strict=True):
        league._results[name] = [score * 98 - 1 + 2 * score, 98.0]  # of 100 games, 2 of which are prior games
        assert league.score(name) == pytest.approx(score)
    met = np.zeros(3)
    for update in range(200):
        league._mix(update)
        shares = dict(league.entries)
        assert shares["self"], shares["random"] == (0.3, 0.3)
        assert sum(shares.values()) == pytest.approx(1)
        met += [shares[name] for name in names]
    weights = np.array([0.01, 0.25, 0.81])
    assert np.allclose(met / met.sum(), weights / weights.sum(), atol=0.03)


def test_the_easiest_of_too_many_snapshots_goes(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    settings = TrainConfig.read(TINY)
    folder.create(settings)
    trainer = trainers.Trainer(settings, folder)
    trainer._curve.close()
    league = trainer._league
    league._take(1)
    league._take(2)
    names = [snapshot.name for snapshot in league.snapshots]
    for _ in range(9):
        league.note({names[0]: 0.0, names[1]: 1.0, names[2]: 0.5})
    league._take(3)
    assert [snapshot.update for snapshot in league.snapshots] == [0, 2, 3]


def test_only_past_selves_and_only_players(tmp_path: Path) -> None:
    short = TINY.replace("total_steps: 2700", "total_steps: 200").replace("num_robots: [2, 3]", "num_robots: 2")
    past = train(short.replace("{self: 0.3, past: 0.4, random: 0.3}", "{past: 1}"), tmp_path / "past")
    assert past.env.num_envs == 6
    assert {name for game in range(6) for name in past.env.core.seating(game)} - {None} <= {
        snapshot.name for snapshot in past._league.snapshots
    }
    players = train(short.replace("{self: 0.3, past: 0.4, random: 0.3}", "{random: 0.5, greedy: 0.5}"), tmp_path / "p")
    assert not (tmp_path / "p" / "league").exists()
    assert {"league/ahead_of_random", "league/ahead_of_greedy"} <= set(lines_of(tmp_path / "p" / "progress.csv")[0])
    assert players.env.num_envs == 6


# Games for ratings


def test_a_meeting_scores_pairs_of_robots() -> None:
    arena = arena_of("risky_exchange")
    greedy, chance = make_player("greedy"), make_player("random")
    score, equal = payoffs_of.meet(arena, greedy, [chance, make_player("greedy")], 3, games=6, max_cycles=40, seed=1)
    assert score > 0.9
    assert equal == pytest.approx(0.5, abs=0.3)
    (behind,) = payoffs_of.meet(arena, chance, [greedy], 2, games=6, max_cycles=40, seed=1)
    assert behind < 0.1
    assert payoffs_of.meet(arena, greedy, [], 2, games=6, max_cycles=40, seed=1) == []


def test_ratings_follow_the_scores() -> None:
    payoffs = payoffs_of.Payoffs()
    payoffs.add("first", 0, 0)
    payoffs.note("first", "named", 0.5, 100)
    payoffs.add("second", 5, 100)
    payoffs.note("second", "first", 10 / 11, 1100)
    payoffs.note("second", "named", 10 / 11, 1100)
    ratings = payoffs.rate()
    assert ratings["first"] == 0
    assert ratings["named"] == pytest.approx(0, abs=20)
    assert ratings["second"] == pytest.approx(400, abs=20)  # ten times as strong
    assert payoffs.newest_rating == ratings["second"]
    assert payoffs.score("first", "second") == pytest.approx(1 / 11)
    assert payoffs.score("first", "nobody") is None
    other = payoffs_of.Payoffs()
    other.set_state(json.loads(json.dumps(payoffs.get_state())))
    assert other.__dict__ == payoffs.__dict__


def test_losses_are_counted_like_wins() -> None:
    """Sixteen of twenty games: four are lost, though (1 - 0.8) * 20 is a little less in floating point."""
    ratings = []
    for won in (16, 4):
        payoffs = payoffs_of.Payoffs()
        payoffs.add("first", 0, 0)
        payoffs.add("second", 5, 100)
        payoffs.note("second", "first", won / 20, 20)
        ratings.append(payoffs.rate()["second"])
    assert ratings[0] == pytest.approx(-ratings[1])


# Configurations


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ("{num_robots: 2, opponents: {self: 0.5, past: 0.4}}", "opponents: the shares add up to 0.9: expected 1"),
        ("{num_robots: 2, opponents: {}}", "a.yaml:1: environment.opponents: the shares add up to 0: expected 1"),
        ("{num_robots: 2, opponents: {random: 2}}", "environment.opponents.random: 2: expected a number of at least 0"),
        ("{num_robots: 2, opponents: {random: all}}", "environment.opponents.random: 'all': expected a number"),
        ("{num_robots: 2, opponents: {3: 1}}", "environment.opponents: {3: 1}: expected a list of players"),
        (
            "{num_robots: 2, opponents: {gredy: 1}, observation: flat}",
            "a.yaml: environment.opponents.gredy: there is no player 'gredy': did you mean 'greedy'?",
        ),
        (
            "{num_robots: 2, opponents: {runs/none: 1}, observation: flat}",
            "a.yaml: environment: runs/none: not a policy",
        ),
        ("{num_robots: []}", "a.yaml:1: environment.num_robots: []: expected a whole number from 1 to 8, or a list"),
        ("{num_robots: [2, 9]}", "environment.num_robots[1]: 9: expected a whole number from 1 to 8"),
        ("{opponents: {random: 1}}", "environment.opponents: shares: expected none: the only robot is the learner's"),
    ],
)
def test_wrong_shares_are_named(environment: str, expected: str) -> None:
    with pytest.raises(RoboRallyError) as caught:
        built.check_names(TrainConfig.read(f"environment: {environment}", "a.yaml"), "a.yaml")
    assert expected in str(caught.value)


def test_wrong_leagues_are_named() -> None:
    with pytest.raises(RoboRallyError, match=r"league.snapshots: 21: expected a whole number from 1 to 20"):
        TrainConfig.read("league: {snapshots: 21}")
    with pytest.raises(RoboRallyError, match=r"league\.hardnes: unknown key: did you mean 'hardness'"):
        TrainConfig.read("league: {hardnes: 1}")


def test_evaluations_are_against_the_player_with_the_largest_share() -> None:
    read = TrainConfig.read("environment: {num_robots: 3, opponents: {self: 0.6, random: 0.1, greedy: 0.3}}")
    assert built.evaluation_opponents(read) == ("greedy", "greedy")
    assert TrainConfig.read(json.dumps(read.as_mapping())) == read
    read = TrainConfig.read("environment: {num_robots: 2, opponents: {self: 0.6, past: 0.4}}")
    assert built.evaluation_opponents(read) == ("random",)
