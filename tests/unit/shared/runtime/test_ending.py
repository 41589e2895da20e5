"""Who is told to end ends, whatever fails at that moment."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

from shared.runtime.ending import apart

Way = Callable[[Coroutine[Any, Any, None]], Awaitable[None]]


async def breaks_when_told_to_end() -> None:
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        raise OSError("the link is cut") from None


async def fails_as_a_group() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(breaks_when_told_to_end())


async def goes_on_after(way: Way) -> str:
    """Await work in some way, survive its failure, and go on."""
    try:
        await way(fails_as_a_group())
    except* OSError:
        pass
    return "it goes on"


async def told_to_end(way: Way) -> "asyncio.Task[str]":
    work = asyncio.create_task(goes_on_after(way))
    for _ in range(4):
        await asyncio.sleep(0)
    work.cancel()
    await asyncio.wait([work])
    return work


async def plainly(work: Coroutine[Any, Any, None]) -> None:
    await work


async def test_a_failure_does_not_hide_that_the_task_was_told_to_end() -> None:
    assert (await told_to_end(apart)).cancelled()


async def test_awaited_plainly_the_end_would_be_forgotten() -> None:
    assert (await told_to_end(plainly)).result() == "it goes on"


async def test_whoever_is_told_twice_still_waits_for_the_end_of_the_work() -> None:
    ending, may_end, told = asyncio.Event(), asyncio.Event(), []

    async def ends_slowly() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ending.set()
            try:
                await may_end.wait()
            except asyncio.CancelledError:
                told.append("twice")
                await may_end.wait()

    work = asyncio.create_task(apart(ends_slowly()))
    await asyncio.sleep(0)
    work.cancel()
    await ending.wait()
    work.cancel()
    for _ in range(4):
        await asyncio.sleep(0)

    left_behind = work.done()
    may_end.set()
    await asyncio.wait([work])

    assert told == ["twice"]
    assert not left_behind
    assert work.cancelled()


async def test_failures_come_through() -> None:
    async def fails() -> None:
        raise OSError("the link is cut")

    with pytest.raises(OSError, match="cut"):
        await apart(fails())


async def test_work_that_is_done_is_done() -> None:
    done = []

    async def works() -> None:
        done.append("work")

    await apart(works())

    assert done == ["work"]
