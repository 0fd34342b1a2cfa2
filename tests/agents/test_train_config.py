"""Configurations of training runs: errors in them are reported clearly, before anything is done."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Python
from msgspec.structs import replace

from rr_gym import yaml12
from rr_gym.cli.main import main
from rr_gym.config_files import SHIPPED, config_names, find_config
from rr_gym.errors import RoboRallyError
from rr_gym.generate import generate_course
from rr_gym.players import RandomPlayer
from rr_gym.race import RaceConfig
from rr_gym.training import agents_module

config, sections, built = agents_module("config"), agents_module("sections"), agents_module("environment")
TrainConfig = config.TrainConfig
CONFIGS = [path for path in sorted((ROOT / "configs").glob("*.yaml")) if path.name != "race.yaml"]


def error_of(content: str) -> str:
    with pytest.raises(RoboRallyError) as caught:
        built.check_names(TrainConfig.read(content, "a.yaml"), "a.yaml")
    return str(caught.value)


def test_players_of_a_check_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    class Closable(RandomPlayer):
        closed = 0

        def close(self) -> None:
            self.closed += 1

    def make(name: str) -> Closable:
        made.append(Closable())
        return made[-1]

    monkeypatch.setattr("rr_gym.envs.lineup.make_player", make)
    monkeypatch.setattr("rr_gym.registry.make_player", make)
    content = "environment: {num_robots: 2, opponents: [random]}\nevaluation: {opponents: [greedy]}"
    built.check_names(TrainConfig.read(content), "a.yaml")
    assert [player.closed for player in made] == [1, 1]


def test_an_empty_mapping_is_a_configuration() -> None:
    assert TrainConfig.read("{}") == TrainConfig()
    assert TrainConfig.read("algorithm: {}") == TrainConfig()


def test_a_written_configuration_reads_back() -> None:
    content = """
environment: {course: [checkmate, moving_targets], num_robots: 3, opponents: [random], decisions: [power], seat: 2}
network: stock
algorithm: {learning_rate: 3e-4, final_learning_rate: 1e-5}
training: {checkpoint_every: 20 updates, minutes: 1.5}
evaluation: {every: 7, opponents: [random, greedy]}
"""
    read = TrainConfig.read(content)
    assert read.environment.course == ("checkmate", "moving_targets")
    assert (read.algorithm.learning_rate, read.algorithm.final_learning_rate) == (3e-4, 1e-5)
    assert (read.training.checkpoint_every.count, read.training.checkpoint_every.unit) == (20, "updates")
    assert TrainConfig.read(yaml12.dump(read.as_mapping())) == read


def test_courses_are_generated() -> None:
    """They are those that `generate_course` makes from consecutive seeds."""
    read = TrainConfig.read("environment: {course: {generated: 3, seed: 40, width: 8, height: 9, num_starts: 2}}")
    expected = [generate_course(40 + k, width=8, height=9, num_starts=2) for k in range(3)]
    assert built.courses_of(read) == expected
    assert TrainConfig.read(yaml12.dump(read.as_mapping())) == read
    core = built.one_of_each(read)
    assert [course.id for course in core.arena.courses] == ["generated_40", "generated_41", "generated_42"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("3", "a.yaml:1: 3: expected keys with values: environment, algorithm"),
        ("[1, 2]", "a.yaml:1: [1, 2]: expected keys"),
        ("algoritm: {}", "a.yaml:1: algoritm: unknown key: did you mean 'algorithm'?"),
        ("zebra: {}", "zebra: unknown key: expected environment, algorithm, network, training, evaluation"),
        ("3: {}", "a.yaml:1: [3]: unknown key: expected environment"),
        ("algorithm: 7", "a.yaml:1: algorithm: 7: expected keys with values: name, turns_per_update"),
        ("algorithm:", "a.yaml:1: algorithm: None: expected keys with values"),
        ("algorithm:\n  gama: 0.9", "a.yaml:2: algorithm.gama: unknown key: did you mean 'gamma'?"),
        ("training: {total_step: 1}", "training.total_step: unknown key: did you mean 'total_steps'?"),
        ("algorithm:\n  epochs: 2\n  gamma: 1.5", "a.yaml:3: algorithm.gamma: 1.5: expected a number of at least 0"),
        ("algorithm: {gamma: high}", "algorithm.gamma: 'high': expected a number"),
        ("algorithm: {gamma: true}", "algorithm.gamma: True: expected a number"),
        ("algorithm: {gamma: .nan}", "algorithm.gamma: nan: expected a number"),
        ("algorithm: {learning_rate: 0}", "learning_rate: 0: expected a number of more than 0 and at most 1"),
        ("algorithm: {learning_rate: 1e-4, final_learning_rate: 1e-3}", "final_learning_rate: 0.001: expected at most"),
        ("algorithm: {final_learning_rate: low}", "final_learning_rate: 'low': expected a number"),
        ("algorithm: {target_kl: -1}", "target_kl: -1: expected a number of more than 0, or null"),
        ("algorithm: {name: maskable}", "algorithm.name: 'maskable': expected maskable_ppo | ppo; did you mean"),
        ("algorithm: {name: [ppo]}", "algorithm.name: ['ppo']: expected maskable_ppo | ppo"),
        ("algorithm: {epochs: 2.0}", "algorithm.epochs: 2.0: expected a whole number of at least 1"),
        ("algorithm: {batch_size: 1}", "algorithm.batch_size: 1: expected a whole number of at least 2"),
        ("algorithm: {turns_per_update: 0}", "turns_per_update: 0: expected a whole number"),
        ("training: {seed: -1}", "training.seed: -1: expected a whole number from 0 to 4294967295"),
        ("training: {checkpoint_every: 5 hours}", "checkpoint_every: '5 hours': expected a number of updates, or text"),
        ("training: {checkpoint_every: 1.5 updates}", "checkpoint_every: '1.5 updates': expected"),
        ("training: {checkpoint_every: 0}", "checkpoint_every: 0: expected"),
        ("training: {checkpoint_every: true}", "checkpoint_every: True: expected"),
        ("training: {checkpoint_every: [1]}", "checkpoint_every: [1]: expected"),
        ("training: {minutes: 0}", "training.minutes: 0: expected a number of more than 0, or null"),
        ("environment: {num_robots: 9}", "environment.num_robots: 9: expected a whole number from 1 to 8"),
        ("environment: {course: 4}", "environment.course: 4: expected the id of a course or a path, a list"),
        ("environment: {course: [4]}", "environment.course[0]: 4: expected the id of a course or a path"),
        ("environment: {course: []}", "environment.course: (): expected at least one course"),
        ("environment: {course: {generated: 0}}", "course.generated: 0: expected a whole number from 1 to 200"),
        ("environment: {course: {generated: 1, seed: -1}}", "course.seed: -1: expected a whole number of at least 0"),
        ("environment: {num_robots: []}", "environment.num_robots: []: expected a whole number from 1 to 8, or a list"),
        ("environment: {course: {}}", "environment.course: missing: generated"),
        ("environment: {course: {generated: 2, flags: 3}}", "environment.course.flags: unknown key: did you mean"),
        ("environment: {course: {generated: 2, difficulty: mad}, observation: flat}", "environment: difficulty: 'mad'"),
        ("environment: {opponents: random}", "environment.opponents: 'random': expected a list of players"),
        ("environment: {opponents: [3]}", "environment.opponents[0]: 3: expected the name of a player"),
        ("environment: {opponents: [random]}", "opponents: 1 players: expected fewer than the 1 robots"),
        ("environment: {num_robots: 2, opponents: [self]}", "environment.opponents: 'self': expected shares with it"),
        ("environment: {num_robots: 2, opponents: [past]}", "opponents: 'past': expected shares with it, such as"),
        ("environment: {lookahead: trial}", "expected none | paths | turns | trials | trials+value, or null; did"),
        ("environment: {seat: left}", "environment.seat: 'left': expected rotate, or a seat from 0 to 7"),
        ("environment: {seat: 1}", "environment.seat: 1: expected rotate, or less than the 1 robots"),
        ("environment: {preview: 1}", "environment.preview: 1: expected true or false"),
        ("environment: {settings: [lives]}", "environment.settings: ['lives']: expected settings with values"),
        ("environment: {decisions: facing}", "environment.decisions: 'facing': expected a list of decisions, or null"),
        ("network: big", "a.yaml:1: network: 'big': expected stock, or the network's sizes by name"),
        ("evaluation: {opponents: [random]}", "evaluation.opponents: 1 players: expected 0, all but one robot"),
        ("algorithm: {clip_range: 1.0e+300}", "clip_range: 1e+300: expected a number of more than 0 and at most 1000"),
        ("training: {threads: 100000}", "training.threads: 100000: expected a whole number from 1 to 1024"),
        # Errors that only players, courses and networks themselves can find
        ("environment: {course: nowhere}", "a.yaml: environment: "),
        ("environment: {observation: everything}", "a.yaml: environment: observation: 'everything': expected "),
        ("environment: {action: dance, observation: flat}", "a.yaml: environment: action: 'dance'"),
        ("environment: {reward: rich, observation: flat}", "a.yaml: environment: reward: 'rich': expected sparse"),
        ("environment: {reward: {gold: 1}, observation: flat}", "a.yaml: environment: reward: unknown term 'gold'"),
        ("environment: {settings: {lifes: 3}, observation: flat}", "setting 'lifes'; did you mean 'lives'?"),
        ("environment: {window: 4, observation: flat}", "a.yaml: environment: "),
        ("environment: {num_robots: 2, opponents: [gredy], observation: flat}", "did you mean 'greedy'?"),
        ("environment: {observation: flat}\nnetwork: {hiden: [3]}", "a.yaml: network.hiden: unknown key: did you"),
        ("environment: {observation: flat}\nnetwork: {hidden: 3}", "a.yaml: network.hidden: 3: expected a list"),
        ("environment: {observation: flat}\nnetwork: {kind: planes}", "a.yaml: observation: 'flat': expected planes"),
        ("environment: {observation: flat}\nnetwork: {kind: mlp, head: pointer}", "a.yaml: network: head: 'pointer'"),
        ("environment: {observation: entities}\nnetwork: stock", "a.yaml: network: 'stock': expected sizes by name"),
        ("environment: {observation: flat, num_games: 1000000000000}", "a.yaml: environment.num_games: 100000000000"),
        ("environment: {observation: flat}\nalgorithm: {turns_per_update: 1000000000000}", "turns_per_update: 1000"),
        ("environment: {observation: flat}\nevaluation: {games: 10000000000000}", "a.yaml: evaluation.games: 1000000"),
        ("environment: {observation: flat}\nleague: {games: 10000000000000}", "a.yaml: league.games: 10000000000000: "),
        (
            "environment: {observation: flat, num_robots: 2}\nevaluation: {opponents: [gredy]}",
            "a.yaml: evaluation: opponents: there is no player 'gredy': did you mean 'greedy'?",
        ),
    ],
)
def test_errors_name_file_key_value_and_expectation(content: str, expected: str) -> None:
    message = error_of(content)
    assert message.startswith("a.yaml:")
    assert expected in message


def test_files_that_cannot_be_read() -> None:
    with pytest.raises(RoboRallyError, match=r"none\.yaml: cannot be read: No such file"):
        TrainConfig.load("none.yaml")
    with pytest.raises(RoboRallyError, match="there is no configuration 'quikstart': did you mean 'quickstart'"):
        find_config("quikstart")


@pytest.mark.parametrize("text", ["", "\n", "# a comment\n", "---\n", "null", "~"])
def test_empty_files_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(text)
    for load in (TrainConfig.load, RaceConfig.load):
        with pytest.raises(RoboRallyError, match=r"a\.yaml: is empty: expected keys with values, or \{\} for all"):
            load(tmp_path / "a.yaml")
    (tmp_path / "a.yaml").write_text("{}")
    assert TrainConfig.load(tmp_path / "a.yaml") == TrainConfig()
    assert RaceConfig.load(tmp_path / "a.yaml") == RaceConfig()


@pytest.mark.parametrize("text", ["[]", "0", "false", "''"])
def test_files_without_keys_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(text)
    for load in (TrainConfig.load, RaceConfig.load):
        with pytest.raises(RoboRallyError, match=r"a\.yaml:?.*: expected keys with values: "):
            load(tmp_path / "a.yaml")


def test_configurations_are_found_here_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_config("quickstart") == SHIPPED / "quickstart.yaml"
    assert "quickstart" in config_names()
    own = tmp_path / "configs" / "quickstart.yaml"
    own.parent.mkdir()
    own.touch()
    assert find_config("quickstart").resolve() == own
    assert find_config(own) == own
    (tmp_path / "configs" / "mine.yaml").touch()
    assert {"mine", "quickstart"} <= set(config_names())
    for wrong in ("none", "none.yaml", "configs", "configs/mine", "x" * 300):
        with pytest.raises(RoboRallyError, match=f"there is no configuration '{wrong}': "):
            find_config(wrong)
    for odd in (None, 5, "\0"):
        with pytest.raises(RoboRallyError, match=r"config: .*: expected a path|expected a path without"):
            find_config(odd)  # type: ignore[arg-type]


def test_command_line_values_are_checked() -> None:
    assert TrainConfig().with_arguments(seed=4, steps=5).training.seed == 4
    given = {"course": ["checkmate"], "set": {"lives": 1}, "max_cycles": 9, "players": None}
    changed = TrainConfig().with_arguments(**given).environment
    assert (changed.course, changed.settings, changed.max_cycles) == ("checkmate", {"lives": 1}, 9)
    assert changed.opponents == ()
    two = TrainConfig.read("environment: {num_robots: 2, settings: {lives: 2, tie: joint}}")
    changed = two.with_arguments(course=["checkmate", "twister"], set={"lives": 1}, players=["greedy"]).environment
    assert (changed.course, changed.opponents) == (("checkmate", "twister"), ("greedy",))
    assert changed.settings == {"lives": 1, "tie": "joint"}
    with pytest.raises(RoboRallyError, match="--steps: 0: expected a whole number"):
        TrainConfig().with_arguments(steps=0)
    with pytest.raises(RoboRallyError, match=r"environment.opponents: 1 players: expected fewer than the 1 robots"):
        TrainConfig().with_arguments(players=["greedy"])


def test_overrides_replace_values_by_dotted_keys() -> None:
    read = TrainConfig.read("environment: {num_robots: 2, settings: {lives: 2}, opponents: [greedy]}")
    changed = read.with_overrides(
        {
            "algorithm.learning_rate": 5e-4, "environment.settings.tie": "joint", "network.hidden": (8, 8),
            "training.checkpoint_every": "3 updates", "environment.course.generated": 2, "environment.course.seed": 7,
            "environment.opponents": {"greedy": 0.5, "past": 0.5},
        },
        {"seed": 3},
    )  # fmt: skip
    assert changed == TrainConfig.read(
        "environment: {num_robots: 2, settings: {lives: 2, tie: joint}, course: {generated: 2, seed: 7}, "
        "opponents: {greedy: 0.5, past: 0.5}}\nalgorithm: {learning_rate: 5e-4}\nnetwork: {hidden: [8, 8]}\n"
        "training: {checkpoint_every: 3 updates}"
    )
    assert read.with_overrides(None, {}) is read
    assert read.environment.settings == {"lives": 2}


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ({"algorithm.learning_rat": 1}, r"argument algorithm.learning_rat: unknown key: did you mean 'learning_rate'"),
        ({"algorithm.gamma": "x"}, r"argument algorithm.gamma: 'x': expected a number of at least 0 and at most 1$"),
        ({"algoritm.gamma": 1}, r"argument algoritm: unknown key: did you mean 'algorithm'"),
        ({"algorithm.gamma.x": 1}, r"argument algorithm.gamma: \{'x': 1\}: expected a number"),
        ({"environment.course.seed": 1}, r"argument environment.course: missing: generated$"),
        ({"algorithm.final_learning_rate": 0.5}, r"^algorithm.final_learning_rate: 0.5: expected at most"),
        ({"training.seed": 1}, r"argument training.seed: expected no --seed with it"),
        ({"environment.settings.lives": 1}, r"argument environment.settings.lives: expected no --set with it"),
        ({3: 1}, r"overrides: \{3: 1\}: expected values by dotted keys"),
        (["a"], r"overrides: \['a'\]: expected values by dotted keys"),
    ],
)
def test_overrides_are_checked_as_files_are(overrides: Any, expected: str) -> None:
    with pytest.raises(RoboRallyError, match=expected):
        TrainConfig().with_overrides(overrides, {"seed": 2, "set": {"lives": 2}, "steps": None})


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["greedy"], "argument greedy: expected KEY=VALUE, such as algorithm.learning_rate=1e-3"),
        (["algorithm.gamma="], "argument algorithm.gamma=: expected KEY=VALUE"),
        (["algorithm.gamma=[1"], "argument algorithm.gamma:2: did not find expected"),
        (["training.seed=1", "training.seed=1"], "argument training.seed: expected it once"),
        (["algorithm.gama=1"], "argument algorithm.gama: unknown key: did you mean 'gamma'?"),
        (["training.total_steps=1", "--steps", "2"], "argument training.total_steps: expected no --steps with it"),
    ],
)
@pytest.mark.parametrize("command", [("train",), ("imitate", "greedy", "--out", "nowhere")])
def test_overrides_of_the_command_line_are_checked(
    words: list[str], expected: str, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "quickstart", *words]) == 2
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_shipped_configurations_are_right(path: Path) -> None:
    shipped = TrainConfig.load(path)
    environment = shipped.environment
    if isinstance(environment.course, sections.GeneratedCourses):  # two of the generated courses are enough here
        environment = replace(environment, course=replace(environment.course, generated=2))
    built.check_names(replace(shipped, environment=environment), path.name)


def test_first_difference() -> None:
    first = config.first_difference
    one: dict[str, Any] = {"a": 1, "b": {"c": [1, 2], "d": 3}}
    assert first(one, one) is None
    assert first(one, {"a": 1, "b": {"c": [1], "d": 4}}) == ("b.c", [1, 2], [1])
    assert first(one, {"a": 1}) == ("b", one["b"], None)


def test_every_key_is_documented() -> None:
    document, known = (ROOT / "docs" / "training.md").read_text("utf-8"), config.schema()["$defs"]

    def check(key: str, default: Any, facts: Mapping[str, Any]) -> None:
        shown = "null" if default is None else str(default).lower() if isinstance(default, bool) else str(default)
        assert f"| `{key}` | `{shown}` | {facts['description']} |\n" in document

    for name, value in TrainConfig().as_mapping().items():
        facts = known["TrainConfig"]["properties"][name]
        if "$ref" not in facts:
            check(name, value, facts)
            continue
        section = known[facts["$ref"].rpartition("/")[2]]["properties"]
        for key, default in value.items():
            check(f"{name}.{key}", default, section[key])


def test_the_published_schema_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    """The command `rr-gym train --schema > docs/training.schema.json` updates it."""
    assert main(["train", "--schema"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs" / "training.schema.json").read_text("utf-8")


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_the_schema_fits_shipped_configurations(path: Path) -> None:
    pytest.importorskip("jsonschema").validate(yaml12.load(path.read_text("utf-8")), config.schema())


@pytest.mark.parametrize(
    "content",
    [
        "algorithm: {gama: 0.9}", "algorithm: {gamma: 1.5}", "algorithm: {name: pp}", "network: big",
        "network: {hiden: [3]}", "environment: {course: {generated: 0}}", "environment: {lookahead: far}",
    ],
)  # fmt: skip
def test_the_schema_finds_what_is_wrong(content: str) -> None:
    schemas = pytest.importorskip("jsonschema")
    with pytest.raises(schemas.ValidationError):
        schemas.validate(yaml12.load(content), config.schema())


def test_a_wrong_configuration_is_refused_before_anything_heavy(tmp_path: Path, python: Python) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text("environment: {observation: flat}\ntraining: {seed: x}\n", encoding="utf-8")
    code = (
        "import sys; from rr_gym.cli.main import main; status = main(sys.argv[1:]); "
        "print(status, {'torch', 'stable_baselines3', 'numba'} & set(sys.modules))"
    )
    done = python("-c", code, "train", str(path), "--out", str(tmp_path / "run"))
    assert done.stdout == "2 set()\n"
    assert done.stderr == f"rr-gym: {path}:2: training.seed: 'x': expected a whole number from 0 to 4294967295\n"
    assert not (tmp_path / "run").exists()


def test_another_package_of_that_name_is_not_taken(tmp_path: Path, python: Python) -> None:
    other = tmp_path / "agents" / "__init__.py"
    other.parent.mkdir()
    other.write_text("raise SystemExit('the wrong package')\n", encoding="utf-8")
    both = os.pathsep.join([str(tmp_path), str(ROOT)])
    code = "from rr_gym.cli.main import main; print(main(['train', 'nothing']))"
    done = python("-c", code, PYTHONPATH=both, cwd=tmp_path)
    assert done.stdout == "2\n"
    assert done.stderr.startswith("rr-gym: there is no configuration 'nothing'")
