"""Draw the floor of a board once, with every look of its changeable parts, of which a script shows one at a time."""

from __future__ import annotations

from collections.abc import Sequence

from rr_gym.courses import Course
from rr_gym.courses.changes import Changes
from rr_gym.render.board.picture import layers_of, svg_body, svg_document
from rr_gym.render.board.shapes import Primitive


def board_svg(course: Course, looks: Sequence[Changes], cell: int, shown: int = 0) -> str:
    """Draw the course as one SVG document that contains every look of its changeable parts.

    Args:
        course: The course to draw.
        looks: Every state of its changeable parts that occurs.
        cell: The side of a square in the units of the page.
        shown: The number of the look that is shown until a script shows another look.

    Returns:
        The SVG document. Parts that are not the same in all looks are in groups of the class `look`; their attribute
        `data-looks` lists the numbers of the looks to which they belong.
    """
    drawn = [layers_of(course, changes) for changes in looks]
    parts = []
    for spot in sorted(set().union(*drawn)):
        variants: dict[tuple[Primitive, ...], list[int]] = {}
        for number, layers in enumerate(drawn):
            variants.setdefault(tuple(layers.get(spot, ())), []).append(number)
        for shapes, numbers in variants.items():
            if not shapes:
                continue
            body = svg_body(shapes)
            if len(variants) > 1:
                name = "look shown" if shown in numbers else "look"
                body = f'<g class="{name}" data-looks="{" ".join(map(str, numbers))}">{body}</g>'
            parts.append(body)
    return svg_document("\n".join(parts), *course.size, cell=cell)
