"""The salt of a season, from which all draws are derived: secret while the season is open, public afterwards."""

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
    """Return the path of the file with the salt of an open season."""
    return folder / f"season-{season}.salt"


def store_salt(folder: Path, season: int, salt: int) -> None:
    """Write the salt of a season to a file that only this user can read. Raises LadderError if that fails."""
    before = os.umask(0o077)
    try:
        write_file(salt_file(folder, season), f"{salt_text(salt)}\n", LadderError)
    finally:
        os.umask(before)


def delete_salt(folder: Path, season: int) -> None:
    """Delete the file with the salt of a season, if it exists."""
    with suppress(OSError):
        salt_file(folder, season).unlink()


def season_salt(folder: Path, season: SeasonLine, given: int | str | None) -> int:
    """Return the salt of an open season: the given one, or the one stored in the folder.

    Raises:
        LadderError: There is none, or its digest is not the one in the log.
    """
    path = salt_file(folder, season.season)
    if given is None and not path.is_file():
        raise LadderError(
            f"{path}: no such file: expected the salt of season {season.season} in it, or as --salt if it was given "
            "when the season was opened"
        )
    where = "salt" if given is not None else str(path)
    salt = read_salt(where, read_text(path, LadderError).strip() if given is None else given, LadderError)
    if digest_of_salt(salt) != season.salt_sha256:
        raise LadderError(f"{where}: not the salt of season {season.season}: the log has another SHA-256")
    return salt


def match_salt(salt: int, match: int) -> int:
    """Derive the salt of a match. It reveals neither the salt of the season nor those of other matches."""
    return _derive(salt, f"match {match}", 16)


def derive_seed(salt: int, purpose: str) -> int:
    """Derive a 64-bit seed for one purpose from the salt of a season."""
    return _derive(salt, purpose, 8)


def _derive(salt: int, purpose: str, size: int) -> int:
    digest = blake2b(purpose.encode(), digest_size=size, key=salt.to_bytes(16, "little"), person=b"rr_gym arena")
    return int.from_bytes(digest.digest(), "little") or 1
