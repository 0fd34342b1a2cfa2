"""The folder of games that are kept while they are played: what they are, so that only the same are resumed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.player_files import files_digest
from rr_gym.files import read_text, write_file
from rr_gym.json_text import loads
from rr_gym.render.pieces import labels
from rr_gym.rules.arena.arena import Arena


def digests_of_courses(arena: Arena) -> list[dict[str, str]]:
    """The courses of an arena: the id and a digest of each."""
    ids = labels([course.id for course in arena.courses])
    digests = [hashlib.sha256(course.to_yaml().encode()).hexdigest()[:16] for course in arena.courses]
    return [{"id": name, "sha256": digest} for name, digest in zip(ids, digests, strict=True)]


def digests_of_files(names: tuple[str, ...]) -> dict[str, str]:
    """A digest of the files of each player that is made of files, by its name."""
    return {name: digest for name in names if (digest := files_digest(name))}


def plain_settings(settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Settings in types that JSON has."""
    return {name: v.item() if isinstance(v, np.generic) else v for name, v in (settings or {}).items()}


def begin_folder(
    path: Path, arguments: Mapping[str, Any], resume: bool, what: str, error: type[RoboRallyError]
) -> None:
    """Write down what is played, or check that it is what is there.

    Args:
        path: The file that says it, in the folder.
        arguments: What is played; plain data.
        resume: Whether it may be there already.
        what: What is played, in a word, for errors.
        error: What is raised.

    Raises:
        RoboRallyError: It is there and `resume` is False, or there is another one; of the class `error`.
    """
    if not path.exists():
        write_file(path, json.dumps(arguments, indent=1) + "\n", error)
        return
    folder = path.parent
    if not resume:
        raise error(f"{folder}: there is {_a(what)} in it: resume it, or choose another folder")
    there = arguments_of(path, what, error)
    for name in {**arguments, **there}:
        if there.get(name) != arguments.get(name):
            raise error(
                f"{name}: {json.dumps(arguments.get(name))}: the {what} in {folder} has "
                f"{json.dumps(there.get(name))}: only the same can be resumed"
            )


def kept_salt(path: Path, what: str, error: type[RoboRallyError]) -> str | None:
    """The salt of what is in a folder, "0" if it has none; None where there is nothing yet. As `begin_folder`."""
    return arguments_of(path, what, error).get("salt") or "0" if path.exists() else None


def arguments_of(path: Path, what: str, error: type[RoboRallyError]) -> dict[str, Any]:
    """What is played in a folder. Raises an error for a file that says something else. As `begin_folder`."""
    with suppress(ValueError):
        there = loads(read_text(path, error), str(path))
        if isinstance(there, dict):
            return there
    raise error(f"{path}: not the arguments of {_a(what)}: choose another folder")


def _a(what: str) -> str:
    return f"{'an' if what[0] in 'aeiou' else 'a'} {what}"
