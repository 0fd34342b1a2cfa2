"""Configurations of trainings: sections of keys in YAML, checked whole before anything is built (docs/training.md)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from typing import Any

from rr_gym import yaml12
from rr_gym.config_files import parse_config
from rr_gym.errors import did_you_mean
from rr_gym.files import read_text

from .checks import ConfigError, either, mapping, word, wrong
from .sections import (
    STOCK,
    AlgorithmConfig,
    EnvironmentConfig,
    EvaluationConfig,
    Interval,
    LeagueConfig,
    TrainingConfig,
    option,
)

# Where an option of the command line has its place
ARGUMENTS = {
    "players": ("environment", "opponents"), "course": ("environment", "course"), "set": ("environment", "settings"),
    "max_cycles": ("environment", "max_cycles"), "from": ("training", "start"),
    "seed": ("training", "seed"), "steps": ("training", "total_steps"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """A whole configuration."""

    environment: EnvironmentConfig = field(default_factory=EnvironmentConfig)
    algorithm: AlgorithmConfig = field(default_factory=AlgorithmConfig)
    network: str | Mapping[str, Any] = option(
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
        """Read a configuration from text in YAML.

        Args:
            content: The text.
            filename: The name of the file in errors.

        Raises:
            ConfigError: A key or a value does not fit; names the file, the line and the key.
        """
        data, lines = parse_config(content, filename, ConfigError)
        config: TrainConfig = _read(cls, data, (), lambda path: f"{filename}:{lines[path]}")
        for path, error in _contradictions(config):
            raise ConfigError(f"{filename}:{lines.get(path, lines[()])}: {'.'.join(path)}: {error}")
        return config

    def with_arguments(self, **given: Any) -> TrainConfig:
        """Return a copy of this configuration in which the arguments of the command line replace values.

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
        """Return all keys with their values as plain data, which reads back as an equal configuration."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}


def _read(cls: Any, data: Any, path: yaml12.Path, line: Callable[[yaml12.Path], str]) -> Any:
    """Read a section of the configuration.

    Args:
        cls: The dataclass of the section.
        data: The section as read from YAML.
        path: The keys that lead to the section.
        line: Returns the file and line at which a path stands, for errors.
    """
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
    """Yield each contradiction between keys whose values are right by themselves: the path of a key, and the error."""
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
    """Convert a value into dicts, lists and scalars, which YAML can hold."""
    if is_dataclass(value) and not isinstance(value, Interval):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Interval) else value


def first_difference(one: Any, other: Any, key: str = "") -> tuple[str, Any, Any] | None:
    """Find the first difference between two nests of plain data.

    Returns:
        The dotted key, its value in `one` and its value in `other`; None if both are equal.
    """
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for name in dict.fromkeys([*one, *other]):
            found = first_difference(one.get(name), other.get(name), f"{key}.{name}".lstrip("."))
            if found:
                return found
        return None
    return None if one == other else (key, one, other)


def described(cls: Any = TrainConfig, prefix: str = "") -> list[tuple[str, str, str]]:
    """List all keys of the configuration: the dotted key, its default as in YAML, and its description."""
    rows = []
    for f in fields(cls):
        if is_dataclass(f.default_factory):
            rows += described(f.default_factory, f"{prefix}{f.name}.")
        else:
            default = _plain(f.default if not callable(f.default_factory) else f.default_factory())
            shown = "null" if default is None else str(default).lower() if isinstance(default, bool) else str(default)
            rows.append((prefix + f.name, shown, f.metadata["doc"]))
    return rows


def most_robots(config: TrainConfig) -> int:
    """Return the largest number of robots that a game of the training can have."""
    number = config.environment.num_robots
    return max(number) if isinstance(number, tuple) else number
