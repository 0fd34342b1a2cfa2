"""Callbacks and loggers of Stable-Baselines3 in a training run, and what its logs say of hyperparameters."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sb3_contrib")
pytest.importorskip("torch")

from stable_baselines3.common.callbacks import BaseCallback, EveryNTimesteps
from stable_baselines3.common.logger import KVWriter, Logger
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from rr_gym import training
from rr_gym.errors import RoboRallyError

TINY = """
environment: {num_games: 2, num_robots: 2, opponents: [random], max_cycles: 2, observation: choices}
algorithm: {turns_per_update: 2, batch_size: 8, epochs: 1}
evaluation: {games: 2, every: 1}
training: {total_steps: 48}
"""
ROWS = 2 * 2 * 8  # the rows of an update: games * turns * decisions of a turn


class Recorder(BaseCallback):
    """Records every call, and ends the training after a number of steps."""

    def __init__(self, most: int = 10**9) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.infos: list[dict[str, Any]] = []
        self.most = most

    def _init_callback(self) -> None:
        self.calls.append("init")

    def _on_training_start(self) -> None:
        self.calls.append("training starts")

    def _on_rollout_start(self) -> None:
        self.calls.append("rollout starts")

    def _on_step(self) -> bool:
        assert {"infos", "rewards", "dones", "actions", "new_obs"} <= set(self.locals)
        assert len(self.locals["infos"]) == self.training_env.num_envs == len(self.locals["dones"])
        self.infos += [info for info in self.locals["infos"] if "episode" in info]
        self.logger.record_mean("mine/steps", self.n_calls)
        return self.n_calls < self.most

    def _on_rollout_end(self) -> None:
        self.calls.append("rollout ends")

    def _on_training_end(self) -> None:
        self.calls.append("training ends")


class Kept(KVWriter):
    """Keeps everything that is written."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, dict[str, Any]]] = []
        self.closed = False

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0) -> None:
        self.lines.append((step, dict(key_values)))

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY, encoding="utf-8")
    return path


def test_callbacks_and_logger_follow_the_training(config: Path, tmp_path: Path) -> None:
    recorder, kept, timed = Recorder(), Kept(), Recorder()
    facts = training.train(
        config, tmp_path / "run", callbacks=[recorder, EveryNTimesteps(ROWS, timed)], logger=Logger(None, [kept])
    )
    updates = ["rollout starts", "rollout ends"] * (facts["rows"] // ROWS)
    assert recorder.calls == ["init", "training starts", *updates, "training ends"]
    assert recorder.n_calls == facts["rows"] // 2
    assert timed.n_calls == facts["rows"] // ROWS
    assert {"won", "finished", "flags", "place"} <= set(recorder.infos[0])
    assert [step for step, _ in kept.lines] == [ROWS, 2 * ROWS]
    assert not kept.closed
    with open(facts["curve"], newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    for (_, written), line in zip(kept.lines, lines, strict=True):
        assert float(line["rollout/flags"]) == written["rollout/flags"]
        for share, others in {"rollout/won": ("finished", "flags"), "eval/win": ("finish", "flags")}.items():
            assert {share, *(f"{share.partition('/')[0]}/{other}" for other in others)} <= set(written)
    # Means over the calls of one update: steps 1 to 16 and 17 to 32, and one call of the other recorder in each.
    means = [(sum(range(1, 17)) + 1) / 17, (sum(range(17, 33)) + 2) / 17]
    assert [float(line["mine/steps"]) for line in lines] == pytest.approx(means)


def test_training_that_a_callback_ends_leaves_complete_files(config: Path, tmp_path: Path) -> None:
    facts = training.train(config, tmp_path / "run", callbacks=[Recorder(most=3)])
    assert facts["rows"] == ROWS
    left = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"model.zip", "policy", "curve.svg", "progress.csv", "checkpoints"} <= left
    assert training.train(config, tmp_path / "run", resume=True)["rows"] == 2 * ROWS  # continues without the callback


def test_an_error_of_a_callback_is_its_own(config: Path, tmp_path: Path) -> None:
    class Broken(Recorder):
        def _on_rollout_end(self) -> None:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        training.train(config, tmp_path / "run", callbacks=[Broken()])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"callbacks": [print]}, "callbacks: .*print.*: expected a BaseCallback of Stable-Baselines3"),
        ({"callbacks": Recorder}, r"callbacks: .*Recorder.*: expected a list of callbacks"),
        ({"logger": "wandb"}, "logger: 'wandb': expected a Logger of Stable-Baselines3"),
        ({"callbacks": [Recorder()], "overrides": {"training.second_core": True}},
         "training.second_core: true: expected false with callbacks"),
    ],
)  # fmt: skip
def test_what_is_not_a_hook_is_refused(given: dict[str, Any], expected: str, config: Path, tmp_path: Path) -> None:
    with pytest.raises(RoboRallyError, match=expected):
        training.train(config, tmp_path / "run", **given)
    assert not (tmp_path / "run").exists()


def test_hyperparameters_are_in_the_events(config: Path, tmp_path: Path) -> None:
    training.train(config, tmp_path / "run", overrides={"algorithm.learning_rate": 5e-4}, steps=8)
    events = EventAccumulator(str(tmp_path / "run" / "tensorboard"))
    events.Reload()
    tags = events.summary_metadata
    assert {"_hparams_/experiment", "_hparams_/session_start_info"} <= set(tags)
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    read: Callable[[str], HParamsPluginData] = lambda tag: HParamsPluginData.FromString(tags[tag].plugin_data.content)  # noqa: E731
    found = read("_hparams_/session_start_info").session_start_info.hparams
    assert found["algorithm.learning_rate"].number_value == 5e-4
    assert found["environment.opponents"].string_value == '["random"]'
    figures = [info.name.tag for info in read("_hparams_/experiment").experiment.metric_infos]
    assert set(figures) == {
        "rollout/won", "rollout/finished", "rollout/flags", "rollout/ep_rew_mean",
        "eval/win", "eval/finish", "eval/flags", "eval/place",
    }  # fmt: skip
    assert set(figures) <= set(events.scalars.Keys())
