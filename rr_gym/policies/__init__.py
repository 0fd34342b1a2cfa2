"""Policies: networks with their weights, kept in folders and played as players (docs/policies.md)."""

from rr_gym.policies.player import PolicyPlayer
from rr_gym.policies.policy import Policy
from rr_gym.policies.spec import NetworkSpec, PolicyError, PolicySpec
from rr_gym.policies.store import load_policy, save_policy

__all__ = ["NetworkSpec", "Policy", "PolicyError", "PolicyPlayer", "PolicySpec", "load_policy", "save_policy"]
