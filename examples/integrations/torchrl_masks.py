"""TorchRL: the PettingZoo, Gymnasium and vector environments, with masks that random actions and collectors obey."""

# mypy: ignore-errors

from __future__ import annotations

import torch
from torchrl.envs import ActionMask, GymWrapper, PettingZooWrapper, TransformedEnv, check_env_specs

from rr_gym import roborally_v0
from rr_gym.envs import RoboRallyEnv, RoboRallyVectorEnv


def main() -> None:
    """Play a few steps in each environment, and count illegal choices."""
    torch.manual_seed(1)
    game = roborally_v0.parallel_env(max_cycles=10, masks="observation")
    env = PettingZooWrapper(game, use_mask=True, done_on_any=False, categorical_actions=True)
    check_env_specs(env)
    robots = env.rollout(20)["robot"]
    legal = robots["action_mask"].gather(-1, robots["action"].unsqueeze(-1)).squeeze(-1)
    illegal = int((~legal[robots["mask"]]).sum())

    env = GymWrapper(RoboRallyEnv(max_cycles=10), categorical_action_encoding=True).auto_register_info_dict()
    env = TransformedEnv(env, ActionMask())
    check_env_specs(env)
    steps = env.rollout(20)
    illegal += int((steps["action_mask"].gather(-1, steps["action"].unsqueeze(-1)) == 0).sum())

    rows = GymWrapper(RoboRallyVectorEnv(64, autoreset_mode="SameStep"), categorical_action_encoding=True)
    print("illegal choices:", illegal)
    print("rows:", rows.rollout(5, break_when_any_done=False).numel())


if __name__ == "__main__":
    main()
