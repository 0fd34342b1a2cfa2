"""Salt: 128 bits that add to a game's seed as a source of randomness (U39), so that the seed alone reveals no hand."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from hashlib import blake2b, sha256
from numbers import Integral
from typing import Any

from rr_gym.errors import RoboRallyError, short_repr

BITS = 128
_DIGITS = BITS // 4
_WORD = 2**64 - 1


def read_salt(name: str, value: Any, error: type[RoboRallyError] = RoboRallyError) -> int:
    """Return a salt as a whole number from 0 to 2**128 - 1, given in any form that users may write; 0 means no salt.

    Args:
        name: A name for the value, for the message.
        value: Up to 32 hexadecimal digits as a string, or a whole number from 0 to 2**128 - 1. None and 0 mean no salt.
        error: The class of error to raise.

    Raises:
        RoboRallyError: The value is neither. The error is of the class `error`.
    """
    if value is None:
        return 0
    digits = value.lower() if isinstance(value, str) else ""
    if 0 < len(digits) <= _DIGITS and set(digits) <= set("0123456789abcdef"):
        return int(digits, 16)
    if isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) < 2**BITS:
        return int(value)
    raise error(
        f"{name}: {short_repr(value, 60)}: expected {BITS} bits: up to {_DIGITS} hexadecimal digits, or 0 for none"
    )


def salt_text(salt: int) -> str | None:
    """Return a salt as commands take it and files store it: 32 hexadecimal digits, or None for no salt."""
    return f"{salt:0{_DIGITS}x}" if salt else None


def digest_of_salt(salt: int) -> str:
    """Return the SHA-256 of a salt's 32 hexadecimal digits, which can be published while the salt is secret."""
    return sha256((salt_text(salt) or "0").encode()).hexdigest()


def salt_note(salt: int) -> str:
    """Return what commands print after the seed: the salt, or an empty string if there is none."""
    return f", salt {salt_text(salt)}" if salt else ""


def choose_salt(given: Any, players: Iterable[Any], error: type[RoboRallyError] = RoboRallyError) -> int:
    """Return the salt for games of the players: the given one, else a new one if any player is external, else 0.

    Args:
        given: As for `read_salt`; None to choose by the players, 0 for no salt in any case.
        players: All players in the games.
        error: The class of error to raise for a malformed salt.
    """
    if given is not None:
        return read_salt("salt", given, error)
    return draw_salt() if any(getattr(player, "outside", True) for player in players) else 0


def salt_among_people(people: int, seed: int | None, salt: int | str | None) -> int | str | None:
    """Return the given salt, or draw one where a person could find the seed by trying which one deals their hand.

    Args:
        people: The number of people at the table.
        seed: The given seed; None if it is drawn.
        salt: The given salt; None for none.
    """
    return draw_salt() if salt is None and seed is None and people > 1 else salt


def draw_salt() -> int:
    """Draw a new salt, 1 to 2**128 - 1, from the secure random generator of the operating system."""
    return secrets.randbelow(2**BITS - 1) + 1


def salt_words(salt: int) -> tuple[int, int]:
    """Split a salt into its low and its high 64 bits, as games store it."""
    return salt & _WORD, salt >> 64


def salt_of(game: Any) -> int:
    """Return the salt of a game (one `GAME` record), 0 for none. Raises RoboRallyError for any other value."""
    try:
        low, high = game["salt"].tolist()
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise RoboRallyError(f"game: {short_repr(game)}: expected a record of dtype GAME") from None
    return int(low | high << 64)


def salted_seed(salt: int, seed: int, place: int) -> int:
    """Derive a 64-bit seed for the player in a place, which reveals neither the salt nor the seed of another player."""
    words = salt.to_bytes(16, "little") + seed.to_bytes(8, "little") + place.to_bytes(8, "little")
    return int.from_bytes(blake2b(words, digest_size=8, person=b"rr_gym player").digest(), "little")
