"""The file in which a benchmark keeps its played blocks: one JSON object per line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any

from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.benchmark.fingerprints import Fingerprint
from rr_gym.evaluation.benchmark.row_play import BlockScores, RowBlock
from rr_gym.evaluation.benchmark.suites import Suite
from rr_gym.evaluation.player_files import player_files
from rr_gym.evaluation.result_lines import append_entry, by_block, read_entries, rewrite_entries
from rr_gym.evaluation.secret_salts import DIGEST, LOST_SALT, concealed, is_secret, revealed
from rr_gym.files import writing
from rr_gym.json_text import loads
from rr_gym.locks import hold
from rr_gym.players import Player
from rr_gym.salt import choose_salt, digest_of_salt, read_salt, salt_text
from rr_gym.version import __version__

_BEGINNING = b'{"player": '  # of every line
_EXPECTED = "a block of rr-gym benchmark: without this line and those after it they are played again"


class LogError(RoboRallyError):
    """A file that cannot be read or written, or that is not a benchmark's."""


def block_keys(player: str, suite: Suite, fingerprint: Fingerprint, digest: str = "") -> dict[str, str]:
    """Return a digest, for each row, of everything that the scores of its blocks depend on.

    These are the player's name, its files, or their digest if it is a submission, the version of the package, the row,
    and its background players.
    """
    files = player_files(player) + digest.encode()
    keys = {}
    for row in suite.rows:
        others = [fingerprint.players[name] for name in row.others]
        words = [player, suite.name, row.name, fingerprint.rows[row.name], others, __version__]
        keys[row.name] = blake2b(json.dumps(words).encode() + files, digest_size=8).hexdigest()
    return keys


def hold_log(path: Path | None) -> AbstractContextManager[None]:
    """Keep other processes from a log, if there is one; its folder is created. Raises a LogError naming the holder."""
    if path is None:
        return nullcontext()
    with writing(path, LogError):
        path.parent.mkdir(parents=True, exist_ok=True)
    return hold(path, LogError)


def _entry(line: bytes) -> tuple[str, str, RowBlock, BlockScores, int | str]:
    """Return the player, key, block, scores and salt of a line. Raises an exception of any type if one is missing.

    A salt that has not been written yet is returned as its digest, a str.
    """
    entry = loads(line, "block")
    player, key, block = entry["player"], entry["key"], RowBlock(**entry["block"])
    lists = {name: tuple(entry[name]) for name in ("score", "win", "finish")}
    scores = BlockScores(**lists, faults=dict(entry["faults"]), decisions=entry["decisions"])
    counts = [block.first, block.count, block.games, scores.decisions, *scores.faults.values()]
    if not (
        all(isinstance(word, str) for word in (player, key, block.row, block.course))
        and all(type(count) is int and count >= 0 for count in counts)
        and all(len(values) == block.count and all(0 <= value <= 1 for value in values) for values in lists.values())
    ):
        raise ValueError(line)
    return player, key, block, scores, entry[DIGEST] if DIGEST in entry else read_salt("salt", entry.get("salt"))


class BlockLog:
    """Played blocks, of one player or of several.

    While it is open, no other process may use the file. A block that occurs twice, because two processes shared the
    file after all, is read once. A block is in the file once it is finished, so any interruption loses only the
    unfinished one. All blocks of a player were played with the same salt.

    Args:
        path: The file, which is created or appended to; with None nothing is written.
        player: The player whose blocks are read and added.
        keys: The keys by row, from `block_keys`; blocks of the player with other keys are counted in `outdated`.
        sandbox: The kind of sandbox of the player, for the lines that are added; empty if it is not a program.

    Attributes:
        blocks: The player's outcomes in the file, by block.
        salt: The salt of the games, 0 for none; None as long as it is not known.

    Raises:
        LogError: When it is opened: the file cannot be read or written, another process uses it, a line is not a
            benchmark's, or two lines contradict each other on a block.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None, player: str, keys: Mapping[str, str], sandbox: str = ""
    ) -> None:
        self.path = None if path is None else Path(path)
        self.player, self.keys, self.sandbox = player, keys, sandbox
        self.blocks: dict[RowBlock, BlockScores] = {}
        self.outdated = 0
        self.salt: int | None = None
        self._digest: str | None = None  # of the salt, while the salt itself is not written yet
        self._secret = False
        self._open = ExitStack()

    def __enter__(self) -> BlockLog:
        if self.path is not None:
            with ExitStack() as stack:
                stack.enter_context(hold_log(self.path))
                self.blocks = self._read(self.path)
                with writing(self.path, LogError):
                    self.path.touch()
                self._open = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _read(self, path: Path) -> dict[RowBlock, BlockScores]:
        """Return the player's blocks, with the keys that are wanted."""

        def own() -> Iterator[tuple[int, RowBlock, BlockScores]]:
            entries = read_entries(path, _entry, _EXPECTED, LogError, _BEGINNING)
            for number, (player, key, block, scores, salt) in enumerate(entries, start=1):
                if player != self.player or block.row not in self.keys:
                    continue
                if key != self.keys[block.row]:
                    self.outdated += 1
                    continue
                if isinstance(salt, str):
                    self._digest = salt
                elif self.salt not in (None, salt):
                    raise self._wrong_salt(salt, f"{path}:{number}")
                else:
                    self.salt = salt
                yield number, block, scores

        return by_block(path, own(), lambda block: f"{block.row}, {block.course}, deal {block.first}", LogError)

    def choose_salt(self, given: int | None, players: Iterable[Player]) -> int:
        """Return the salt for the coming blocks, the same as that of the blocks in the file.

        Args:
            given: The salt that the user chose, None if there is none.
            players: All players; without blocks one is drawn if any of these is external.

        Raises:
            LogError: The blocks in the file were played with another salt.
        """
        if self._digest and (self.salt if given is None else given) is None:
            raise LogError(f"{self.path}: blocks of {self.player} have only the digest of their salt: {LOST_SALT}")
        if self.salt is None:
            self.salt = choose_salt(given, players)
            if self._digest not in (None, digest_of_salt(self.salt)):
                where = f"expected the one whose SHA-256 blocks of {self.player} in {self.path} have"
                raise LogError(f"salt: {salt_text(self.salt) or 0}: {where}")
        elif given not in (None, self.salt):
            raise self._wrong_salt(given or 0, str(self.path))
        return self.salt

    def _wrong_salt(self, salt: int, where: str) -> LogError:
        expected = f"{salt_text(self.salt or 0) or 0}, as blocks of {self.player} have it"
        return LogError(f"{where}: salt {salt_text(salt) or 0}: expected {expected}")

    @contextmanager
    def keeping_salt(self, players: Iterable[Player]) -> Iterator[None]:
        """Keep the salt out of the file inside the context if a program plays, which might read it there.

        In its place there is its SHA-256. However the context ends, the salt is written, unless the process is killed.
        """
        if self.path is None or not is_secret(self.salt, players):
            yield
            return
        self._secret = True
        self._rewrite(self.path, concealed)
        try:
            yield
        finally:
            self._secret = False
            self._rewrite(self.path, lambda entry: revealed(entry, self.salt or 0))

    def _rewrite(self, path: Path, change: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
        """Change the lines of the player; all lines are chained anew."""

        def changed(line: bytes) -> bytes:
            entry = loads(line, str(path), LogError)
            return json.dumps(change(entry)).encode() if entry["player"] == self.player else line

        rewrite_entries(path, changed, LogError)

    def add(self, block: RowBlock, scores: BlockScores) -> None:
        """Write a block to the file; it is on disk when this returns."""
        if self.path is None:
            return
        salt = {"salt": salt_text(self.salt)} if self.salt else {}
        entry = {"player": self.player, "key": self.keys[block.row], **salt, "block": asdict(block), **asdict(scores)}
        if self.sandbox:
            entry["sandbox"] = self.sandbox
        append_entry(self.path, json.dumps(concealed(entry) if self._secret else entry), LogError)
