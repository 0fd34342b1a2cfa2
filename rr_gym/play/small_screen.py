"""The display between two turns on a small terminal: a part of the board, with robots and hand beside it."""

from __future__ import annotations

from collections.abc import Iterator

from rr_gym.encoding.observe.view import View
from rr_gym.play.screen import Screen, card_words
from rr_gym.render.board.sketch import CELL
from rr_gym.rules.state.records import GameRecord
from rr_gym.text_layout import columns, padded, visible

_BESIDE = 25  # characters of a line that are kept for the text beside the board
_RESERVED = 6  # lines of a terminal for the title, the coordinates, walls in the north, the program, and the prompt
_LEAST = 5  # the fewest columns or rows of squares that are worth drawing


def small_look(screen: Screen, view: View, record: GameRecord, width: int, height: int) -> str:
    """Draw the board around the seat's robot, with all robots and the hand beside it, or below it if there is no room.

    Args:
        screen: The screen that draws the board.
        view: What the seat sees.
        record: The game, from which only the state of the board is read.
        width: The width of the terminal in characters.
        height: The height of the terminal in lines.
    """
    across = (width - _BESIDE - 5) // (CELL + 1)
    narrow = across < _LEAST
    if narrow:
        across = max(1, (width - 4) // (CELL + 1))
    board = screen.small_board(view, record, across, max(_LEAST, height - _RESERVED))
    beside = [*_robots(screen, view), *_hand(view)]
    if narrow:
        return "\n".join((*board, *beside))
    wide = max(map(visible, board)) + 2
    lines = []
    for i in range(max(len(board), len(beside))):
        left = board[i] if i < len(board) else ""
        lines.append(f"{padded(left, wide)}{beside[i]}" if i < len(beside) else left)
    return "\n".join(lines)


def _robots(screen: Screen, view: View) -> list[str]:
    rows = [["", "robot", "dmg", "life", "flag"]]
    for robot in view.robots:
        name = "you" if robot.seat == view.seat else screen.names[robot.seat]
        chip = screen.chip(robot.seat, str(robot.seat + 1))
        lives = "-" if robot.lives is None else str(robot.lives)
        flags = "out" if robot.out else f"{robot.flag}/{len(view.flags)}"
        rows.append([">" if robot.seat == view.seat else "", f"{chip} {name[:8]}", str(robot.damage), lives, flags])
    return columns(rows, " ")


def _hand(view: View) -> Iterator[str]:
    if view.hand:
        yield "your hand"
        yield from (f"{number} {card_words(card)}" for number, card in enumerate(view.hand, start=1))
