"""Resources with news, each at most once in the queue and at most once in hand.

News that comes while a resource is in hand puts it back in when it is let go, so none is lost.
"""

import asyncio
from collections.abc import Iterable

from shared.kernel.keys import ResourceKey


class NewsQueue:
    """A queue without repeats."""

    def __init__(self) -> None:
        self._order: asyncio.Queue[ResourceKey] = asyncio.Queue()
        self._waiting: set[ResourceKey] = set()
        self._in_hand: set[ResourceKey] = set()
        self._again: set[ResourceKey] = set()

    def put(self, keys: Iterable[ResourceKey]) -> None:
        """Say that these resources have news."""
        for key in keys:
            if key in self._in_hand:
                self._again.add(key)
            elif key not in self._waiting:
                self._waiting.add(key)
                self._order.put_nowait(key)

    async def take(self) -> ResourceKey:
        """Wait for a resource with news and take it in hand."""
        key = await self._order.get()
        self._waiting.discard(key)
        self._in_hand.add(key)
        return key

    def let_go(self, key: ResourceKey) -> None:
        """Give a resource back; it comes again if there was news meanwhile."""
        self._in_hand.discard(key)
        if key in self._again:
            self._again.discard(key)
            self.put((key,))

    def __len__(self) -> int:
        return self._order.qsize()
