"""The queue of resources with news."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from shared.following.queue import NewsQueue
from shared.kernel.keys import ResourceKey

KEYS = [ResourceKey(kind="raycluster", namespace="prod", name=name) for name in "abc"]
A, B, C = KEYS


async def test_gives_each_resource_once_and_in_order() -> None:
    queue = NewsQueue()
    queue.put((A, B, A))
    queue.put((B, C))

    assert len(queue) == len(KEYS)
    assert [await queue.take() for _ in KEYS] == [A, B, C]
    assert len(queue) == 0


async def test_news_of_a_resource_in_hand_bring_it_back_when_it_is_let_go() -> None:
    queue = NewsQueue()
    queue.put((A,))
    await queue.take()
    queue.put((A, A))
    assert len(queue) == 0
    queue.let_go(A)
    assert [await queue.take(), len(queue)] == [A, 0]


async def test_without_news_it_does_not_come_again() -> None:
    queue = NewsQueue()
    queue.put((A,))
    queue.let_go(await queue.take())

    assert len(queue) == 0


async def test_those_who_wait_are_woken() -> None:
    queue = NewsQueue()
    waiting = [asyncio.create_task(queue.take()) for _ in range(2)]
    await asyncio.sleep(1)
    queue.put((A, B))
    async with asyncio.timeout(1):
        assert [await task for task in waiting] == [A, B]


async def test_one_who_gives_up_waiting_takes_nothing_along() -> None:
    queue = NewsQueue()
    waiting = asyncio.create_task(queue.take())
    await asyncio.sleep(1)
    queue.put((A,))
    waiting.cancel()
    async with asyncio.timeout(1):
        assert await queue.take() == A


async def _play(steps: list[tuple[str, int]]) -> None:
    queue = NewsQueue()
    in_hand: list[ResourceKey] = []
    owed: set[ResourceKey] = set()
    for what, number in steps:
        if what == "put":
            queue.put((KEYS[number],))
            owed.add(KEYS[number])
        elif what == "take" and len(queue):
            in_hand.append(await queue.take())
            owed.discard(in_hand[-1])
        elif what == "let go" and in_hand:
            queue.let_go(in_hand.pop(number % len(in_hand)))
        assert len(set(in_hand)) == len(in_hand)
        assert len(queue) <= len(owed)
    for key in in_hand:
        queue.let_go(key)
    assert {await queue.take() for _ in range(len(queue))} == owed


@given(st.lists(st.tuples(st.sampled_from(["put", "take", "let go"]), st.integers(0, 2))))
def test_no_news_are_lost_and_nothing_is_in_two_hands(steps: list[tuple[str, int]]) -> None:
    asyncio.run(_play(steps))
