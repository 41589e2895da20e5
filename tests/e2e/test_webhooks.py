"""Webhooks over real processes: whoever dies, a sink gets everything, in order, and knows repeats.

The sink runs in the test; NATS and the couriers are processes that are killed. Events are written
to the log as the status service writes them.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml

from shared.bus.jetstream import JetStreamBus
from tests.support.nats import open_connection
from tests.support.processes import Installation, Process, Said, ending, wait_until
from tests.unit.services.courier.news import event, tell
from tests.unit.services.courier.sinks import Sink, sink, status

pytestmark = [pytest.mark.xdist_group("webhooks"), pytest.mark.timeout(240)]

NAMES = "abcd"
QUICK = {"backoffDelay": "200ms", "backoffPolicy": "linear", "retry": 100, "timeout": "5s"}
WITHIN = 60.0
MINUTE = 60.0


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Installation]:
    """Run NATS with all streams."""
    with ending(tmp_path) as installation:
        installation.nats.start()
        made = installation.heliograph("init")
        assert made.returncode == 0, made.stderr
        yield installation


def write_file(here: Installation, *subscriptions: Mapping[str, object]) -> Path:
    path = here.folder / "subscriptions.yaml"
    listed = [{"from": "beginning", "delivery": QUICK, **one} for one in subscriptions]
    path.write_text(yaml.safe_dump({"subscriptions": listed}), encoding="utf-8")
    return path


def courier(here: Installation, name: str) -> Process:
    file = str(here.folder / "subscriptions.yaml")
    return here.start_service(name, "courier", HELIOGRAPH_SUBSCRIPTIONS=file)


@asynccontextmanager
async def bus_of(here: Installation) -> AsyncIterator[JetStreamBus]:
    connection = await open_connection(here.nats, "test")
    try:
        yield JetStreamBus(connection)
    finally:
        await connection.close()


async def tell_some(here: Installation, first: int, last: int, names: str = NAMES) -> None:
    """Write events of several resources, numbered from first to last."""
    async with bus_of(here) as bus:
        for number in range(first, last + 1):
            for name in names:
                await tell(bus.log, event(name, number))


def whole(hook: Sink, last: int) -> bool:
    """Whether each resource's events were first taken in order, without a gap."""
    first_taken = hook.ids()
    return all(
        [one for one in first_taken if one.startswith(f"{name}-")]
        == [f"{name}-{number}" for number in range(1, last + 1)]
        for name in NAMES
    )


async def asked(here: Installation, *words: str) -> Said:
    return await asyncio.to_thread(here.heliograph, "subscriptions", *words)


async def test_whoever_dies_everything_comes_in_order_and_repeats_are_known(
    here: Installation,
) -> None:
    async with sink() as hook:
        hook.slow = 0.02
        write_file(here, {"name": "pager", "url": hook.url})
        await tell_some(here, 1, 10)
        first = courier(here, "courier-1")
        await hook.until(10, WITHIN)
        first.kill()
        courier(here, "courier-2")
        await tell_some(here, 11, 20)
        await hook.until(50, WITHIN)
        here.nats.kill()
        await asyncio.sleep(1.0)
        await asyncio.to_thread(here.nats.start)
        await tell_some(here, 21, 30)
        await hook.until(4 * 30, WITHIN)

        assert whole(hook, 30), hook.ids()
        assert {one.id for one in hook.taken} == {
            f"{name}-{number}" for name in NAMES for number in range(1, 31)
        }


async def test_a_sink_that_fails_for_a_minute_gets_everything_in_order(
    here: Installation,
) -> None:
    """Half of it nobody listens, half of it the answer is 503; the patience is the usual one."""
    async with sink() as hook:
        port = int(hook.url.split(":")[2].split("/")[0])
        write_file(here, {"name": "pager", "url": hook.url, "delivery": {}})
        courier(here, "courier-1")
        courier(here, "courier-2")
        await tell_some(here, 1, 5)
        await hook.until(4 * 5, WITHIN)
    now = asyncio.get_running_loop().time
    well_at = now() + MINUTE
    await tell_some(here, 6, 10)
    await asyncio.sleep(MINUTE / 2)
    async with sink(port) as back:
        back.answer = lambda _: status(200 if now() >= well_at else 503)
        await tell_some(here, 11, 15)
        await back.until(4 * 10, 2 * MINUTE)

        assert whole(_joined(hook, back), 15)
        assert len(back.requests) > len(back.taken), "it did fail"
    assert json.loads((await asked(here, "undelivered", "pager", "-o", "json")).stdout) == []


def _joined(before: Sink, after: Sink) -> Sink:
    both = Sink()
    both.taken = [*before.taken, *after.taken]
    return both


async def test_a_dead_courier_is_replaced_while_its_successor_waits(here: Installation) -> None:
    async with sink() as hook:
        write_file(here, {"name": "pager", "url": hook.url})
        couriers = [courier(here, "courier-1")]
        await tell_some(here, 1, 2)
        await hook.until(4 * 2, WITHIN)
        couriers.append(courier(here, "courier-2"))
        await asyncio.to_thread(couriers[1].wait_ready)
        couriers[0].kill()
        await tell_some(here, 3, 4)
        await hook.until(4 * 4, WITHIN)

        assert whole(hook, 4)
        assert couriers[1].asked("/healthz")[0] == 200
        metrics = couriers[1].asked("/metrics")[1]
        assert 'heliograph_courier_delivered_total{subscription="pager"} 8.0' in metrics


async def test_what_is_not_taken_is_kept_and_sent_again_on_demand(here: Installation) -> None:
    async with sink() as hook:
        hook.answer = lambda told: status(400 if told.subject == "a" else 200)
        file = write_file(here, {"name": "pager", "url": hook.url})
        process = courier(here, "courier-1")
        await tell_some(here, 1, 3, "ab")
        await hook.until(3, WITHIN)
        await asyncio.to_thread(
            wait_until, lambda: process.said().count("event was not delivered") == 3, "given up"
        )
        shown = await asked(here, "undelivered", "pager", "-o", "json")
        kept = json.loads(shown.stdout)
        assert [one["id"] for one in kept] == ["a-1", "a-2", "a-3"]
        assert {one["because"] for one in kept} == {"the sink answered 400"}

        again = ("undelivered", "pager", "--again", "--subscriptions", str(file))
        refused = await asked(here, *again)
        assert (refused.returncode, refused.stdout.split(",")[0]) == (1, "0 taken")
        hook.answer = lambda _: status(200)
        sent = await asked(here, *again)
        assert (sent.returncode, sent.stdout) == (0, "3 taken, none left\n")
        assert [one.id for one in hook.taken if one.subject == "a"] == ["a-1", "a-2", "a-3"]
        assert json.loads((await asked(here, "undelivered", "pager", "-o", "json")).stdout) == []


async def test_a_running_courier_sends_again_from_a_moment_on(here: Installation) -> None:
    async with sink() as hook:
        file = write_file(here, {"name": "pager", "url": hook.url, "from": "now"})
        await tell_some(here, 1, 2, "a")
        courier(here, "courier-1")
        await asyncio.to_thread(
            wait_until, lambda: "subscription is served" in here.processes["courier-1"].said(), "on"
        )
        await asyncio.sleep(1.0)
        await tell_some(here, 3, 4, "a")
        await hook.until(2, WITHIN)
        assert hook.ids() == ["a-3", "a-4"]
        hook.taken.clear()
        replayed = await asked(here, "replay", str(file), "pager", "--from", "1h")
        assert replayed.returncode == 0, replayed.stderr
        await hook.until(4, WITHIN)

        assert hook.ids() == ["a-1", "a-2", "a-3", "a-4"]


async def test_gone_ends_it_and_a_handshake_comes_before_it(here: Installation) -> None:
    async with sink() as hook, sink() as shy:
        hook.answer = lambda _: status(410)
        write_file(
            here,
            {"name": "gone", "url": hook.url, "delivery": {**QUICK, "inFlight": 1}},
            {"name": "shy", "url": shy.url, "handshake": True},
        )
        process = courier(here, "courier-1")
        await tell_some(here, 1, 2, "a")
        await asyncio.to_thread(
            wait_until, lambda: "gone for good" in process.said(), "the sink is gone"
        )
        await asyncio.to_thread(
            wait_until, lambda: "nothing is sent without permission" in process.said(), "shy"
        )
        assert (len(hook.requests), shy.requests) == (1, [])
        assert process.asked("/healthz")[0] == 200
        shy.permission = {"WebHook-Allowed-Origin": "heliograph"}
        await shy.until(2, WITHIN)
        assert len(hook.requests) == 1
        assert await asyncio.to_thread(process.end) == 0
