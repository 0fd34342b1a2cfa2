"""Training: buffers, run folders, and that a killed run resumes as if nothing had happened."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, Python

pytest.importorskip("sb3_contrib")
torch = pytest.importorskip("torch")

from gymnasium import spaces  # noqa: E402
from trainings import assert_same_training, curve, last_model, train  # noqa: E402

from rr_gym.cli.main import main  # noqa: E402
from rr_gym.errors import RoboRallyError  # noqa: E402
from rr_gym.policies import load_policy  # noqa: E402
from rr_gym.training import agents_module  # noqa: E402

buffers, config, folders = (agents_module(name) for name in ("rollouts", "config", "folder"))
trainers, logs = agents_module("trainer"), agents_module("logs")
TrainConfig, RunFolder = config.TrainConfig, folders.RunFolder

TINY = """
environment: {num_games: 6, num_robots: 2, opponents: [random], observation: flat, max_cycles: 12, decisions: []}
algorithm: {turns_per_update: 4, batch_size: 40, epochs: 2, final_learning_rate: 1e-5}
network: {hidden: [8], features: 16, embed: 2}
training: {total_steps: 1200, checkpoint_every: 2 updates, seed: 3}
evaluation: {every: 4, games: 2}
"""
UPDATES = 10


def write(folder: Path, content: str = TINY, name: str = "tiny.yaml") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run that was not interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    train(TINY, folder)
    return folder


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run of two updates."""
    folder = tmp_path_factory.mktemp("short") / "run"
    train(TINY, folder, total_steps=240)
    return folder


def assert_same_run(one: Path, other: Path) -> None:
    assert_same_training(one, other)
    files = [folder / "policy" / "policy.safetensors" for folder in (one, other)]
    assert files[0].read_bytes() == files[1].read_bytes()


# The buffer


def filled(stages: int, masks: bool = True) -> Any:
    """Return a buffer, which robots were in the game, where episodes started, and the values after the last step."""
    steps, rows = 12, 5
    generator = np.random.default_rng(stages)
    space, actions = spaces.Box(-9, 9, (3,), np.int16), spaces.Discrete(4)
    cls = buffers.buffer_class(space, masks)
    buffer = cls(steps, space, actions, "cpu", gamma=0.9, gae_lambda=0.8, n_envs=rows, stages=stages)
    alive = generator.random((steps + 1, rows)) < 0.7
    buffer.reset()
    buffer.active[:] = alive
    starts = np.zeros((steps + 1, rows), bool)
    starts[::stages] = generator.random(starts[::stages].shape) < 0.2
    for step in range(steps):
        mask = {"action_masks": np.ones((rows, 4))} if masks else {}
        buffer.add(
            np.full((rows, 3), step), np.zeros((rows, 1)), generator.normal(size=rows), starts[step],
            torch.from_numpy(generator.normal(size=(rows, 1))), torch.zeros(rows), **mask,
        )  # fmt: skip
    last = torch.from_numpy(generator.normal(size=(rows, 1)).astype(np.float32))
    buffer.compute_returns_and_advantage(last, starts[-1])
    return buffer, alive, starts, last.numpy().ravel()


@pytest.mark.parametrize("stages", [1, 3, 4])
@pytest.mark.parametrize("masks", [True, False])
def test_advantages_are_sums_over_later_steps(stages: int, masks: bool) -> None:
    buffer, alive, starts, last = filled(stages, masks)
    steps, rows = buffer.rewards.shape
    values = np.vstack([buffer.values, last])
    for row in range(rows):
        for step in range(steps):
            advantage, weight = 0.0, 1.0
            for k in range(step, steps):
                turn_ends = k % stages == stages - 1
                continues = alive[k + 1, row] and not starts[k + 1, row]
                discount = (0.9 if turn_ends else 1.0) * continues
                advantage += weight * (buffer.rewards[k, row] + discount * values[k + 1, row] - values[k, row])
                weight *= discount * (0.8 if turn_ends else 1.0)
            assert buffer.advantages[step, row] == pytest.approx(advantage, rel=1e-4, abs=1e-5)
    assert np.allclose(buffer.returns, buffer.advantages + buffer.values)


def test_with_one_stage_advantages_are_those_of_the_library() -> None:
    from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

    buffer, _, starts, last = filled(1)
    own = buffer.advantages.copy()
    buffer.active[:] = True
    buffer.compute_returns_and_advantage(torch.from_numpy(last), starts[-1])
    assert not np.allclose(buffer.advantages, own)  # robots that are out made a difference
    mine = buffer.advantages.copy()
    MaskableRolloutBuffer.compute_returns_and_advantage(buffer, torch.from_numpy(last), starts[-1])
    assert np.allclose(buffer.advantages, mine, atol=1e-5)


def test_rows_of_robots_that_are_out_are_not_learned_from() -> None:
    buffer, alive, _, _ = filled(3)
    expected = sorted(step for step, row in np.argwhere(alive[:-1]))
    returns = sorted(buffer.returns[alive[:-1]].tolist())
    for _ in range(2):
        batches = list(buffer.get(7))
        assert {len(batch.actions) for batch in batches} <= {7, 8, 9, 10, 11, 12, 13}
        seen = torch.cat([batch.observations[:, 0] for batch in batches])
        assert sorted(seen.int().tolist()) == expected
        assert sorted(torch.cat([batch.returns for batch in batches]).tolist()) == pytest.approx(returns)


def test_a_buffer_holds_whole_turns() -> None:
    with pytest.raises(ValueError, match="12 steps: expected a multiple of the 5 decisions"):
        filled(5)


# Run folders


def test_a_run_leaves_its_files(whole: Path) -> None:
    run = RunFolder(whole)
    assert TrainConfig.load(run.config) == TrainConfig.read(TINY)
    assert [folder.name for folder in run.checkpoints()] == ["000006", "000008", "000010"]
    rows = curve(whole)
    assert [int(row["time/iterations"]) for row in rows] == list(range(1, UPDATES + 1))
    assert [int(row["time/total_timesteps"]) for row in rows] == [120 * n for n in range(1, UPDATES + 1)]
    assert [int(row["time/turns"]) for row in rows] == [24 * n for n in range(1, UPDATES + 1)]
    assert [bool(row["eval/win"]) for row in rows] == [n % 4 == 0 for n in range(1, UPDATES + 1)]
    assert rows[-1]["rollout/ep_rew_mean"]
    assert float(rows[-1]["train/learning_rate"]) == pytest.approx(1e-5)
    assert list(run.events.iterdir())
    policy = load_policy(run.policy)
    assert policy.spec.training["rows"] == 1200
    last = last_model(whole)["policy"]
    for name, weight in policy.network.action_net.state_dict().items():
        assert torch.equal(weight, last[f"action_net.{name}"])


@pytest.mark.long
def test_the_saved_model_loads_without_this_package(whole: Path, python: Python, tmp_path: Path) -> None:
    code = (
        "import sys; from sb3_contrib import MaskablePPO; model = MaskablePPO.load(sys.argv[1]); "
        "print(model.num_timesteps, model.rr_gym['observation'], [m for m in sys.modules if 'agents' in m])"
    )
    done = python("-c", code, str(whole / "model.zip"), cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert done.stdout == "1200 flat []\n"


def test_another_seed_is_another_run_and_the_same_one_the_same(short: Path, tmp_path: Path) -> None:
    train(TINY, tmp_path / "again", total_steps=240)
    assert_same_run(short, tmp_path / "again")
    train(TINY, tmp_path / "other", seed=4, total_steps=120)
    assert curve(tmp_path / "other")[0] != curve(short)[0]


def test_folders_are_not_overwritten(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path)
    before = sorted((p, p.stat().st_mtime_ns) for p in whole.rglob("*"))
    assert main(["train", str(path), "--out", str(whole)]) == 2
    assert f"{whole} exists: --resume resumes it, --out names another folder" in capsys.readouterr().err
    assert main(["train", str(path), "--out", str(tmp_path)]) == 2
    assert "expected a new or empty folder" in capsys.readouterr().err
    assert main(["train", str(path), "--out", str(path)]) == 2
    assert main(["train", str(path), "--out", str(tmp_path / "none"), "--resume"]) == 2
    assert "there is no run to resume (no config.yaml in it)" in capsys.readouterr().err
    changed = TINY.replace("epochs: 2", "epochs: 3").replace("num_games: 6", "num_games: 7")
    other = write(tmp_path, changed, "other.yaml")
    assert main(["train", str(other), "--out", str(whole), "--resume"]) == 2
    assert "cannot be resumed: environment.num_games was 6 and is now 7" in capsys.readouterr().err
    assert main(["train", str(path), "--out", str(whole), "--resume", "--seed", "9"]) == 2
    assert "cannot be resumed: training.seed was 3 and is now 9" in capsys.readouterr().err
    assert sorted((p, p.stat().st_mtime_ns) for p in whole.rglob("*")) == before


def test_leftovers_of_a_killed_process_are_no_run(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    settings = TrainConfig.read(TINY).with_arguments(steps=120)
    for name in (".lock", ".config.yaml.4711"):
        (tmp_path / name).write_text("")
    with run.hold():
        run.create(settings)
        trainers.Trainer(settings, run).run()
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine").write_text("")
    with pytest.raises(RoboRallyError, match="expected a new or empty folder"):
        RunFolder(tmp_path / "other").create(settings)


@pytest.mark.parametrize("error", [RoboRallyError("no"), KeyboardInterrupt()])
def test_a_training_run_that_cannot_begin_leaves_nothing(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(self: Any) -> None:
        self.folder.events.mkdir()
        raise error

    monkeypatch.setattr(trainers.Trainer, "_set_up", fail)
    path, own = write(tmp_path), tmp_path / "own"
    own.mkdir()
    before = sorted(tmp_path.rglob("*"))
    for folder in (tmp_path / "runs" / "new", own):
        assert main(["train", str(path), "--out", str(folder)]) in (2, 130)
        assert re.fullmatch(r"rr-gym: (no|interrupted; once more from .*)\n", capsys.readouterr().err)
        assert sorted(tmp_path.rglob("*")) == before


def test_too_many_rows_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    expected = "10000000000000000000000: expected a whole number from 1 to 1000000000000\n"
    for command in ("train quickstart", "imitate greedy quickstart --out x"):
        assert main([*command.split(), "--steps", str(10**22)]) == 2
        assert capsys.readouterr().err == f"rr-gym: --steps: {expected}"
    (tmp_path / "a.yaml").write_text(f"training: {{total_steps: {10**22}}}")
    assert main(["train", "a.yaml"]) == 2
    assert capsys.readouterr().err == f"rr-gym: a.yaml:1: training.total_steps: {expected}"
    assert [file.name for file in tmp_path.iterdir()] == ["a.yaml"]


@pytest.mark.parametrize("damage", ["entry", "json", "deep", "progress.csv"])
def test_damaged_files_of_a_run_are_named(
    damage: str, short: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = write(tmp_path), tmp_path / "run"
    shutil.copytree(short, folder)
    checkpoint = RunFolder(folder).checkpoints()[-1]
    numbers = checkpoint / "state.json"
    message = f"rr-gym: {checkpoint}: cannot be resumed from ("
    if damage == "entry":
        state = json.loads(numbers.read_text())
        del state["trainer"]["episodes"]
        numbers.write_text(json.dumps(state))
        message += "no entry 'episodes')"
    elif damage == "json":
        numbers.write_text(numbers.read_text()[:-3])
        message += "state.json: line "
    elif damage == "deep":
        numbers.write_text("[" * 5000 + "]" * 5000)
        message += "state.json: nested too deeply"
    else:
        (folder / damage).write_bytes(b"\xff\n" * 9)
        message = f"rr-gym: {folder / damage}: cannot be read: "
    assert main(["train", str(path), "--out", str(folder), "--resume", "--steps", "240"]) == 2
    assert message in capsys.readouterr().err


def test_a_checkpoint_that_was_not_finished_does_not_count(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    for number in range(1, 5):
        run.save_checkpoint(number, lambda folder: (folder / "file").write_text("whole"), keep=2)
    assert [folder.name for folder in run.checkpoints()] == ["000003", "000004"]

    def killed(folder: Path) -> None:
        (folder / "file").write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.save_checkpoint(5, killed, keep=2)
    assert [(folder / "file").read_text() for folder in run.checkpoints()] == ["whole", "whole"]
    run.tidy()
    assert len(list((tmp_path / "run" / "checkpoints").iterdir())) == 2


# Resuming


def command(path: Path, folder: Path, *more: str) -> list[str]:
    return [sys.executable, "-W", "error", "-m", "agents.train", str(path), "--out", str(folder), *more]


@pytest.mark.long
def test_a_run_killed_at_any_moment_resumes_exactly(whole: Path, tmp_path: Path) -> None:
    path, folder = write(tmp_path), tmp_path / "run"
    chance = random.Random()
    mark = folder / chance.choice(["config.yaml", "checkpoints/000002", "checkpoints/000004", "checkpoints/000006"])
    process = subprocess.Popen(command(path, folder), cwd=ROOT, stderr=subprocess.DEVNULL)
    limit = time.monotonic() + 60
    while process.poll() is None and not mark.exists():
        assert time.monotonic() < limit
        time.sleep(0.002)
    time.sleep(chance.uniform(0, 0.1))
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert main(["train", str(path), "--out", str(folder), "--resume"]) == 0
    assert_same_run(whole, folder)
    # Resuming a finished training does nothing.
    assert main(["train", str(path), "--out", str(folder), "--resume"]) == 0
    assert_same_run(whole, folder)


def test_resuming_does_not_repeat_events(tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    run = RunFolder(tmp_path)
    for first, last in ((0, 5), (3, 7)):  # the first process is killed after step 5, its checkpoint is of step 3
        curve = logs.Curve(run, first, 10 * first)
        for step in range(first + 1, last + 1):
            curve.record("loss", step + (0.5 if first else 0))
            curve.dump(10 * step)
        curve.close()
    events = accumulator.EventAccumulator(str(run.events)).Reload().Scalars("loss")
    assert [(event.step, event.value) for event in events] == [(10 * n, n + 0.5 * (n > 3)) for n in range(1, 8)]
    assert run.progress.read_text() == "loss\n1\n2\n3\n4.5\n5.5\n6.5\n7.5\n"


def test_ctrl_c_saves_and_says_how_to_resume(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = write(tmp_path), tmp_path / "run"
    after_update = trainers.Trainer._after_update

    def interrupted(self: Any) -> None:
        if self.update == 3:
            os.kill(os.getpid(), signal.SIGINT)
        after_update(self)

    monkeypatch.setattr(trainers.Trainer, "_after_update", interrupted)
    assert main(["train", str(path), "--out", str(folder)]) == 130
    shown = capsys.readouterr().err
    assert "stopping after this update" in shown
    assert f"resume with: rr-gym train {path} --out {folder} --resume\n" in shown
    assert [checkpoint.name for checkpoint in RunFolder(folder).checkpoints()] == ["000002", "000003"]
    monkeypatch.undo()
    assert main(["train", str(path), "--out", str(folder), "--resume"]) == 0
    assert_same_run(whole, folder)


def test_a_second_ctrl_c_stops_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Any) -> None:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(trainers.Trainer, "_after_update", interrupted)
    assert main(["train", str(write(tmp_path)), "--out", str(tmp_path / "run")]) == 130
    assert RunFolder(tmp_path / "run").checkpoints() == []


def test_a_training_run_that_diverges_keeps_its_last_good_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    after_update = trainers.Trainer._after_update

    def poisoned(self: Any) -> None:
        after_update(self)
        if self.update == 3:
            monkeypatch.setattr(self.model.rollout_buffer, "gamma", float("nan"))

    monkeypatch.setattr(trainers.Trainer, "_after_update", poisoned)
    folder = tmp_path / "run"
    assert main(["train", str(write(tmp_path)), "--out", str(folder)]) == 2
    shown = capsys.readouterr().err
    last = folder / "checkpoints" / "000002"
    assert f"no longer finite after 480 rows; the last good checkpoint is {last};" in shown
    assert [checkpoint.name for checkpoint in RunFolder(folder).checkpoints()] == ["000002"]
    assert all(torch.isfinite(weight).all() for weight in last_model(folder)["policy"].values())


def test_a_damaged_checkpoint_is_named(short: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, folder = write(tmp_path), tmp_path / "run"
    shutil.copytree(short, folder)
    damaged = RunFolder(folder).checkpoints()[-1]
    (damaged / "model.pt").write_bytes(b"nonsense")
    lines = (folder / "progress.csv").read_text()
    assert main(["train", str(path), "--out", str(folder), "--resume", "--steps", "240"]) == 2
    assert f"rr-gym: {damaged}: cannot be resumed from (" in capsys.readouterr().err
    assert (folder / "progress.csv").read_text() == lines


# What can be trained

ENVIRONMENTS = {
    "alone, a turn per step": ("{num_robots: 1, observation: flat, action: draw}", "maskable_ppo", "{hidden: [8]}"),
    "no masks": ("{num_robots: 1, observation: flat, action: slots}", "ppo", "{hidden: [8]}"),
    "no masks, cards": ("{num_robots: 1, observation: flat}", "ppo", "stock"),
    "stock, planes": ("{num_robots: 1, observation: planes, window: 5}", "maskable_ppo", "stock"),
    "self-play": ("{num_robots: 3, observation: flat}", "maskable_ppo", "{hidden: [8]}"),
    "entities": ("{num_robots: 2, observation: entities, window: 5}", "maskable_ppo", "{hidden: [8], features: 8}"),
    "two courses": (
        "{course: [risky_exchange, checkmate], num_robots: 2, opponents: [random], window: 5}",
        "maskable_ppo",
        "{hidden: [8], features: 8, head: pointer}",
    ),
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_other_environments_and_networks_can_be_trained(name: str, tmp_path: Path) -> None:
    environment, algorithm, network = ENVIRONMENTS[name]
    content = f"""
environment: {environment[:-1]}, num_games: 4, max_cycles: 5}}
algorithm: {{name: {algorithm}, turns_per_update: 4, batch_size: 20, epochs: 1}}
network: {network}
training: {{total_steps: 40}}
"""
    trainer = train(content, tmp_path / "run")
    assert trainer.update >= 1
    load_policy(tmp_path / "run" / "policy")


def test_a_trained_policy_is_an_opponent(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = TINY.replace("[random]", f"['{whole / 'policy'}']")
    train(content, tmp_path / "run", total_steps=120)
    path = write(tmp_path, content.replace("num_robots: 2", "num_robots: 3"))
    assert main(["train", str(path), "--out", str(tmp_path / "more")]) == 2
    expected = f"{path}: environment: policy '{whole / 'policy'}': 3 robots: it was trained for 2"
    assert expected in capsys.readouterr().err
    assert not (tmp_path / "more").exists()


def test_a_time_limit_ends_the_training(tmp_path: Path) -> None:
    content = TINY.replace("total_steps: 1200", "total_steps: 100000000, minutes: 0.01")
    trainer = train(content, tmp_path / "run")
    assert trainer.seconds >= 0.6
    assert trainer.model._current_progress_remaining < 1
