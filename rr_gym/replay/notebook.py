"""Show pages in the cells of notebooks."""

from __future__ import annotations

import html

HEIGHT = 760  # pixels of a frame


class NotebookPage:
    """A page in a frame, which notebooks draw if it is the value of a cell.

    Args:
        page: The page.
        height: The height of the frame in pixels.
    """

    def __init__(self, page: str, height: int = HEIGHT) -> None:
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="RoboRally replay" style="width: 100%; height: {self.height}px; border: 0" '
            f'srcdoc="{html.escape(self.page, quote=True)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<a RoboRally page of {len(self.page):,} characters>"
