"""Build the markup of a board that a script fills, and collect its scripts and styles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

from rr_gym.courses import Course
from rr_gym.courses.changes import Changes
from rr_gym.render.colours import INK_ON_ROBOT, ROBOT_COLOURS
from rr_gym.render.vector import movable_svg, stamps_svg
from rr_gym.render.web.floor import board_svg
from rr_gym.rules.state.constants import DEVICE_NAMES

CELL, MARGIN = 100, 32  # the side of a square and the board's margin, in the units of pages
SCRIPTS = (  # in this order
    "dom.js", "storage.js", "board.js", "effects.js", "about.js", "telling.js", "panels.js", "zoom.js"
)  # fmt: skip
STYLES = ("theme.css", "board.css", "about.css", "side.css")
# What is drawn under the robots and over them, the lowest first
UNDER = ("owners", "fields", "trails", "archives", "targets", "devices", "beams")
OVER = ("goals", "ghosts", "effects", "marks")


def scripts() -> str:
    """Return the scripts that draw boards as one text of JavaScript: plain functions and the class `Board`."""
    return "\n".join(map(_file, SCRIPTS))


def styles() -> str:
    """Return the style sheets of boards as one text of CSS."""
    return "\n".join(map(_file, STYLES))


def _file(name: str) -> str:
    return files("rr_gym.render.web").joinpath(name).read_text(encoding="utf-8")


def board_html(
    course: Course,
    looks: Sequence[Changes],
    teams: Sequence[int],
    devices: Iterable[tuple[str, int]] | None = None,
    *,
    shown: int = 0,
    without_script: str = "",
) -> str:
    """Return the markup of a board, an element of the class `board`.

    Args:
        course: The course to draw.
        looks: Every state of its changeable parts that is known beforehand; `setFloor` of the script brings others.
        teams: The robots' teams by seat, 0 for none.
        devices: The kinds of devices that can occur, each with its owner, -1 for nobody; None for all of them.
        shown: The look that is shown before a script runs.
        without_script: SVG elements (in units of squares) that show the robots where scripts are disabled.
    """
    columns, rows = course.size
    seats = range(len(teams))
    if devices is None:
        devices = [(kind, owner) for kind in DEVICE_NAMES[1:] for owner in (-1, *seats)]
    width, height = columns * CELL, rows * CELL
    box = f'viewBox="{-MARGIN} {-MARGIN} {width + 2 * MARGIN} {height + 2 * MARGIN}"'
    robots = "".join(movable_svg(seat, CELL, copy, teams[seat]) for copy in (True, False) for seat in seats)
    static = f'<noscript><svg {box}><g transform="scale({CELL})">{without_script}</g></svg></noscript>'
    return (
        f'<div class="board" style="--columns: {columns}; --rows: {rows}">'
        f'<div class="floor"><svg {box} data-layer="floor">{board_svg(course, looks, CELL, shown)}</svg></div>'
        f"<svg {box}>{_rulers(columns, rows)}"
        f'<defs class="stamps">{stamps_svg(sorted(devices), sorted({*teams} - {0}), CELL)}</defs>'
        f"{_layers(UNDER, width, height)}</svg>"
        f'<div class="robots" data-layer="robots">{robots}</div>'
        f"<svg {box}>{_layers(OVER, width, height)}</svg>{static if without_script else ''}</div>"
    )


def _layers(names: Iterable[str], width: int, height: int) -> str:
    # A damping field is cut off at the edge of the board.
    clipped = f' width="{width}" height="{height}" style="overflow: hidden"'
    return "".join(
        f'<svg data-layer="{name}"{clipped}></svg>' if name == "fields" else f'<g data-layer="{name}"></g>'
        for name in names
    )


def _rulers(columns: int, rows: int) -> str:
    """Return SVG labels for the columns along the northern edge and the rows along the western edge."""
    across = (((x + 0.5) * CELL, -MARGIN / 2, x) for x in range(columns))
    down = ((-MARGIN / 2, (y + 0.5) * CELL, y) for y in range(rows))
    return "".join(f'<text class="ruler" x="{x:g}" y="{y:g}">{n}</text>' for x, y, n in (*across, *down))


def drawing(course: Course, num_robots: int) -> dict[str, Any]:
    """Return what the script of a board needs besides its markup.

    These are the sizes of squares and board, and the robots' colours.
    """
    return {
        "cell": CELL,
        "size": course.size,
        "colours": ROBOT_COLOURS[:num_robots],
        "inks": INK_ON_ROBOT[:num_robots],
    }
