"""Players by name, for configurations, commands and environments."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rr_gym.errors import RoboRallyError, did_you_mean
from rr_gym.players.protocol import Player


class PlayerError(RoboRallyError):
    """A player that is not registered, or an option that it does not have."""


@dataclass(frozen=True, slots=True)
class PlayerEntry:
    """One registered player: its name, what makes it, and a line that says how it plays."""

    name: str
    factory: Callable[..., Player]
    doc: str


_players: dict[str, PlayerEntry] = {}
_SEPARATORS = {"/", os.sep}


def register_player(name: str, factory: Callable[..., Player], doc: str) -> None:
    """Make a player known.

    Args:
        name: Its name; letters, digits, `_`, `-` and `.`.
        factory: Called with the options given to `make_player`, by keyword; returns a `Player`.
        doc: One line: how it plays.

    Raises:
        PlayerError: The name is taken by another player, or not a name.
    """
    if not name or not all(c.isalnum() or c in "_-." for c in name):
        raise PlayerError(f"player name {name!r}: expected letters, digits, '_', '-' and '.'")
    if name in _players and _players[name].factory is not factory:
        raise PlayerError(f"player name '{name}': already registered")
    _players[name] = PlayerEntry(name, factory, doc)


def make_player(name: str, **options: Any) -> Player:
    """A player by its registered name, or from the folder of a policy (docs/policies.md).

    Raises:
        PlayerError: There is no such player, or it does not have such an option.
        PolicyError: The folder holds no proper policy.
    """
    if name in _players:
        factory = _players[name].factory
    elif is_policy(name):
        factory = _policy_factory(name)
    else:
        hint = did_you_mean(name, _players)
        expected = f"; {hint}" if hint else f": expected {_names()}, or the folder of a policy"
        raise PlayerError(f"there is no player '{name}'{expected}")
    try:
        inspect.signature(factory).bind(**options)
    except TypeError as error:
        known = ", ".join(inspect.signature(factory).parameters) or "none"
        raise PlayerError(f"player '{name}': {error}; its options: {known}") from None
    return factory(**options)


def list_players() -> tuple[PlayerEntry, ...]:
    """All registered players, by name."""
    return tuple(_players[name] for name in sorted(_players))


def is_policy(name: str) -> bool:
    """Whether a name that is not registered means a file: it has a separator, or there is a policy of that name."""
    return name.endswith(".zip") or any(c in name for c in _SEPARATORS) or (Path(name) / "policy.json").is_file()


def _policy_factory(path: str) -> Callable[..., Player]:
    if path.endswith(".zip"):
        # Reading one runs code that it contains: a name in a configuration must not be enough for that.
        raise PlayerError(f"player '{path}': expected the folder of a policy: rr-gym export {path} FOLDER makes one")
    # PyTorch is loaded only where a policy plays.
    from rr_gym.policies.player import PolicyPlayer

    return partial(PolicyPlayer, path)


def _names() -> str:
    return " | ".join(sorted(_players))
