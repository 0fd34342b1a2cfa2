"""Games on a Ray cluster (two processes on this machine): results are byte for byte the same as without Ray."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from fragile import Pids, make_killed

from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.executor import share
from rr_gym.evaluation.processes import SharingError
from rr_gym.evaluation.tournament.tournament import Tournament

ray = pytest.importorskip("ray")

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]


def start() -> None:
    environment = {"env_vars": {"PYTHONPATH": str(ROOT / "tests" / "helpers")}}
    ray.init(
        num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error", runtime_env=environment
    )


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    start()
    yield
    ray.shutdown()


def shared(words: str, workers: int | None = None) -> list[tuple[str, int]]:
    return list(share(Pids, words.split(), workers, lambda progress: None, 1.0, ray="local"))


def test_tasks_are_done_once_by_several_processes() -> None:
    done = shared("1 2 3 4 5 6 7 8")
    assert sorted(word for word, _ in done) == list("12345678")
    assert os.getpid() not in {pid for _, pid in done}
    assert len({pid for _, pid in done}) == 2
    assert len({pid for _, pid in shared("1 2 3", workers=1)}) == 1
    assert shared("") == []


def test_errors_are_raised_here_and_a_task_that_always_kills_is_given_up() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)in another process:.*invalid literal for int"):
        shared("1 seven 2")
    with pytest.raises(SharingError, match="3 processes of the cluster died in the same task"):
        shared("1 dies 2")


def played(mark: Path, **options: Any) -> str:
    tournament = Tournament(
        ["killed", "random", "racer"], seats=3, games=90, max_cycles=12, salt=0,
        make=partial(make_killed, mark), **options,
    )
    tournament.play()
    return json.dumps(tournament.result().to_json(), sort_keys=True)


def test_a_tournament_survives_a_killed_process(tmp_path: Path) -> None:
    mark = tmp_path / "killed"
    there = played(mark, ray="local", folder=tmp_path / "there")
    assert mark.exists()  # so a process was killed
    assert there == played(mark, workers=1)


def test_commands_write_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = {
        "tournament": "tournament --players random,greedy --seats 2 --games 40 --max-cycles 10 --out {} --workers 2",
        "benchmark": "benchmark --players greedy --rows duel_random --games 40 --json {}.json --workers 2",
        "dataset": "dataset --players greedy,random --games 130 --max-cycles 8 --out {} --workers 2",
    }
    for name, command in commands.items():
        for where, more in (("here", []), ("there", ["--ray", "local"])):
            assert main([*command.format(f"{name}_{where}").split(), *more]) == 0
    for name, files in (("tournament", ["results.json"]), ("dataset", ["dataset.json", "shard-00000.npz"])):
        for file in files:
            assert (tmp_path / f"{name}_here" / file).read_bytes() == (tmp_path / f"{name}_there" / file).read_bytes()
    assert (tmp_path / "benchmark_here.json").read_bytes() == (tmp_path / "benchmark_there.json").read_bytes()


def test_an_imitation_comes_to_the_same_policy(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    config = tmp_path / "duel.yaml"
    config.write_text(
        "environment: {num_games: 32, num_robots: 2, observation: choices, max_cycles: 8}\n"
        "network: {hidden: [16, 16], features: 16, embed: 4}\n"
    )
    command = ["imitate", "greedy", str(config), "--steps", "8000", "--seed", "5"]
    for where, more in (("here", []), ("there", ["--ray", "local", "--workers", "2"])):
        assert main([*command, "--out", str(tmp_path / where), *more]) == 0
    for file in ("policy.json", "policy.safetensors"):
        assert (tmp_path / "here" / file).read_bytes() == (tmp_path / "there" / file).read_bytes()


def test_no_cluster_is_an_error() -> None:
    ray.shutdown()
    try:
        with pytest.raises(RoboRallyError, match="--ray auto: "):
            list(share(Pids, ["1"], None, lambda progress: None, 1.0, ray="auto"))
    finally:
        start()
