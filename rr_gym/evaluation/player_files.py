"""The files that players consist of, so that games of a player that has changed since are not reused."""

from __future__ import annotations

from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from rr_gym.player_names import BOT, PROGRAM

_POLICY = ("policy.json", "policy.safetensors")  # the files in a policy folder (docs/policies.md)


def player_files(player: str) -> bytes:
    """Return the names and contents of the files that a player's name stands for; empty for a built-in player.

    These are a model, the files of a policy folder, or the files named in a program's command. Files that these load in
    turn are not included.
    """
    kind, colon, command = player.partition(":")
    if kind == BOT and colon:
        return b""  # its digest is known to the player
    if kind == PROGRAM and colon:
        from rr_gym.players.process import split_command

        paths = [Path(word) for word in split_command(command)]
    elif player.endswith(".zip"):
        paths = [Path(player)]
    else:
        paths = [Path(player) / name for name in _POLICY]
    return b"".join(path.name.encode() + b"\0" + path.read_bytes() for path in paths if _is_file(path))


def files_digest(player: str) -> str:
    """Return a digest of `player_files`; an empty string if there are no files."""
    files = player_files(player)
    return blake2b(files, digest_size=8).hexdigest() if files else ""


def _is_file(path: Path) -> bool:
    with suppress(OSError):  # a word of a command may be too long for the name of a file
        return path.is_file()
    return False
