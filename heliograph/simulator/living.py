"""Controllers that work by themselves: a moment after each change, and when more is due."""

import asyncio
from collections.abc import Callable
from datetime import datetime


async def live(
    changed: asyncio.Event,
    step: Callable[[], datetime | None],
    now: Callable[[], datetime],
    reaction: Callable[[], float],
) -> None:
    """Take a step after each change until cancelled; a step says when the next one is due.

    `changed` is set by whoever changes something, and `reaction` tells how long the controllers
    take to notice, in seconds.
    """
    while True:
        await asyncio.sleep(reaction())
        changed.clear()
        due_at = step()
        if changed.is_set():
            continue
        pause = None if due_at is None else (due_at - now()).total_seconds()
        try:
            async with asyncio.timeout(pause):
                await changed.wait()
        except TimeoutError:
            continue
