"""Positions as data for the script of a board: robots, and what lies there."""

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
_FIELDS = tuple(name for name in Piece.__dataclass_fields__ if name not in ("square", "copy_square"))


class PlacedRobots:
    """Robots as a board shows them: one that left the board is last seen where it fell.

    Args:
        pieces: The robots.
        width: Of the course, in squares.

    Attributes:
        states: By seat, the fields of `Piece` with places instead of square numbers: `x`, `y`, `archive` and `copy`.
    """

    def __init__(self, pieces: Sequence[Piece], width: int) -> None:
        self.width = width
        self.squares = [piece.square for piece in pieces]
        self.states = self._drawn(pieces)

    def _drawn(self, pieces: Sequence[Piece]) -> list[dict[str, Any]]:
        # Robots off the board are placed separately from those on it: they are in nobody's way.
        here = spots([piece.square for piece in pieces], self.width)
        fallen = spots(self.squares, self.width)
        states = []
        for seat, piece in enumerate(pieces):
            x, y = here[seat] if piece.alive else fallen[seat]
            copy = place_of_square(piece.copy_square, self.width) if piece.copy_square >= 0 else None
            state = {name: getattr(piece, name) for name in _FIELDS}
            state |= {"x": x, "y": y, "archive": place_of_square(piece.archive, self.width), "copy": copy}
            states.append(state)
        return states

    def update(self, pieces: Sequence[Piece], events: Sequence[Event]) -> dict[int, dict[str, Any]]:
        """Advance to robots after some events. Returns the fields that changed, by seat."""
        for event in events:
            if event.kind in ("moved", "reentered") and event.square >= 0:
                self.squares[event.robot] = event.square
        before, self.states = self.states, self._drawn(pieces)
        changes = {
            seat: {key: value for key, value in now.items() if value != then[key]}
            for seat, (then, now) in enumerate(zip(before, self.states, strict=True))
        }
        return {seat: change for seat, change in changes.items() if change}


def tokens_json(tokens: Tokens, changes: Changes, course: Course) -> dict[str, Any]:
    """What lies on a board: devices, the owners and places of flags, and who has which token."""
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
    """A square number as (x, y)."""
    return square % width, square // width
