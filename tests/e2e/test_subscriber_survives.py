"""A subscriber misses nothing and can tell what comes again, whoever dies meanwhile.

RayClusters come, suffer and go. The subscriber, the example that we give to people, is killed and
started again, and so is NATS. In the end its journal is what RAYPUB holds, event by event. One half
of the services writes in structured mode, the other half in binary.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from cloudevents.core.bindings.http import HTTPMessage, from_binary, from_structured
from cloudevents.core.formats.json import JSONFormat

from shared.bus.jetstream import JetStreamBus
from shared.events.cloudevents import CloudEvent, read
from shared.ports.event_log import FromSequence, Message
from tests.support.fleet import Fleet, World, fleet_in, is_empty, is_settled, role_of
from tests.support.kubes import Kube, installed
from tests.support.nats import open_connection
from tests.support.processes import Installation, Process, wait_until

pytestmark = [pytest.mark.xdist_group("subscriber"), pytest.mark.timeout(420)]

SCRIPT = Path(__file__).resolve().parents[2] / "examples/subscribers/python/subscriber.py"
NAMES = ("one", "two", "three")
NAME = "audit"
EVERYTHING = ("pub.>",)
WITHIN = 120.0


@pytest.fixture
def here(tmp_path: Path, kube: Kube) -> Iterator[Installation]:
    with installed(tmp_path, kube) as installation:
        installation.start_service("all-1", "all")
        installation.start_service("all-2", "all", HELIOGRAPH_LIFECYCLE_EVENTS="binary")
        for process in installation.members("all"):
            process.wait_ready()
        yield installation


@pytest.fixture
def subscriber(here: Installation) -> Process:
    """Run the example."""
    words = ("--durable", NAME, "--filter", f"pub.{here.namespace}.>")
    more = ("--journal", str(here.folder / "journal"))
    return here.add(NAME, (sys.executable, str(SCRIPT), *words, *more), here.environment)


@asynccontextmanager
async def bus_of(here: Installation) -> AsyncIterator[JetStreamBus]:
    connection = await open_connection(here.nats, "reader")
    try:
        yield JetStreamBus(connection)
    finally:
        await connection.close()


async def told(here: Installation) -> list[CloudEvent]:
    """Return everything that RAYPUB holds; the library of CloudEvents reads the same."""
    async with bus_of(here) as bus:
        messages = [one async for one in bus.news.read(EVERYTHING, FromSequence(1))]
    events = [read(one.headers, one.data) for one in messages]
    strangers = map(by_the_library, messages)
    ours = [(one.id, one.type, one.source, one.subject, one.time, one.data) for one in events]
    assert list(strangers) == ours
    return events


def by_the_library(message: Message) -> tuple[object, ...]:
    """Read a message as a stranger would."""
    structured = message.headers["Content-Type"] == "application/cloudevents+json"
    reader = from_structured if structured else from_binary
    event = reader(HTTPMessage(headers=dict(message.headers), body=message.data), JSONFormat())
    attributes = event.get_attributes()
    names = ("id", "type", "source", "subject", "time")
    return *(attributes[name] for name in names), event.get_data()


def heard(here: Installation) -> list[CloudEvent]:
    """Return what the subscriber has."""
    path = here.folder / "journal"
    lines = path.read_bytes().rpartition(b"\n")[0].splitlines() if path.exists() else []
    return [msgspec.json.decode(line, type=CloudEvent) for line in lines]


async def strike(here: Installation, subscriber: Process) -> None:
    """Kill the subscriber as soon as it has heard something new, and start it again."""
    before = len(heard(here))
    await asyncio.to_thread(wait_until, lambda: len(heard(here)) > before, "something is heard")
    subscriber.kill()
    await asyncio.sleep(0.3)
    subscriber.start()


async def settle(fleet: Fleet, world: World) -> None:
    await world.until(lambda now: is_settled(now, fleet.wanted), "all is as wished", WITHIN)


async def lose_a_head(world: World, name: str, here: Installation) -> None:
    """Take a head away, as a node that dies would."""
    heads = [
        pod
        for pod, seen in world.now["pods"].items()
        if pod.startswith(f"{name}-") and role_of(seen.body) == "head"
    ]
    gone = await asyncio.to_thread(
        here.kubectl, "delete", "pod", "-n", here.namespace, "--wait=false", *heads
    )
    assert gone.returncode == 0, gone.stderr
    await world.until(lambda now: heads[0] not in now.now["pods"], f"{heads[0]} is gone", WITHIN)


async def live_and_die(here: Installation, subscriber: Process) -> None:
    """Let clusters come, grow, suffer and go, while the subscriber and NATS are killed."""
    async with fleet_in(here) as (fleet, world):
        await asyncio.gather(*(fleet.create(name, 1) for name in NAMES), strike(here, subscriber))
        await settle(fleet, world)
        here.nats.kill()
        subscriber.kill()
        await asyncio.gather(*(fleet.scale(name, 2) for name in NAMES))
        await asyncio.to_thread(here.nats.start)
        subscriber.start()
        await settle(fleet, world)
        await asyncio.gather(lose_a_head(world, NAMES[0], here), strike(here, subscriber))
        await settle(fleet, world)
        deletions = (fleet.delete(name) for name in NAMES)
        await asyncio.gather(*deletions, strike(here, subscriber))
        await world.until(is_empty, "nothing is left", WITHIN)


async def complete(here: Installation, subscriber: Process) -> list[CloudEvent]:
    """Wait until every cluster was told as deleted and the subscriber has heard all; return all."""
    deadline = asyncio.get_running_loop().time() + WITHIN
    while True:
        events = await told(here)
        gone = {event.subject for event in events if ".deleted." in event.type}
        if gone == set(NAMES) and len(heard(here)) >= len(events):
            return events
        assert asyncio.get_running_loop().time() < deadline, (
            f"gone: {gone}; told {len(events)}, heard {len(heard(here))}\n{subscriber.said()}"
        )
        await asyncio.sleep(0.25)


async def hear_all_again(here: Installation) -> None:
    """Let the server deliver everything once more."""
    async with bus_of(here) as bus:
        await bus.news.rewind(NAME, 1)
        async with asyncio.timeout(WITHIN):
            while True:
                left = await bus.news.backlog(NAME)
                if not left.waiting and not left.held:
                    return
                await asyncio.sleep(0.1)


async def test_a_killed_subscriber_misses_nothing_and_tells_duplicates(
    here: Installation, subscriber: Process
) -> None:
    await live_and_die(here, subscriber)
    events = await complete(here, subscriber)

    assert [event.id for event in heard(here)] == [event.id for event in events]
    assert heard(here) == events
    for name in NAMES:
        numbers = [int(event.sequence) for event in events if event.subject == name]
        assert numbers == list(range(1, len(numbers) + 1))
    words = [event.type.split(".")[-2] for event in events if event.subject == NAMES[0]]
    assert (words[0], words[-1]) == ("provisioning", "deleted")
    assert {"ready", "head-lost", "head-replaced"} <= set(words)

    await hear_all_again(here)
    assert heard(here) == events
    assert "Traceback" not in subscriber.said()
