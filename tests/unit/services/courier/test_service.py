"""Couriers that come, go and take over from each other: nothing is lost, and the order stays."""

import asyncio

from shared.telemetry.metrics import REGISTRY
from tests.unit.services.courier.sinks import QUICK, Post, Sink, status, until

EACH = 6


def blocked(reason: str) -> float | None:
    labels = {"subscription": "pager", "reason": reason}
    return REGISTRY.get_sample_value("heliograph_courier_blocked", labels)


async def test_a_subscription_that_changed_is_not_gone_any_more(post: Post, hook: Sink) -> None:
    hook.answer = lambda _: status(410)
    post.write({"name": "pager", "url": hook.url})
    await post.tell("a", 1)
    post.start()
    await until(lambda: bool(blocked("gone")))
    hook.answer = lambda _: status(200)
    post.write({"name": "pager", "url": hook.url, "mode": "binary"})
    await hook.until(1)

    assert blocked("gone") is None


async def test_a_courier_that_dies_leaves_everything_to_the_next(post: Post, hook: Sink) -> None:
    hook.slow = 0.01
    post.write({"name": "pager", "url": hook.url})
    count = await post.tell("abcd", 10)
    for number in range(8):
        post.start(f"courier-{number}")
        await hook.until(min(count, 5 * (number + 1)))
        await post.crash()
    post.start("last")
    await hook.until(count)

    assert len(hook.ids()) == count
    assert hook.in_order()


async def test_a_courier_that_is_told_to_end_at_once_does(post: Post, hook: Sink) -> None:
    hook.slow = 1.5
    post.write({"name": "pager", "url": hook.url})
    await post.tell("a", 1)
    post.start()
    await until(lambda: bool(hook.requests))
    async with asyncio.timeout(1):
        await post.crash()


async def test_one_courier_at_a_time_serves_a_subscription(post: Post, hook: Sink) -> None:
    post.write({"name": "pager", "url": hook.url})
    count = await post.tell("abc", EACH)
    for number in range(3):
        post.start(f"courier-{number}")
    await hook.until(count)
    await post.until_acknowledged()

    assert hook.in_order()
    assert len(hook.taken) == count, "nothing twice"


async def test_goes_on_after_the_bus_was_away(post: Post, hook: Sink) -> None:
    hook.slow = 0.01
    post.write({"name": "pager", "url": hook.url})
    count = await post.tell("ab", 20)
    post.start()
    await hook.until(5)
    post.server.restart()
    await hook.until(count)

    assert hook.in_order()


async def test_draining_finishes_the_request_under_way(post: Post, hook: Sink) -> None:
    hook.slow = 0.3
    post.write({"name": "pager", "url": hook.url})
    await post.tell("a", 2)
    post.start("one")
    await until(lambda: bool(hook.requests))
    await post.drain()
    assert [one.id for one in hook.taken] == ["a-1"]

    post.start("two")
    await hook.until(2)
    assert [one.id for one in hook.taken] == ["a-1", "a-2"], "what was taken is not sent again"


async def test_rewound_it_sends_again_in_order(post: Post, hook: Sink) -> None:
    post.write({"name": "pager", "url": hook.url})
    count = await post.tell("a", 5)
    post.start()
    await hook.until(count)
    await post.until_acknowledged()
    hook.taken.clear()
    await post.bus.news.rewind("courier-pager", 3)
    await hook.until(3)

    assert hook.ids() == ["a-3", "a-4", "a-5"]


async def test_a_hand_that_was_thought_dead_does_not_disturb_the_order(
    post: Post, hook: Sink
) -> None:
    """It takes an event after the round was taken over: whoever goes on sees the gap in time."""
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "inFlight": 1}})
    await post.tell("a", 1)
    post.start()
    await hook.until(1)
    dead = post.server.connect("dead")
    async with dead.news.deliveries("courier-pager", most=1) as hand:
        await post.tell("a", 8, first=2)
        stolen = await anext(hand)
    await hook.until(9)

    assert stolen.message.sequence > 1
    assert hook.in_order(), hook.ids()
