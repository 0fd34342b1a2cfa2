"""The salt of a season: kept secret while it goes on, published when it is over. Everything drawn follows from it."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from rr_gym.arena.errors import LadderError
from rr_gym.arena.lines import SeasonLine
from rr_gym.files import read_text, write_file
from rr_gym.salt import digest_of_salt, read_salt, salt_text


def salt_file(folder: Path, season: int) -> Path:
    """Return the file that keeps the salt of a season while it goes on."""
    return folder / f"season-{season}.salt"


def keep_salt(folder: Path, season: int, salt: int) -> None:
    """Write the salt of a season, for its user alone. Raises LadderError if it cannot be written."""
    before = os.umask(0o077)
    try:
        write_file(salt_file(folder, season), f"{salt_text(salt)}\n", LadderError)
    finally:
        os.umask(before)


def forget_salt(folder: Path, season: int) -> None:
    """Remove the file of a salt, if there is one."""
    with suppress(OSError):
        salt_file(folder, season).unlink()


def season_salt(folder: Path, season: SeasonLine, given: int | str | None) -> int:
    """Return the salt of a season that goes on: the given one, or that of the folder.

    Raises:
        LadderError: There is none, or it is not the one of which the log has the digest.
    """
    path = salt_file(folder, season.season)
    if given is None and not path.is_file():
        raise LadderError(
            f"{path}: there is none: expected the salt of season {season.season} there, or behind --salt if it was "
            "given when the season began"
        )
    where = "salt" if given is not None else str(path)
    salt = read_salt(where, read_text(path, LadderError).strip() if given is None else given, LadderError)
    if digest_of_salt(salt) != season.salt_sha256:
        raise LadderError(f"{where}: not the salt of season {season.season}, of which the log has the SHA-256")
    return salt


def match_salt(salt: int, match: int) -> int:
    """Derive the salt of a match, which reveals neither that of the season nor those of other matches."""
    return _derived(salt, f"match {match}", 16)


def seed_for(salt: int, purpose: str) -> int:
    """Derive a seed of 64 bits from the salt of a season, for what is drawn for this purpose."""
    return _derived(salt, purpose, 8)


def _derived(salt: int, purpose: str, size: int) -> int:
    digest = blake2b(purpose.encode(), digest_size=size, key=salt.to_bytes(16, "little"), person=b"rr_gym arena")
    return int.from_bytes(digest.digest(), "little") or 1
