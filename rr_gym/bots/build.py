"""The build step of submissions: in a copy of the folder, in a sandbox, once for each version of the files."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from rr_gym.bots.archive import copy_files
from rr_gym.bots.manifest import BotError, BuildError, Manifest
from rr_gym.compilation.files import cache_home
from rr_gym.files import writing
from rr_gym.players.process import Gone, Process
from rr_gym.players.sandbox import NONE, PROCESS, Limits, Sandbox, choose_kind

MAX_BUILT_BYTES = 256 * 2**20  # total size of the files after the build
_CHECK_INTERVAL = 0.1  # seconds between two measurements of the size of the folder
_BWRAP_SAYS = "; it said: bwrap: "  # how the last words begin if bubblewrap has failed, and not what runs in it
_LIMITS = {"memory": 2048, "processes": 64, "disk": 256}


def built_folder(folder: Path, manifest: Manifest, digest: str, kind: str) -> Path:
    """Return the folder to play from: the submission's own, or one in the cache, in which its build step was run.

    Args:
        folder: The submission.
        manifest: Its manifest.
        digest: The digest of its files; the same files are built only once.
        kind: The sandbox of the build; `process` replaces `none`.

    Raises:
        BotError: The build step takes too long, writes too much, or cannot be run.
        BuildError: It fails; the message ends with its last output.
    """
    if not manifest.build:
        return folder.resolve()
    home = cache_home() / "bots"
    done = home / digest
    if done.is_dir():
        return done
    with writing(home, BotError):
        home.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".build-", dir=home))
    try:
        copy_files(folder, made)
        _run(folder, made, manifest, choose_kind(PROCESS) if kind == NONE else kind)
        with writing(done, BotError):
            made.chmod(0o755)
            if not done.is_dir():  # another process may have built it in the meantime
                os.replace(made, done)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return done


def _run(folder: Path, made: Path, manifest: Manifest, kind: str) -> None:
    """Run the build step in a copy of the folder. Raises BotError."""
    seconds = manifest.options.build_seconds
    where = f"{folder}: build {manifest.build}"
    sandbox = Sandbox(kind, Limits(cpu=seconds, **_LIMITS), made, writable=True)
    try:
        process = Process(manifest.build, sandbox)
    except OSError as error:
        raise BotError(f"{where}: cannot be started: {error.strerror or error}") from None
    until = time.monotonic() + seconds
    said, open_output, size = b"", True, 0
    try:
        # A process may close its output and go on.
        while (open_output or process.status is None) and time.monotonic() < until and size <= MAX_BUILT_BYTES:
            line = process.receive(min(until, time.monotonic() + _CHECK_INTERVAL))
            if isinstance(line, Gone):
                open_output = False
                time.sleep(0.01)
            elif line:
                said = line.text
            if not line or not open_output:
                size = _size_of(made)
        status = process.status
    finally:
        words = process.last_words() or (f"; it said: {said.decode(errors='replace')[:200]}" if said else "")
    size = max(size, _size_of(made))
    if size > MAX_BUILT_BYTES:
        raise BotError(f"{where}: {size // 2**20} MiB of files: expected at most {MAX_BUILT_BYTES // 2**20}")
    if verdict := process.verdict():
        raise BotError(f"{where}: {verdict}{words}")
    if status is None:
        raise BotError(f"{where}: not done after {seconds} s: it was stopped{words}")
    if status:
        of_machine = words.startswith(_BWRAP_SAYS)  # bubblewrap itself has failed
        raise (BotError if of_machine else BuildError)(f"{where}: exit status {status}{words}")


def _size_of(folder: Path) -> int:
    """Return the total size in bytes of all files in a folder; files that disappear meanwhile are skipped."""
    size = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                size += Path(root, name).lstat().st_size
    return size
