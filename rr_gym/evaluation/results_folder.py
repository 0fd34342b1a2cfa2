"""The folder that games are written to as they are played, with their arguments, so that only the same are resumed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from rr_gym.errors import RoboRallyError, short_repr, truth_value
from rr_gym.evaluation.player_files import files_digest
from rr_gym.evaluation.result_lines import append_entry
from rr_gym.evaluation.secret_salts import DIGEST, LOST_SALT, concealed, is_secret
from rr_gym.files import check_path, read_text, write_file, writing
from rr_gym.json_text import loads
from rr_gym.locks import hold
from rr_gym.players import Player
from rr_gym.players.notes import sandboxes_of
from rr_gym.render.pieces import labels
from rr_gym.rules.arena.arena import Arena
from rr_gym.salt import choose_salt, digest_of_salt, read_salt, salt_text
from rr_gym.version import __version__


def plain_settings(settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return settings in types that JSON has."""
    return {name: v.item() if isinstance(v, np.generic) else v for name, v in (settings or {}).items()}


def arguments_of(
    form: int, names: Sequence[str], arena: Arena, games: int, seed: int, salt: int, max_cycles: int,
    settings: Mapping[str, Any] | None, made: Sequence[Player] = (), **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """Return what the outcomes of games depend on, as plain data.

    Args:
        form: The number of the format.
        names: The names of the players, as the user typed them.
        arena: The arena in which the games are played.
        games: The number of games.
        seed: The seed of the games and of the players.
        salt: The salt of the games and of the players, 0 for none.
        max_cycles: Turns after which a game is truncated.
        settings: The settings that were given, by name.
        made: The players of these names; by them the sandboxes of programs, and the digests of submissions, are known.
        more: Facts that only games of this kind have.
    """
    ids = labels([course.id for course in arena.courses])
    digests = [hashlib.sha256(course.to_yaml().encode()).hexdigest()[:16] for course in arena.courses]
    return {
        "format": form,
        "rr_gym": __version__,
        "players": list(names),
        "courses": [{"id": name, "sha256": digest} for name, digest in zip(ids, digests, strict=True)],
        **more,
        "games": games,
        "seed": seed,
        "salt": salt_text(salt),
        "max_cycles": max_cycles,
        "settings": plain_settings(settings),
        "files": {name: digest for name in names if (digest := files_digest(name))}
        | {name: player.digest for name, player in zip(names, made, strict=bool(made)) if player.digest},
        **({"sandboxes": sandboxes} if (sandboxes := sandboxes_of(names, made)) else {}),
    }


class ResultsFolder:
    """A folder with the arguments of games, and with their outcomes, which are appended line by line.

    Args:
        folder: The folder, which is created if necessary.
        arguments: The arguments of the games; see `arguments_of`.
        resume: Whether the folder may hold a part of the same games.

    Attributes:
        path: The file of outcomes.

    Raises:
        RoboRallyError: The folder holds games and `resume` is False, it holds other games, or another process plays in
            it; of the class `error`.
    """

    what: ClassVar[str]  # a word for what is played, for error messages
    error: ClassVar[type[RoboRallyError]]
    arguments_file: ClassVar[str]
    lines_file: ClassVar[str]

    def __init__(self, folder: Path, arguments: Mapping[str, Any], resume: bool) -> None:
        self.folder, self.arguments, self.path = folder, arguments, folder / self.lines_file
        with writing(folder, self.error):
            folder.mkdir(parents=True, exist_ok=True)
        with self.hold():
            self._begin(resume)

    @classmethod
    def checked(cls, folder: str | os.PathLike[str] | None, resume: bool) -> Path | None:
        """Return the path of the folder that a user gave, None for none. Raises an error if `resume` needs one."""
        path = None if folder is None else check_path("folder", folder, cls.error)
        if truth_value("resume", resume, cls.error) and path is None:
            raise cls.error("resume: True: expected a folder to resume in")
        return path

    @classmethod
    def choose_salt(cls, given: int | str | None, players: Iterable[Player], folder: Path | None, resume: bool) -> int:
        """Return the given salt, or the salt of the games that are resumed, or a new one if a player is external.

        Raises an error if only the digest of the salt is in the folder, and the given one is not that.
        """
        path = folder and folder / cls.arguments_file
        if path and resume and path.exists():
            there = cls._arguments_in(path.parent)
            if digest := there.get(DIGEST):
                if given is None:
                    raise cls.error(f"{path}: it has only the digest of the salt: {LOST_SALT}")
                if digest_of_salt(read_salt("salt", given, cls.error)) != digest:
                    raise cls.error(f"salt: {short_repr(given)}: expected the one whose SHA-256 is in {path}")
            elif given is None:
                given = there.get("salt") or "0"
        return choose_salt(given, players, cls.error)

    @contextmanager
    def keeping_salt(self, players: Iterable[Player]) -> Iterator[None]:
        """Keep the salt out of the folder inside the context if a program plays, which might read it there.

        In its place there is its SHA-256. However the context ends, the salt is written, unless the process is killed.
        """
        if not is_secret(self.arguments["salt"], players):
            yield
            return
        self._write_arguments(concealed(self.arguments))
        try:
            yield
        finally:
            self._write_arguments(self.arguments)

    def _write_arguments(self, arguments: Mapping[str, Any]) -> None:
        write_file(self.folder / self.arguments_file, json.dumps(arguments, indent=1) + "\n", self.error)

    def hold(self) -> AbstractContextManager[None]:
        """Keep other processes from the folder. Raises an error that says which one holds it."""
        return hold(self.folder, self.error)

    def append(self, outcome: Any) -> None:
        """Write an outcome; it is on disk when this returns. Raises an error if it cannot be written."""
        append_entry(self.path, json.dumps(outcome, separators=(",", ":")), self.error)

    def _begin(self, resume: bool) -> None:
        """Write the arguments into the folder, or check that those in the folder are the same."""
        path, folder, what = self.folder / self.arguments_file, self.folder, self.what
        if not path.exists():
            self._write_arguments(self.arguments)
            return
        if not resume:
            raise self.error(f"{folder}: there is {_a(what)} in it: resume it, or choose another folder")
        there, wanted = self._arguments_in(folder), self.arguments
        if DIGEST in there:  # it was compared when the salt was chosen
            wanted = concealed(wanted)
        for name in {**wanted, **there}:
            if there.get(name) != wanted.get(name):
                raise self.error(
                    f"{name}: {json.dumps(wanted.get(name))}: the {what} in {folder} has "
                    f"{json.dumps(there.get(name))}: only the same can be resumed"
                )

    @classmethod
    def _arguments_in(cls, folder: Path) -> dict[str, Any]:
        """Return the arguments of the games in a folder. Raises an error for a file with other contents."""
        path = folder / cls.arguments_file
        with suppress(ValueError):
            there = loads(read_text(path, cls.error), str(path))
            if isinstance(there, dict):
                return there
        raise cls.error(f"{path}: not the arguments of {_a(cls.what)}: choose another folder")


def _a(what: str) -> str:
    return f"{'an' if what[0] in 'aeiou' else 'a'} {what}"
