"""The files that players are made of, so that games of one that has changed since are not taken for its own."""

from __future__ import annotations

from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from rr_gym.registry import PROGRAM

_POLICY = ("policy.json", "policy.safetensors")  # what a folder of a policy holds (docs/policies.md)


def player_files(player: str) -> bytes:
    """Names and contents of the files that a player's name stands for; nothing for a player that is built in.

    These are a model, what a policy's folder holds, and of a program the files that its command names; what they load
    besides is not seen.
    """
    kind, colon, command = player.partition(":")
    if kind == PROGRAM and colon:
        from rr_gym.players.program import split_command

        paths = [Path(word) for word in split_command(command)]
    elif player.endswith(".zip"):
        paths = [Path(player)]
    else:
        paths = [Path(player) / name for name in _POLICY]
    return b"".join(path.name.encode() + b"\0" + path.read_bytes() for path in paths if _is_file(path))


def files_digest(player: str) -> str:
    """A digest of `player_files`, empty where there are none."""
    files = player_files(player)
    return blake2b(files, digest_size=8).hexdigest() if files else ""


def _is_file(path: Path) -> bool:
    with suppress(OSError):  # a word of a command may be longer than names of files may be
        return path.is_file()
    return False
