"""A recorded game as one JSON file (docs/replay.md): read, check, write and play it again."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, NoReturn

from rr_gym.errors import ReplayError
from rr_gym.files import check_path, read_bytes, write_file
from rr_gym.json_text import loads
from rr_gym.render.pieces import changes_of, pieces_of
from rr_gym.render.tokens import tokens_of
from rr_gym.render.words import Event
from rr_gym.replay.notebook import NotebookPage
from rr_gym.replay.reader import read_replay
from rr_gym.replay.recording import Recording, without_devices
from rr_gym.replay.rerun import begin, rerun, result_of
from rr_gym.version import __version__


@dataclass(frozen=True)
class Replay(Recording):
    """One recorded game in a file; its attributes are those of `Recording`."""

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the file atomically.

        Raises:
            ReplayError: The file cannot be written.
        """
        return write_file(path, self.to_text(), ReplayError)

    def to_text(self) -> str:
        """Return the content of the file that `save` writes."""
        return _dumps(self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Replay:
        """Read and check a replay file.

        Raises:
            ReplayError: The file does not exist, is damaged, or is of another version; the message names file and
                field.
        """
        file = check_path("path", path, ReplayError)
        return cls.from_json(loads(read_bytes(file, ReplayError), str(path), ReplayError), str(path))

    @classmethod
    def from_json(cls, data: Any, where: str = "replay") -> Replay:
        """Create a replay from the contents of a file. Raises ReplayError that names `where` and the bad field."""
        return read_replay(cls, data, where)

    def verify(self) -> None:
        """Play the game again from its seed and orders and compare its start, every event and its result.

        Raises:
            ReplayError: The rules lead to something else; the message names the first difference.
        """
        arena, games = begin(self)
        for seat, (piece, true) in enumerate(zip(self.start, pieces_of(games[0], self.course), strict=True)):
            self._compare(f"start[{seat}]", asdict(piece), asdict(true))
        self._compare("board", asdict(self.board), asdict(changes_of(games[0], self.course)))
        tokens = tokens_of(games[0], self.course, self.settings["game"])
        self._compare("tokens", without_devices(self.tokens), without_devices(tokens))
        again = (events for _, events in rerun(self, arena, games))
        for number, (turn, events) in enumerate(zip_longest(self.turns, again), start=1):
            if events is None:
                raise ReplayError(f"turn {number}: recorded, but by the rules the game is over before it")
            for recorded, found in zip_longest(turn.events, events):
                if recorded != found:
                    self._differ(f"turn {number}", _shown(recorded), _shown(found))
        noted = {"over": self.over, "winners": self.winners, "placements": self.placements}
        self._compare("result", noted, result_of(arena, games))

    def _repr_html_(self) -> str:
        """Return the page of the replay in a frame, for notebooks."""
        from rr_gym.replay.page import to_html  # loaded where a page is made

        return NotebookPage(to_html(self))._repr_html_()

    def _compare(self, where: str, recorded: dict[str, Any], found: dict[str, Any]) -> None:
        for name, value in recorded.items():
            if value != found[name]:
                self._differ(f"{where}.{name}", value, found[name])

    def _differ(self, where: str, recorded: Any, found: Any) -> NoReturn:
        raise ReplayError(
            f"{where}: recorded {recorded} by version {self.package}, "
            f"but the rules of version {__version__} give {found}"
        )


def _shown(event: Event | None) -> str:
    return "no further event" if event is None else str(list(event))


def _dumps(data: dict[str, Any]) -> str:
    """Return JSON with one line per field, order and event, so that files can be compared line by line."""

    def lines(values: list[Any]) -> str:
        return "[\n" + ",\n".join(json.dumps(v, separators=(",", ":")) for v in values) + "\n]" if values else "[]"

    turns = ",\n".join(f'{{"orders": {lines(t["orders"])},\n"events": {lines(t["events"])}}}' for t in data["turns"])
    parts = []
    for key, value in data.items():
        text = f"[\n{turns}\n]" if key == "turns" else lines(value) if key == "start" else json.dumps(value)
        parts.append(f"{json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
