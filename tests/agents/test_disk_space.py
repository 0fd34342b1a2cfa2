"""Training runs and imitations on a disk that fills: what is written is whole, and nothing that was kept is lost."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sb3_contrib")

from full_disk import FULL, needs_limits, no_file_above
from trainings import assert_same_training, train

from rr_gym.cli.main import main
from rr_gym.policies import load_policy
from rr_gym.training import agents_module

folders, trainers, learners = (agents_module(name) for name in ("folder", "trainer", "imitation_learner"))
RunFolder = folders.RunFolder

TINY = """
environment: {num_games: 6, num_robots: 2, opponents: [random], observation: flat, max_cycles: 12, decisions: []}
algorithm: {turns_per_update: 4, batch_size: 40, epochs: 2, final_learning_rate: 1e-5}
network: {hidden: [8], features: 16, embed: 2}
training: {total_steps: 600, checkpoint_every: 2 updates, seed: 3}
evaluation: {every: 4, games: 2}
"""
IMITATION = """
environment: {num_games: 6, num_robots: 2, observation: flat, action: cards, max_cycles: 6, decisions: []}
network: {hidden: [8], features: 16, embed: 2}
training: {total_steps: 4000, seed: 3}
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    train(TINY, folder)
    return folder


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY)
    return ["train", str(path), "--out", str(tmp_path / "run")]


def assert_nothing_unfinished(folder: Path) -> None:
    assert not [str(path) for path in folder.rglob(".*")]
    for checkpoint in RunFolder(folder).checkpoints():
        assert {file.name for file in checkpoint.iterdir()} == {"model.pt", "arrays.npz", "state.json"}


# By what cannot be written: the function that meets a full disk, how often it succeeds before, and the file named
WRITERS: dict[str, tuple[Any, str, int, str]] = {
    "first checkpoint": (trainers, "save_state", 0, r"checkpoints/\.000002/model\.pt"),
    "second checkpoint": (trainers, "save_state", 1, r"checkpoints/\.000004/model\.pt"),
    "policy": (trainers, "export_policy", 1, r"policy/policy\.safetensors"),
    "model": (trainers, "save_model", 0, r"model\.zip"),
    "picture": (trainers.Trainer, "_draw", 0, r"curve\.svg"),
    "curve": (trainers.Trainer, "_log", 2, r"progress\.csv"),
}


SLOW = ("first checkpoint", "policy", "model", "picture")


@needs_limits
@pytest.mark.parametrize("what", [pytest.param(n, marks=[pytest.mark.long] * (n in SLOW)) for n in WRITERS])
def test_a_training_run_resumes_from_its_last_checkpoint(
    what: str, whole: Path, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place, name, times, file = WRITERS[what]
    own, called, folder = getattr(place, name), iter(range(99)), Path(words[-1])

    def full(*args: Any, **more: Any) -> Any:
        if next(called) != times:
            return own(*args, **more)
        with no_file_above(200):
            return own(*args, **more)

    with monkeypatch.context() as patched:
        patched.setattr(place, name, full)
        assert main(words) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert re.match(rf"rr-gym: {re.escape(str(folder))}/{file}: cannot be written: {FULL}", said), said
    kept = RunFolder(folder).checkpoints()
    if "checkpoint" in what:
        assert said.endswith(f"; the last good checkpoint is {kept[-1]}" if kept else "; there is no checkpoint yet")
    assert_nothing_unfinished(folder)
    if (folder / "policy").exists():
        load_policy(folder / "policy")
    assert main([*words, "--resume"]) == 0
    assert_same_training(whole, folder)
    files = [run / "policy" / "policy.safetensors" for run in (whole, folder)]
    assert files[0].read_bytes() == files[1].read_bytes()


@needs_limits
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # raised in TensorBoard's thread
def test_events_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    others = set(threading.enumerate())
    events = agents_module("logs").Events(tmp_path / "tensorboard", 0)

    def write() -> None:
        for step in range(30):
            events.write({"loss": 1.0}, {"loss": ()}, step)

    with no_file_above(200):
        with pytest.raises(folders.RunError, match=rf"tensorboard: cannot be written: .*{FULL}"):
            write()
        events.close()
    for thread in set(threading.enumerate()) - others:  # otherwise its failure is reported in another test
        thread.join(10)


def test_a_training_run_without_room_does_not_begin(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(folders, "free_bytes", lambda folder: 2**17)
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "128.0 KiB are free: expected room for the next checkpoint and policy, " in said
    assert said.endswith("; there is no checkpoint yet\n")
    assert not Path(words[-1]).exists()


@pytest.mark.parametrize(
    ("looks", "update"),
    [(1, 1), pytest.param(2, 2, marks=pytest.mark.long), (3, 2), pytest.param(4, 3, marks=pytest.mark.long)],
)
def test_a_training_run_ends_with_a_checkpoint_while_there_is_room_for_one(
    looks: int, update: int, whole: Path, words: list[str], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    folder, looked = Path(words[-1]), iter(range(99))
    with monkeypatch.context() as patched:
        patched.setattr(folders, "free_bytes", lambda _: 2**30 if next(looked) < looks else 2**17)
        assert main(words) == 2
    last = RunFolder(folder).checkpoints()[-1]
    assert int(last.name) == update
    assert "are free: expected room for the next checkpoint and policy" in capsys.readouterr().err
    assert_nothing_unfinished(folder)
    assert main([*words, "--resume"]) == 0
    assert_same_training(whole, folder)


def test_a_file_system_that_does_not_say_is_trusted(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "free_bytes", lambda folder: None)
    assert main([*words, "--steps", "120"]) == 0
    assert RunFolder(Path(words[-1])).checkpoints()


@needs_limits
def test_an_imitation_resumes_from_its_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(learners, "SAVE_SECONDS", 0.0)
    config, folder, other = tmp_path / "imitation.yaml", tmp_path / "run", tmp_path / "other"
    config.write_text(IMITATION)
    assert main(["imitate", "greedy", str(config), "--out", str(other)]) == 0
    words = ["imitate", "greedy", str(config), "--out", str(folder)]
    save, called = learners.ImitationLearner.save, iter(range(99))

    def full(learner: Any, run: Any) -> None:
        if next(called) != 1:
            save(learner, run)
        else:
            with no_file_above(200):
                save(learner, run)

    with monkeypatch.context() as patched:
        patched.setattr(learners.ImitationLearner, "save", full)
        assert main(words) == 2
    kept = RunFolder(folder).checkpoints()
    assert len(kept) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.endswith(f"model.pt: cannot be written: {FULL}; the last good checkpoint is {kept[0]}")
    assert not [str(path) for path in folder.rglob(".*")]
    with monkeypatch.context() as patched:
        patched.setattr(folders, "free_bytes", lambda folder: 2**17)
        assert main([*words, "--resume"]) == 2
    assert "are free: expected room" in capsys.readouterr().err
    assert main([*words, "--resume"]) == 0
    files = [run / "policy.safetensors" for run in (other, folder)]
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[tuple[Path, Callable[[str], None]]]:
    """Yield the folder of a disk with three megabytes, and a function that resizes the disk."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if sys.platform != "linux" or os.geteuid() or not shutil.which("mount"):
        pytest.skip("mounting is for root")

    def mount(options: str) -> int:
        return subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True).returncode

    if mount("size=3m"):
        pytest.skip("nothing can be mounted here")
    try:
        yield folder, lambda size: mount(f"remount,size={size}") and None
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.long
def test_a_real_disk_that_fills(
    small_disk: tuple[Path, Callable[[str], None]], whole: Path, words: list[str], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    disk, resize = small_disk
    run = disk / "run"
    words[-1] = str(run)
    (disk / "filler").write_bytes(bytes(2800 * 1024))
    assert main(words) == 2
    assert "are free: expected room" in capsys.readouterr().err
    assert not run.exists()
    (disk / "filler").unlink()
    save = trainers.save_state

    def fill_up(folder: Path, *args: Any) -> None:
        if folder.name == ".000004":
            free = shutil.disk_usage(disk).free
            (disk / "filler").write_bytes(bytes(free - 8192))
        save(folder, *args)

    with monkeypatch.context() as patched:
        patched.setattr(trainers, "save_state", fill_up)
        assert main(words) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    full = f"rr-gym: {run}/checkpoints/.000004/model.pt: cannot be written: No space left on device; the last good"
    assert said == f"{full} checkpoint is {run}/checkpoints/000002"
    assert_nothing_unfinished(run)
    assert main([*words, "--resume"]) == 2  # still full
    resize("8m")
    capsys.readouterr()
    assert main([*words, "--resume"]) == 0
    assert "from row 240" in capsys.readouterr().err
    assert_same_training(whole, run)
