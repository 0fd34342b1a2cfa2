"""Checks before a command starts: the files that it reads exist, and it overwrites nothing without ``--force``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from rr_gym.errors import RoboRallyError
from rr_gym.files import check_writable


def check_there(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Check that files or folders that are to be read exist. Raises RoboRallyError that names the first missing one."""
    for path in paths:
        if not Path(path).exists():
            raise RoboRallyError(f"{path}: cannot be read: No such file or directory")


def check_new_file(out: Path | None, force: bool, suffixes: tuple[str, ...]) -> None:
    """Check that the file of ``--out`` can be written and that it replaces nothing without ``--force``.

    Args:
        out: The file, if one is named.
        force: Whether ``--force`` was given, so that the file may be replaced.
        suffixes: The endings that its name may have.

    Raises:
        RoboRallyError: Its name ends differently, it is a folder, it is not empty and ``--force`` is missing, or
            it cannot be written.
    """
    if out is None:
        return
    if out.suffix not in suffixes:
        expected = " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))
        raise RoboRallyError(f"--out {out}: expected a name that ends in {expected}")
    if out.is_dir():
        raise RoboRallyError(f"--out {out}: expected a file")
    if not force and out.exists() and out.stat().st_size:
        raise RoboRallyError(f"--out {out}: the file exists: --force replaces it, --out names another file")
    check_writable(out, "--out ")
