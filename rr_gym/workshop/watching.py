"""Wait until the files of a bot change."""

from __future__ import annotations

import time
from pathlib import Path

from rr_gym.bots.archive import files_of
from rr_gym.bots.manifest import BotError

EVERY = 0.5  # seconds between two looks

FilesState = dict[str, tuple[int, int]] | str  # time and size of each file, or why the folder is none of a bot


def state_of_files(folder: Path) -> FilesState:
    """Return what is known of the files of a bot without reading them: when each was written, and its size."""
    try:
        stats = {name: path.stat() for name, path in files_of(folder).items()}
    except (BotError, OSError) as error:  # a file may be replaced at this moment
        return str(error)
    return {name: (stat.st_mtime_ns, stat.st_size) for name, stat in stats.items()}


def wait_for_change(folder: Path, known: FilesState, every: float = EVERY) -> FilesState:
    """Wait until the files differ from what is known and have come to rest, and return their state.

    Args:
        folder: The folder of the bot.
        known: The state of the files that were played.
        every: Seconds between two looks; the files rest if two looks see the same.
    """
    before = known
    while True:
        now = state_of_files(folder)
        if now != known and now == before:
            return now
        before = now
        time.sleep(every)
