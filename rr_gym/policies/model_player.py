"""Trained models of Stable-Baselines3 as players; it is imported only where there is one."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import Any

import numpy as np
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.policies import ActorCriticPolicy

from rr_gym.errors import short_repr, truth_value
from rr_gym.players import Player
from rr_gym.policies.function_player import FunctionPlayer
from rr_gym.policies.player import PolicyPlayer
from rr_gym.policies.sb3_adapter import policy_from_sb3
from rr_gym.policies.spaces import facts_of
from rr_gym.policies.spec import PolicyError

Array = np.ndarray[Any, Any]


def player_of_model(model: Any, sample: bool = False) -> Player:
    """Make a player of a model with its weights as they are now; the model may learn on.

    A model with a network of this package, or an `MlpPolicy`, becomes a policy (`policy_from_sb3`). Any other one is
    asked by its own `predict`, with masks if it takes them.

    Args:
        model: An algorithm of Stable-Baselines3 or sb3-contrib that was trained in an environment of this package.
        sample: Whether to sample choices, by the seed of the player, instead of making the most probable ones. Models
            that are asked by `predict` cannot.

    Raises:
        PolicyError: The observation space does not say what the model observes.
    """
    truth_value("sample", sample, PolicyError)
    name = type(model).__name__
    facts = facts_of(model.observation_space)
    if isinstance(model.policy, ActorCriticPolicy | MaskableActorCriticPolicy):
        with suppress(PolicyError):  # a network of another kind, or without facts
            player = PolicyPlayer(policy_from_sb3(model.policy), sample)
            player.name = name
            return player
    if not facts:
        raise PolicyError(
            f"{name}: observation space: {short_repr(model.observation_space)}: expected that of an environment of "
            "rr_gym, without a wrapper that replaces it"
        )
    if sample:
        raise PolicyError(f"sample: True: expected False for {name} with {type(model.policy).__name__}")
    taken = ("observation", "action", "window", "decisions", "preview", "lookahead", "observation_dtype")
    return FunctionPlayer(_Predictions(model), **{key: facts[key] for key in taken}, name=name)


class _Predictions:
    """The most probable choices of a model, with copies of its weights."""

    def __init__(self, model: Any) -> None:
        self._policy = _copy(model.policy)
        self._name = type(model).__name__
        self._shapes = _shapes(model.observation_space)
        self._masked = "action_masks" in inspect.signature(model.policy.predict).parameters

    def __call__(self, seen: Any, masks: Array) -> Array:
        for name, shape in self._shapes.items():
            found = (seen[name] if name else seen).shape[1:]
            if found != shape:
                of = f"{name}: " if name else ""
                raise PolicyError(f"{self._name}: observation: {of}{found}: expected {shape}, as it was trained on")
        legal = {"action_masks": masks.reshape(len(masks), -1) != 0} if self._masked else {}
        chosen: Array = self._policy.predict(seen, deterministic=True, **legal)[0]
        return chosen


def _copy(policy: Any) -> Any:
    """Return a copy of a policy on the CPU, which does not change when the model learns on."""
    made = type(policy)(**policy._get_constructor_parameters())
    made.load_state_dict(policy.state_dict())
    made.set_training_mode(False)
    return made


def _shapes(space: spaces.Space[Any]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a row's arrays by name; the name is empty if an observation is one array."""
    boxes = space.spaces if isinstance(space, spaces.Dict) else {"": space}
    return {name: tuple(box.shape or ()) for name, box in boxes.items()}
