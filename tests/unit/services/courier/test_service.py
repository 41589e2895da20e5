"""The courier between a bus in memory and a real sink: order, patience, letters, leases."""

import asyncio
from collections import Counter, defaultdict

import pytest
from aiohttp import web

from services.courier.letters import Letter, letters
from shared.events.cloudevents import CloudEvent
from shared.events.subjects import life
from shared.ports.event_log import Entry
from shared.telemetry.metrics import REGISTRY
from tests.unit.services.courier.news import event, key, tell
from tests.unit.services.courier.sinks import QUICK, Post, Sink, status

EACH = 6


async def tell_many(post: Post, names: str = "abc", each: int = EACH) -> int:
    """Tell events of several resources, one of each after the other."""
    for number in range(1, each + 1):
        for name in names:
            await tell(post.bus.log, event(name, number))
    return each * len(names)


def in_order(sink: Sink) -> bool:
    """Whether each resource's events were first taken in the order in which they were told."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for one in dict.fromkeys(sink.ids()):
        name, _, number = one.rpartition("-")
        numbers[name].append(int(number))
    return all(found == sorted(found) for found in numbers.values())


async def undelivered(post: Post) -> list[Letter]:
    return [letter async for letter in letters(post.bus.news, "pager")]


async def until_letters(post: Post, count: int) -> list[Letter]:
    async with asyncio.timeout(20):
        while len(found := await undelivered(post)) < count:  # noqa: ASYNC110 - a test
            await asyncio.sleep(0.01)
    return found


async def test_carries_everything_once_and_in_order(post: Post, hook: Sink) -> None:
    post.write({"name": "pager", "url": hook.url})
    count = await tell_many(post)
    post.start()
    await hook.until(count)

    assert in_order(hook)
    assert set(Counter(one.id for one in hook.taken).values()) == {1}
    assert hook.requests[0].headers["User-Agent"] == "heliograph/test"
    assert hook.requests[0].headers["Content-Type"] == "application/cloudevents+json"


async def test_a_sink_that_fails_for_a_while_gets_everything_in_order(
    post: Post, hook: Sink
) -> None:
    failures = [503] * 40

    def fail_at_first(_: CloudEvent) -> web.Response:
        return status(failures.pop() if failures else 200)

    hook.answer = fail_at_first
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "retry": 100}})
    count = await tell_many(post)
    post.start()
    await hook.until(count)

    assert in_order(hook)
    assert len(hook.requests) == count + 40
    assert await undelivered(post) == []


async def test_one_resource_that_is_not_taken_does_not_hold_up_another(
    post: Post, hook: Sink
) -> None:
    hook.answer = lambda told: status(503 if told.subject == "a" else 200)
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "retry": 1000}})
    await tell_many(post, "ab")
    post.start()
    await hook.until(EACH)

    assert hook.ids() == [f"b-{number}" for number in range(1, EACH + 1)]


async def test_many_events_of_a_resource_that_is_not_taken_do_not_hold_up_another(
    post: Post, hook: Sink
) -> None:
    hook.answer = lambda told: status(503 if told.subject == "a" else 200)
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "retry": 1000}})
    await tell_many(post, "a", 100)
    await tell_many(post, "b", 1)
    post.start()
    await hook.until(1)

    assert hook.ids() == ["b-1"]


async def test_no_more_requests_at_once_than_allowed(post: Post, hook: Sink) -> None:
    hook.slow = 0.05
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "inFlight": 1}})
    await tell_many(post, "abcdef", 1)
    post.start()
    began = asyncio.get_running_loop().time()
    await hook.until(6)

    assert asyncio.get_running_loop().time() - began > 5 * 0.05


async def test_a_rate_is_kept(post: Post, hook: Sink) -> None:
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "ratePerMinute": 600}})
    await tell_many(post, "abcdef", 1)
    post.start()
    began = asyncio.get_running_loop().time()
    await hook.until(6)

    assert asyncio.get_running_loop().time() - began > 5 * 0.1 * 0.9


async def test_who_begins_again_does_not_wait_for_turns_that_nobody_takes(
    post: Post, hook: Sink
) -> None:
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "ratePerMinute": 60}})
    await tell_many(post, "abcdefghijklmnopqrstuvwxyz", 1)
    post.start()
    await hook.until(1)
    await asyncio.sleep(0.2)
    post.server.restart()
    await hook.until(3, within=10)


async def test_only_what_is_wanted_is_sent(post: Post, hook: Sink) -> None:
    post.write(
        {
            "name": "pager",
            "url": hook.url,
            "filter": {
                "subjects": ["pub.team-a.rayjob.*.failed"],
                "cel": "event.data.state.attempts_failed > 1",
            },
        }
    )
    await tell(post.bus.log, event("a", 1, failed=2, what="retrying"))
    await tell(post.bus.log, event("a", 2, failed=1))
    await tell(post.bus.log, event("a", 3))
    await tell(post.bus.log, event("a", 4, failed=2))
    post.start()
    await hook.until(1)

    assert hook.ids() == ["a-4"]


async def test_binary_events_are_read_and_sent_as_the_subscription_says(
    post: Post, hook: Sink
) -> None:
    post.write({"name": "pager", "url": hook.url})
    await tell(post.bus.log, event("a", 1), mode="binary")
    post.start()
    await hook.until(1)

    assert hook.requests[0].headers["Content-Type"] == "application/cloudevents+json"
    assert hook.taken == [event("a", 1)]


async def test_a_refusal_goes_to_the_letters_at_once_and_the_next_goes_on(
    post: Post, hook: Sink
) -> None:
    hook.answer = lambda told: status(422 if told.id == "a-2" else 200)
    post.write({"name": "pager", "url": hook.url})
    await tell_many(post, "a", 3)
    post.start()
    await hook.until(2)
    (letter,) = await until_letters(post, 1)

    assert hook.ids() == ["a-1", "a-3"]
    assert len(hook.requests) == 3
    assert (letter.event, letter.tries) == (event("a", 2), 1)
    assert letter.because == "the sink answered 422"
    assert letter.subject == "pub.team-a.rayjob.a.failed"


async def test_what_is_no_event_goes_to_the_letters_and_the_next_goes_on(
    post: Post, hook: Sink
) -> None:
    post.write({"name": "pager", "url": hook.url})
    await tell(post.bus.log, event("a", 1))
    await post.bus.log.append(Entry(subject=life(key("a"), "failed"), id="none", data=b"no event"))
    await tell(post.bus.log, event("a", 2))
    post.start()
    await hook.until(2)
    (letter,) = await until_letters(post, 1)

    assert hook.ids() == ["a-1", "a-2"]
    assert (letter.event, letter.tries) == (None, 0)
    assert letter.because == "the event cannot be read"


async def test_after_so_many_tries_it_goes_to_the_letters(post: Post, hook: Sink) -> None:
    hook.answer = lambda told: status(503 if told.id == "a-1" else 200)
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "retry": 2}})
    await tell_many(post, "a", 2)
    post.start()
    await hook.until(1)
    (letter,) = await until_letters(post, 1)

    attempts = [request.headers["Webhook-Attempt"] for request in hook.requests]
    assert attempts == ["1", "2", "3", "1"]
    assert {request.headers["Webhook-Id"] for request in hook.requests[:3]} == {"a-1"}
    assert (letter.tries, letter.because) == (3, "the sink answered 503")


async def test_without_letters_what_is_not_taken_is_dropped(post: Post, hook: Sink) -> None:
    hook.answer = lambda told: status(400 if told.id == "a-1" else 200)
    post.write({"name": "pager", "url": hook.url, "deadLetter": False})
    await tell_many(post, "a", 2)
    post.start()
    await hook.until(1)

    assert await undelivered(post) == []


async def test_a_sink_may_ask_to_be_left_alone_for_a_while(post: Post, hook: Sink) -> None:
    hook.answer = lambda _: status(429 if len(hook.requests) == 1 else 200, {"Retry-After": "1"})
    post.write({"name": "pager", "url": hook.url})
    await tell_many(post, "a", 1)
    post.start()
    began = asyncio.get_running_loop().time()
    await hook.until(1)

    assert asyncio.get_running_loop().time() - began >= 1.0


async def test_gone_stops_the_subscription_and_keeps_its_events(
    post: Post, hook: Sink, caplog: pytest.LogCaptureFixture
) -> None:
    hook.answer = lambda _: status(410)
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "inFlight": 1}})
    await tell_many(post, "a", 3)
    post.start("one")
    post.start("two")
    async with asyncio.timeout(10):
        while "gone for good" not in caplog.text:  # noqa: ASYNC110 - a test
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.5)

    assert len(hook.requests) == 1, "nobody else tries, either"
    backlog = await post.bus.news.backlog("courier-pager")
    assert backlog.waiting + backlog.held == 3
    assert await undelivered(post) == []


async def test_a_subscription_that_changed_is_not_gone_any_more(post: Post, hook: Sink) -> None:
    hook.answer = lambda _: status(410)
    post.write({"name": "pager", "url": hook.url})
    await tell_many(post, "a", 1)
    post.start()
    async with asyncio.timeout(10):
        while not blocked("gone"):  # noqa: ASYNC110 - a test
            await asyncio.sleep(0.01)
    hook.answer = lambda _: status(200)
    post.write({"name": "pager", "url": hook.url, "mode": "binary"})
    await hook.until(1)

    assert blocked("gone") is None


def blocked(reason: str) -> float | None:
    labels = {"subscription": "pager", "reason": reason}
    return REGISTRY.get_sample_value("heliograph_courier_blocked", labels)


async def test_without_permission_nothing_is_sent(
    post: Post, hook: Sink, caplog: pytest.LogCaptureFixture
) -> None:
    post.write({"name": "pager", "url": hook.url, "handshake": True}, origin="ray.example.com")
    await tell_many(post, "a", 2)
    post.start()
    async with asyncio.timeout(10):
        while not hook.asked:  # noqa: ASYNC110 - a test
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)
    assert hook.requests == []
    assert "nothing is sent without permission" in caplog.text

    hook.permission = {
        "WebHook-Allowed-Origin": "ray.example.com",
        "WebHook-Allowed-Rate": "6000",
    }
    await hook.until(2)
    assert hook.asked[0]["WebHook-Request-Origin"] == "ray.example.com"


async def test_a_courier_that_dies_leaves_everything_to_the_next(post: Post, hook: Sink) -> None:
    hook.slow = 0.01
    post.write({"name": "pager", "url": hook.url})
    count = await tell_many(post, "abcd", 10)
    for number in range(8):
        post.start(f"courier-{number}")
        await hook.until(min(count, 5 * (number + 1)))
        await post.crash()
    post.start("last")
    await hook.until(count)

    assert len(hook.ids()) == count
    assert in_order(hook)


async def test_a_courier_that_is_told_to_end_at_once_does(post: Post, hook: Sink) -> None:
    hook.slow = 1.5
    post.write({"name": "pager", "url": hook.url})
    await tell_many(post, "a", 1)
    post.start()
    async with asyncio.timeout(10):
        while not hook.requests:  # noqa: ASYNC110 - a test
            await asyncio.sleep(0.01)
    async with asyncio.timeout(1):
        await post.crash()


async def test_one_courier_at_a_time_serves_a_subscription(post: Post, hook: Sink) -> None:
    post.write({"name": "pager", "url": hook.url})
    count = await tell_many(post)
    for number in range(3):
        post.start(f"courier-{number}")
    await hook.until(count)
    await asyncio.sleep(0.2)

    assert in_order(hook)
    assert len(hook.taken) == count, "nothing twice"


async def test_goes_on_after_the_bus_was_away(post: Post, hook: Sink) -> None:
    hook.slow = 0.01
    post.write({"name": "pager", "url": hook.url})
    count = await tell_many(post, "ab", 20)
    post.start()
    await hook.until(5)
    post.server.restart()
    await hook.until(count)

    assert in_order(hook)


async def test_draining_finishes_the_request_under_way(post: Post, hook: Sink) -> None:
    hook.slow = 0.3
    post.write({"name": "pager", "url": hook.url})
    await tell_many(post, "a", 2)
    post.start("one")
    async with asyncio.timeout(10):
        while not hook.requests:  # noqa: ASYNC110 - a test
            await asyncio.sleep(0.01)
    await post.drain()
    assert [one.id for one in hook.taken] == ["a-1"]

    post.start("two")
    await hook.until(2)
    assert [one.id for one in hook.taken] == ["a-1", "a-2"], "what was taken is not sent again"


async def test_rewound_it_sends_again_in_order(post: Post, hook: Sink) -> None:
    post.write({"name": "pager", "url": hook.url})
    count = await tell_many(post, "a", 5)
    post.start()
    await hook.until(count)
    await asyncio.sleep(0.1)
    hook.taken.clear()
    await post.bus.news.rewind("courier-pager", 3)
    await hook.until(3)

    assert hook.ids() == ["a-3", "a-4", "a-5"]


async def test_a_hand_that_was_thought_dead_does_not_disturb_the_order(
    post: Post, hook: Sink
) -> None:
    """It takes an event after the round was taken over: whoever goes on sees the gap in time."""
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "inFlight": 1}})
    await tell_many(post, "a", 1)
    post.start()
    await hook.until(1)
    dead = post.server.connect("dead")
    async with dead.news.deliveries("courier-pager", most=1) as hand:
        await tell_many_more(post, 2, 9)
        stolen = await anext(hand)
    await hook.until(9)

    assert stolen.message.sequence > 1
    assert in_order(hook), hook.ids()


async def tell_many_more(post: Post, first: int, last: int) -> None:
    for number in range(first, last + 1):
        await tell(post.bus.log, event("a", number))
