"""Describe positions as data for the script of a board: robots, devices, flags and tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rr_gym.courses import Course
from rr_gym.courses.changes import Changes, flag_squares
from rr_gym.render.pieces import Piece
from rr_gym.render.robots import spots
from rr_gym.render.tokens import Tokens
from rr_gym.render.words import Event

Place = tuple[int, int]
_UNKNOWN = object()
_FIELDS = tuple(name for name in Piece.__dataclass_fields__ if name not in ("square", "copy_square"))


class PlacedRobots:
    """Robots as a board shows them; a robot that left the board is shown where it was last seen.

    Args:
        pieces: The robots. A piece that `update` gets again as the same object is taken to be unchanged.
        width: Width of the course in squares.

    Attributes:
        states: By seat, the fields of `Piece` with places instead of square numbers: `x`, `y`, `archive` and `copy`.
    """

    def __init__(self, pieces: Sequence[Piece], width: int) -> None:
        self.width = width
        self.squares = [piece.square for piece in pieces]
        self.states: list[dict[str, Any]] = [{} for _ in pieces]
        self._pieces: tuple[Piece | None, ...] = (None,) * len(pieces)
        self.update(pieces, ())

    def update(self, pieces: Sequence[Piece], events: Sequence[Event]) -> dict[int, dict[str, Any]]:
        """Take over the robots' states after some events, and return the fields that changed, by seat."""
        for event in events:
            if event.kind in ("moved", "reentered") and event.square >= 0:
                self.squares[event.robot] = event.square
        # Robots off the board are placed separately from those on it: they are in nobody's way.
        here = spots([piece.square for piece in pieces], self.width)
        fallen = spots(self.squares, self.width)
        changes: dict[int, dict[str, Any]] = {}
        for seat, (piece, then) in enumerate(zip(pieces, self.states, strict=True)):
            x, y = here[seat] if piece.alive else fallen[seat]
            if piece is self._pieces[seat] and (x, y) == (then["x"], then["y"]):
                continue
            now = self._state(piece, x, y)
            if changed := {key: value for key, value in now.items() if value != then.get(key, _UNKNOWN)}:
                changes[seat] = changed
                self.states[seat] = now
        self._pieces = tuple(pieces)
        return changes

    def _state(self, piece: Piece, x: float, y: float) -> dict[str, Any]:
        copy = place_of_square(piece.copy_square, self.width) if piece.copy_square >= 0 else None
        archive = place_of_square(piece.archive, self.width)
        return {name: getattr(piece, name) for name in _FIELDS} | {"x": x, "y": y, "archive": archive, "copy": copy}


def tokens_json(tokens: Tokens, changes: Changes, course: Course) -> dict[str, Any]:
    """Return the devices, the owners and places of flags, and the holders of tokens as data for a board's script."""
    width = course.size[0]
    places = [place_of_square(square, width) for square in flag_squares(course, changes)]
    return {
        "devices": [
            {
                "key": f"{device.number}-{device.kind}-{device.owner}",
                "stamp": f"{device.kind}-{device.owner}",
                "owner": device.owner,
                "at": place_of_square(device.square, width),
                "facing": device.facing,
                "virtual": device.virtual,
                "target": place_of_square(device.target, width) if device.target >= 0 else None,
            }
            for device in tokens.devices
            if device.square >= 0
        ],
        "flags": [[*place, team] for place, team in zip(places, tokens.flag_teams, strict=False) if team],
        "goals": places,
        "homing": tokens.homing,
        "interceptor": tokens.interceptor,
        "damping": tokens.damping,
        "superbot": tokens.superbot,
    }


def place_of_square(square: int, width: int) -> Place:
    """Return a square number as (x, y)."""
    return square % width, square // width
