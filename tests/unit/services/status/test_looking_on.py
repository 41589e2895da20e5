"""The status service of a shadow: it writes no status, and tells what happens all the same."""

import asyncio
from contextlib import suppress

from services.status.service import Status
from shared.ports.event_log import FromSnapshot
from tests.unit.services.status.serving import Place, everything, settle
from tests.unit.services.watcher.watched import watching


async def test_nothing_is_written_and_lifecycle_events_are_told() -> None:
    place = Place()
    bus = place.server.connect("status")
    service = Status(bus, None, place.server.clock, everything, "test")
    async with watching(place.cluster, place.server):
        task = asyncio.create_task(service.run())
        await settle()
        version = place.version()
        place.add_head()
        place.make_head_ready()
        await settle()
        told = [one.subject async for one in bus.log.read(("ray.*.*.*.*.life.>",), FromSnapshot())]
        written = await place.statuses()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    assert written == []
    assert place.version() == version
    assert told
