"""Build what a configuration describes: courses, environments, network sizes, evaluation opponents."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextlib import closing
from functools import lru_cache
from typing import Any

from msgspec import structs

from rr_gym.courses.course import Course
from rr_gym.envs.shares import SELF
from rr_gym.errors import RoboRallyError, check_memory
from rr_gym.evaluation.matches import BYTES_OF_A_GAME
from rr_gym.generate import generate_course
from rr_gym.rules.state.records import GAME
from rr_gym.typed_data import plain

from .config import ConfigError, TrainConfig, most_robots
from .sections import MOST_GENERATED, PAST, STOCK, GeneratedCourses


def courses_of(config: TrainConfig) -> list[str | Course]:
    """Return the courses of the training: ids, paths or generated courses.

    Raises:
        GenerateError: No course that robots can finish was found for the options of the generator.
    """
    course = config.environment.course
    if isinstance(course, str):
        return [course]
    if not isinstance(course, GeneratedCourses):
        return list(course)
    options = json.dumps({key: value for key, value in plain(course).items() if key not in ("generated", "seed")})
    return [_generated(course.seed + k, options) for k in range(course.generated)]


@lru_cache(maxsize=MOST_GENERATED)
def _generated(seed: int, options: str) -> Course:
    return generate_course(seed, **json.loads(options))


def check_names(config: TrainConfig, filename: str) -> Any:
    """Check that everything named in `environment`, `network` and `evaluation` exists and fits together.

    Returns:
        The core that was created for the check, with a single game on each course. Its players are closed.

    Raises:
        ConfigError: A name does not exist or a value is not valid; the message names the file and the section.
    """
    from rr_gym.player_calls import close_players, orders_from
    from rr_gym.policies.spec import PolicySpec, policy_facts
    from rr_gym.registry import check_player, make_player

    named = config.environment.opponents
    section = "environment: "
    try:
        for name in named if isinstance(named, Mapping) else ():
            if name not in (SELF, PAST):
                section = f"environment.opponents.{name}: "
                check_player(name)
        section = "environment: "
        core = one_of_each(config)
        with closing(core):  # programs among the opponents would run on until the core is collected
            core.reset(0)
            # A trained opponent reports only now if it was trained for different games.
            for player in core.lineup.opponents:
                orders_from(player, core.arena, core.games, 0)
        section = ""  # the errors below name their section themselves
        _check_sizes(config, core)
        if config.network != STOCK:
            PolicySpec.from_json({**policy_facts(core), "network": network_of(config)}, filename)
        elif config.environment.observation not in ("flat", "planes"):
            observation = config.environment.observation
            raise ConfigError(f"network: '{STOCK}': expected sizes by name with the observation {observation}")
        section = "evaluation: opponents: "
        for name in config.evaluation.opponents or ():
            close_players([make_player(name)])
    except RoboRallyError as error:
        raise ConfigError(f"{filename}: {section}{str(error).removeprefix(f'{filename}: ')}") from error
    return core


def _check_sizes(config: TrainConfig, core: Any) -> None:
    """Check that the games and the rollout fit into memory. Raises ConfigError if they do not.

    Args:
        config: The configuration of the training.
        core: A core of its environment, with any number of games.
    """
    games, options = config.environment.num_games, config.algorithm
    check_memory("environment.num_games", games, core.bytes_of_a_game(), ConfigError)
    # A rollout stores, for each row and step, the observation, the mask as floats, and six numbers.
    step = core.bytes_of_a_row() + 4 * math.prod(core.mask_shape) + 24
    rows = games * core.num_seats * core.stages
    check_memory("algorithm.turns_per_update", options.turns_per_update, rows * step, ConfigError)
    check_memory("evaluation.games", config.evaluation.games, BYTES_OF_A_GAME, ConfigError)
    check_memory("league.games", config.league.games, GAME.itemsize, ConfigError)


def network_of(config: TrainConfig) -> dict[str, Any]:
    """Return the kind and the sizes of the network; the kind follows from the observation unless it is given."""
    assert not isinstance(config.network, str)
    return {"kind": config.environment.observation.partition("+")[0], **config.network}


def evaluation_opponents(config: TrainConfig) -> tuple[str, ...]:
    """Return the opponents in evaluations, one name for each seat.

    Unless the configuration names them, these are the opponents in training, with random players in the seats of other
    learners. If the training draws opponents by shares, the named player with the largest share gets all seats.
    """
    if config.evaluation.opponents is not None:
        return config.evaluation.opponents
    env = config.environment
    if isinstance(env.opponents, Mapping):
        named = {name: share for name, share in env.opponents.items() if name not in (SELF, PAST)} or {"random": 1.0}
        return (max(named, key=lambda name: named[name]),) * (most_robots(config) - 1)
    return env.opponents + ("random",) * (most_robots(config) - 1 - len(env.opponents))


def _without_past(shares: Mapping[str, float]) -> dict[str, float]:
    """Return the shares of opponents without past selves, scaled to a sum of 1, for the time before the first one."""
    others = {name: share for name, share in shares.items() if name != PAST}
    total = sum(others.values())
    if total <= 0:
        return {**others, **({SELF: 1.0} if SELF in others else {"random": 1.0})}
    return {name: share / total for name, share in others.items()}


def environment_arguments(config: TrainConfig, **changes: Any) -> dict[str, Any]:
    """Return the keyword arguments of the training environment, with `changes` applied."""
    arguments = structs.asdict(config.environment)
    course = config.environment.course
    arguments["course"] = course if isinstance(course, str) else courses_of(config)
    arguments["num_robots"] = list(robots) if isinstance(robots := arguments["num_robots"], tuple) else robots
    if isinstance(config.environment.opponents, Mapping):
        arguments["opponents"] = _without_past(config.environment.opponents)
    arguments["preview"] = config.environment.preview and config.environment.action == "cards"
    return {**arguments, "gamma": config.algorithm.gamma, **changes}


def one_of_each(config: TrainConfig) -> Any:
    """Create the core of the environment with one game on each course, to check a configuration."""
    from rr_gym.envs.core import Core

    return Core(**environment_arguments(config, num_games=len(courses_of(config))))
