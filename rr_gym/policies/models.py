"""Read models that Stable-Baselines3 or sb3-contrib saved (.zip), which runs code that they contain."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rr_gym.errors import RoboRallyError, require, short_repr
from rr_gym.player_names import MODEL
from rr_gym.policies.spec import FACTS, PolicyError

if TYPE_CHECKING:
    from rr_gym.policies.policy import Policy


def read_model(path: Path, given: Mapping[str, Any] | None = None) -> Policy:
    """Read the policy of a model that the user named in a command, after a warning on stderr that this runs its code.

    Args:
        path: The model.
        given: Facts of `rr_gym.policies.spec.FACTS` that the model lacks, or that override its own.

    Raises:
        PolicyError: The file is not such a model, or facts are missing.
    """
    if not path.is_file():
        raise PolicyError(f"{path}: no such file: expected a model that Stable-Baselines3 saved ({MODEL})")
    print(f"rr-gym: loading {path} runs code that it contains; do so only with files that you trust", file=sys.stderr)
    require("torch", extra="train")
    require("sb3_contrib", extra="train")
    from rr_gym.policies.sb3_adapter import load_model, policy_from_sb3

    policy, facts = load_model(path)
    if facts is not None and not isinstance(facts, dict):
        raise PolicyError(f"{path}: rr_gym: {short_repr(facts)}: expected a dict of facts")
    try:
        return policy_from_sb3(policy, {**(facts or {}), **(given or {})} or None)
    except RoboRallyError as error:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in FACTS if name not in ("trained_on", "training"))
        hint = f" (options of rr-gym export for them: {options})" if "missing" in str(error) else ""
        raise PolicyError(f"{path}: {error}{hint}") from None
