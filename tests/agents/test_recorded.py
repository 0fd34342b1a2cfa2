"""Imitation of a data set: its decisions, their returns, and what comes of learning from them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("safetensors")
torch = pytest.importorskip("torch")

from rr_gym.cli.main import main  # noqa: E402
from rr_gym.datasets import Dataset  # noqa: E402
from rr_gym.policies import load_policy  # noqa: E402
from rr_gym.training import agents_module  # noqa: E402

recorded = agents_module("recorded")

CONFIG = """
environment: {num_games: 8, num_robots: 2, observation: choices, max_cycles: 20, reward: {flag: 2, progress: 1}}
algorithm: {turns_per_update: 4, batch_size: 64, epochs: 2, gamma: 0.9}
network: {hidden: [24, 24], features: 16, embed: 6}
training: {total_steps: 9000, seed: 3}
"""


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "small.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def data(config: Path) -> Path:
    folder = config.parent / "data"
    words = f"dataset --players racer,racer --config {config} --games 40 --out {folder}"
    assert main(words.split()) == 0
    return folder


def test_returns_are_those_of_whole_turns(data: Path) -> None:
    rows = Dataset.open(data).load()
    returns = recorded.returns_of(rows, 0.9)
    for start, length in zip(rows["episode_start"], rows["episode_length"], strict=True):
        part = slice(start, start + length)
        turns = rows["turn"][part]
        paid = [rows["reward"][part][turns == turn].sum() for turn in range(turns[-1] + 1)]
        expected = [sum(0.9**k * paid[turn + k] for k in range(len(paid) - turn)) for turn in turns]
        assert returns[part] == pytest.approx(expected, abs=1e-4)


def test_every_decision_is_learned_from_once_each_time(data: Path, config: Path) -> None:
    configs = agents_module("config")
    from rr_gym.envs.core import Core

    core = Core(**agents_module("environment").environment_arguments(configs.TrainConfig.load(config)))
    found = recorded.read_data(str(data), core, 3)
    count = len(found.rows)
    seen: list[Any] = []
    done = 0
    while done < count:
        lessons = found.lessons(done)
        assert (lessons.masks.sum(axis=1) > 1).all()
        assert (lessons.targets.sum(axis=1) == 1).all()
        assert (lessons.masks[lessons.targets > 0] > 0).all()
        seen.append(lessons.returns)
        done += len(lessons.targets)
    assert done == count
    assert np.allclose(np.sort(np.concatenate(seen)), np.sort(found.returns[found.rows]))
    again, later = found.lessons(0), found.lessons(count)
    assert np.array_equal(again.returns, seen[0])
    assert not np.array_equal(later.returns, seen[0])  # in another order


def test_a_policy_learns_from_data(
    data: Path, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for steps in (1, 60_000):
        out = tmp_path / str(steps)
        assert main(["imitate", str(data), str(config), "--steps", str(steps), "--out", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    shares = [float(line.rpartition(" ")[2]) for line in lines if "as the teacher" in line]
    assert shares[0] < 0.6 < 0.65 < shares[1]
    assert load_policy(out).spec.training["teacher"] == str(data)


def test_data_of_another_environment_are_refused(
    data: Path, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(CONFIG.replace("gamma: 0.9", "gamma: 0.5"), encoding="utf-8")
    assert main(["imitate", str(data), str(other), "--out", str(tmp_path / "policy")]) == 2
    said = capsys.readouterr().err
    assert "data: gamma: 0.9: expected 0.5, as in the configuration (rr-gym dataset --config)" in said
    assert not (tmp_path / "policy").exists()


def test_no_games_are_played_for_recorded_data(
    data: Path, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["imitate", str(data), str(config), "--out", str(tmp_path / "policy")]
    for option, value in (("--workers", "2"), ("--ray", "local"), ("--temperature", "0.1"), ("--course", "dizzy_dash")):
        assert main([*command, option, value]) == 2
        assert f"{option}: {value}: expected none with a data set" in capsys.readouterr().err
    assert not (tmp_path / "policy").exists()


def test_other_data_than_expected_are_refused(
    data: Path, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone, part, out = tmp_path / "alone", tmp_path / "part", tmp_path / "policy"
    assert main(f"dataset --players racer --config {config} --games 1 --max-cycles 4 --out {alone}".split()) == 0
    shutil.copytree(data, part)
    (part / "dataset.json").unlink()
    for folder, expected in (
        (alone, "num_robots: 1: expected 2, as in the configuration (rr-gym dataset with that many --players)"),
        (part, "part: expected dataset.json: without it a data set is incomplete"),
    ):
        capsys.readouterr()
        assert main(["imitate", str(folder), str(config), "--out", str(out)]) == 2
        assert expected in capsys.readouterr().err
    assert not out.exists()


def test_nothing_is_overwritten(
    data: Path, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["imitate", str(data), str(config), "--steps", "1", "--out", str(tmp_path / "policy")]
    assert main(command) == 0
    kept = {path.name: path.read_bytes() for path in (tmp_path / "policy").iterdir() if path.is_file()}
    assert main([*command, "--seed", "9"]) == 2
    assert "policy exists: expected a new or empty folder, --out names another folder" in capsys.readouterr().err
    assert kept == {path.name: path.read_bytes() for path in (tmp_path / "policy").iterdir() if path.is_file()}
