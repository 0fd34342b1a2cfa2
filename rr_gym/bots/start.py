"""A bot to start from, in several languages."""

from __future__ import annotations

from pathlib import Path

from rr_gym.bots.manifest import MANIFEST, BotError, Manifest
from rr_gym.files import fill, read_text, write_files

TEMPLATES = Path(__file__).parent / "templates"
LANGUAGES = ("python", "javascript", "c")


def new_bot(folder: Path, language: str, name: str | None = None) -> list[str]:
    """Write a bot that plays: its program, with the tables that a bot needs, and its manifest.

    Args:
        folder: The folder, which must be new or empty.
        language: One of `LANGUAGES`.
        name: The name of the bot; None for the name of the folder.

    Returns:
        The names of the files.

    Raises:
        BotError: The folder is not empty, the name is not valid for a bot, or the folder cannot be written.
    """
    if language not in LANGUAGES:
        raise BotError(f"language: {language}: expected {' | '.join(LANGUAGES)}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BotError(f"{folder}: expected a new or an empty folder")
    name = name or folder.resolve().name
    files: dict[str, str | bytes] = {
        path.name: read_text(path, BotError) for path in sorted((TEMPLATES / language).iterdir()) if path.is_file()
    }
    manifest = fill(str(files.pop(MANIFEST)), {"name": name})
    Manifest.read(manifest, f"{folder / MANIFEST}")  # refuses a bad name before anything is written
    write_files(folder, files | {MANIFEST: manifest}, BotError)
    return [*files, MANIFEST]
