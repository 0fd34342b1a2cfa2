"""The files of a submission, and the archive of them, which is the same to the byte wherever it is made."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from pathlib import Path

from rr_gym.bots.manifest import BotError, Manifest
from rr_gym.errors import short_repr
from rr_gym.files import read_bytes, write_file

MOST_FILES, MOST_BYTES = 2000, 64 * 2**20
_LEFT_OUT = {"__pycache__", "node_modules", ".git", ".hg", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache"}


def files_of(folder: Path) -> dict[str, Path]:
    """Return the files of a submission by their paths in its folder, sorted; caches and repositories are left out.

    Raises:
        BotError: There are too many files or bytes, or something that is neither a file nor a folder.
    """
    found: dict[str, Path] = {}
    size = 0
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in (*folders, *sorted(names)):
            path = Path(root, name)
            inner = path.relative_to(folder).as_posix()
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                raise BotError(f"{path}: expected only files and folders, no links")
            if not inner.isprintable():
                raise BotError(f"{folder}: {short_repr(inner)}: expected names that can be printed")
            if path.is_file():
                found[inner] = path
                size += path.stat().st_size
                if len(found) > MOST_FILES or size > MOST_BYTES:
                    raise BotError(f"{folder}: expected at most {MOST_FILES:,} files and {MOST_BYTES // 2**20} MiB")
    return dict(sorted(found.items()))


def archive(folder: Path) -> bytes:
    """Return the archive of a submission, in the format tar without compression. Raises BotError."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, path in files_of(folder).items():
            data = read_bytes(path, BotError)
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o755 if os.access(path, os.X_OK) else 0o644
            tar.addfile(entry, io.BytesIO(data))
    return content.getvalue()


def digest_of(folder: Path) -> str:
    """Return the SHA-256 of the archive of a submission, in hexadecimal digits. Raises BotError."""
    return hashlib.sha256(archive(folder)).hexdigest()


def pack(folder: Path, out: Path | None = None) -> tuple[Path, str]:
    """Write the archive of a submission.

    Args:
        folder: The folder with its manifest.
        out: The archive; None for NAME-VERSION.tar beside the folder.

    Returns:
        The archive and its SHA-256.

    Raises:
        BotError: The submission is not well formed, or the archive cannot be written.
    """
    manifest = Manifest.load(folder)
    path = out or folder.resolve().parent / f"{manifest.name}-{manifest.version}.tar"
    if path.resolve().is_relative_to(folder.resolve()):
        raise BotError(f"{path}: expected an archive outside of {folder}, which it would be a part of")
    data = archive(folder)
    return write_file(path, data, BotError), hashlib.sha256(data).hexdigest()


def unpack(content: bytes, to: Path) -> Path:
    """Write the files of an archive that `archive` made into a new folder, and return the folder. Raises BotError."""
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        tar.extractall(to, filter="data")
    return to


def copy_files(folder: Path, to: Path) -> None:
    """Copy the files of a submission into an empty folder. Raises BotError."""
    for name, path in files_of(folder).items():
        there = to / name
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_bytes(read_bytes(path, BotError))
        there.chmod(0o755 if os.access(path, os.X_OK) else 0o644)
