"""What a program sees: the files that it needs, and a short environment."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

_PATH = "/usr/local/bin:/usr/bin:/bin"
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")  # folders that every program sees


def environment(program: str, scratch: str) -> dict[str, str]:
    """Return the whole environment of a program; nothing of this process's own is in it.

    Args:
        program: The path of the program, whose folder stands first in its path.
        scratch: The folder that it may write to.
    """
    return {
        "PATH": f"{os.path.dirname(program)}:{_PATH}",
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def find_program(name: str, folder: Path | None) -> str | None:
    """Return the absolute path of a program; None if there is none.

    Args:
        name: Its name, or its path from the folder that it is to be in.
        folder: The folder of a submission, which gets the system's own program of a name if there is one, so that it
            does not depend on who plays; None for the current folder and the programs of this user.
    """
    if os.sep in name:
        found = shutil.which(os.path.join(folder or Path.cwd(), name))
    else:
        found = (shutil.which(name, path=_PATH) if folder else None) or shutil.which(name)
    return os.path.abspath(found) if found else None


def seen_by(command: Sequence[str], folder: Path | None) -> set[Path]:
    """Return the files and folders that a program needs besides the system.

    These are its own folder, or else those of the files that its command names, and the installation of its
    interpreter. A folder in which everybody keeps things, such as the home folder, is not shown: only the file is.

    Args:
        command: The program, by its absolute path, with its arguments.
        folder: Its own folder; None if it has none.
    """
    program = Path(command[0])
    found = installation_of(program)
    if folder:
        found.add(folder.resolve())
    else:
        for word in command[1:] if found or _in_system(program) else command:
            found |= _shown_for(word)
    return {path for path in found if not _in_system(path)}


def installation_of(program: Path) -> set[Path]:
    """Return the folders above the `bin` in which a program lies, as itself and as what its links lead to.

    A Python environment is one folder, and the interpreter that it links to is in another. The `shims` of version
    managers count as well. Empty if the program is in no such folder, or belongs to the system.
    """
    found = set()
    for path in (program, program.resolve()):
        above = path.parent.parent
        if path.parent.name in ("bin", "shims") and above not in _broad() and not _in_system(path):
            found.add(above)
    return found


def _shown_for(word: str) -> set[Path]:
    """Return what is shown for a word of a command: the folder of a file, or the folder itself; nothing for others."""
    try:
        path = Path(word).absolute()
        if path.is_dir():
            return {path} - _broad()
        if not path.is_file():
            return set()
    except (OSError, ValueError):  # a word may be too long for the name of a file
        return set()
    return {path if path.parent in _broad() else path.parent} | ({path.resolve()} if path.is_symlink() else set())


def _broad() -> set[Path]:
    """Return folders in which things of all kinds lie."""
    return {Path("/"), Path("/home"), Path("/root"), Path("/tmp"), Path("/var/tmp"), Path("/opt"),
            Path(tempfile.gettempdir()), Path(os.path.expanduser("~"))}  # fmt: skip


def _in_system(path: Path) -> bool:
    return any(path.is_relative_to(root) for root in _SYSTEM)
