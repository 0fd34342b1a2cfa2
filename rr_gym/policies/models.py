"""Models that Stable-Baselines3 or sb3-contrib saved (.zip). Reading one runs code that it contains."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rr_gym.errors import RoboRallyError, require, shown
from rr_gym.players.registry import PROGRAM
from rr_gym.policies.spec import FACTS, PolicyError

if TYPE_CHECKING:
    from rr_gym.players import Player
    from rr_gym.policies.policy import Policy

SUFFIX = ".zip"


def read_model(path: Path, given: Mapping[str, Any] | None = None) -> Policy:
    """The policy of a model that the user named in a command; a line on stderr warns of what that means.

    Args:
        path: The model.
        given: Facts of `rr_gym.policies.spec.FACTS` that it does not hold, or that win over those that it holds.

    Raises:
        PolicyError: It is not such a model, or facts are missing.
    """
    if not path.is_file():
        raise PolicyError(f"{path}: no such file: expected a model that Stable-Baselines3 saved ({SUFFIX})")
    print(f"rr-gym: loading {path} runs code that it contains; do so only with files that you trust", file=sys.stderr)
    require("torch", extra="train")
    require("sb3_contrib", extra="train")
    from rr_gym.policies.sb3_adapter import load_model, policy_from_sb3

    policy, facts = load_model(path)
    if facts is not None and not isinstance(facts, dict):
        raise PolicyError(f"{path}: rr_gym: {shown(facts)}: expected a dict of facts")
    try:
        return policy_from_sb3(policy, {**(facts or {}), **(given or {})} or None)
    except RoboRallyError as error:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in FACTS if name not in ("trained_on", "training"))
        hint = f" (options of rr-gym export that say them: {options})" if "missing" in str(error) else ""
        raise PolicyError(f"{path}: {error}{hint}") from None


def typed_player(name: str) -> Player | str:
    """A player that the user named in a command: all that runs code of others is made here, and only here.

    Args:
        name: A model is read, and ``program:COMMAND`` is a program of its own (docs/protocol.md).

    Returns:
        The player, or the name where it is one for `make_player`.

    Raises:
        RoboRallyError: There is no such model or program.
    """
    kind, colon, command = name.partition(":")
    if kind == PROGRAM and colon:
        from rr_gym.players.program import ProgramPlayer

        return ProgramPlayer(command)
    if not name.endswith(SUFFIX):
        return name
    from rr_gym.policies.player import PolicyPlayer

    player = PolicyPlayer(read_model(Path(name)))
    player.name = name
    return player


def open_player(name: str) -> Player:
    """The player that the user named in a command, made here too where it has a name for `make_player`.

    Raises:
        RoboRallyError: There is no such player.
    """
    from rr_gym.players import make_player

    player = typed_player(name)
    return make_player(player) if isinstance(player, str) else player
