"""The icon of web pages, embedded in each page so that browsers do not request a favicon that does not exist."""

from __future__ import annotations

from urllib.parse import quote

_PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1d4ed8"/>'
    '<path d="M8 2l5 7H10v5H6V9H3z" fill="#fff"/></svg>'
)
ICON = f'<link rel="icon" href="data:image/svg+xml,{quote(_PICTURE)}">'
