"""Pictures of boards: shapes, glyphs, signs for terminals, the legend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.render.board.picture import rgb as rgb
    from rr_gym.render.board.picture import svg as svg
    from rr_gym.render.board.picture import to_rgb as to_rgb
    from rr_gym.render.board.picture import to_svg as to_svg
    from rr_gym.render.board.scene import primitives as primitives
    from rr_gym.render.board.sketch import draw as draw
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)
