"""Waiting for a change that is told, instead of looking for it again and again."""

import asyncio
from collections.abc import Callable

Listen = Callable[[Callable[[], None]], Callable[[], object]]
"""Have a listener called at every change; returns what ends that."""


async def until_changed(changed: Callable[[], bool], listen: Listen) -> None:
    """Return once something is so; it is looked at now, and whenever the listener is called."""
    news = asyncio.Event()
    end = listen(news.set)
    try:
        while not changed():
            news.clear()
            await news.wait()
    finally:
        end()
