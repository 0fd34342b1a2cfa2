"""Configurations of trainings: sections of keys in YAML, checked whole before anything is built (docs/training.md)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from rr_gym import yaml12
from rr_gym.choices.columns import LOOKAHEADS
from rr_gym.envs.shares import check_shares
from rr_gym.errors import did_you_mean, shown
from rr_gym.files import read_text

from .checks import (
    Check,
    ConfigError,
    either,
    list_of,
    mapping,
    number,
    optional,
    text,
    whole,
    word,
    wrong,
    yes_or_no,
)

STOCK = "stock"
PAST = "past"  # in a mix of opponents: past selves
CONFIGS = Path("configs")
SHIPPED = Path(__file__).parents[1] / "configs"

GENERATED = "generated"  # of courses: how many
MOST_GENERATED = 200
GENERATOR = ("seed", "width", "height", "num_flags", "num_starts", "density", "difficulty", "elements")

# Where an option of the command line has its place
ARGUMENTS = {
    "players": ("environment", "opponents"), "course": ("environment", "course"), "set": ("environment", "settings"),
    "max_cycles": ("environment", "max_cycles"), "from": ("training", "start"),
    "seed": ("training", "seed"), "steps": ("training", "total_steps"),
}  # fmt: skip

_NAME = text("the name of a player or the folder of a policy")
_NAMES = list_of(_NAME, "a list of players", most=7)
_SHARE = number(0, 1)


def _opponents(where: str, value: Any) -> Any:
    """A list of players, or players with their shares."""
    if not isinstance(value, Mapping):
        return list_of(_NAME, "a list of players, or their shares by name", most=7)(where, value)
    shares = {_NAME(where, name): _SHARE(f"{where}.{name}", share) for name, share in value.items()}
    return check_shares(where, shares, ConfigError)


def _robots(where: str, value: Any) -> Any:
    """A number of robots, or a list of such numbers."""
    check = whole(1, 8)
    if not isinstance(value, list | tuple):
        return check(where, value)
    if not value:
        raise wrong(where, value, "at least one number")
    return list_of(check, "a list of numbers")(where, value)


@dataclass(frozen=True, slots=True)
class Interval:
    """How often something is done: every so many updates or minutes."""

    count: float
    unit: str

    def __str__(self) -> str:
        whole = self.count == int(self.count)
        return f"{int(self.count) if whole else self.count} {self.unit}"


def _interval(where: str, value: Any) -> Interval:
    """An `Interval`, from a number of updates or text such as `5 minutes`."""
    expected = "a number of updates, or text such as '20 updates' or '5 minutes'"
    words = value.split() if isinstance(value, str) else [value, "updates"]
    if len(words) != 2 or words[1] not in ("updates", "minutes"):
        raise wrong(where, value, expected)
    try:
        count = float(words[0])
    except (TypeError, ValueError, OverflowError):
        raise wrong(where, value, expected) from None
    if isinstance(value, bool) or not 0 < count < float("inf") or (words[1] == "updates" and count != int(count)):
        raise wrong(where, value, expected)
    return Interval(count, words[1])


def _option(default: Any, check: Check, doc: str) -> Any:
    """A key of a section: its default, its check and what is said of it in the documentation."""
    factory: dict[str, Any] = {"default_factory": dict} if default == {} else {"default": default}
    return field(metadata={"check": check, "doc": doc}, **factory)


_course = text("the id of a course or a path")
_courses = list_of(_course, "a list of courses")


def _played_on(where: str, value: Any) -> Any:
    """A course, a list of courses, or how many are generated; what the generator takes is checked by itself."""
    if isinstance(value, Mapping):
        for key in value:
            if key not in (GENERATED, *GENERATOR):
                hint = did_you_mean(key, (GENERATED, *GENERATOR)) or f"expected {GENERATED}, {', '.join(GENERATOR)}"
                raise ConfigError(f"{where}: unknown key {shown(key)}: {hint}")
        whole(1, MOST_GENERATED)(f"{where}.{GENERATED}", value.get(GENERATED))
        whole(0)(f"{where}.seed", value.get("seed", 0))
        return dict(value)
    expected = "the id of a course or a path, a list of them, or a number of generated ones"
    return either(expected, _course, _courses)(where, value)


@dataclass(frozen=True, slots=True)
class EnvironmentConfig:
    """What is played: the arguments of the environment."""

    course: str | tuple[str, ...] | Mapping[str, Any] = _option(
        "risky_exchange",
        _played_on,
        "Id or path of a course, or a list: game i is played on course i modulo their number; or generated ones",
    )
    num_games: int = _option(64, whole(1), "Games played in parallel")
    num_robots: int | tuple[int, ...] = _option(
        1, _robots, "Robots in each game; of a list one is drawn for every game and episode"
    )
    opponents: tuple[str, ...] | Mapping[str, float] = _option(
        (), _opponents, "Players in seats that do not learn, all other seats are learners; or shares by player"
    )
    seat: int | str = _option(
        "rotate",
        either("rotate, or a seat from 0 to 7", word("rotate"), whole(0, 7)),
        "The first learner's seat, or `rotate`: one seat further in each episode",
    )
    max_cycles: int = _option(100, whole(1), "Turns after which a game is truncated")
    observation: str = _option("entities+planes", text("the name of an observation"), "What a seat sees")
    action: str = _option("cards", text("cards, draw or slots"), "`cards`: a decision per step; others: a whole turn")
    reward: str | Mapping[str, Any] = _option(
        "shaped",
        either("a preset, or weights by term", text("a preset"), mapping("weights by term")),
        "A preset or weights by term",
    )
    window: int | None = _option(None, optional(whole(1)), "Odd width of the board in view; null: the default")
    decisions: tuple[str, ...] | None = _option(
        None,
        optional(list_of(text("the name of a decision"), "a list of decisions")),
        "What is decided besides the cards; null: all that the settings can use except the rare ones",
    )
    preview: bool = _option(True, yes_or_no, "`cards` only: later decisions see the robot moved by the cards so far")
    lookahead: str | None = _option(
        None,
        optional(word(*LOOKAHEADS)),
        "With an observation with choices: `none`, `paths`, `turns` or `trials`; null: turns",
    )
    settings: Mapping[str, Any] = _option({}, mapping("settings with values"), "Settings of the game, by name")


@dataclass(frozen=True, slots=True)
class AlgorithmConfig:
    """How it learns: proximal policy optimisation (PPO)."""

    name: str = _option(
        "maskable_ppo", word("maskable_ppo", "ppo"), "`ppo` ignores masks; illegal choices are repaired"
    )
    turns_per_update: int = _option(32, whole(1), "Turns per game between updates")
    batch_size: int = _option(1024, whole(2), "Minimum number of rows in a mini-batch")
    epochs: int = _option(4, whole(1), "Passes over the rows of an update")
    learning_rate: float = _option(1e-3, number(0, 1, above=True), "Learning rate of Adam at the start")
    final_learning_rate: float | None = _option(None, optional(number(0, 1)), "At the end of training; null: the same")
    gamma: float = _option(0.98, number(0, 1), "Discount of a turn, also in the reward's terms `progress` and `lead`")
    gae_lambda: float = _option(0.95, number(0, 1), "Lambda of generalised advantage estimation, per turn")
    clip_range: float = _option(0.2, number(0, above=True), "Clipping range of the probability ratio")
    entropy_coef: float = _option(0.01, number(0), "Weight of the entropy bonus")
    value_coef: float = _option(0.5, number(0), "Weight of the value loss")
    max_grad_norm: float = _option(0.5, number(0, above=True), "Gradients are clipped to this norm")
    pull: float = _option(
        0.0,
        number(0),
        "Weight of the divergence (KL) from the policy of training.start in the loss, where it starts from one",
    )
    rules_until: float = _option(
        0.0, number(0, 1), "`cards` only: until this share of the training, rules decide power-downs and facings"
    )
    target_kl: float | None = _option(None, optional(number(0, above=True)), "An update stops beyond 1.5 times this")


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """How long it trains, and what is kept."""

    start: str | None = _option(
        None,
        optional(text("a shipped policy or the folder of one")),
        "The policy to start from: a folder, or one that ships, such as `champion`; null: random weights",
    )
    total_steps: int = _option(1_000_000, whole(1), "Rows to learn from: a row is one step of one learner")
    minutes: float | None = _option(None, optional(number(0, above=True)), "Time limit in minutes; null: none")
    seed: int = _option(0, whole(0, 2**32 - 1), "Seed of the games, the weights and all other randomness")
    checkpoint_every: Interval = field(
        default=Interval(5, "minutes"), metadata={"check": _interval, "doc": "`20 updates` or `5 minutes`"}
    )
    keep: int = _option(3, whole(1), "How many of the latest checkpoints are kept")
    log_every: int = _option(1, whole(1), "Updates per line of the learning curve")
    threads: int = _option(1, whole(1), "Threads of the network; with more than 1, last digits may differ")
    second_core: bool = _option(False, yes_or_no, "A second process plays, one update behind the one that learns")


@dataclass(frozen=True, slots=True)
class LeagueConfig:
    """Past selves, where `environment.opponents` has a share for `past`."""

    snapshot_every: int = _option(20, whole(1), "Updates between snapshots, which are the past selves")
    snapshots: int = _option(20, whole(1, 20), "How many are kept; of more, the easiest to beat goes")
    at_once: int = _option(4, whole(1, 20), "So many are drawn after each update, and met until the next")
    hardness: float = _option(2.0, number(0), "Drawn by this power of the share of games that they win; 0: all alike")
    games: int = _option(20, whole(0), "Games of a new one against each other player, for ratings; 0: none")


@dataclass(frozen=True, slots=True)
class EvaluationConfig:
    """Matches of the policy against players while it learns."""

    every: int | None = _option(None, optional(whole(1)), "Updates between evaluations; null: none")
    opponents: tuple[str, ...] | None = _option(
        None, optional(_NAMES), "Opponents; null: those of training, and `random` in place of other learners"
    )
    games: int = _option(64, whole(1), "Games per evaluation")
    seed: int = _option(1_000_000, whole(0, 2**32 - 1), "Seed of these games, the same in every evaluation")


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """A whole configuration."""

    environment: EnvironmentConfig = field(default_factory=EnvironmentConfig)
    algorithm: AlgorithmConfig = field(default_factory=AlgorithmConfig)
    network: str | Mapping[str, Any] = _option(
        {},
        either("stock, or the network's sizes by name", word(STOCK), mapping("the network's sizes by name")),
        "`stock` (two hidden layers of 64) or the sizes of the network",
    )
    training: TrainingConfig = field(default_factory=TrainingConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    league: LeagueConfig = field(default_factory=LeagueConfig)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TrainConfig:
        """Read a configuration file in YAML. Raises ConfigError, or RoboRallyError where it is not YAML."""
        return cls.read(read_text(path, ConfigError), str(path))

    @classmethod
    def read(cls, content: str, filename: str = "<text>") -> TrainConfig:
        """The same from a text."""
        data, lines = yaml12.load_lines(content, filename)
        config: TrainConfig = _read(cls, {} if data is None else data, (), lambda path: f"{filename}:{lines[path]}")
        for path, error in _contradictions(config):
            raise ConfigError(f"{filename}:{lines.get(path, lines[()])}: {'.'.join(path)}: {error}")
        return config

    def with_training(self, **changes: Any) -> TrainConfig:
        """This configuration with other values in the section `training`."""
        known = {f.name: f for f in fields(TrainingConfig)}
        checked = {key: known[key].metadata["check"](f"training.{key}", value) for key, value in changes.items()}
        return replace(self, training=replace(self.training, **checked))

    def with_arguments(self, **given: Any) -> TrainConfig:
        """This configuration with what was given on the command line.

        Args:
            given: Values by the option's name (`ARGUMENTS`); None for those that were not given. `course` is a list,
                and `set` adds to the settings.

        Raises:
            ConfigError: A value does not fit; names the option.
        """
        changed = self
        for name, value in given.items():
            if value is None:
                continue
            section, key = ARGUMENTS[name]
            part = getattr(changed, section)
            if name == "course":
                value = value if len(value) > 1 else value[0]
            elif name == "set":
                value = {**part.settings, **value}
            check = {f.name: f for f in fields(part)}[key].metadata["check"]
            part = replace(part, **{key: check(f"--{name.replace('_', '-')}", value)})
            changed = replace(changed, **{section: part})
        for path, error in _contradictions(changed) if changed is not self else ():
            raise ConfigError(f"{'.'.join(path)}: {error}")
        return changed

    def as_mapping(self) -> dict[str, Any]:
        """Plain data, every key with its value, that reads back as the same configuration."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}


def _read(cls: Any, data: Any, path: yaml12.Path, line: Callable[[yaml12.Path], str]) -> Any:
    """A section of the configuration; `line` tells where in the file a path stands."""
    known: dict[str, Field[Any]] = {f.name: f for f in fields(cls)}
    where = line(path) + (f": {'.'.join(path)}" if path else "")
    if not isinstance(data, Mapping):
        raise wrong(where, data, f"keys with values: {', '.join(known)}")
    values = {}
    for key, value in data.items():
        here = (*path, key)
        if key not in known:
            hint = did_you_mean(key, known) or f"expected {', '.join(known)}"
            raise ConfigError(f"{line(here)}: unknown key '{'.'.join(map(str, here))}': {hint}")
        section = known[key].default_factory
        if is_dataclass(section):
            values[key] = _read(section, value, here, line)
        else:
            values[key] = known[key].metadata["check"](f"{line(here)}: {'.'.join(here)}", value)
    return cls(**values)


def _contradictions(config: TrainConfig) -> Iterator[tuple[tuple[str, str], str]]:
    """What is wrong between keys that are right by themselves."""
    env = config.environment
    robots = most_robots(config)
    if isinstance(env.opponents, Mapping):
        if robots < 2:
            yield ("environment", "opponents"), "shares: expected none: the only robot is the learner's"
    elif len(env.opponents) >= robots:
        found = f"{len(env.opponents)} players"
        yield ("environment", "opponents"), f"{found}: expected fewer than the {robots} robots"
    if isinstance(env.seat, int) and env.seat >= robots:
        yield ("environment", "seat"), f"{env.seat}: expected rotate, or less than the {robots} robots"
    if isinstance(env.course, tuple) and not env.course:
        yield ("environment", "course"), "(): expected at least one course"
    if config.algorithm.rules_until and env.action != "cards":
        yield ("algorithm", "rules_until"), f"{config.algorithm.rules_until:g}: expected 0 with the action {env.action}"
    final = config.algorithm.final_learning_rate
    if final is not None and final > config.algorithm.learning_rate:
        yield ("algorithm", "final_learning_rate"), f"{final}: expected at most the learning_rate"
    pull = config.algorithm.pull
    if pull and not config.algorithm.entropy_coef:
        yield ("algorithm", "pull"), f"{pull}: expected an entropy_coef above 0 beside it"
    if config.training.start is not None and config.network == STOCK:
        yield ("training", "start"), f"{config.training.start}: expected a network that is not {STOCK}"
    opponents = config.evaluation.opponents
    if opponents is not None and len(opponents) != robots - 1:
        yield ("evaluation", "opponents"), f"{len(opponents)} players: expected {robots - 1}, all but one robot"


def _plain(value: Any) -> Any:
    """A value in types that YAML has."""
    if is_dataclass(value) and not isinstance(value, Interval):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Interval) else value


def first_difference(one: Any, other: Any, key: str = "") -> tuple[str, Any, Any] | None:
    """The first dotted key whose values differ in two nests of plain data, and both values; None if they are equal."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for name in dict.fromkeys([*one, *other]):
            found = first_difference(one.get(name), other.get(name), f"{key}.{name}".lstrip("."))
            if found:
                return found
        return None
    return None if one == other else (key, one, other)


def described(cls: Any = TrainConfig, prefix: str = "") -> list[tuple[str, str, str]]:
    """(dotted key, default as in YAML, what it is) of every key."""
    rows = []
    for f in fields(cls):
        if is_dataclass(f.default_factory):
            rows += described(f.default_factory, f"{prefix}{f.name}.")
        else:
            default = _plain(f.default if not callable(f.default_factory) else f.default_factory())
            shown = "null" if default is None else str(default).lower() if isinstance(default, bool) else str(default)
            rows.append((prefix + f.name, shown, f.metadata["doc"]))
    return rows


def find_config(name: str | os.PathLike[str]) -> Path:
    """The file of a configuration: a path, or the bare name of one in ``configs`` or of those that are shipped.

    Raises:
        ConfigError: There is no such file.
    """
    path = Path(name)
    if path.is_file():
        return path
    if path.name == str(name) and not path.suffix:
        for folder in (CONFIGS, SHIPPED):
            if (folder / f"{name}.yaml").is_file():
                return folder / f"{name}.yaml"
    known = sorted({file.stem for folder in (CONFIGS, SHIPPED) for file in folder.glob("*.yaml")})
    hint = did_you_mean(path.stem, known) or f"expected a YAML file, or one of {', '.join(known) or 'those in configs'}"
    raise ConfigError(f"there is no configuration '{name}': {hint}")


def most_robots(config: TrainConfig) -> int:
    """The largest number of robots in a game."""
    number = config.environment.num_robots
    return max(number) if isinstance(number, tuple) else number
