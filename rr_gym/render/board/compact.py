"""Draw courses as text with one line for each row of squares, for small terminals."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rr_gym.courses.course import Course
from rr_gym.courses.text.board import Square
from rr_gym.render.board.sketch import CELL, Sketch

_FLOOR_LINES = {False: "_", True: "▁"}  # fill a square with a wall on its south side


def draw_compact(
    course: Course,
    unicode: bool,
    colour: bool,
    marks: Mapping[Square, str],
    up: Collection[Square],
    tints: Mapping[Square, str],
    columns: range,
    rows: range,
) -> list[str]:
    """Draw a part of a course with one line per row of squares.

    A wall on a south side is drawn at the foot of its square.

    Args:
        course: The course; it and the next five arguments are those of `rr_gym.render.board.sketch.draw`.
        unicode: Use arrows and lines; plain ASCII otherwise.
        colour: Use the colours of terminals.
        marks: Words to show on squares.
        up: Squares whose piston or elevator is up.
        tints: How marks are coloured.
        columns: The columns drawn.
        rows: The rows drawn.

    Returns:
        The coordinates of the columns, a line of walls if the first row has any on its north side, and the rows.
    """
    sketch = Sketch(course, unicode, colour, marks, up, tints)
    lines = ["    " + "".join(f"{x:^{CELL + 1}}" for x in columns).rstrip()]
    walls = "".join(" " + sketch.edge(x, rows.start, 0) for x in columns)
    lines += [f"   {walls}"] if walls.strip() else []
    for y in rows:
        squares = (sketch.edge(x, y, 3) + _square(sketch, x, y) for x in columns)
        lines.append(f"{y:>2} {''.join(squares)}{sketch.edge(columns.stop, y, 3)}")
    return [line.rstrip() for line in lines]


def _square(sketch: Sketch, x: int, y: int) -> str:
    placed = sketch.course.squares.get((x, y))
    if placed is None:
        return " " * CELL
    wall, _ = sketch.line(x, y + 1, 0)
    text, kind = sketch.sign((x, y), placed)
    text = text[:CELL].center(CELL)
    if wall.strip():
        text = text.replace(" ", _FLOOR_LINES[sketch.unicode])
        beams = wall.strip(sketch.across).strip()
        text = text[:-1] + beams[0] if beams.isdigit() else text
    return sketch.paint(text, kind, (x, y))
