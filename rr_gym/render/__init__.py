"""Pictures of games: text for terminals, SVG, and pixels (extra `viz`)."""

from rr_gym.render.pixels import rgb
from rr_gym.render.terminal import ansi
from rr_gym.render.vector import svg

__all__ = ["ansi", "rgb", "svg"]
