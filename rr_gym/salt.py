"""Salt: 128 bits that enter the randomness of games beside their seed (U39), so that the seed reveals no hand."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from hashlib import blake2b
from numbers import Integral
from typing import Any

from rr_gym.errors import RoboRallyError, shown

BITS = 128
_DIGITS = BITS // 4
_WORD = 2**64 - 1


def read_salt(name: str, value: Any, error: type[RoboRallyError] = RoboRallyError) -> int:
    """A salt that somebody gave.

    Args:
        name: What it is, for the message.
        value: Up to 32 hexadecimal digits as a text, or a whole number from 0 to 2**128 - 1. None and 0 are none.
        error: What is raised.

    Raises:
        RoboRallyError: It is neither; of the class `error`.
    """
    if value is None:
        return 0
    digits = value.lower() if isinstance(value, str) else ""
    if 0 < len(digits) <= _DIGITS and set(digits) <= set("0123456789abcdef"):
        return int(digits, 16)
    if isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) < 2**BITS:
        return int(value)
    raise error(f"{name}: {shown(value, 60)}: expected {BITS} bits: up to {_DIGITS} hexadecimal digits, or 0 for none")


def salt_text(salt: int) -> str | None:
    """A salt as commands take it and files keep it: 32 hexadecimal digits, None for none."""
    return f"{salt:0{_DIGITS}x}" if salt else None


def salt_note(salt: int) -> str:
    """What commands print behind the seed: nothing without a salt."""
    return f", salt {salt_text(salt)}" if salt else ""


def choose_salt(given: Any, players: Iterable[Any], error: type[RoboRallyError] = RoboRallyError) -> int:
    """The salt of games that players play: the given one; else a new one if one of them is from outside, else none.

    Args:
        given: As for `read_salt`; None if not given, 0 for none whoever plays.
        players: All who take part.
        error: What is raised for one that is wrong.
    """
    if given is not None:
        return read_salt("salt", given, error)
    return draw_salt() if any(getattr(player, "outside", True) for player in players) else 0


def draw_salt() -> int:
    """A new salt from the secure random generator of the operating system."""
    return secrets.randbelow(2**BITS - 1) + 1


def salt_words(salt: int) -> tuple[int, int]:
    """A salt as games hold it: the low word and the high one."""
    return salt & _WORD, salt >> 64


def salt_of(game: Any) -> int:
    """The salt of a game (one `GAME` record). Raises RoboRallyError where it is none."""
    try:
        low, high = game["salt"].tolist()
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise RoboRallyError(f"game: {shown(game)}: expected a record of dtype GAME") from None
    return int(low | high << 64)


def salted_seed(salt: int, seed: int, place: int) -> int:
    """A seed of 64 bits for a player, of which neither the salt nor the seed of another player can be found."""
    words = salt.to_bytes(16, "little") + seed.to_bytes(8, "little") + place.to_bytes(8, "little")
    return int.from_bytes(blake2b(words, digest_size=8, person=b"rr_gym player").digest(), "little")
