"""Lets work through until it is closed, and tells when the last of it is over.

Between two tries an event is outside; a request and what follows from its answer are inside. So a
process that stops never leaves a request behind whose answer nobody hears.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Gate:
    """At most so many inside at once."""

    def __init__(self, most: int) -> None:
        self._seats = asyncio.Semaphore(most)
        self._inside = 0
        self._closed = False
        self._empty = asyncio.Event()
        self._empty.set()

    @asynccontextmanager
    async def inside(self) -> AsyncIterator[None]:
        """Go in; who comes after it was closed waits until cancelled."""
        async with self._seats:
            if self._closed:
                await asyncio.Event().wait()
            self._inside += 1
            self._empty.clear()
            try:
                yield
            finally:
                self._inside -= 1
                if not self._inside:
                    self._empty.set()

    async def close(self) -> None:
        """Let nobody in any more, and return when nobody is inside."""
        self._closed = True
        await self._empty.wait()
