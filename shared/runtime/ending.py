"""Being told to end, while something else goes wrong at the same moment.

A task group whose child fails while its own task is cancelled raises the failure and forgets the
cancellation. Whoever catches failures to go on with something else would go on for ever: so work
that may fail as a group is awaited in a task of its own.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def apart(work: Coroutine[Any, Any, None]) -> None:
    """Await work in a task of its own; who is told to end meanwhile ends, however the work does.

    Every telling is passed on, and the work is never left behind.
    """
    task = asyncio.create_task(work)
    told: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as end:
            told = end
            task.cancel()
    if told is None:
        return await task
    if not task.cancelled():
        task.exception()
    raise told
