"""Draw boards with robots as pixels (extra `viz`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses import Course
from rr_gym.courses.changes import AS_PRINTED, Changes, flag_squares
from rr_gym.render.board.picture import rgb as course_rgb
from rr_gym.render.board.picture import to_rgb
from rr_gym.render.board.shapes import Polygon, Primitive
from rr_gym.render.devices import things
from rr_gym.render.pieces import Piece, changes_of, pieces_of
from rr_gym.render.robots import Look, bodies, robot_shapes
from rr_gym.render.tokens import NO_TOKENS, Tokens, tokens_of
from rr_gym.rules.state.records import GameRecord

Picture = NDArray[np.uint8]
# A layer over a picture: its colours times its opacity (h, w, 3), and its transparency, 0-1 (h, w, 3).
Layer = tuple[NDArray[np.float32], NDArray[np.float32]]


def rgb(record: GameRecord, course: Course, cell: int = 40) -> Picture:
    """Draw one game as a picture.

    Args:
        record: One element of an array of dtype `GAME`.
        course: The course that it is played on.
        cell: The side of a square in pixels.

    Returns:
        Shape (height * cell, width * cell, 3), dtype uint8.

    Raises:
        MissingExtraError: pillow is not installed.
    """
    return pieces_rgb(
        pieces_of(record, course), course, cell, changes_of(record, course), tokens_of(record, course)
    )


def pieces_rgb(
    pieces: Sequence[Piece],
    course: Course,
    cell: int = 40,
    changes: Changes = AS_PRINTED,
    tokens: Tokens = NO_TOKENS,
    margin: float = 0,
) -> Picture:
    """Draw robots and tokens on their course as a picture, dtype uint8.

    Its shape is (height * cell, width * cell, 3), and larger by `margin` squares on each side, which show coordinates.
    """
    picture = background(course, cell, changes, margin).copy()
    width, edge = course.size[0], round(margin * cell)
    for thing in things(tokens, pieces, flag_squares(course, changes), width):
        (x, y), shown = thing.at, _layer(thing.shapes, thing.size, cell, thing.opacity)
        lay(picture, shown, edge + round(x * cell), edge + round(y * cell))
    for look, (x, y) in bodies(pieces, width, tokens):
        lay(picture, sprite(look, cell), edge + round(x * cell), edge + round(y * cell))
    return picture


@lru_cache(maxsize=16)
def background(course: Course, cell: int, changes: Changes = AS_PRINTED, margin: float = 0) -> Picture:
    """Return the picture of a course without robots, with the shape of `pieces_rgb`.

    The array is cached and shared between frames, so callers must not write to it.
    """
    return course_rgb(course, cell, changes, margin)


@lru_cache(maxsize=2048)
def sprite(look: Look, cell: int) -> Layer:
    """Return one robot as a layer of a single square, shape (cell, cell, 3); layers are cached by look and size."""
    return layer(robot_shapes(look), 1, 1, cell, look.opacity)


@lru_cache(maxsize=512)
def _layer(shapes: tuple[Primitive, ...], size: int, cell: int, opacity: float) -> Layer:
    return layer(shapes, size, size, cell, opacity)


def layer(shapes: Sequence[Primitive], width: float, height: float, cell: int, opacity: float = 1.0) -> Layer:
    """Render primitives as a layer of `width` x `height` squares that can be laid over a picture.

    The shapes are painted once on black and once on white: the difference gives the transparency of each pixel.

    Returns:
        The colours times their opacity, and the transparency from 0 to 1, each of shape
        (height * cell, width * cell, 3), dtype float32.
    """
    corners = ((0, 0), (width, 0), (width, height), (0, height))
    on_black = to_rgb([Polygon(corners, "#000000"), *shapes], width, height, cell).astype(np.float32)
    on_white = to_rgb([Polygon(corners, "#ffffff"), *shapes], width, height, cell).astype(np.float32)
    through = (on_white - on_black) / 255
    return on_black * np.float32(opacity), (1 - (1 - through) * opacity).astype(np.float32)


def lay(picture: Picture, over: Layer, x: int, y: int) -> None:
    """Blend a layer into a picture in place, with its upper left pixel at (x, y).

    Parts outside the picture are clipped.
    """
    colours, through = over
    top, left = max(0, -y), max(0, -x)
    bottom, right = min(colours.shape[0], picture.shape[0] - y), min(colours.shape[1], picture.shape[1] - x)
    if bottom <= top or right <= left:
        return
    part = picture[y + top : y + bottom, x + left : x + right]
    part[:] = np.clip(part * through[top:bottom, left:right] + colours[top:bottom, left:right] + 0.5, 0, 255)
