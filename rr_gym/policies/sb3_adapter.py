"""Policies as Stable-Baselines3 and sb3-contrib train them, with exactly the weights of `PolicyNetwork`.

After ``import rr_gym.sb3`` the algorithms know them as ``"RaceNetwork"``.

Example:
    MaskablePPO("RaceNetwork", env, policy_kwargs={"network": {"hidden": [128, 128]}})
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from gymnasium import spaces
from msgspec.structs import replace
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.save_util import load_from_zip_file
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, FlattenExtractor
from torch import Tensor, nn

from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.policies.features import ACTIVATIONS
from rr_gym.policies.networks import make_features, make_head, make_network, make_trunks
from rr_gym.policies.policy import Policy
from rr_gym.policies.scaling import SCALED
from rr_gym.policies.spaces import check_action_space, facts_of, is_scaled, spec_of_space
from rr_gym.policies.spec import FACTS, SCORING_KINDS, PolicyError, PolicySpec

_Base: Any = ActorCriticPolicy if TYPE_CHECKING else object


class NetworkExtractor(BaseFeaturesExtractor):
    """The features of a policy as a features extractor of Stable-Baselines3."""

    def __init__(self, observation_space: spaces.Space[Any], spec: Mapping[str, Any]) -> None:
        read = PolicySpec.from_json(spec)
        features = make_features(read, is_scaled(read, observation_space))
        super().__init__(observation_space, features.size)
        self.features = features

    def forward(self, observation: Any) -> Tensor:
        """Return the features of a batch, (rows, size)."""
        return cast(Tensor, self.features(observation))


class AddLoss(torch.autograd.Function):
    """Pass values through unchanged; the backward pass adds the gradients of another loss."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, loss: Tensor) -> Tensor:
        """Return the values; the loss is a single number."""
        return values.view_as(values)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        """Return the gradients of the values, and that of a sum for the other loss."""
        return gradient, gradient.new_ones(())


class _NetworkPolicy(_Base):  # type: ignore[misc]
    """The common part of both policies.

    Args:
        network: Sizes and kind of the network, as in `NetworkSpec`; the kind follows from the environment's
            observation.
        spec: In its place a whole `PolicySpec` as a dict (`PolicySpec.to_json`), so that saved models contain only
            plain data. None for that of the environment.
        options: Arguments of the library's policy, such as `optimizer_kwargs`; `net_arch`, `activation_fn` and the
            features extractor follow from the spec.

    Raises:
        PolicyError: The spec is wrong or does not fit the spaces.
    """

    def __init__(
        self, observation_space: Any, action_space: Any, lr_schedule: Any, *, spec: Mapping[str, Any] | None = None,
        network: Mapping[str, Any] | None = None, **options: Any,
    ) -> None:  # fmt: skip
        if spec is None:
            self.spec = spec_of_space(observation_space, action_space, network)
        elif network is not None:
            raise PolicyError(f"network: {short_repr(dict(network))}: expected None, since the spec has one")
        else:
            self.spec = PolicySpec.from_json(spec, "spec")
        check_action_space(self.spec, action_space)
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            net_arch=[],
            features_extractor_class=NetworkExtractor,
            features_extractor_kwargs={"spec": self.spec.to_json()},
            **options,
        )

    def _build_mlp_extractor(self) -> None:
        features = self.features_extractor.features
        self.mlp_extractor = make_trunks(self.spec, features).to(self.device)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        if self.spec.network.head == "linear" and self.spec.network.kind not in SCORING_KINDS:
            return  # the library has already built it
        self.action_net = make_head(self.spec, self.mlp_extractor.latent_dim_pi).to(self.device)
        if self.ortho_init:
            self.action_net.apply(partial(self.init_weights, gain=0.01))
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)

    # A loss that is minimised beside the algorithm's own, which has no hook for one; set after construction. Called for
    # every mini-batch with observations, logits and masks, it returns a single number.
    added_loss: Callable[[Any, Tensor, Any], Tensor] | None = None

    def evaluate_actions(self, obs: Any, actions: Tensor, action_masks: Any = None) -> Any:
        """Return values, log-probabilities and entropies of actions, as the library's policy does.

        The gradients of a loss computed from these log-probabilities include those of `added_loss`.
        """
        if self.added_loss is None:
            given = (obs, actions) if action_masks is None else (obs, actions, action_masks)
            return super().evaluate_actions(*given)
        latent_pi, latent_vf = self.mlp_extractor(self.extract_features(obs))
        distribution = self._get_action_dist_from_latent(latent_pi)
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        loss = self.added_loss(obs, self.action_net(latent_pi), action_masks)
        entropy = distribution.entropy()
        log_prob = AddLoss.apply(distribution.log_prob(actions), loss)  # type: ignore[no-untyped-call]
        return self.value_net(latent_vf), log_prob, entropy

    def set_boards(self, boards: np.ndarray[Any, Any]) -> None:
        """Set the boards of the environment (``core.observer.boards``) for a network of kind `entities`."""
        self.features_extractor.features.set_boards(boards)


class NetworkPolicy(_NetworkPolicy, ActorCriticPolicy):  # type: ignore[misc]
    """The policy for PPO and A2C of stable-baselines3."""


class MaskableNetworkPolicy(_NetworkPolicy, MaskableActorCriticPolicy):  # type: ignore[misc]
    """The policy for MaskablePPO of sb3-contrib."""


def policy_from_sb3(policy: Any, facts: Mapping[str, Any] | None = None) -> Policy:
    """Make a policy with copies of the weights of a model's policy.

    Args:
        policy: `NetworkPolicy`, `MaskableNetworkPolicy`, or the library's own with a plain MLP (`MlpPolicy`).
        facts: From `policy_facts`. None for those that a network policy was created with, or that the observation space
            says itself.

    Raises:
        PolicyError: The network is of another kind, or facts are missing or do not fit it.
    """
    if isinstance(policy, _NetworkPolicy):
        spec = policy.spec if facts is None else PolicySpec.from_json({**policy.spec.to_json(), **facts})
        if replace(spec, trained_on=(), training={}) != replace(policy.spec, trained_on=(), training={}):
            raise PolicyError("facts: not those that the network was created with")
    else:
        observed = facts_of(policy.observation_space)
        kind = "scaled_mlp" if observed.pop("observation_dtype", None) == SCALED else "mlp"
        spec = PolicySpec.from_json({**_complete({**observed, **(facts or {})}), "network": _mlp(policy, kind)})
    check_action_space(spec, policy.action_space)
    exported = Policy(spec, make_network(spec))
    try:
        for name, part in parts_of(policy).items():
            getattr(exported.network, name).load_state_dict(part.state_dict())
    except RuntimeError as error:
        raise PolicyError(f"weights: {str(error).splitlines()[-1].strip()}: expected those of the facts") from None
    return exported


def parts_of(policy: Any) -> dict[str, nn.Module]:
    """Return the parts of a model's policy that have weights, by their names in `PolicyNetwork`."""
    parts = {"trunks": policy.mlp_extractor, "action_net": policy.action_net, "value_net": policy.value_net}
    own = isinstance(policy, _NetworkPolicy)  # the library's own extractor of features has no weights
    return {"features": policy.features_extractor.features, **parts} if own else parts


def _complete(facts: dict[str, Any]) -> dict[str, Any]:
    optional = ("preview", "lookahead", "elements", "trained_on", "training")
    missing = [name for name in FACTS if name not in facts and name not in optional]
    if missing:
        raise PolicyError(f"facts: missing: {', '.join(missing)}: a model does not contain them by itself")
    return facts


def _mlp(policy: Any, kind: str) -> dict[str, Any]:
    """Return the network specification of a library's own policy, as a dict."""
    if type(policy.features_extractor) is not FlattenExtractor:
        found = type(policy.features_extractor).__name__
        raise PolicyError(f"features extractor {found}: expected FlattenExtractor, or a policy of rr_gym.policies")
    names = {cls: name for name, cls in ACTIVATIONS.items()}
    if policy.activation_fn not in names:
        raise PolicyError(f"activation {policy.activation_fn.__name__}: expected {' | '.join(ACTIVATIONS)}")
    trunks = policy.mlp_extractor
    hidden, value_hidden = (
        [m.out_features for m in trunk if isinstance(m, nn.Linear)] for trunk in (trunks.policy_net, trunks.value_net)
    )
    return {"kind": kind, "hidden": hidden, "value_hidden": value_hidden, "activation": names[policy.activation_fn]}


def load_model(path: Path) -> tuple[Any, dict[str, Any] | None]:
    """Return the policy of a saved model, and the facts in its attribute `rr_gym`; None if it has none.

    Reading a model runs code that it contains.

    Raises:
        PolicyError: The file is not a model, or the model has no actor-critic policy.
    """
    unused: dict[str, Any] = {"learning_rate": 0.0, "lr_schedule": None, "clip_range": None, "clip_range_vf": None}
    if not zipfile.is_zipfile(path):
        raise PolicyError(f"{path}: expected a model that Stable-Baselines3 saved (.zip)")
    try:
        data, weights, _ = load_from_zip_file(path, device="cpu", custom_objects=unused)
    except Exception as error:  # whatever its code raises
        raise PolicyError(f"{path}: cannot be loaded: {error}") from error
    needed = ("policy_class", "observation_space", "action_space")
    missing = [name for name in needed if name not in (data or {})] + ["policy"] * ("policy" not in weights)
    if data is None or missing:
        raise PolicyError(f"{path}: missing: {', '.join(missing)}: expected a model that Stable-Baselines3 saved")
    cls = data["policy_class"]
    if not issubclass(cls, ActorCriticPolicy | MaskableActorCriticPolicy):
        raise PolicyError(f"{path}: {cls.__name__}: expected a policy of MaskablePPO, PPO or A2C")
    kwargs = {name: value for name, value in data.get("policy_kwargs", {}).items() if name != "use_sde"}
    try:
        with torch.random.fork_rng(devices=[]):
            policy = cls(data["observation_space"], data["action_space"], lambda _: 0.0, **kwargs)
        policy.load_state_dict(weights["policy"])
    except RoboRallyError:
        raise
    except Exception as error:
        raise PolicyError(f"{path}: its policy cannot be created: {error}") from error
    return policy, data.get("rr_gym")
