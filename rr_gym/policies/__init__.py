"""Policies: networks with their weights, kept in folders and played as players (docs/policies.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.policies.function_player import FunctionPlayer
    from rr_gym.policies.networks import PolicyNetwork
    from rr_gym.policies.player import PolicyPlayer
    from rr_gym.policies.policy import Policy
    from rr_gym.policies.sb3_adapter import MaskableNetworkPolicy, NetworkPolicy, policy_from_sb3
    from rr_gym.policies.spec import NetworkSpec, PolicyError, PolicySpec, policy_facts
    from rr_gym.policies.store import load_policy, save_policy

_HOMES = {
    "rr_gym.policies.function_player": ("FunctionPlayer",),
    "rr_gym.policies.networks": ("PolicyNetwork",),
    "rr_gym.policies.player": ("PolicyPlayer",),
    "rr_gym.policies.policy": ("Policy",),
    "rr_gym.policies.sb3_adapter": ("MaskableNetworkPolicy", "NetworkPolicy", "policy_from_sb3"),
    "rr_gym.policies.spec": ("NetworkSpec", "PolicyError", "PolicySpec", "policy_facts"),
    "rr_gym.policies.store": ("load_policy", "save_policy"),
}

__all__ = [
    "FunctionPlayer",
    "MaskableNetworkPolicy",
    "NetworkPolicy",
    "NetworkSpec",
    "Policy",
    "PolicyError",
    "PolicyNetwork",
    "PolicyPlayer",
    "PolicySpec",
    "load_policy",
    "policy_facts",
    "policy_from_sb3",
    "save_policy",
]

if not TYPE_CHECKING:  # or every name would pass for one
    __getattr__, __dir__ = on_first_use(__name__, _HOMES)
