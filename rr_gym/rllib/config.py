"""Configurations of PPO for all seats of a game, and for self-play against earlier selves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from rr_gym.errors import RoboRallyError, short_repr, whole_number
from rr_gym.policies.spaces import spec_of_environment
from rr_gym.rllib.env import RoboRallyMultiAgentEnv, RoboRallyVectorMultiAgentEnv
from rr_gym.rllib.module import MaskedModule
from rr_gym.rllib.runner import RoboRallyEnvRunner
from rr_gym.rllib.self_play import LEARNER, Places, Seating, SelfPlay
from rr_gym.rules.arena.arena import CourseLike


def ppo_config(
    course: CourseLike | Sequence[CourseLike] = "risky_exchange",
    num_robots: int = 4,
    *,
    games_per_runner: int = 32,
    network: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> Any:
    """Configure PPO with one policy, `LEARNER`, that learns in every seat not taken by opponents.

    Args:
        course: The course of all games, or a list of courses, which are assigned to games in rotation.
        num_robots: Robots of a game.
        games_per_runner: Games that a runner plays side by side.
        network: Sizes by name; see `rr_gym.policies.NetworkSpec`; its kind follows from the observation.
        arguments: Further arguments of environments (docs/interfaces.md): `opponents`, `observation`, `action`,
            `reward`, `gamma` (per turn), ...

    Returns:
        RLlib's `PPOConfig`; everything in it can still be changed, such as ``config.env_runners(num_env_runners=16)``.

    Raises:
        RoboRallyError: An argument has a wrong value.
    """
    return _config(course, num_robots, games_per_runner, network, arguments, Seating(), Places)


def self_play_config(
    course: CourseLike | Sequence[CourseLike] = "risky_exchange",
    num_robots: int = 2,
    *,
    past: int = 4,
    share: float = 0.5,
    every: int = 10,
    games_per_runner: int = 32,
    network: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> Any:
    """Configure PPO that learns against itself and against its earlier selves.

    The learner has at least one seat in every game. Each other seat is taken by an earlier self with probability
    `share`, otherwise by the learner.

    Args:
        course: See `ppo_config`.
        num_robots: Robots of a game, 2 to 8.
        past: Number of earlier selves to keep; the newest replaces the oldest.
        share: The probability that an earlier self takes a seat.
        every: Iterations between two copies of the learner to an earlier self.
        games_per_runner: See `ppo_config`.
        network: See `ppo_config`.
        arguments: See `ppo_config`; without `opponents`.

    Raises:
        RoboRallyError: An argument has a wrong value.
    """
    whole_number("num_robots", num_robots, 2, 8, RoboRallyError)
    whole_number("past", past, 1, 64, RoboRallyError)
    whole_number("every", every, 1, error=RoboRallyError)
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise RoboRallyError(f"share: {short_repr(share)}: expected a number from 0 to 1")
    if arguments.get("opponents"):
        raise RoboRallyError(f"opponents: {short_repr(arguments['opponents'])}: expected none: they are earlier selves")
    seating = Seating(num_robots, past, float(share))
    callbacks = partial(SelfPlay, past, every)
    return _config(course, num_robots, games_per_runner, network, arguments, seating, callbacks)


def _config(
    course: Any, num_robots: int, games: int, network: Mapping[str, Any] | None, arguments: Mapping[str, Any],
    seating: Seating, callbacks: Any,
) -> Any:  # fmt: skip
    whole_number("games_per_runner", games, 1, error=RoboRallyError)
    arguments = {"course": course, "num_robots": num_robots, "observation": "flat", **arguments}
    env = RoboRallyVectorMultiAgentEnv(1, **arguments)
    core = env.core
    env.close()
    _, _, boards = spec_of_environment(env, network)
    module = RLModuleSpec(
        module_class=MaskedModule, observation_space=env.single_observation_spaces["robot_0"],
        action_space=env.single_action_spaces["robot_0"], model_config={"network": network, "boards": boards},
    )  # fmt: skip
    names = (LEARNER, *seating.earlier)
    return (
        PPOConfig()
        .environment(RoboRallyMultiAgentEnv, env_config=arguments, disable_env_checking=True)
        .env_runners(
            env_runner_cls=RoboRallyEnvRunner, num_env_runners=0, num_envs_per_env_runner=games,
            create_env_on_local_worker=False,
        )
        .multi_agent(
            policies=set(names), policy_mapping_fn=seating, policies_to_train=[LEARNER], count_steps_by="agent_steps"
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=dict.fromkeys(names, module)))
        .callbacks(callbacks)
        .training(
            gamma=core.gamma ** (1 / core.stages), lambda_=0.95, lr=1e-3, train_batch_size_per_learner=4096,
            minibatch_size=1024, num_epochs=4, use_kl_loss=False, entropy_coeff=0.01, vf_loss_coeff=0.5,
            vf_clip_param=float("inf"), clip_param=0.2, grad_clip=0.5, grad_clip_by="global_norm",
        )
    )  # fmt: skip
