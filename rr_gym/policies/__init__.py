"""Policies: networks with their weights, kept in folders and played as players (docs/policies.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.policies.function_player import FunctionPlayer as FunctionPlayer
    from rr_gym.policies.networks import PolicyNetwork as PolicyNetwork
    from rr_gym.policies.player import PolicyPlayer as PolicyPlayer
    from rr_gym.policies.policy import Policy as Policy
    from rr_gym.policies.sb3_adapter import MaskableNetworkPolicy as MaskableNetworkPolicy
    from rr_gym.policies.sb3_adapter import NetworkPolicy as NetworkPolicy
    from rr_gym.policies.sb3_adapter import policy_from_sb3 as policy_from_sb3
    from rr_gym.policies.scaling import scaled_tables as scaled_tables
    from rr_gym.policies.spec import NetworkSpec as NetworkSpec
    from rr_gym.policies.spec import PolicyError as PolicyError
    from rr_gym.policies.spec import PolicySpec as PolicySpec
    from rr_gym.policies.spec import policy_facts as policy_facts
    from rr_gym.policies.store import load_policy as load_policy
    from rr_gym.policies.store import save_policy as save_policy
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)
