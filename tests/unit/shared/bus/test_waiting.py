"""Waiting for a change that is told."""

import asyncio
from collections.abc import Callable

from shared.bus.waiting import until_changed


class Changes:
    """Something that changes now and then, and says so."""

    def __init__(self) -> None:
        self.count = 0
        self.listeners: list[Callable[[], None]] = []

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def change(self) -> None:
        self.count += 1
        for listener in self.listeners:
            listener()


async def test_returns_at_once_if_it_is_so_already() -> None:
    changes = Changes()
    await until_changed(lambda: changes.count == 0, changes.listen)

    assert changes.listeners == []


async def test_waits_for_the_change_that_counts_and_listens_no_longer() -> None:
    changes = Changes()
    waiting = asyncio.create_task(until_changed(lambda: changes.count > 1, changes.listen))
    await asyncio.sleep(1)
    changes.change()
    await asyncio.sleep(1)
    assert not waiting.done()
    changes.change()
    await waiting

    assert changes.listeners == []


async def test_whoever_gives_up_listens_no_longer() -> None:
    changes = Changes()
    waiting = asyncio.create_task(until_changed(lambda: False, changes.listen))
    await asyncio.sleep(1)
    waiting.cancel()
    await asyncio.wait([waiting])

    assert changes.listeners == []
