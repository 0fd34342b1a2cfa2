"""Draw courses: write primitives as SVG, or paint them with pillow (extra `viz`)."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses.changes import AS_PRINTED, Changes, current_course, raised_squares
from rr_gym.courses.course import Course
from rr_gym.errors import require
from rr_gym.files import write_file
from rr_gym.render.board.scene import Layers, layers
from rr_gym.render.board.shapes import Circle, Point, Polygon, Polyline, Primitive, Text

_OVERSAMPLING = 3  # pillow does not smooth lines, so pictures are drawn larger and then reduced
_SMALL_LETTERS, _SOFT_INK = 0.32, "#667085"  # of coordinates: their size in squares, and their colour
_LETTER_HEIGHT = 0.72  # height of a font's capitals relative to its size


def svg(course: Course, cell: int = 48, changes: Changes = AS_PRINTED) -> str:
    """Draw the course as an SVG document; `cell` is the side of a square in pixels."""
    return to_svg(_shapes(course, changes), *course.size, cell=cell, title=course.name)


def rgb(
    course: Course, cell: int = 48, changes: Changes = AS_PRINTED, margin: float = 0
) -> NDArray[np.uint8]:
    """Draw the course as a picture.

    Args:
        course: The course.
        cell: Side of a square in pixels.
        changes: What a game has changed.
        margin: Squares of white on each side of the course, in which its coordinates are written.

    Returns:
        Shape (round((height + 2 * margin) * cell), round((width + 2 * margin) * cell), 3), dtype uint8.

    Raises:
        MissingExtraError: pillow is not installed.
    """
    shapes = [*_shapes(course, changes), *(_coordinates(*course.size, margin) if margin else ())]
    return to_rgb(shapes, *course.size, cell=cell, margin=margin)


def _coordinates(width: int, height: int, margin: float) -> list[Primitive]:
    """Write the number of each column above it, and that of each row to its left."""
    above = [Text((x + 0.5, -margin / 2), str(x), _SMALL_LETTERS, _SOFT_INK) for x in range(width)]
    return [*above, *(Text((-margin / 2, y + 0.5), str(y), _SMALL_LETTERS, _SOFT_INK) for y in range(height))]


def layers_of(course: Course, changes: Changes = AS_PRINTED) -> Layers:
    """Return the primitives of a course by layer and square, with the changes that a game has made to it."""
    current = current_course(course, changes)
    return layers(current, raised_squares(current, changes))


def _shapes(course: Course, changes: Changes) -> list[Primitive]:
    return [shape for _, shapes in sorted(layers_of(course, changes).items()) for shape in shapes]


def save_png(picture: NDArray[np.uint8], path: Any) -> None:
    """Write a picture of shape (height, width, 3) as a PNG file.

    Raises:
        MissingExtraError: pillow is not installed.
        RoboRallyError: The file cannot be written.
    """
    content = io.BytesIO()
    require("PIL.Image", extra="viz").fromarray(picture).save(content, format="PNG")
    write_file(path, content.getvalue())


def to_svg(shapes: Iterable[Primitive], width: float, height: float, cell: int = 48, title: str = "") -> str:
    """Write primitives as an SVG document.

    Args:
        shapes: What to draw, in squares; later ones lie on top.
        width: Squares to the east.
        height: Squares to the south.
        cell: Side of a square in pixels.
        title: Title of the document.
    """
    return svg_document(svg_body(shapes), width, height, cell, title)


def svg_body(shapes: Iterable[Primitive]) -> str:
    """Write primitives as SVG elements, one per line."""
    return "\n".join(map(_svg_element, shapes))


def svg_document(body: str, width: float, height: float, cell: int = 48, title: str = "") -> str:
    """Wrap SVG elements, in units of squares, in a document; the arguments are those of `to_svg`."""
    heading = f"<title>{escape(title)}</title>\n" if title else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{round(width * cell)}" height="{round(height * cell)}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="Helvetica, Arial, sans-serif" font-weight="bold" '
        f'text-anchor="middle" stroke-linecap="round" stroke-linejoin="round">\n{heading}{body}\n</svg>\n'
    )


def _svg_element(shape: Primitive) -> str:
    see_through = f' opacity="{shape.opacity:g}"' if shape.opacity < 1 else ""
    match shape:
        case Polygon(points, fill, stroke, width):
            outline = f' stroke="{stroke}" stroke-width="{width:g}"' if stroke else ""
            return f'<polygon points="{_svg_points(points)}" fill="{fill}"{outline}{see_through}/>'
        case Polyline(points, stroke, width):
            line = f'fill="none" stroke="{stroke}" stroke-width="{width:g}"'
            return f'<polyline points="{_svg_points(points)}" {line}{see_through}/>'
        case Circle((x, y), radius, fill, stroke, width):
            outline = f' stroke="{stroke}" stroke-width="{width:g}"' if stroke else ""
            return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill or "none"}"{outline}{see_through}/>'
        case Text((x, y), text, size, fill):
            y += size * _LETTER_HEIGHT / 2
            place = f'x="{x:g}" y="{y:g}" font-size="{size:g}"' + ' text-anchor="start"' * shape.to_right
            return f'<text {place} fill="{fill}"{see_through}>{escape(text)}</text>'


def _svg_points(points: Iterable[Point]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def to_rgb(
    shapes: Iterable[Primitive], width: float, height: float, cell: int = 48, margin: float = 0
) -> NDArray[np.uint8]:
    """Paint primitives as a picture.

    Args:
        shapes: What to draw, in squares; later ones lie on top.
        width: Squares to the east.
        height: Squares to the south.
        cell: Side of a square in pixels.
        margin: Squares added on each side; what reaches over the edge is drawn there.

    Returns:
        Shape (round((height + 2 * margin) * cell), round((width + 2 * margin) * cell), 3), dtype uint8.

    Raises:
        MissingExtraError: pillow is not installed.
    """
    image_module = require("PIL.Image", extra="viz")
    scale = cell * _OVERSAMPLING
    size = (round((width + 2 * margin) * cell), round((height + 2 * margin) * cell))
    image = image_module.new("RGB", (size[0] * _OVERSAMPLING, size[1] * _OVERSAMPLING), "#ffffff")
    painter = _Painter(image, scale, margin)
    for shape in shapes:
        painter.paint(shape)
    return np.asarray(image.reduce(_OVERSAMPLING), dtype=np.uint8)


class _Painter:
    """Paints primitives on a pillow image; `scale` is the side of a square in pixels, `margin` is in squares."""

    def __init__(self, image: Any, scale: int, margin: float) -> None:
        self.scale, self.margin = scale, margin
        self.draw = require("PIL.ImageDraw", extra="viz").Draw(image, "RGBA")
        self.font_module = require("PIL.ImageFont", extra="viz")
        self.fonts: dict[int, Any] = {}

    def paint(self, shape: Primitive) -> None:
        match shape:
            case Polygon(points, fill, stroke, width, opacity):
                self.draw.polygon(self.pixels(points), fill=_colour(fill, opacity))
                if stroke:
                    self.stroke([*points, points[0], points[1]], stroke, width, opacity)
            case Polyline(points, stroke, width, opacity):
                self.stroke(points, stroke, width, opacity)
                for x, y in (points[0], points[-1]) if opacity == 1 else ():
                    self.disc(x, y, width / 2, _colour(stroke, opacity))
            case Circle((x, y), radius, fill, stroke, width, opacity):
                if fill:
                    self.disc(x, y, radius, _colour(fill, opacity))
                if stroke:
                    ring, pixels = _colour(stroke, opacity), max(1, round(width * self.scale))
                    self.disc(x, y, radius + width / 2, None, outline=ring, width=pixels)
            case Text((x, y), text, size, fill, opacity):
                place = self.pixels([(x, y + size * _LETTER_HEIGHT / 2)])[0]
                anchor = "ls" if shape.to_right else "ms"
                self.draw.text(
                    place, text, fill=_colour(fill, opacity), font=self.font(size), anchor=anchor, stroke_width=1
                )

    def stroke(self, points: Iterable[Point], colour: str, width: float, opacity: float) -> None:
        pixels = max(1, round(width * self.scale))
        self.draw.line(self.pixels(points), fill=_colour(colour, opacity), width=pixels, joint="curve")

    def disc(self, x: float, y: float, radius: float, fill: Any, **outline: Any) -> None:
        box = [(x - radius, y - radius), (x + radius, y + radius)]
        self.draw.ellipse(self.pixels(box), fill=fill, **outline)

    def pixels(self, points: Iterable[Point]) -> list[Point]:
        return [((x + self.margin) * self.scale, (y + self.margin) * self.scale) for x, y in points]

    def font(self, size: float) -> Any:
        pixels = max(6, round(size * self.scale))
        if pixels not in self.fonts:
            self.fonts[pixels] = self.font_module.load_default(pixels)
        return self.fonts[pixels]


def _colour(colour: str, opacity: float) -> tuple[int, int, int, int]:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue, round(255 * opacity)
