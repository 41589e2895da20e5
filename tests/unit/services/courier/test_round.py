"""One subscription from a bus in memory to a real sink: order, pace, filters, letters, leave."""

import asyncio
from collections import Counter

import pytest
from aiohttp import web

from shared.events.cloudevents import CloudEvent
from shared.events.subjects import life
from shared.ports.event_log import Entry
from tests.unit.services.courier.news import event, key, tell
from tests.unit.services.courier.sinks import QUICK, Post, Sink, status, until

EACH = 6


async def test_carries_everything_once_and_in_order(post: Post, hook: Sink) -> None:
    post.write({"name": "pager", "url": hook.url})
    count = await post.tell("abc", EACH)
    post.start()
    await hook.until(count)

    assert hook.in_order()
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
    count = await post.tell("abc", EACH)
    post.start()
    await hook.until(count)

    assert hook.in_order()
    assert len(hook.requests) == count + 40
    assert await post.letters() == []


async def test_one_resource_that_is_not_taken_does_not_hold_up_another(
    post: Post, hook: Sink
) -> None:
    hook.answer = lambda told: status(503 if told.subject == "a" else 200)
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "retry": 1000}})
    await post.tell("ab", EACH)
    post.start()
    await hook.until(EACH)

    assert hook.ids() == [f"b-{number}" for number in range(1, EACH + 1)]


async def test_many_events_of_a_resource_that_is_not_taken_do_not_hold_up_another(
    post: Post, hook: Sink
) -> None:
    hook.answer = lambda told: status(503 if told.subject == "a" else 200)
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "retry": 1000}})
    await post.tell("a", 100)
    await post.tell("b", 1)
    post.start()
    await hook.until(1)

    assert hook.ids() == ["b-1"]


async def test_no_more_requests_at_once_than_allowed(post: Post, hook: Sink) -> None:
    hook.slow = 0.05
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "inFlight": 1}})
    await post.tell("abcdef", 1)
    post.start()
    began = asyncio.get_running_loop().time()
    await hook.until(6)

    assert asyncio.get_running_loop().time() - began > 5 * 0.05


async def test_a_rate_is_kept(post: Post, hook: Sink) -> None:
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "ratePerMinute": 600}})
    await post.tell("abcdef", 1)
    post.start()
    began = asyncio.get_running_loop().time()
    await hook.until(6)

    assert asyncio.get_running_loop().time() - began > 5 * 0.1 * 0.9


async def test_who_begins_again_does_not_wait_for_turns_that_nobody_takes(
    post: Post, hook: Sink
) -> None:
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "ratePerMinute": 60}})
    await post.tell("abcdefghijklmnopqrstuvwxyz", 1)
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
    await post.tell("a", 3)
    post.start()
    await hook.until(2)
    (letter,) = await post.until_letters(1)

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
    (letter,) = await post.until_letters(1)

    assert hook.ids() == ["a-1", "a-2"]
    assert (letter.event, letter.tries) == (None, 0)
    assert letter.because == "the event cannot be read"


async def test_after_so_many_tries_it_goes_to_the_letters(post: Post, hook: Sink) -> None:
    hook.answer = lambda told: status(503 if told.id == "a-1" else 200)
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "retry": 2}})
    await post.tell("a", 2)
    post.start()
    await hook.until(1)
    (letter,) = await post.until_letters(1)

    attempts = [request.headers["Webhook-Attempt"] for request in hook.requests]
    assert attempts == ["1", "2", "3", "1"]
    assert {request.headers["Webhook-Id"] for request in hook.requests[:3]} == {"a-1"}
    assert (letter.tries, letter.because) == (3, "the sink answered 503")


async def test_without_letters_what_is_not_taken_is_dropped(post: Post, hook: Sink) -> None:
    hook.answer = lambda told: status(400 if told.id == "a-1" else 200)
    post.write({"name": "pager", "url": hook.url, "deadLetter": False})
    await post.tell("a", 2)
    post.start()
    await hook.until(1)

    assert await post.letters() == []


async def test_a_sink_may_ask_to_be_left_alone_for_a_while(post: Post, hook: Sink) -> None:
    hook.answer = lambda _: status(429 if len(hook.requests) == 1 else 200, {"Retry-After": "1"})
    post.write({"name": "pager", "url": hook.url})
    await post.tell("a", 1)
    post.start()
    began = asyncio.get_running_loop().time()
    await hook.until(1)

    assert asyncio.get_running_loop().time() - began >= 1.0


async def test_gone_stops_the_subscription_and_keeps_its_events(
    post: Post, hook: Sink, caplog: pytest.LogCaptureFixture
) -> None:
    hook.answer = lambda _: status(410)
    post.write({"name": "pager", "url": hook.url, "delivery": {**QUICK, "inFlight": 1}})
    await post.tell("a", 3)
    post.start("one")
    post.start("two")
    await until(lambda: "gone for good" in caplog.text)
    await asyncio.sleep(0.5)

    assert len(hook.requests) == 1, "nobody else tries, either"
    backlog = await post.bus.news.backlog("courier-pager")
    assert backlog.waiting + backlog.held == 3
    assert await post.letters() == []


async def test_without_permission_nothing_is_sent(
    post: Post, hook: Sink, caplog: pytest.LogCaptureFixture
) -> None:
    post.write({"name": "pager", "url": hook.url, "handshake": True}, origin="ray.example.com")
    await post.tell("a", 2)
    post.start()
    await until(lambda: "nothing is sent without permission" in caplog.text)
    assert hook.requests == []

    hook.permission = {
        "WebHook-Allowed-Origin": "ray.example.com",
        "WebHook-Allowed-Rate": "6000",
    }
    await hook.until(2)
    assert hook.asked[0]["WebHook-Request-Origin"] == "ray.example.com"
