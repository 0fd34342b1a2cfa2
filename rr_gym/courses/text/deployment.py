"""Choose start squares for the teams of capture the flag on courses that have no start squares (R-G3.15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rr_gym.courses.text.board import Square
from rr_gym.courses.text.layout import PlacedSquare

ROWS = 6  # starts lie in this many rows, or columns, of a board: those farthest from the other board
STARTS = 4  # start squares of each team


def deployment(floor: Mapping[Square, PlacedSquare], flags: Sequence[Square]) -> dict[int, Square] | None:
    """Choose start squares for two teams, on the board of each team's own flag and far from the other board.

    Start squares are open floor in the six rows farthest from the other board. They are chosen from the middle of the
    farthest row outwards (*ruling*). Their numbers alternate between the teams: the first team has the odd ones.

    Args:
        floor: The squares of the layout.
        flags: The flags of the two teams.

    Returns:
        The squares by start number, or None if the flags are not on two different boards or a board has no room.
    """
    if len(flags) != 2 or floor[flags[0]].placement is floor[flags[1]].placement:
        return None
    starts: dict[int, Square] = {}
    for team in range(2):
        squares = _rows(floor, flags[team], flags[1 - team])
        open_floor = [s for s in squares if _is_open(floor[s]) and s not in flags]
        if len(open_floor) < STARTS:
            return None
        starts |= {2 * k + team + 1: square for k, square in enumerate(open_floor[:STARTS])}
    return dict(sorted(starts.items()))


def _is_open(square: PlacedSquare) -> bool:
    """Tell whether a square is open floor with nothing on it."""
    return all(item.element == "open_floor" for item in square.cell.items)


def _rows(floor: Mapping[Square, PlacedSquare], own: Square, other: Square) -> list[Square]:
    """Return the squares of the own flag's board in the `ROWS` rows farthest from the other board, best first."""
    board = floor[own].placement
    squares = [square for square in floor if floor[square].placement is board]
    there = [square for square in floor if floor[square].placement is floor[other].placement]
    gaps = [_middle(there, axis) - _middle(squares, axis) for axis in (0, 1)]
    axis = 0 if abs(gaps[0]) >= abs(gaps[1]) else 1
    edge = (min if gaps[axis] > 0 else max)(square[axis] for square in squares)
    across = _middle(squares, 1 - axis)
    near = [square for square in squares if abs(square[axis] - edge) < ROWS]
    return sorted(near, key=lambda s: (abs(s[axis] - edge), abs(s[1 - axis] - across), s[1 - axis]))


def _middle(squares: Sequence[Square], axis: int) -> float:
    """Return the middle of the range that squares cover along an axis: 0 for x, 1 for y."""
    along = [square[axis] for square in squares]
    return (min(along) + max(along)) / 2
