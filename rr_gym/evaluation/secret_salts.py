"""Salts that are kept out of files while programs play, which might read them; their digests stand there instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rr_gym.players import Player
from rr_gym.salt import digest_of_salt, read_salt, salt_text

DIGEST = "salt_sha256"  # the key of the digest, in the place of `salt`
LOST_SALT = (
    "only the process that was killed while programs played knew it: expected it as the value of --salt, or "
    "another folder"
)


def is_secret(salt: Any, players: Iterable[Player]) -> bool:
    """Tell whether there is a salt that must not be in files while these players play."""
    return bool(salt) and any(player.sandbox for player in players)


def concealed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain data with the digest of the salt in the place of the salt."""
    digest = digest_of_salt(read_salt("salt", data.get("salt")))
    return {DIGEST if name == "salt" else name: digest if name == "salt" else value for name, value in data.items()}


def revealed(data: Mapping[str, Any], salt: int) -> dict[str, Any]:
    """Return plain data with the salt in the place of its digest."""
    text = salt_text(salt)
    return {"salt" if name == DIGEST else name: text if name == DIGEST else value for name, value in data.items()}
