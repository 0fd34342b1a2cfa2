"""Write boards in the format RRB1."""

from __future__ import annotations

from rr_gym.courses.text.board import Board, Group
from rr_gym.courses.text.grammar import write_cell
from rr_gym.text_layout import columns


def format_board(board: Board) -> str:
    """Write a board so that `parse_board` reads an equal one."""
    lines = [f"name: {board.name}"] if board.name else []
    lines += [f"size: {board.width}x{board.height}", "grid:"]
    lines += columns([[write_cell(cell.items, cell.sides) for cell in row] for row in board.cells], " ")
    if any(map(any, board.levels)):
        lines += ["levels:", *("".join(map(str, row)) for row in board.levels)]
    if board.groups:
        lines += ["groups:", *(line for group in board.groups for line in _format_group(group))]
    if board.params:
        lines += ["params:", *(f"{key} = {value}" for key, value in board.params.items())]
    return "\n".join(lines) + "\n"


def _format_group(group: Group) -> list[str]:
    """Return the lines that describe a group."""
    (x, y), (width, height) = group.corner, group.size
    match group.kind:
        case "ring":
            return ["ring " + " ".join(f"{x},{y}" for x, y in group.squares)]
        case "platform":
            rows = [group.letters[i : i + width] for i in range(0, width * height, width)]
            return [f"platform at {x},{y}", *("  " + " ".join(row) for row in rows)]
        case "room":
            return [f"room at {x},{y} {width}"]
        case "trapdoor":
            return [f"trapdoor at {x},{y} {width}x{height} cap {group.capacity}"]
        case _:
            return [f"{group.kind} at {x},{y} {width}x{height}"]
