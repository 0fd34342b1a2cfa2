"""RLlib's environment runner, with all its games in one batch."""

from __future__ import annotations

from typing import Any

from ray.rllib.callbacks.utils import make_callback
from ray.rllib.env.env_context import EnvContext
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner

from rr_gym.rllib.env import RoboRallyVectorMultiAgentEnv


class RoboRallyEnvRunner(MultiAgentEnvRunner):  # type: ignore[misc]
    """Plays `num_envs_per_env_runner` games side by side in one batch."""

    def make_env(self) -> None:
        """Create the games from `env_config`; close those created before."""
        if self.env is not None:
            self.env.close()
        config = self.config
        context = EnvContext(config.env_config, worker_index=self.worker_index, num_workers=config.num_env_runners)
        self.num_envs = config.num_envs_per_env_runner
        self.env: Any = RoboRallyVectorMultiAgentEnv(self.num_envs, **context)
        self._needs_initial_reset = True
        facts = {"env_runner": self, "metrics_logger": self.metrics, "env": self.env, "env_context": context}
        make_callback(
            "on_environment_created", callbacks_objects=self._callbacks,
            callbacks_functions=config.callbacks_on_environment_created, kwargs=facts,
        )  # fmt: skip
