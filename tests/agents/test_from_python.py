"""Training and imitation as functions of the package, with the same results as the commands."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from combinations import quick
from conftest import Python

pytest.importorskip("sb3_contrib")
pytest.importorskip("torch")

from rr_gym import training
from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.policies import load_policy

TINY = """
environment: {num_games: 2, num_robots: 2, opponents: [greedy], max_cycles: 4, observation: choices}
algorithm: {turns_per_update: 2, batch_size: 8, epochs: 1}
evaluation: {games: 2}
"""
WITHOUT = """
import sys
from rr_gym import training
from rr_gym.errors import MissingExtraError
module = sys.argv[1]
calls = {
    "torch": [
        lambda: training.train("quickstart", "run", start="champion"),
        lambda: training.imitate("greedy", "quickstart", "run"),
    ],
    "sb3_contrib": [lambda: training.train("quickstart", "run")],
}
for call in calls[module]:
    sys.modules[module] = None
    try:
        call()
    except MissingExtraError as error:
        print(error)
    del sys.modules[module]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY, encoding="utf-8")
    return path


def test_train_does_what_the_command_does(config: Path, tmp_path: Path) -> None:
    facts = training.train(config, tmp_path / "here", opponents=["random"], seed=3, steps=16, settings={"lives": 2})
    words = ["--players", "random", "--seed", "3", "--steps", "16", "--set", "lives=2"]
    assert main(["train", str(config), "--out", str(tmp_path / "there"), *words]) == 0
    curve = training.read_curve(facts["curve"])
    assert int(curve[-1]["time/total_timesteps"]) == facts["rows"]
    same = [name for name in curve[0] if not name.startswith("time/")]
    there = training.read_curve(tmp_path / "there" / "progress.csv")
    assert [[line[name] for name in same] for line in curve] == [[line[name] for name in same] for line in there]
    assert Path(facts["policy"]).parent == tmp_path / "here"
    assert Path(facts["picture"]).is_file()


def test_overrides_are_a_part_of_the_run(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, words = tmp_path / "run", ["algorithm.learning_rate=5e-4", "environment.opponents=[random]"]
    command = ["train", str(config), "--out", str(out), "--steps", "8"]
    assert main([*command, *words]) == 0
    used = yaml.safe_load((out / "config.yaml").read_text("utf-8"))
    assert (used["algorithm"]["learning_rate"], used["environment"]["opponents"]) == (5e-4, ["random"])
    assert main([*command, "--resume", *words]) == 0  # it has ended already
    capsys.readouterr()
    assert main([*command, "--resume", words[1]]) == 2
    assert "cannot be resumed: algorithm.learning_rate was 0.0005 and is now 0.001" in capsys.readouterr().err
    taught = training.imitate("greedy", config, tmp_path / "taught", overrides={"training.total_steps": 64})
    assert 64 <= taught["rows"] < 10_000


def test_arguments_replace_values_of_the_configuration(config: Path, tmp_path: Path) -> None:
    facts = training.train(
        str(config), str(tmp_path / "run"), opponents=["random"], course=["checkmate", "risky_exchange"],
        settings={"lives": 2}, max_cycles=3, seed=3, steps=8,
    )  # fmt: skip
    used = yaml.safe_load((tmp_path / "run" / "config.yaml").read_text("utf-8"))
    assert Path(facts["policy"]).is_relative_to(tmp_path / "run")
    assert used["environment"]["opponents"] == ["random"]
    assert used["environment"]["course"] == ["checkmate", "risky_exchange"]
    assert used["environment"]["settings"] == {"lives": 2}
    assert (used["environment"]["max_cycles"], used["training"]["seed"], used["training"]["total_steps"]) == (3, 3, 8)
    with pytest.raises(RoboRallyError, match="seed: 'x': expected a whole number"):
        training.train(config, tmp_path / "other", seed="x")  # type: ignore[arg-type]


def test_an_imitation_starts_from_a_trained_policy(config: Path, tmp_path: Path) -> None:
    start = training.train(config, tmp_path / "run", steps=8)["policy"]
    facts = training.imitate("greedy", config, tmp_path / "pupil", start=start, steps=64, seed=1, course="checkmate")
    assert facts["rows"] >= 64
    assert 0 <= facts["agreement"] <= 1
    assert load_policy(facts["policy"]).spec.trained_on[-1]["course"] == "checkmate"


@pytest.mark.parametrize("module", quick(["torch", "sb3_contrib"], "torch"))  # the other one after importing PyTorch
def test_an_error_names_the_extra_that_is_missing(module: str, tmp_path: Path, python: Python) -> None:
    said = "is not installed: it comes with the extra 'train' (pip install 'rr-gym[train]')"
    lines = python("-c", WITHOUT, module, cwd=tmp_path).stdout.splitlines()
    assert lines == [f"{module} {said}"] * {"torch": 2, "sb3_contrib": 1}[module]
    assert list(tmp_path.iterdir()) == []


def test_importing_it_imports_nothing_heavy(python: Python) -> None:
    code = "import sys, rr_gym.training; print({'numpy', 'torch', 'rr_gym.agents'} & set(sys.modules))"
    assert python("-c", code).stdout == "set()\n"
