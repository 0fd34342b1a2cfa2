"""Devices of networks: those that are not there are refused, and networks run on any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from random_play import FLOOR
from trainings import assert_same_training, train

from rr_gym.cli.main import main
from rr_gym.envs.core import Core
from rr_gym.policies import PolicySpec, policy_facts
from rr_gym.policies.networks import make_network
from rr_gym.training import agents_module

devices = agents_module("devices")

TINY = """
environment: {num_games: 2, num_robots: 2, opponents: [random], max_cycles: 2, observation: choices}
algorithm: {turns_per_update: 2, batch_size: 8, epochs: 1}
training: {total_steps: 48}
"""

no_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")


@no_gpu
@pytest.mark.parametrize("command", [("train",), ("imitate", "greedy")])
def test_a_device_that_does_not_exist_is_refused(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert main([*command, "quickstart", "training.device=cuda", "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert "quickstart.yaml: training.device: 'cuda': expected cpu or auto: PyTorch" in error
    assert "finds no GPU here" in error
    assert not out.exists()
    assert main([*command, "quickstart", "training.device=gpu", "--out", str(out)]) == 2
    assert "argument training.device: 'gpu': expected auto | cpu | cuda" in capsys.readouterr().err


@no_gpu
def test_auto_is_the_cpu_without_a_gpu(tmp_path: Path) -> None:
    assert devices.find_device("auto").type == devices.find_device("cpu").type == "cpu"
    auto = train(TINY, tmp_path / "auto", device="auto")
    assert auto.model.device.type == "cpu"
    train(TINY, tmp_path / "cpu")
    assert_same_training(tmp_path / "auto", tmp_path / "cpu")


def test_a_gpu_is_taken_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert [devices.find_device(name).type for name in ("auto", "cuda", "cpu")] == ["cuda", "cuda", "cpu"]


def test_on_the_cpu_nothing_is_copied() -> None:
    array = np.arange(6)
    found = devices.on_device({"a": array}, torch.device("cpu"))
    array[0] = 9
    assert found["a"][0] == 9


@pytest.mark.parametrize("observation", ["flat", "planes", "entities", "entities+planes", "choices"])
def test_networks_hold_all_their_numbers_on_their_device(observation: str) -> None:
    """Like a GPU, the device `meta` refuses operations on tensors of different devices."""
    core = Core(FLOOR, 2, 2, observation=observation, window=None if observation == "choices" else 5, action="cards")
    core.reset(1)
    kind = observation.partition("+")[0]
    sizes = {"kind": kind} if kind == "choices" else {"kind": kind, "head": "pointer"}
    network = make_network(PolicySpec.from_json({**policy_facts(core), "network": sizes})).to("meta")
    network.set_boards(core.observer.boards)
    seen: Any = core.observe()
    tables = seen if isinstance(seen, dict) else {"": seen}
    whole = {name: torch.from_numpy(array).to("meta") for name, array in tables.items()}
    if kind == "choices":  # `meta` has no data, and the number of legal choices depends on data
        assert {tensor.device.type for tensor in [*network.parameters(), *network.buffers()]} == {"meta"}
        return
    logits, values = network(whole if isinstance(seen, dict) else whole[""])
    assert (logits.device.type, values.device.type) == ("meta", "meta")
    assert logits.shape[0] == len(values) == 4
