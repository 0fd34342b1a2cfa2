"""Pictures of boards: shapes, glyphs, signs for terminals, the legend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.render.board.picture import rgb, svg, to_rgb, to_svg
    from rr_gym.render.board.scene import primitives
    from rr_gym.render.board.sketch import draw

_HOMES = {
    "rr_gym.render.board.picture": ("rgb", "svg", "to_rgb", "to_svg"),
    "rr_gym.render.board.scene": ("primitives",),
    "rr_gym.render.board.sketch": ("draw",),
}

__all__ = ["draw", "primitives", "rgb", "svg", "to_rgb", "to_svg"]

if not TYPE_CHECKING:  # type checkers would take every name for a public one
    __getattr__, __dir__ = on_first_use(__name__, _HOMES)
