"""Runs a program and exchanges lines with it; the program can neither block its parent nor outlive it."""

from __future__ import annotations

import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from rr_gym.errors import RoboRallyError, printable, short_repr
from rr_gym.players.sandbox import Sandbox

LONGEST_LINE = 2**16
MOST_BYTES = 2**24  # of unread lines; a program that writes more is stopped
MOST_LINES = 50_000
ENDED = "it ended"  # by itself
_LAST_WORDS = 20  # lines of its standard error that are kept
_LAST_SAID = 300  # the last characters of these that are reported
POLITE_SECONDS = 0.5  # seconds that a program has to exit by itself
_GUARD = ("/bin/sh", "-c", "read end; kill -9 0")  # kills its process group when its input ends


@dataclass(frozen=True, slots=True)
class OutputLine:
    """A line that the program wrote, without its end, and the time of its arrival (`time.monotonic`)."""

    text: bytes
    time: float


@dataclass(frozen=True, slots=True)
class Gone:
    """The program no longer writes; `why` is the reason, for a report."""

    why: str


class _Inbox:
    """A queue of lines from the thread that reads them to their consumer."""

    def __init__(self) -> None:
        self._lines: deque[OutputLine] = deque()
        self._bytes = 0
        self._end: Gone | None = None
        self._change = threading.Condition()

    def put(self, line: OutputLine) -> bool:
        """Add a line and return True; return False, and drop the line, if the consumer has fallen too far behind."""
        with self._change:
            self._bytes += len(line.text)
            if self._bytes > MOST_BYTES or len(self._lines) >= MOST_LINES:
                return False
            self._lines.append(line)
            self._change.notify()
            return True

    def end(self, end: Gone) -> None:
        with self._change:
            self._end = end
            self._change.notify()

    def take(self, until: float) -> OutputLine | Gone | None:
        with self._change:
            self._change.wait_for(lambda: self._lines or self._end, max(0.0, until - time.monotonic()))
            if not self._lines:
                return self._end
            line = self._lines.popleft()
            self._bytes -= len(line.text)
            return line


class _Outbox:
    """A queue of lines from one thread to the thread that writes them to the program."""

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._put = self._taken = 0  # bytes; each number is changed by one thread alone

    def put(self, line: bytes | None) -> None:
        self._put += len(line or b"")
        self._lines.put(line)

    def take(self) -> bytes | None:
        line = self._lines.get()
        self._taken += len(line or b"")
        return line

    @property
    def bytes_left(self) -> int:
        return self._put - self._taken


class Process:
    """A running program. Every pipe has a thread, so that a program that stops reading cannot block its caller.

    Args:
        command: The program and its arguments.
        sandbox: Where it runs; None for no sandbox.
        folder: The folder that it is in without a sandbox; None for that of this process.
        on_error_line: Called by a thread with each line of its standard error, without its end.

    Raises:
        OSError: The program cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        sandbox: Sandbox | None = None,
        folder: str | os.PathLike[str] | None = None,
        on_error_line: Callable[[bytes], None] | None = None,
    ) -> None:
        self._kept = sandbox.start(command) if sandbox else None
        process = self._process = self._kept.process if self._kept else _started(command, folder)
        self._inbox = _Inbox()
        self._outbox = _Outbox()
        self._words: deque[str] = deque(maxlen=_LAST_WORDS)
        # The threads refer to their pipes, not to this object: when it is garbage collected, the program ends.
        self._threads = [
            threading.Thread(target=target, args=arguments, daemon=True)
            for target, arguments in (
                (_write, (process.stdin, self._outbox)),
                (_read, (process.stdout, self._inbox)),
                (_listen, (process.stderr, self._words, on_error_line)),
            )
        ]
        for thread in self._threads:
            thread.start()
        # This also runs at the interpreter's exit.
        self._end: Callable[[], object]
        if self._kept:
            self._end = self._kept.end
        else:
            self._end = weakref.finalize(self, _kill, process, _guard(process.pid), os.getpid())

    def send(self, text: str) -> None:
        """Queue one line; a thread writes it as soon as the program reads."""
        self._outbox.put(text.encode() + b"\n")

    @property
    def unread(self) -> int:
        """Return how many bytes of what was sent still wait until the program reads."""
        return self._outbox.bytes_left

    def receive(self, until: float) -> OutputLine | Gone | None:
        """Return the next line; `Gone` if there will be none; None if none comes by `until` (`time.monotonic`)."""
        return self._inbox.take(until)

    def close(self) -> None:
        """End the program and everything that it started, after a short time to exit by itself once its input ends."""
        self._outbox.put(None)
        self._threads[1].join(POLITE_SECONDS)
        self._end()
        for thread in self._threads:
            thread.join(POLITE_SECONDS)

    def last_words(self) -> str:
        """Close the process and return the last lines of its standard error, after ``; it said:``, or an empty text."""
        self.close()
        output = " | ".join(self._words)
        if len(output) > _LAST_SAID:
            output = f"...{output[-_LAST_SAID:]}"
        return f"; it said: {output}" if output else ""

    def verdict(self) -> str:
        """Return which limit of its sandbox the program has crossed, once it is closed; an empty text if none."""
        return self._kept.verdict() if self._kept else ""

    @property
    def status(self) -> int | None:
        """Return its exit status; None as long as it runs."""
        return self._process.poll()


def split_command(command: str | Sequence[str], folder: Path | None = None) -> list[str]:
    """Return a program and its arguments; raise a RoboRallyError if there is no such program.

    Args:
        command: The program with its arguments: a list, or one string, split as by a shell.
        folder: The folder from which a program that is named by a path is found; None for the one of this process.
    """
    try:
        words = shlex.split(command, posix=os.name != "nt") if isinstance(command, str) else [*map(os.fspath, command)]
    except ValueError as error:
        raise RoboRallyError(f"program {short_repr(command)}: {error}: expected a command with its arguments") from None
    if not words or not words[0]:
        raise RoboRallyError(f"program {short_repr(command)}: expected a command with its arguments")
    if shutil.which(os.path.join(folder, words[0]) if folder and os.sep in words[0] else words[0]) is None:
        raise RoboRallyError(f"program {short_repr(command)}: there is no executable program '{words[0]}'")
    return words


def _started(command: Sequence[str], folder: str | os.PathLike[str] | None) -> subprocess.Popen[bytes]:
    """Start a program in a process group of its own, without a sandbox. Raises OSError if it cannot be started."""
    group: dict[str, Any] = {"process_group": 0}
    if os.name == "nt":
        group = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    pipe = subprocess.PIPE
    return subprocess.Popen(list(command), stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, **group)


def _write(pipe: IO[bytes], outbox: _Outbox) -> None:
    with suppress(OSError):
        while (line := outbox.take()) is not None:
            pipe.write(line)
            pipe.flush()
    with suppress(OSError):
        pipe.close()


def _read(pipe: IO[bytes], inbox: _Inbox) -> None:
    end = Gone(ENDED)
    with suppress(OSError), pipe:
        while line := pipe.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE:
                end = Gone(f"it wrote a line of more than {LONGEST_LINE:,} bytes")
                break
            if not inbox.put(OutputLine(line.rstrip(b"\r\n"), time.monotonic())):
                end = Gone("it wrote too many unsolicited lines")
                break
    inbox.end(end)


def _listen(pipe: IO[bytes], words: deque[str], on_error_line: Callable[[bytes], None] | None) -> None:
    with suppress(OSError), pipe:
        while line := pipe.readline(4096):
            if on_error_line:
                on_error_line(line.rstrip(b"\r\n"))
            if text := line.decode(errors="replace").strip():
                words.append(printable(text[:200]))


def _guard(group: int) -> subprocess.Popen[bytes] | None:
    """Start a shell that kills a process group once this process has ended in any way; None if it cannot start."""
    null = subprocess.DEVNULL
    if os.name != "nt":
        with suppress(OSError):
            return subprocess.Popen(_GUARD, stdin=subprocess.PIPE, stdout=null, stderr=null, process_group=group)
    return None


def _kill(process: subprocess.Popen[bytes], guard: subprocess.Popen[bytes] | None, owner: int) -> None:
    """Kill the program with all its children; its pid cannot have been reused, since it has not been waited for."""
    if os.getpid() != owner:  # a fork of the one that started it
        return
    with suppress(OSError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if guard:
        guard.communicate()
