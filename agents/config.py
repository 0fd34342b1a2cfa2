"""Training configurations: sections of keys in YAML, checked completely before anything is built (docs/training.md)."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, field, structs

from rr_gym.config_files import parse_config
from rr_gym.envs.shares import SELF
from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.files import read_text
from rr_gym.typed_data import at, plain, typed

from .sections import (
    PAST,
    STOCK,
    AlgorithmConfig,
    EnvironmentConfig,
    EvaluationConfig,
    LeagueConfig,
    Section,
    TrainingConfig,
    doc,
)

# The section and the key that an option of the command line replaces
ARGUMENTS = {
    "players": ("environment", "opponents"), "course": ("environment", "course"), "set": ("environment", "settings"),
    "max_cycles": ("environment", "max_cycles"), "from": ("training", "start"),
    "seed": ("training", "seed"), "steps": ("training", "total_steps"),
}  # fmt: skip


class ConfigError(RoboRallyError):
    """An invalid configuration; the message names the file, the key, the value and what was expected."""


Network = Annotated[Literal["stock"] | dict[str, Any], Meta(title="stock, or the network's sizes by name")]


class TrainConfig(Section, frozen=True):
    """All sections of a configuration."""

    environment: EnvironmentConfig = field(default_factory=EnvironmentConfig)
    algorithm: AlgorithmConfig = field(default_factory=AlgorithmConfig)
    network: Annotated[Network, doc("`stock` (two hidden layers of 64) or the sizes of the network")] = field(
        default_factory=dict
    )
    training: TrainingConfig = field(default_factory=TrainingConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    league: LeagueConfig = field(default_factory=LeagueConfig)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TrainConfig:
        """Read a configuration file in YAML. Raises ConfigError, or RoboRallyError if the file is not YAML."""
        return cls.read(read_text(path, ConfigError), str(path))

    @classmethod
    def read(cls, content: str, filename: str = "<text>") -> TrainConfig:
        """Read a configuration from text in YAML.

        Args:
            content: The text.
            filename: The name of the file in error messages.

        Raises:
            ConfigError: A key or a value is not valid; the message names the file, the line and the key.
        """
        data, where = parse_config(content, filename, ConfigError)
        config: TrainConfig = typed(data, cls, where, ConfigError)
        for path, error in _contradictions(config):
            raise ConfigError(f"{at(where, path)}: {error}")
        return config

    def with_overrides(self, overrides: Mapping[str, Any] | None, given: Mapping[str, Any]) -> TrainConfig:
        """Return a copy of this configuration in which values by dotted keys replace those of the file.

        Args:
            overrides: Plain data by dotted keys, such as ``{"algorithm.learning_rate": 1e-3}``; a key may also lead
                into a mapping, as ``environment.settings.lives`` does. None replaces nothing.
            given: The arguments of the later call of `with_arguments`; they must not replace the same values.

        Raises:
            ConfigError: There is no such key, its value is not valid, or an option replaces it too.
        """
        if overrides is None:
            return self
        if not isinstance(overrides, Mapping) or not all(isinstance(key, str) for key in overrides):
            raise ConfigError(f"overrides: {short_repr(overrides)}: expected values by dotted keys")
        mapping = self.as_mapping()
        for key, value in overrides.items():
            for option, place in ARGUMENTS.items():
                if given.get(option) is not None and f"{key}.".startswith(f"{'.'.join(place)}."):
                    raise ConfigError(f"argument {key}: expected no --{option.replace('_', '-')} with it")
            *sections, last = key.split(".")
            part = mapping
            for name in sections:
                if not isinstance(part.get(name), dict):
                    part[name] = {}
                part = part[name]
            part[last] = plain(value)
        try:
            changed: TrainConfig = typed(mapping, TrainConfig, "", ConfigError)
        except ConfigError as error:
            raise ConfigError(f"argument {error}") from None
        return changed._without_contradictions()

    def with_arguments(self, **given: Any) -> TrainConfig:
        """Return a copy of this configuration in which the arguments of the command line replace values.

        Args:
            given: Values by the name of the option, a key of `ARGUMENTS`; None if it was not given. `course` is a list,
                and `set` adds to the settings.

        Raises:
            ConfigError: A value is not valid; the message names the option.
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
            kind = next(f.type for f in structs.fields(part) if f.name == key)
            part = structs.replace(part, **{key: typed(value, kind, f"--{name.replace('_', '-')}", ConfigError)})
            changed = structs.replace(changed, **{section: part})
        return changed if changed is self else changed._without_contradictions()

    def _without_contradictions(self) -> TrainConfig:
        """Return this configuration; raise a ConfigError if keys contradict each other."""
        for path, error in _contradictions(self):
            raise ConfigError(f"{at('', path)}: {error}")
        return self

    def as_mapping(self) -> dict[str, Any]:
        """Return all keys and values as plain data, from which `read` makes an equal configuration."""
        mapping: dict[str, Any] = plain(msgspec.to_builtins(self, enc_hook=str))
        return mapping


def _contradictions(config: TrainConfig) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the path of a key and an error for each contradiction between keys whose values are valid by themselves."""
    env = config.environment
    robots = most_robots(config)
    if isinstance(env.opponents, Mapping):
        if robots < 2:
            yield ("environment", "opponents"), "shares: expected none: the only robot is the learner's"
        total = math.fsum(env.opponents.values())
        if abs(total - 1) > 1e-6:
            yield ("environment", "opponents"), f"the shares add up to {total:g}: expected 1"
    else:
        for name in env.opponents:
            if name in (SELF, PAST):
                yield ("environment", "opponents"), f"'{name}': expected shares with it, such as {{{name}: 1}}"
        if len(env.opponents) >= robots:
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
    if config.training.start is not None and config.network == STOCK:
        yield ("training", "start"), f"{config.training.start}: expected a network that is not {STOCK}"
    opponents = config.evaluation.opponents
    if opponents is not None and len(opponents) != robots - 1:
        yield ("evaluation", "opponents"), f"{len(opponents)} players: expected {robots - 1}, all but one robot"
    if config.evaluation.keep_best and config.evaluation.every is None:
        yield ("evaluation", "keep_best"), "true: expected evaluations, evaluation.every"
    if config.evaluation.exploit_every is not None and (expected := _lacks_for_exploits(config)):
        yield ("evaluation", "exploit_every"), f"{config.evaluation.exploit_every}: expected {expected}"


def _lacks_for_exploits(config: TrainConfig) -> str:
    """Return what a configuration lacks for `evaluation.exploit_every`, in words; an empty string if nothing."""
    numbers = config.environment.num_robots
    if 2 not in (numbers if isinstance(numbers, tuple) else (numbers,)):
        return f"duels (environment.num_robots 2), found {most_robots(config)} robots"
    if isinstance(numbers, tuple) and config.environment.observation != "choices":
        return f"environment.num_robots 2 alone with the observation {config.environment.observation}"
    return f"a network that is not {STOCK}" if config.network == STOCK else ""


def first_difference(one: Any, other: Any, key: str = "") -> tuple[str, Any, Any] | None:
    """Find the first difference between two nested structures of plain data.

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


def schema() -> dict[str, Any]:
    """Return the JSON schema of configurations, with which editors complete and check them."""
    from rr_gym.policies.spec import NetworkSpec

    every = {"type": ["string", "number"], "default": str(TrainConfig().training.checkpoint_every)}
    whole = msgspec.json.schema(TrainConfig, schema_hook=lambda _: every)
    sizes = msgspec.json.schema(NetworkSpec)["$defs"]["NetworkSpec"]["properties"]
    whole["$defs"]["TrainConfig"]["properties"]["network"]["anyOf"][1] = {
        "type": "object", "properties": sizes, "additionalProperties": False,
    }  # fmt: skip
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **whole}


def most_robots(config: TrainConfig) -> int:
    """Return the largest number of robots that a game of the training can have."""
    number = config.environment.num_robots
    return max(number) if isinstance(number, tuple) else number
