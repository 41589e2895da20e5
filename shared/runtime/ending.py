"""Being told to end, while something else goes wrong at the same moment.

A task group whose child fails while its own task is cancelled raises the failure and forgets the
cancellation. Whoever catches failures to go on with something else would go on for ever: so work
that may fail as a group is awaited in a task of its own.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def apart(work: Coroutine[Any, Any, None]) -> None:
    """Await work in a task of its own; who is told to end meanwhile ends, however the work does."""
    task = asyncio.create_task(work)
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()
        raise
    await task
