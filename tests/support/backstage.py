"""A loop of its own in a thread: for servers that real processes speak to while a test runs."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

Answer = TypeVar("Answer")
PATIENCE = 30.0


class Backstage:
    """A running loop; `do` runs something in it and waits for the answer."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def do(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """Run something to its end in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)


@contextmanager
def backstage() -> Iterator[Backstage]:
    """Run a loop in a thread while the block runs."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="backstage", daemon=True)
    thread.start()
    try:
        yield Backstage(loop)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE)
        loop.close()
