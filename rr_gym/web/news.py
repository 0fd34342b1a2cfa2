"""Pages wait for news: a number that grows whenever there is something new to be seen."""

from __future__ import annotations

import asyncio

TIMEOUT = 20.0  # seconds after which a page that waits is told that there is nothing new


class News:
    """The number of the news, for which any number of pages wait in one event loop.

    Attributes:
        version: The number.
        ended: Whether there will be no more news: pages no longer wait.
    """

    def __init__(self) -> None:
        self.version = 0
        self.ended = False
        self._told = asyncio.Condition()

    async def tell(self, *, last: bool = False) -> None:
        """Answer all pages that wait.

        Args:
            last: Whether there will be no more news.
        """
        async with self._told:
            self.version += 1
            self.ended = self.ended or last
            self._told.notify_all()

    async def newer(self, after: int) -> bool:
        """Wait for a version newer than `after`, and return whether there is one before `TIMEOUT`, or the end."""
        async with self._told:
            try:
                await asyncio.wait_for(self._told.wait_for(lambda: self.version > after or self.ended), TIMEOUT)
            except TimeoutError:
                return False
        return True
