"""The pages of an arena: the ladder, a page for each entry, and games to watch, as files that need no server."""

from __future__ import annotations

from rr_gym.arena.pages.site import write_pages

__all__ = ["write_pages"]
