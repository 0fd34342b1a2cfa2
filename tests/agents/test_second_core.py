"""A second process that plays one update behind: its policies and opponents, and that results follow from the seed."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

pytest.importorskip("sb3_contrib")
torch = pytest.importorskip("torch")

from trainings import assert_same_training, curve, last_model, trainer_of  # noqa: E402

from rr_gym.cli.main import main  # noqa: E402
from rr_gym.errors import RoboRallyError  # noqa: E402
from rr_gym.evaluation.processes import SharingError  # noqa: E402
from rr_gym.training import agents_module  # noqa: E402

config, folders, trainers = (agents_module(name) for name in ("config", "folder", "trainer"))
second = agents_module("second_core")
TrainConfig, RunFolder = config.TrainConfig, folders.RunFolder

TINY = """
environment:
  num_games: 6
  num_robots: [2, 3]
  opponents: {self: 0.3, past: 0.4, random: 0.3}
  observation: flat
  max_cycles: 6
algorithm: {turns_per_update: 3, batch_size: 60, epochs: 1, rules_until: 0.4}
network: {hidden: [8], features: 8, embed: 2}
league: {snapshot_every: 2, snapshots: 3, at_once: 2, games: 2}
evaluation: {every: 3, games: 2, opponents: [random, random]}
training: {total_steps: 2592, checkpoint_every: 1 updates, seed: 3, second_core: true}
"""
UPDATES = 6  # each from 6 games * 3 rows * 3 turns * 8 decisions


class Beside:
    """Stands in for `Helper`: does tasks in this process when their results are asked for, with its own generators."""

    def __init__(self, make: Callable[[], Any], patience: float) -> None:
        self._make = make
        self._worker: Any = None
        self._chance = self._generators()
        self._task: Any = None

    @staticmethod
    def _generators() -> tuple[Any, Any, Any]:
        return torch.get_rng_state(), np.random.get_state(), random.getstate()

    @staticmethod
    def _set(chance: tuple[Any, Any, Any]) -> None:
        torch.set_rng_state(chance[0])
        np.random.set_state(chance[1])
        random.setstate(chance[2])

    def submit(self, task: Any) -> None:
        assert self._task is None
        self._task = pickle.dumps(task)

    def result(self, report: Callable[[int], None]) -> Any:
        here = self._generators()
        self._set(self._chance)
        try:
            self._worker = self._worker or self._make()
            outcome = self._worker(pickle.loads(self._task), lambda done: bool(report(done)))
        finally:
            self._chance = self._generators()
            self._set(here)
        self._task = None
        return pickle.loads(pickle.dumps(outcome))

    def close(self) -> None:
        if self._worker:
            self._worker.close()


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second, "Helper", Beside)


def stopped(folder: Path, after: int, content: str = TINY) -> None:
    """Train until Ctrl-C in the update with the number `after`."""
    trainer = trainer_of(content, folder)
    after_update = trainer.model.after_update

    def interrupted() -> None:
        trainer._interrupted = trainer.update == after
        after_update()

    trainer.model.after_update = interrupted
    assert not trainer.run()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run with a second process that was not interrupted."""
    folder = tmp_path_factory.mktemp("second") / "run"
    assert trainer_of(TINY, folder).run()
    assert multiprocessing.active_children() == []
    return folder


def assert_same_run(one: Path, other: Path) -> None:
    assert_same_training(one, other)
    assert (one / "league" / "payoffs.csv").read_text() == (other / "league" / "payoffs.csv").read_text()
    last = [json.loads((RunFolder(f).checkpoints()[-1] / "state.json").read_text()) for f in (one, other)]
    for name in ("league", "second_core"):
        assert last[0][name] == last[1][name]


# What is learned


@pytest.mark.long
@pytest.mark.usefixtures("beside")
def test_results_do_not_depend_on_which_process_is_faster(whole: Path, tmp_path: Path) -> None:
    assert trainer_of(TINY, tmp_path / "run").run()
    assert_same_run(whole, tmp_path / "run")
    rows = curve(whole)
    assert [int(row["time/total_timesteps"]) for row in rows] == [432 * n for n in range(1, UPDATES + 1)]
    assert [int(row["time/turns"]) for row in rows] == [18 * n for n in range(1, UPDATES + 1)]
    assert [bool(row["eval/win"]) for row in rows] == [n % 3 == 0 for n in range(1, UPDATES + 1)]
    assert all(float(row["league/ahead_of_random"]) >= 0 for row in rows[3:])


@pytest.mark.usefixtures("beside")
def test_a_rollout_is_played_by_the_policy_before_the_last_update(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    updates = 4
    trainer = trainer_of(TINY, tmp_path / "run", total_steps=432 * updates)
    begun = [trainer.model.policy.parameters_to_vector()]  # after each update
    entries = [trainer._league.entries]
    played: list[Any] = []
    take, after_update = trainer._second.take, trainer.model.after_update

    def taken(report: Any) -> Any:
        order = trainer._second._order
        rollout = take(report)
        played.append((order, dict(rollout.rows)))
        return rollout

    def recorded() -> None:
        after_update()
        begun.append(trainer.model.policy.parameters_to_vector())
        entries.append(trainer._league.entries)

    monkeypatch.setattr(trainer._second, "take", taken)
    monkeypatch.setattr(trainer.model, "after_update", recorded)
    assert trainer.run()
    assert len(played) == updates
    for k, (order, rows) in enumerate(played):
        assert np.array_equal(order.weights, begun[max(0, k - 1)])
        assert order.entries == entries[max(0, k - 1)]
        assert order.by_rule == (k < 0.4 * updates)
        trainer.model.policy.load_from_vector(order.weights)
        masks = torch.as_tensor(rows["action_masks"])
        seen, actions = torch.as_tensor(rows["observations"]), torch.as_tensor(rows["actions"])
        values, chosen, _ = trainer.model.policy.evaluate_actions(seen, actions.flatten(), masks)
        assert np.allclose(chosen.detach().numpy(), rows["log_probs"].ravel(), atol=1e-5)
        assert np.allclose(values.detach().numpy().ravel(), rows["values"].ravel(), atol=1e-5)
    assert not any(np.array_equal(one, other) for one, other in itertools.pairwise(begun))


@pytest.mark.usefixtures("beside")
def test_rows_are_learned_from_as_if_the_later_policy_had_played_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = trainer_of(TINY, tmp_path / "run", total_steps=3 * 432)
    policy, buffer = trainer.model.policy, trainer.model.rollout_buffer
    before, weighed = [], []
    take, train = trainer._second.take, type(trainer.model).train

    def taken(report: Any) -> Any:
        rollout = take(report)
        before.append(dict(rollout.rows))
        return rollout

    def trained(model: Any) -> None:
        rows = buffer.rows()
        drawn = policy.get_distribution(torch.as_tensor(rows["observations"]), rows["action_masks"])
        chosen = drawn.log_prob(torch.as_tensor(rows["actions"]).flatten()).detach().numpy()
        assert np.allclose(chosen, rows["log_probs"].ravel(), atol=1e-5)
        likelier = np.exp(rows["log_probs"] - before[-1]["log_probs"])
        weighed.append(rows["advantages"] / before[-1]["advantages"])
        assert np.allclose(weighed[-1], np.minimum(likelier, 2), rtol=1e-3)
        assert np.array_equal(rows["returns"], before[-1]["returns"])
        train(model)

    monkeypatch.setattr(trainer._second, "take", taken)
    monkeypatch.setattr(type(trainer.model), "train", trained)
    assert trainer.run()
    assert np.allclose(weighed[0], 1, atol=1e-3)
    assert all(np.ptp(weights) > 1e-3 for weights in weighed[1:])


OTHERS = {
    "alone, no masks": ("{num_robots: 1, observation: flat}", "ppo", "stock"),
    "boards": ("{num_robots: 2, observation: entities, window: 5}", "maskable_ppo", "{hidden: [8], features: 8}"),
    "against a list": (
        "{num_robots: 3, opponents: [random, greedy], observation: choices}", "maskable_ppo", "{hidden: [8, 8]}",
    ),
}  # fmt: skip


@pytest.mark.usefixtures("beside")
@pytest.mark.parametrize("name", OTHERS)
def test_the_first_update_is_as_without(name: str, tmp_path: Path) -> None:
    environment, algorithm, network = OTHERS[name]
    content = f"""
environment: {environment[:-1]}, num_games: 4, max_cycles: 5}}
algorithm: {{name: {algorithm}, turns_per_update: 4, batch_size: 20, epochs: 1}}
network: {network}
training: {{total_steps: 1, second_core: true}}
"""
    folders_of = [tmp_path / word for word in ("true", "false")]
    for folder in folders_of:
        assert trainer_of(content.replace("true", folder.name), folder).run()
    one, other = (last_model(folder)["policy"] for folder in folders_of)
    assert all(torch.allclose(weight, other[key], atol=1e-4) for key, weight in one.items())
    first, then = (curve(folder)[0] for folder in folders_of)
    assert {k: v for k, v in first.items() if "train/" not in k} == {k: v for k, v in then.items() if "train/" not in k}


# Resuming


@pytest.mark.long
@pytest.mark.usefixtures("beside")
@pytest.mark.parametrize("stop", [1, 4])
def test_resumed_from_a_checkpoint_it_ends_the_same(stop: int, whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    stopped(folder, stop)
    resumed = trainer_of(TINY, folder)
    resumed._checkpoint()  # stopped again before anything was played
    resumed._curve.close()
    assert trainer_of(TINY, folder).run()
    assert_same_run(whole, folder)


@pytest.mark.usefixtures("beside")
def test_a_checkpoint_without_its_order_is_damaged(tmp_path: Path) -> None:
    stopped(tmp_path / "run", 1)
    checkpoint = RunFolder(tmp_path / "run").checkpoints()[-1]
    with np.load(checkpoint / "arrays.npz") as file:
        arrays = {name: array for name, array in file.items() if name != "order"}
    np.savez(checkpoint / "arrays.npz", **arrays)
    with pytest.raises(RoboRallyError, match=f"{checkpoint}: cannot be resumed from"):
        trainer_of(TINY, tmp_path / "run")


def command(path: Path, folder: Path, *more: str) -> list[str]:
    return [sys.executable, "-W", "error", "-m", "agents.train", str(path), "--out", str(folder), *more]


def helpers_of(process: int) -> list[int]:
    """Return the processes that a process has started."""
    return [int(pid) for pid in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def wait_until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.01)


def gone(process: int) -> bool:
    """Tell whether a process has ended, including a zombie whose status nobody has read."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("how", ["kill", "ctrl-c"])
def test_a_run_ended_at_any_moment_leaves_nothing_running_and_resumes_exactly(
    how: str, whole: Path, tmp_path: Path
) -> None:
    path, folder = tmp_path / "tiny.yaml", tmp_path / "run"
    path.write_text(TINY)
    chance = random.Random()
    process = subprocess.Popen(
        command(path, folder), cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    mark = folder / chance.choice(["config.yaml", "league/past-000000", "checkpoints/000001", "checkpoints/000004"])
    wait_until(mark.exists)
    time.sleep(chance.uniform(0, 0.2 if how == "ctrl-c" else 2))
    helpers = helpers_of(process.pid)
    if how == "kill":
        process.send_signal(signal.SIGKILL)
        process.communicate()
    else:
        os.killpg(process.pid, signal.SIGINT)  # to all processes of the group, as terminals do
        said = process.communicate()[1]
        assert process.returncode in (130, 0)
        assert "Traceback" not in said
    wait_until(lambda: all(gone(helper) for helper in helpers))
    begun = how == "kill" or folder.exists()  # Ctrl-C before the first checkpoint leaves nothing
    assert main(["train", str(path), "--out", str(folder), *(["--resume"] if begun else [])]) == 0
    assert_same_run(whole, folder)


# What goes wrong there


@pytest.mark.parametrize("real", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_killed_process_is_one_clear_error(
    real: bool, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = tmp_path / "tiny.yaml", tmp_path / "run"
    path.write_text(TINY)
    after_update = trainers.Trainer._after_update

    def killed(report: Any) -> Any:
        raise SharingError("a process was killed")

    def killing(self: Any) -> None:
        after_update(self)
        if self.update == 2:
            for helper in multiprocessing.active_children():
                helper.kill()
            if not real:
                self._second._helper.result = killed

    if not real:
        monkeypatch.setattr(second, "Helper", Beside)
    monkeypatch.setattr(trainers.Trainer, "_after_update", killing)
    assert main(["train", str(path), "--out", str(folder)]) == 2
    last = folder / "checkpoints" / "000002"
    said = f"training.second_core: the process that plays was killed; the last good checkpoint is {last}\n"
    assert capsys.readouterr().err.endswith(said)
    assert multiprocessing.active_children() == []
    monkeypatch.undo()
    monkeypatch.setattr(second, "Helper", Beside)
    assert main(["train", str(path), "--out", str(folder), "--resume"]) == 0
    assert_same_run(whole, folder)


@pytest.mark.usefixtures("beside")
def test_an_error_there_is_an_error_here(tmp_path: Path) -> None:
    trainer = trainer_of(TINY, tmp_path / "run")
    (tmp_path / "run" / "league" / "past-000000" / "policy.json").write_text("{")
    with pytest.raises(RoboRallyError, match=r"league.snapshots: .*past-000000: cannot be read"):
        trainer.run()
    assert RunFolder(tmp_path / "run").checkpoints() == []


def test_wrong_values_are_named() -> None:
    with pytest.raises(RoboRallyError, match=r"a.yaml:1: training.second_core: 2: expected true or false"):
        TrainConfig.read("training: {second_core: 2}", "a.yaml")
