"""The files that players consist of, so that games of a player that has changed since are not reused."""

from __future__ import annotations

from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from rr_gym.player_names import BOT, MODEL, PROGRAM, SPEC_FILE, WEIGHTS_FILE
from rr_gym.registry import SHIPPED, options_in, policy_folder, program_options

_OF_SEARCHES = ("policy", "values")  # options of players that search: the policies that they ask


def player_files(player: str) -> bytes:
    """Return the names and contents of the files that a player's name stands for; empty for a built-in player.

    These are a model, the files of policy folders (also those that a search asks), or the files named in a program's
    command. Files that these load in turn are not included, and policies that ship belong to the built-in players.
    """
    kind, colon, text = player.partition(":")
    if kind == BOT and colon:
        return b""  # its digest is known to the player
    if kind == PROGRAM and colon:
        from rr_gym.players.process import split_command

        paths = [Path(word) for word in split_command(program_options(text)[1])]
    elif (options := options_in(player)) is not None:
        folders = [policy_folder(options[key]) for key in _OF_SEARCHES if isinstance(options.get(key), str)]
        paths = [folder / name for folder in folders if folder.parent != SHIPPED for name in (SPEC_FILE, WEIGHTS_FILE)]
    elif player.endswith(MODEL):
        paths = [Path(player)]
    else:
        paths = [Path(player) / name for name in (SPEC_FILE, WEIGHTS_FILE)]
    return b"".join(path.name.encode() + b"\0" + path.read_bytes() for path in paths if _is_file(path))


def files_digest(player: str) -> str:
    """Return a digest of `player_files`; an empty string if there are no files."""
    files = player_files(player)
    return blake2b(files, digest_size=8).hexdigest() if files else ""


def _is_file(path: Path) -> bool:
    with suppress(OSError):  # a word of a command may be too long for the name of a file
        return path.is_file()
    return False
