"""Give each board element one to three letters: how squares, sides and groups look in text.

They are the words of the format RRB1 without phases, with arrows for directions; docs/elements.md lists them all.
"""

from __future__ import annotations

from rr_gym.courses.elements import BY_ID
from rr_gym.courses.text.board import Group, Square
from rr_gym.courses.text.grammar import STEPS, SquarePart
from rr_gym.courses.text.words import ARROWS as PLAIN_ARROWS
from rr_gym.courses.text.words import SIDE_LETTERS

ARROWS = {False: PLAIN_ARROWS, True: "↑→↓←"}  # by direction, plain and Unicode
_DIAGONALS = {(1, -1): ("^>", "↗"), (1, 1): ("v>", "↘"), (-1, 1): ("v<", "↙"), (-1, -1): ("^<", "↖")}


def item_sign(item: SquarePart, unicode: bool, up: bool = False, falls: bool = False) -> str:
    """Return an item in one to three letters.

    Args:
        item: An item of a square.
        unicode: Arrows and blocks instead of plain ASCII.
        up: Whether this piston or elevator is up.
        falls: Whether this stream is a waterfall.
    """
    arrow = ARROWS[unicode][item.direction] if item.direction >= 0 else ""
    risen = ("▲" if unicode else "^") if up else ""
    match item.kind:
        case "floor":
            return "·" if unicode else "."
        case "belt":
            return arrow * len(item.text.partition(":")[0])
        case "flip_belt":
            return "g" + ARROWS[unicode][SIDE_LETTERS.index(item.text[2])]
        case "rotating_belt":
            return item.text[:2] + step_sign(item.text[2], unicode)
        case "stream":
            return item.text[0] + arrow + "|" * falls
        case "tilt":
            dx, dy = (sum(STEPS[PLAIN_ARROWS.index(a)][axis] for a in item.text[1:]) for axis in (0, 1))
            return "S" + direction_sign(dx, dy, unicode)
        case "gear" if unicode:
            return ("↺" if item.text[0] == "L" else "↻") + item.text[1:]
        case "pusher" | "turret":
            return item.text[0] + arrow
        case "piston":
            return (risen or "p") + item.colour + arrow
        case "elevator":
            return "h" + risen
        case "jack":
            return "J"
        case "pit" if item.element == "pit":
            return "███" if unicode else "XXX"
        case _:
            return item.text.rstrip("12345") if item.word.has_phases else item.text


def step_sign(letter: str, unicode: bool) -> str:
    """Return the arrow to show for an arrow of the board format; any other letter, such as ``-``, stays as it is."""
    return ARROWS[unicode][PLAIN_ARROWS.index(letter)] if letter in PLAIN_ARROWS else letter


def direction_sign(dx: int, dy: int, unicode: bool) -> str:
    """Return an arrow towards a neighbouring square, given as its offset; it may be a diagonal neighbour."""
    if (dx, dy) in _DIAGONALS:
        return _DIAGONALS[dx, dy][unicode]
    return ARROWS[unicode][STEPS.index((dx, dy))]


def side_sign(side: SquarePart) -> str:
    """Return a side in one letter, "" for a plain wall, which is drawn as a line alone."""
    if side.kind == "laser":
        return str(side.number)
    return side.text if side.kind == "one_way" else BY_ID[side.element].sign


def group_sign(group: Group, square: Square, unicode: bool) -> str:
    """Return the sign of a group's square that has nothing else on it; `square` is (x, y) on the group's board."""
    place = group.squares.index(square)
    match group.kind:
        case "platform":
            return f"[{group.letters[place]}]"
        case "trapdoor":
            return f"{{{group.capacity}}}"
        case "bigear":
            return "(*)"
        case "ring":
            x, y = group.squares[(place + 1) % len(group.squares)]
            return "o" + direction_sign(x - square[0], y - square[1], unicode)
        case _:
            return "⟳" if unicode else "%"
